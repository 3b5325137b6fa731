"""Formatting commands a page, by kind and knowledge base, beside the paper's table S2."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer
from rich.table import Table
from rich.text import Text

from experiments.config import StudyConfig, load_config
from experiments.failing import CommandLine, with_errors
from experiments.labels import plain
from experiments.plan import load_dataset, make_plan
from experiments.progress import Progress
from experiments.reading import Readings
from experiments.tables import show
from ohr.atomic import write_text
from ohr.errors import ConfigError
from ohr.plugins import KnowledgeBaseSource
from ohr.store import ArtefactStore
from ohr.types import Outcome
from perturb.text.commands import KINDS, count_commands, paper_count

PAPER = {
    "MinerU": 35.0, "GOT": 45.7, "Nougat": 63.2, "mild": 37.9, "moderate": 42.2, "severe": 56.3,
}  # fmt: skip
"""Table S2: average counts a page."""

main = CommandLine()


@main.command(help="Count formatting commands a page, by kind.")
def command(
    settings: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CONFIG.yaml] [key=value ...]",
            help='dataset.*, "engines=[gt,precomputed:MinerU]", noise=[formatting], levels, seed.',
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for format_counts.csv.")] = None,
    debug: Annotated[
        bool, typer.Option("--debug", help="Print a traceback with an error.")
    ] = False,
) -> None:
    """Print the counts, and the paper's beside them."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    defaults = {"engines": ["gt"], "noise": ["formatting"], "stages": ["ocr"]}
    with_errors(lambda: _run(load_config(settings or [], defaults), out), debug)


def _run(config: StudyConfig, out: Path | None) -> int:
    counts = count_knowledge_bases(config)
    show(counts_table(counts))
    if out is not None:
        path = out / "format_counts.csv"
        write_text(path, counts.to_csv(index_label="kind", float_format="%.4f"))
        print(f"counts: {path}")
    return 0


def count_knowledge_bases(config: StudyConfig) -> pd.DataFrame:
    """Mean counts a page that has text: a row a kind, then ``all`` and ``pages``; a column each.

    Formatting noise is laid on the ground truth; other engines are counted as they are.
    """
    dataset = load_dataset(config)
    columns: dict[str, dict[str, float]] = {}
    with Progress(verb="counting") as progress:
        for spec in config.engines:
            noise = config.noise if spec.name == "gt" else ()
            plan = make_plan(
                config.one_draw().model_copy(
                    update={"engines": (spec,), "noise": noise, "ground_truth": False}
                ),
                dataset,
            )
            if not isinstance(plan.engines[spec.label], KnowledgeBaseSource):
                raise ConfigError(
                    f"engine {spec.label!r} reads pages; format_counts takes text that is there: "
                    "gt or precomputed:<kb>"
                )
            readings = Readings(plan, ArtefactStore(config.cache))
            for done, variant in enumerate(plan.variants, start=1):
                noisy = variant.noise.operator is not None
                name = f"{variant.noise.name} {variant.noise.strength}" if noisy else spec.label
                columns[name] = _mean_counts(readings.knowledge_base(variant).pages.values())
                progress(spec.label, done, len(plan.variants))
    return pd.DataFrame(columns)


def _mean_counts(pages: Iterable[Outcome[str]]) -> dict[str, float]:
    total: Counter[str] = Counter()
    texts = [page.value for page in pages if page.value and page.value.strip()]
    for text in texts:
        counts = count_commands(text)
        total.update(counts)
        total["all"] += paper_count(counts)
    n = max(len(texts), 1)
    return {kind: total[kind] / n for kind in (*KINDS, "all")} | {"pages": float(len(texts))}


def counts_table(counts: pd.DataFrame) -> Table:
    """A row a kind of command, a column a knowledge base, the paper's counts below."""
    table = Table(header_style="bold", box=None, pad_edge=False)
    table.add_column("commands a page")
    for name in counts.columns:
        table.add_column(Text(plain(str(name))), justify="right")
    for kind in KINDS:
        table.add_row(kind.replace("_", " "), *(f"{value:.1f}" for value in counts.loc[kind]))
    table.add_section()
    table.add_row("all but line breaks", *(f"{value:.1f}" for value in counts.loc["all"]))
    paper = [PAPER.get(str(name).replace(":", " ").split()[-1]) for name in counts.columns]
    table.add_row("paper, table S2", *("" if value is None else f"{value:.1f}" for value in paper))
    table.add_row("pages with text", *(f"{value:.0f}" for value in counts.loc["pages"]))
    return table


if __name__ == "__main__":
    main()
