"""Formatting commands a page, by kind and knowledge base, beside the paper's table S2."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import command
from experiments.analysis.format_counts import count_knowledge_bases
from experiments.reports.format_counts import counts_table
from experiments.reports.terminal import show
from ohr.store.atomic import write_text
from ohr.study.config import StudyConfig, load_config


@command("Count formatting commands a page, by kind.")
def main(
    settings: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CONFIG.yaml] [key=value ...]",
            help='dataset.*, "engines=[gt,precomputed:MinerU]", noise=[formatting], levels, seed.',
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for format_counts.csv.")] = None,
) -> int:
    """Print the counts, and the paper's beside them."""
    defaults = {"engines": ["gt"], "noise": ["formatting"], "stages": ["ocr"]}
    return _run(load_config(settings or [], defaults), out)


def _run(config: StudyConfig, out: Path | None) -> int:
    counts = count_knowledge_bases(config)
    show(counts_table(counts))
    if out is not None:
        path = out / "format_counts.csv"
        write_text(path, counts.to_csv(index_label="kind", float_format="%.4f"))
        print(f"counts: {path}")
    return 0


if __name__ == "__main__":
    main()
