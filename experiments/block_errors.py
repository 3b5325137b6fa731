"""Blocks with textual and structural errors, by engine and noise, after table S3 of the paper.

``python -m experiments.block_errors dataset.kind=ohrbench … "engines=[precomputed:MinerU]"``
takes a study's options, reads what is not yet read, cuts the ground truth into blocks of running
text, formulas and tables, finds each in the reading, and counts those with errors
(:mod:`ohr.metrics.blocks` says what an error is).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Annotated

import pandas as pd
import typer
from rich.table import Table
from rich.text import Text

from experiments.conditions import Condition, condition_of
from experiments.config import StudyConfig, load_config
from experiments.csv_files import write_csv
from experiments.failing import CommandLine, with_errors
from experiments.labels import plain
from experiments.plan import Variant, load_dataset, make_plan
from experiments.progress import Progress
from experiments.reading import Readings
from experiments.tables import show
from ohr.metrics.blocks import BlockResult, judge_blocks, redundant_commands
from ohr.metrics.regions import KINDS
from ohr.store import ArtefactStore

FILE = "block_errors.csv"
DEFAULTS = {"stages": ["ocr"]}


@dataclass(frozen=True)
class Published:
    """A row of table S3: shares of blocks with errors, formatting commands a page."""

    text: float
    formula_textual: float
    formula_structural: float
    redundant: float


PAPER: Mapping[str, Published] = {
    "MinerU": Published(0.403, 0.78, 0.34, 10.9),
    "Qwen2.5-VL": Published(0.316, 0.46, 0.25, 16.4),
}
"""Table S3. It speaks of text, formula and table blocks but gives one pair of shares beside the
text's, in the column of formulas; by its caption they are textual and structural errors."""

EXPLANATION = (
    "textual: blocks that were found of which more than 5 % of the words (of a formula's symbols) "
    "are missing or changed; any: of which one is; as written: formulas whose LaTeX differs by "
    "more than white space\n"
    "textual or lost, structural or lost: of all blocks, those not found counted as errors\n"
    "paper: its table S3 has one pair of shares beside the text's, read here as the formulas'"
)

main = CommandLine()


@main.command(help="Count the blocks of a page that were read with errors, by engine and noise.")
def command(
    settings: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CONFIG.yaml] [key=value ...]",
            help="A YAML file and options such as engines=[tesseract]; quote brackets.",
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help=f"Folder for {FILE}.")] = None,
    debug: Annotated[
        bool, typer.Option("--debug", help="Print a traceback with an error.")
    ] = False,
) -> None:
    """Count blocks with errors."""
    with_errors(lambda: _run(load_config(settings or [], DEFAULTS), out), debug)


def _run(config: StudyConfig, out: Path | None) -> int:
    found = block_errors(config, Progress())
    show(errors_table(found))
    print(EXPLANATION)
    if out is not None:
        write_csv(out / FILE, found)
        print(f"table: {out / FILE}")
    return 0


def block_errors(config: StudyConfig, progress: Progress) -> pd.DataFrame:
    """A row for each knowledge base and kind of block. Raises OhrError.

    Shares are those of :func:`summarise`; ``redundant_commands`` is the knowledge base's mean
    over its pages. Blocks of all draws of the noise are taken together. A page that failed has
    no block that is found.
    """
    dataset = load_dataset(config)
    if dataset.report:
        progress.say(plain(f"dataset: {dataset.report.summary()}"))
    plan = make_plan(config, dataset)
    for note in plan.unreachable:
        progress.say(f"left out: {note}")
    readings = Readings(plan, ArtefactStore(config.cache))
    with progress:
        readings.make(progress)
    judged = [ref for ref in plan.reread if ref not in dataset.without_truth]
    rows = []
    judging = Progress(verb="judging")
    with judging:
        draws: dict[Condition, list[Variant]] = {}
        for variant in plan.variants:
            draws.setdefault(condition_of(plan, variant), []).append(variant)
        for condition, variants in draws.items():
            results: list[BlockResult] = []
            redundant = []
            for variant in variants:
                kb = readings.knowledge_base(variant)
                for done, ref in enumerate(judged, start=1):
                    read, truth = kb.text(ref), dataset.pages[ref].text
                    results += judge_blocks(read, truth)
                    redundant.append(redundant_commands(read, truth))
                    judging(plan.label(variant), done, len(judged))
            key = {
                "engine": condition.engine,
                "perturbation": condition.perturbation,
                "level": condition.level,
                "intensity": condition.intensity,
                "pages": len(judged),
                "draws": len(variants),
            }
            commands = fmean(redundant) if redundant else 0.0
            for row in summarise(results):
                rows.append(key | row | {"redundant_commands": commands})
    return pd.DataFrame(rows)


def summarise(results: Sequence[BlockResult]) -> Iterator[dict[str, object]]:
    """Counts and shares of each kind of block; a share of no blocks is NaN.

    Shares are of the blocks that were found; of all of them where the name ends in ``_or_lost``,
    which counts those that were not found as errors.
    """
    for kind in KINDS:
        mine = [result for result in results if result.kind == kind]
        found = [result for result in mine if result.found]
        yield {
            "kind": kind,
            "blocks": len(mine),
            "found": len(found),
            "mean_size": _share([result.size for result in found]),
            "textual": _share([result.textual for result in found]),
            "any_textual": _share([result.share < 1 for result in found]),
            "structural": _share([result.structural for result in found if kind != "text"]),
            "differs_as_written": _share(
                [not result.as_written for result in found if kind == "formula"]
            ),
            "textual_or_lost": _share([not result.found or result.textual for result in mine]),
            "structural_or_lost": _share(
                [not result.found or result.structural for result in mine if kind != "text"]
            ),
        }


def _share(values: Sequence[float]) -> float:
    return fmean(values) if values else float("nan")


def errors_table(found: pd.DataFrame) -> Table:
    """A row a knowledge base and kind of block, the paper's shares below."""
    table = Table(header_style="bold", box=None, pad_edge=False)
    for name in ("engine", "noise", "blocks of"):
        table.add_column(name)
    for name in (
        "blocks",
        "found",
        "words",
        "textual",
        "any",
        "structural",
        "as written",
        "textual or lost",
        "structural or lost",
        "commands a page",
    ):
        table.add_column(name, justify="right")
    for row in found.to_dict("records"):
        first = row["kind"] == KINDS[0]
        strength = row["level"] or f"{row['intensity']:g}"
        clean = row["perturbation"] == "none"
        table.add_row(
            Text(plain(str(row["engine"])) if first else ""),
            ("clean" if clean else f"{row['perturbation']} {strength}") if first else "",
            str(row["kind"]),
            f"{row['blocks']:,}",
            f"{row['found']:,}",
            "-" if pd.isna(row["mean_size"]) else f"{row['mean_size']:.0f}",
            *(
                _percent(row[name])
                for name in (
                    "textual",
                    "any_textual",
                    "structural",
                    "differs_as_written",
                    "textual_or_lost",
                    "structural_or_lost",
                )
            ),
            f"{row['redundant_commands']:.1f}" if first else "",
        )
    table.add_section()
    for engine, paper in PAPER.items():
        commands = f"{paper.redundant:.1f}"
        blank = [""] * 2
        table.add_row(
            f"paper: {engine}",
            "clean",
            "text",
            *blank,
            "",
            _percent(paper.text),
            *[""] * 5,
            commands,
        )
        table.add_row(
            "", "", "formula", *blank, "", _percent(paper.formula_textual), "",
            _percent(paper.formula_structural), *[""] * 4,
        )  # fmt: skip
    return table


def _percent(share: float) -> str:
    return "-" if pd.isna(share) else f"{100 * share:.1f} %"


if __name__ == "__main__":
    main()
