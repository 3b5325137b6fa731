"""The paper's tables of engines: table 2 by evidence source, tables S6 to S8 by domain.

Figures are micro-averages over questions, then averages over retrievers and readers, as in the
paper; scores in per cent. The best engine is bold and the second underlined, the ground truth
set aside.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

import pandas as pd

from experiments.figures import cells_of
from experiments.labels import STAGE_METRICS, group_label
from experiments.table_files import TextTable, write_table
from experiments.truth import marked, same_as_truth, same_lines, truth_note

SOURCE_COLUMNS = {
    "source:text": "TXT",
    "source:table": "TAB",
    "source:formula": "FOR",
    "source:chart": "CHA",
    "source:reading_order": "RO",
    "all": "ALL",
}
DOMAIN_TABLES = {"retrieval": "table_s6", "generation": "table_s7", "overall": "table_s8"}
TRUTH = "gt"


def write_paper_tables(cells: pd.DataFrame, folder: Path) -> list[Path]:
    """Write what the cells of a benchmark hold of table 2 and of tables S6 to S8."""
    clean = cells[cells["noise"] == "none"]
    same = same_as_truth(clean)
    paths = []
    values = source_values(clean)
    if len(values.columns) > 1:
        paths += write_table(
            folder, "table2", values, source_table(values, _table2_caption(clean), same)
        )
    for stage, metric, title in STAGE_METRICS:
        by_domain = domain_values(clean, stage, metric)
        if len(by_domain):
            table = domain_table(by_domain, f"{title} by domain; {caption(clean)}", same)
            paths += write_table(folder, DOMAIN_TABLES[stage], by_domain, table)
    return paths


def source_values(cells: pd.DataFrame) -> pd.DataFrame:
    """A row an engine: ``engine``, ``edit_distance``, then ``retrieval TXT`` and so on in [0, 1].

    Evidence sources of which there are no questions, and stages that were not measured, have no
    column.
    """
    columns = {"edit_distance": ("ocr", "edit_distance", "all")} | {
        f"{stage} {short}": (stage, metric, group)
        for stage, metric, _ in STAGE_METRICS
        for group, short in SOURCE_COLUMNS.items()
    }
    values = {name: averages(cells, *cell) for name, cell in columns.items()}
    made = pd.DataFrame({"engine": list(dict.fromkeys(cells["engine"]))})
    for name, by_engine in values.items():
        if by_engine:
            made[name] = [by_engine.get(engine, float("nan")) for engine in made["engine"]]
    return made


def averages(cells: pd.DataFrame, stage: str, metric: str, group: str) -> dict[str, float]:
    """Each engine's mean over the retrievers and readers of one stage, metric and group.

    Of several chunkers or numbers of hits the first counts, as in the figures.
    """
    chosen = cells_of(cells, stage, metric, group)
    for column in ("chunker", "top_k"):
        if len(chosen) and pd.notna(first := chosen[column].iloc[0]):
            chosen = chosen[chosen[column] == first]
    chosen = chosen[chosen["n"].astype(int) > 0]
    return {
        str(engine): float(mean) for engine, mean in chosen.groupby("engine")["mean"].mean().items()
    }


def source_table(values: pd.DataFrame, title: str, same: Collection[str] = ()) -> TextTable:
    """Table 2, ready for print; the engines ``same`` as the truth are marked, not ranked."""
    header, spans = ["engine"], [("", 1)]
    formats: dict[str, Callable[[float], str]] = {}
    if "edit_distance" in values:
        header.append("E.D.")
        spans.append(("OCR", 1))
        formats["edit_distance"] = distance
    for stage, _, measure in STAGE_METRICS:
        mine = [name for name in values.columns if name.startswith(f"{stage} ")]
        if mine:
            header += [name.removeprefix(f"{stage} ") for name in mine]
            spans.append((measure, len(mine)))
            formats |= dict.fromkeys(mine, percent)
    rows = [
        [
            marked(row["engine"], same),
            *(
                "-" if name == "edit_distance" and row["engine"] == TRUTH else text(row[name])
                for name, text in formats.items()
            ),
        ]
        for row in values.to_dict("records")
    ]
    others = values[~values["engine"].isin([TRUTH, *same])]
    best = [_ranked(others, name, name == "edit_distance") for name in formats]
    return TextTable(header, rows, title, *_marks(best, by_row=False), spans)


def domain_values(cells: pd.DataFrame, stage: str, metric: str) -> pd.DataFrame:
    """A row a domain and one of all: ``domain``, then a column an engine, in [0, 1]."""
    engines = list(dict.fromkeys(cells["engine"]))
    groups = [g for g in dict.fromkeys(cells["group"]) if g.startswith("domain:")]
    found = []
    for group in [*groups, "all"]:
        by_engine = averages(cells, stage, metric, group)
        if by_engine:
            means = {engine: by_engine.get(engine, float("nan")) for engine in engines}
            found.append({"domain": group_label(group)} | means)
    return pd.DataFrame(found)


def domain_table(values: pd.DataFrame, title: str, same: Collection[str] = ()) -> TextTable:
    """Table S6, S7 or S8, ready for print; ``same`` as in :func:`source_table`."""
    engines = list(values.columns[1:])
    rows = [
        [row["domain"], *(percent(row[engine]) for engine in engines)]
        for row in values.to_dict("records")
    ]
    by_engine = values.set_index("domain").T.rename_axis("engine").reset_index()
    others = by_engine[~by_engine["engine"].isin([TRUTH, *same])]
    best = [_ranked(others, domain, False) for domain in values["domain"]]
    header = ["domain", *(marked(engine, same) for engine in engines)]
    return TextTable(header, rows, title, *_marks(best, by_row=True))


def _ranked(values: pd.DataFrame, name: str, lower_is_better: bool) -> Mapping[int, int]:
    """Place of each engine of the two best, as they are printed; ties share a place."""
    digits = 2 if lower_is_better else 3
    shown = values[name].dropna().round(digits)
    if len(shown) < 2:
        return {}
    ranks = shown.rank(method="dense", ascending=lower_is_better)
    places = zip(ranks.index.to_list(), ranks.to_list(), strict=True)
    return {row: int(rank) for row, rank in places if rank <= 2}


def _marks(
    best: Sequence[Mapping[int, int]], *, by_row: bool
) -> tuple[frozenset[tuple[int, int]], frozenset[tuple[int, int]]]:
    """Cells to be set bold (first) and underlined (second)."""
    marks: tuple[set[tuple[int, int]], set[tuple[int, int]]] = (set(), set())
    for number, places in enumerate(best):
        for engine, rank in places.items():
            cell = (number, engine + 1) if by_row else (engine, number + 1)
            marks[rank - 1].add(cell)
    return frozenset(marks[0]), frozenset(marks[1])


def caption(cells: pd.DataFrame) -> str:
    """How the figures were measured: questions, retrievers and readers, pages, protocol."""
    questions = cells[(cells["group"] == "all") & (cells["stage"] != "ocr")]
    questions = questions if len(questions) else cells[cells["group"] == "all"]
    parts = [f"n = {int(questions['n'].astype(int).max())} questions"]
    for name in ("retriever", "reader"):
        used = [value for value in dict.fromkeys(cells[name]) if value]
        if used:
            parts.append(f"{'mean over ' if len(used) > 1 else ''}{', '.join(used)}")
    only = cells["kb_scope"].iloc[0] == "evidence"
    parts.append("only pages with evidence re-read" if only else "all pages re-read")
    parts += [f"{cells['protocol'].iloc[0]} scoring", *truth_note(cells), *same_lines(cells)]
    return "micro-averages in per cent; " + "; ".join(parts)


def _table2_caption(cells: pd.DataFrame) -> str:
    return f"Engines by evidence source; edit distance (E.D.) as it is, {caption(cells)}"


def percent(value: float) -> str:
    """In per cent with one decimal; a dash for what is not there."""
    return "-" if pd.isna(value) else f"{100 * value:.1f}"


def distance(value: float) -> str:
    """Two decimals; a dash for what is not there."""
    return "-" if pd.isna(value) else f"{value:.2f}"
