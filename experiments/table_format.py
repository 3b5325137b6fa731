"""Retrieval, generation and overall quality by the format of the tables (the paper's figure 4).

``python -m experiments.table_format [CONFIG.yaml] [key=value ...] --out RUN`` makes a knowledge
base for each format, every table of every page converted and all else equal, and compares them
on the questions about tables. ``RUN/losses.csv`` counts the tables that a format cannot hold
whole, ``RUN/differences.csv`` the differences from the first format with paired intervals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from rich.table import Table
from rich.text import Text

from experiments.cli import study_command
from experiments.conditions import CONDITION_COLUMNS
from experiments.csv_files import write_csv
from experiments.figures import HATCHES, caption, cells_of, from_zero
from experiments.labels import STAGE_METRICS, mathless, plain
from experiments.notes import Notes, note_lines, reader_notes
from experiments.runs import clusters_of, counted, mean_over_draws
from experiments.settings import setting_names
from experiments.study import Result
from experiments.style import COLOURS, figure, save
from experiments.tables import number, show
from ocr_backends.gt import GroundTruth
from ohr.errors import OhrError
from ohr.statistics import mean_interval
from ohr.tables import TableFormat, convert_tables, parse_tables

GROUP = "source:table"
RETRIEVAL, GENERATION, OVERALL = STAGE_METRICS
MEASURES = (
    RETRIEVAL,
    ("retrieval", "lcs_stripped", "Retrieval LCS, no mark-up"),
    GENERATION,
    OVERALL,
)
FORMATS = ("latex", "markdown", "html")
SETTING = [name for name in CONDITION_COLUMNS if name != "engine"]


def report(result: Result) -> None:
    """Print a row for each format and setting, write the losses, draw the bars.

    Shown are clean pages, the first chunker and ``top_k`` hits; ``differences.csv``
    has all. Raises OhrError if no question is about a table.
    """
    cells = result.cells[result.cells["group"] == GROUP]
    if cells.empty:
        raise OhrError("no question about a table was asked: dataset.sources must hold table")
    differences = paired_differences(result, cells)
    losses = count_losses(result)
    for name, frame in (("differences", differences), ("losses", losses)):
        write_csv(result.out / f"{name}.csv", frame)
    top_k = result.plan.config.top_k
    cells, differences = shown(cells, top_k), shown(differences, top_k)
    show(_table(cells, differences))
    notes = reader_notes(result.readers)
    if len(result.plan.chunkers) > 1:
        print(plain(f"shown: {setting_names(cells)}; differences.csv has every chunker"))
    for line in note_lines(cells["reader"], notes):
        print(plain(line))
    show(_loss_table(losses))
    for path in format_bars(cells, result.out / "figures", notes):
        print(f"figure: {path}")


def paired_differences(result: Result, cells: pd.DataFrame) -> pd.DataFrame:
    """Each format less the first one, question by question: mean and 95 % interval."""
    rows = mean_over_draws(counted(pd.read_parquet(result.out / "rows.parquet")))
    rows = rows[rows["evidence_source"] == GROUP.partition(":")[2]]
    rows["top_k"] = rows["top_k"].astype("string").fillna("")
    first, *others = list(dict.fromkeys(cells["engine"]))
    found = []
    for stage, metric, _ in MEASURES:
        measured = rows[(rows["stage"] == stage) & (rows["metric"] == metric)]
        for setting, mine in measured.groupby(SETTING, observed=True, sort=False):
            by_question = mine.pivot(index=["qid", "doc_id", "page_no"], columns="engine")["value"]
            for engine in others:
                if engine not in by_question or first not in by_question:
                    continue
                paired = (by_question[engine] - by_question[first]).dropna()
                if paired.empty:
                    continue
                values = paired.to_numpy(dtype=float)
                asked = paired.index.to_frame(index=False)
                interval = mean_interval(values, clusters_of(asked), bounded=False)
                found.append(
                    dict(zip(SETTING, setting, strict=True))
                    | {"stage": stage, "metric": metric, "format": engine, "less": first}
                    | {"mean": values.mean(), "ci_low": interval.low, "ci_high": interval.high}
                    | {"ci_unit": interval.unit, "n": len(values)}
                )
    return pd.DataFrame(found)


def shown(rows: pd.DataFrame, top_k: int) -> pd.DataFrame:
    """Of cells or differences, those of clean pages, the first chunker and so many hits."""
    if rows.empty:
        return rows
    chunker = next((name for name in rows["chunker"] if name), "")
    hits = pd.to_numeric(rows["top_k"], errors="coerce").fillna(top_k)
    return rows[(rows["noise"] == "none") & rows["chunker"].isin([chunker, ""]) & (hits == top_k)]


def count_losses(result: Result) -> pd.DataFrame:
    """Tables of the re-read pages by format, and how many of them lose what, with an example."""
    counts: dict[tuple[str, str], int] = {}
    details: dict[tuple[str, str], Counter[str]] = {}
    for label, engine in result.plan.engines.items():
        if not isinstance(engine, GroundTruth) or engine.params.tables == "as_is":
            continue
        target: TableFormat = engine.params.tables
        counts[label, "tables"] = 0
        for ref in result.plan.reread:
            text = result.plan.dataset.pages[ref].text
            tables = parse_tables(text)
            counts[label, "tables"] += len(tables)
            losses = convert_tables(text, target)[1] if tables else []
            for _, kind in sorted({(loss.table, loss.loss.kind) for loss in losses}):
                counts[label, kind] = counts.get((label, kind), 0) + 1
            for loss in losses:
                details.setdefault((label, loss.loss.kind), Counter())[loss.loss.detail] += 1
    return pd.DataFrame(
        [
            {
                "format": label,
                "what": kind,
                "tables": count,
                "detail": ", ".join(
                    d for d, _ in details.get((label, kind), Counter()).most_common(5)
                ),
            }
            for (label, kind), count in counts.items()
        ]
    )


def _table(cells: pd.DataFrame, differences: pd.DataFrame) -> Table:
    table = Table(header_style="bold", box=None, pad_edge=False)
    table.add_column("tables in")
    table.add_column("retriever, reader")
    measures = [m for m in MEASURES if len(cells_of(cells, m[0], m[1], GROUP))]
    for _, _, title in measures:
        table.add_column(title, justify="right")
    for engine in dict.fromkeys(cells["engine"]):
        for retriever, reader in settings(cells):
            row = []
            for stage, metric, _ in measures:
                mine = of_setting(cells_of(cells, stage, metric, GROUP), retriever, reader)
                mine = mine[mine["engine"] == engine]
                row.append(number(mine["mean"].iloc[0]) if len(mine) else "-")
                less = differences[
                    (differences["format"] == engine)
                    & (differences["stage"] == stage)
                    & (differences["metric"] == metric)
                ]
                for _, change in of_setting(less, retriever, reader).iterrows():
                    low, high = change["ci_low"], change["ci_high"]
                    row[-1] += f" ({change['mean']:+.3f}; {low:+.3f} to {high:+.3f})"
            table.add_row(
                Text(plain(str(engine))),
                Text(plain(", ".join(name for name in (retriever, reader) if name))),
                *row,
            )
    return table


def settings(cells: pd.DataFrame) -> list[tuple[str, str]]:
    """Every retriever with every reader; one of them is empty where a stage alone was run."""
    retrievers = [name for name in dict.fromkeys(cells["retriever"]) if name] or [""]
    readers = [name for name in dict.fromkeys(cells["reader"]) if name] or [""]
    return [(retriever, reader) for retriever in retrievers for reader in readers]


def of_setting(cells: pd.DataFrame, retriever: str, reader: str) -> pd.DataFrame:
    """Rows of a retriever and a reader, as far as they apply to the stage."""
    return cells[cells["retriever"].isin([retriever, ""]) & cells["reader"].isin([reader, ""])]


def _loss_table(losses: pd.DataFrame) -> Table:
    table = Table(header_style="bold", box=None, pad_edge=False)
    table.add_column("tables in")
    table.add_column("what cannot be kept")
    table.add_column("tables", justify="right")
    table.add_column("such as")
    for _, loss in losses.iterrows():
        table.add_row(*(Text(plain(str(loss[name]))) for name in losses.columns))
    return table


def format_bars(cells: pd.DataFrame, folder: Path, notes: Notes | None = None) -> list[Path]:
    """A panel a measure; for each retriever and reader a bar a format, with its interval."""
    measures = [m for m in MEASURES if len(cells_of(cells, m[0], m[1], GROUP))]
    engines = list(dict.fromkeys(cells["engine"]))
    pairs = settings(cells)
    width = 0.8 / len(engines)
    with figure(0.8 + 2.0 * len(measures) * max(1.0, 0.6 * len(pairs)), 3.2) as made:
        axes = made.subplots(1, len(measures), squeeze=False, sharey="row")[0]
        for ax, (stage, metric, title) in zip(axes, measures, strict=True):
            for place, (retriever, reader) in enumerate(pairs):
                chosen = of_setting(cells_of(cells, stage, metric, GROUP), retriever, reader)
                for rank, engine in enumerate(engines):
                    for _, cell in chosen[chosen["engine"] == engine].iterrows():
                        x = place + (rank - (len(engines) - 1) / 2) * width
                        ax.bar(
                            x,
                            cell["mean"],
                            width * 0.92,
                            color=COLOURS[rank % len(COLOURS)],
                            hatch=HATCHES[rank % len(HATCHES)],
                            edgecolor="white",
                            linewidth=0,
                            label=mathless(str(engine)) if place == 0 else None,
                        )
                        ax.vlines(x, cell["ci_low"], cell["ci_high"], color="#333333", linewidth=1)
            ax.set_title(title)
            ax.grid(axis="x", visible=False)
            ax.set_xticks(range(len(pairs)), [_ticks(stage, *pair) for pair in pairs])
        from_zero(axes)
        made.legend(
            *axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(engines)
        )
        caption(made, cells.assign(group="all"), notes=notes)
        return save(made, folder, "table_format")


def _ticks(stage: str, retriever: str, reader: str) -> str:
    """The parts of the system that a stage uses."""
    used: Sequence[str] = {"retrieval": (retriever,), "generation": (reader,)}.get(
        stage, (retriever, reader)
    )
    return "\n".join(mathless(name) for name in used if name)


main = study_command(
    "Compare retrieval, generation and overall quality by the format of the tables.",
    report,
    {
        "dataset": {"sources": ["table"]},
        "engines": [{"name": "gt", "params": {"tables": name}, "label": name} for name in FORMATS],
    },
)

if __name__ == "__main__":
    main()
