"""Counts formatting commands per page, by kind and knowledge base, beside the paper's table S2."""

from __future__ import annotations

from typing import Annotated

from experiments._command import Settings, command
from experiments._parameters import OptionalOut
from ohr.study.config import StudyConfig
from ohr.study.presets import preset


@command
def main(
    config: Annotated[StudyConfig, Settings(preset("format-counts"), reads_pages=False)],
    out: OptionalOut = None,
) -> int:
    """Count formatting commands per page, by kind (table S2)."""
    from experiments.papers.format_counts.report import counts_table
    from experiments.papers.format_counts.table import count_knowledge_bases
    from ohr.display.terminal import show
    from ohr.store.atomic import write_text

    counts = count_knowledge_bases(config)
    show(counts_table(counts))
    if out is not None:
        path = out / "format_counts.csv"
        write_text(path, counts.to_csv(index_label="kind", float_format="%.4f"))
        print(f"counts: {path}")
    return 0


if __name__ == "__main__":
    main()
