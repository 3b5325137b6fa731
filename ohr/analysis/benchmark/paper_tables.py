"""The paper's tables of engines: table 2 by evidence source, tables S6 to S8 by domain.

Scores are micro-averages over questions in per cent, with one row per retriever and reader, then
their average over retrievers and readers, as in the paper. The best engine is bold and the second
underlined, without the ground truth. Means that are not shown to differ from their baseline are
marked (:mod:`ohr.analysis.comparison.not_shown`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from ohr.analysis.comparison.not_shown import not_shown_note
from ohr.analysis.published import TRUTH, averages
from ohr.display.labels import STAGE_METRICS, group_label
from ohr.display.notes import Notes, answerers, note_lines
from ohr.display.settings import Block, Means, blocks_of, texts
from ohr.display.text_tables import TextTable, write_table
from ohr.display.wording import add_letters, letters_part
from ohr.statistics.numbers import number, signed
from ohr.study.notices.truth import marked, same_as_truth, same_lines, truth_note
from ohr.study.results import KNOWLEDGE_BASE, knowledge_base_name

SOURCE_COLUMNS = {
    "source:text": "TXT",
    "source:table": "TAB",
    "source:formula": "FOR",
    "source:chart": "CHA",
    "source:reading_order": "RO",
    "all": "ALL",
}
DOMAIN_TABLES = {"retrieval": "table_s6", "generation": "table_s7", "overall": "table_s8"}
N = "n "
"""Prefix of the columns of counts: questions, or pages for the edit distance."""
LETTERS = "letters "
"""Prefix of the columns of letters for ties, beside means over all questions."""


def write_paper_tables(cells: pd.DataFrame, folder: Path, notes: Notes | None = None) -> list[Path]:
    """Write table 2 and tables S6 to S8, as far as the cells of a benchmark have them."""
    clean = cells[cells["noise"] == "none"]
    same = same_as_truth(clean)
    paths = []
    values = source_values(clean)
    if len(_value_columns(values)):
        table = source_table(values, _table2_caption(clean, notes), same)
        paths += write_table(folder, "table2", values, table)
    for stage, metric, title in STAGE_METRICS:
        by_domain = domain_values(clean, stage, metric)
        if len(by_domain):
            of_stage = clean[clean["stage"] == stage]
            words = f"{title} by domain; {caption(of_stage, notes, rows=True)}"
            table = domain_table(by_domain, words, same)
            paths += write_table(folder, DOMAIN_TABLES[stage], by_domain, table)
    return paths


def source_values(cells: pd.DataFrame) -> pd.DataFrame:
    """One row per engine and setting: ``edit_distance``, ``retrieval TXT`` and so on in [0, 1].

    ``setting`` is empty if there is only one; with several, the last rows are their means. After
    each column comes its ``n`` and, for all questions, the letters for ties if the cells have them.
    Evidence sources without questions, and stages that were not measured, have no column.
    """
    columns = {"edit_distance": ("ocr", "edit_distance", "all")} | {
        f"{stage} {short}": (stage, metric, group)
        for stage, metric, _ in STAGE_METRICS
        for group, short in SOURCE_COLUMNS.items()
    }
    records = []
    means = _means(cells)
    for block in blocks_of(cells):
        for engine, of_engine in means.items():
            row: dict[str, object] = {"engine": engine, "setting": block.label}
            for name, cell in columns.items():
                row |= _mean_and_n(block, of_engine, name, cell)
            records.append(row)
    return pd.DataFrame(records).dropna(axis="columns", how="all")


def _means(cells: pd.DataFrame) -> dict[str, Means]:
    """The means of each engine, in the order of the cells."""
    engines = dict.fromkeys(cells["engine"])
    return {engine: Means(cells[cells["engine"] == engine]) for engine in engines}


def _mean_and_n(
    block: Block, means: Means, name: str, cell: tuple[str, str, str]
) -> dict[str, object]:
    value = means.find(block, *cell)
    if value is None:
        return {name: None, N + name: None}
    letters: dict[str, object] = {LETTERS + name: value.letters} if value.letters else {}
    return {name: value.mean, N + name: value.n} | letters


def _value_columns(values: pd.DataFrame) -> list[str]:
    """The columns that hold means."""
    return [name for name in values.columns if N + name in values.columns]


def source_table(values: pd.DataFrame, title: str, same: Collection[str] = ()) -> TextTable:
    """Table 2, ready for print, with the number of questions below every column.

    The engines in ``same``, which equal the truth, are marked and not ranked.
    """
    several = values["setting"].nunique() > 1
    heads = ["engine", "setting"] if several else ["engine"]
    header, spans = list(heads), [("", 1)] * len(heads)
    formats: dict[str, Callable[[float], str]] = {}
    if "edit_distance" in values:
        header.append("E.D.")
        spans.append(("OCR", 1))
        formats["edit_distance"] = distance
    for stage, _, title_of_stage in STAGE_METRICS:
        stage_columns = [name for name in _value_columns(values) if name.startswith(f"{stage} ")]
        if stage_columns:
            header += [name.removeprefix(f"{stage} ") for name in stage_columns]
            spans.append((title_of_stage, len(stage_columns)))
            formats |= dict.fromkeys(stage_columns, percent)
    rows = [
        [
            marked(row["engine"], same),
            *(row[name] for name in heads[1:]),
            *(
                "-"
                if name == "edit_distance" and row["engine"] == TRUTH
                else add_letters(text(row[name]), row.get(LETTERS + name))
                for name, text in formats.items()
            ),
        ]
        for row in values.to_dict("records")
    ]
    best: list[tuple[int, int, int]] = []
    for _, block in values.groupby("setting", sort=False):
        ranked = block[~block["engine"].isin([TRUTH, *same])]
        for column, name in enumerate(formats, start=len(heads)):
            ranks = _ranked(ranked, name, name == "edit_distance")
            best += [(row, column, rank) for row, rank in ranks.items()]
    rows += _rows_of_n(values, list(formats), heads)
    return TextTable(header, rows, title, *_marks(best), spans, left=len(heads))


def _rows_of_n(values: pd.DataFrame, names: Sequence[str], heads: Sequence[str]) -> list[list[str]]:
    """A row with the n of every column; several rows if the rows of the table differ in n."""
    rows: list[tuple[dict[str, str], list[str]]] = []
    for row in values.to_dict("records"):
        counts = {name: str(row[N + name]) for name in names if pd.notna(row[N + name])}
        alike = (r for r in rows if all(r[0].get(name, n) == n for name, n in counts.items()))
        known_values, named = next(alike, ({}, []))
        if not named:
            rows.append((known_values, named))
        known_values |= counts
        named.append(", ".join(row[head] for head in heads if row[head]))
    empty = [""] * (len(heads) - 1)
    return [
        [
            "n" if len(rows) == 1 else f"n: {'; '.join(named)}",
            *empty,
            *(known_values.get(name, "-") for name in names),
        ]
        for known_values, named in rows
    ]


def domain_values(cells: pd.DataFrame, stage: str, metric: str) -> pd.DataFrame:
    """One row per setting and domain, and one of all: ``domain``, ``setting``, then the engines.

    An engine's column is in [0, 1]; after it comes its ``n``.
    """
    cells = cells[cells["stage"] == stage]
    means = _means(cells)
    groups = [g for g in dict.fromkeys(cells["group"]) if g.startswith("domain:")]
    records = []
    for block in blocks_of(cells):
        for group in [*groups, "all"]:
            row: dict[str, object] = {"domain": group_label(group), "setting": block.label}
            for engine, of_engine in means.items():
                row |= _mean_and_n(block, of_engine, engine, (stage, metric, group))
            if any(row[engine] is not None for engine in means):
                records.append(row)
    return pd.DataFrame(records)


def domain_table(values: pd.DataFrame, title: str, same: Collection[str] = ()) -> TextTable:
    """Table S6, S7 or S8, ready for print, with the number of questions of every row.

    ``same`` as in :func:`source_table`.
    """
    engines = _value_columns(values)
    heads = ["setting", "domain"] if values["setting"].nunique() > 1 else ["domain"]
    counts = values[[N + engine for engine in engines]]
    alike = bool((counts.nunique(axis=1) <= 1).all())
    of_n = [N + engine for engine in engines]
    rows = []
    for row in values.to_dict("records"):
        counts_of_row = ["-" if pd.isna(row[name]) else str(row[name]) for name in of_n]
        n = [next((text for text in counts_of_row if text != "-"), "-")] if alike else counts_of_row
        texts_of_row = [add_letters(percent(row[e]), row.get(LETTERS + e)) for e in engines]
        rows.append([*(row[h] for h in heads), *texts_of_row, *n])
    best: list[tuple[int, int, int]] = []
    for place in range(len(values)):
        means = [float(values[engine].iloc[place]) for engine in engines]
        by_engine = pd.DataFrame({"engine": engines, "mean": means})
        ranks = _ranked(by_engine[~by_engine["engine"].isin([TRUTH, *same])], "mean", False)
        best += [(place, len(heads) + engine, rank) for engine, rank in ranks.items()]
    header = [*heads, *(marked(engine, same) for engine in engines), *(["n"] if alike else of_n)]
    return TextTable(header, rows, title, *_marks(best), left=len(heads))


def _ranked(values: pd.DataFrame, name: str, lower_is_better: bool) -> Mapping[int, int]:
    """Rank of each of the two best engines, by the printed digits; ties share a rank."""
    digits = 2 if lower_is_better else 3
    rounded = values[name].dropna().round(digits)
    if len(rounded) < 2:
        return {}
    ranks = rounded.rank(method="dense", ascending=lower_is_better)
    places = zip(ranks.index.to_list(), ranks.to_list(), strict=True)
    return {row: int(rank) for row, rank in places if rank <= 2}


def _marks(
    best: Sequence[tuple[int, int, int]],
) -> tuple[frozenset[tuple[int, int]], frozenset[tuple[int, int]]]:
    """Cells (row, column) to print bold (rank 1) and underlined (rank 2)."""
    bold, underlined = (
        frozenset((row, column) for row, column, rank in best if rank == mark) for mark in (1, 2)
    )
    return bold, underlined


def caption(cells: pd.DataFrame, notes: Notes | None = None, *, rows: bool = False) -> str:
    """How the scores were measured: questions, retrievers and readers, pages, protocol.

    With ``rows`` each setting has its row; otherwise scores are means over retrievers and readers,
    with the first chunker and number of hits.
    """
    questions = cells[(cells["group"] == "all") & (cells["stage"] != "ocr")]
    questions = questions if len(questions) else cells[cells["group"] == "all"]
    parts = [f"n = {int(questions['n'].astype(int).max())} questions"]
    for name in ("retriever", "reader"):
        used = [value for value in dict.fromkeys(cells[name]) if value]
        if used:
            mean = len(used) > 1 and not rows
            parts.append(f"{'mean over ' if mean else ''}{', '.join(used)}")
    for name, title in (("chunker", "chunker"), ("top_k", "number of hits")):
        used = [value for value in dict.fromkeys(texts(cells, name)) if value]
        if len(used) > 1:
            names = ", ".join(used) if rows else f"{used[0]}, of {', '.join(used)}"
            parts.append(f"{title} {names}")
    if rows and any(block.is_mean for block in blocks_of(cells)):
        parts.append("the last rows are means over retrievers and readers")
    only = cells["kb_scope"].iloc[0] == "evidence"
    parts.append("only pages with evidence re-read" if only else "all pages re-read")
    parts += [f"{cells['protocol'].iloc[0]} scoring", *truth_note(cells), *same_lines(cells)]
    if rows and (letters := letters_part(cells.attrs.get("ties", ()))):
        parts.append(letters)
    parts += not_shown_note(cells)
    parts += note_lines(answerers(cells), notes)
    return "micro-averages in per cent; " + "; ".join(parts)


def _table2_caption(cells: pd.DataFrame, notes: Notes | None) -> str:
    return (
        "Engines by evidence source; edit distance (E.D.) is not in per cent, and its n are pages; "
        f"{caption(cells, notes, rows=True)}"
    )


def percent(value: float) -> str:
    """In per cent with one decimal; a dash for NaN."""
    return number(100 * value, 1)


def distance(value: float) -> str:
    """Two decimals; a dash for NaN."""
    return number(value, 2)


_TRUTH = ("none", "none", "", 0.0, TRUTH)
"""The clean ground truth, by the columns of a knowledge base."""


def reader_values(cells: pd.DataFrame) -> pd.DataFrame:
    """Table S5: one row per reader and knowledge base, overall F1 by evidence source in [0, 1].

    ``delta`` is ALL less the ground truth's under the same reader. Columns of marks follow, if the
    cells have any, where a mean is that of one setting.
    """
    stage, metric, _ = STAGE_METRICS[2]
    records = []
    for reader in [name for name in dict.fromkeys(cells["reader"]) if name]:
        of_reader = cells[cells["reader"].isin([reader, ""])]
        truth = averages(_base_cells(of_reader, _TRUTH), stage, metric, "all")
        bases = of_reader[list(KNOWLEDGE_BASE)].drop_duplicates()
        for base in bases.itertuples(index=False, name=None):
            of_base = _base_cells(of_reader, base)
            means = {
                short: next(iter(averages(of_base, stage, metric, group).values()), float("nan"))
                for group, short in SOURCE_COLUMNS.items()
            }
            if pd.isna(means["ALL"]):
                continue
            means |= _letters(of_base, stage, metric)
            distance = averages(of_base, "ocr", "edit_distance", "all").values()
            row = {"reader": reader, "knowledge_base": _base_name(base)}
            row |= {"edit_distance": next(iter(distance), float("nan"))} | means
            records.append(row | {"delta": means["ALL"] - next(iter(truth.values()), float("nan"))})
    values = pd.DataFrame(records)
    return values.dropna(axis="columns", how="all")


def _letters(cells: pd.DataFrame, stage: str, metric: str) -> dict[str, Any]:
    """The letters of each evidence source with a single cell; none if the cells have no letters."""
    if "letters" not in cells:
        return {}
    of_metric = cells[(cells["stage"] == stage) & (cells["metric"] == metric)]
    named = {short: of_metric[of_metric["group"] == g] for g, short in SOURCE_COLUMNS.items()}
    single = {short: of["letters"].iloc[0] for short, of in named.items() if len(of) == 1}
    return {LETTERS + short: letters for short, letters in single.items() if letters}


def _base_cells(cells: pd.DataFrame, base: tuple[object, ...]) -> pd.DataFrame:
    chosen = cells
    for name, value in zip(KNOWLEDGE_BASE, base, strict=True):
        chosen = chosen[chosen[name] == value]
    return chosen


def _base_name(base: tuple[object, ...]) -> str:
    return knowledge_base_name(pd.Series(dict(zip(KNOWLEDGE_BASE, base, strict=True))))


def write_reader_table(cells: pd.DataFrame, folder: Path, notes: Notes | None = None) -> list[Path]:
    """Write table S5 of the cells of a run."""
    values = reader_values(cells)
    titles = {"edit_distance": "E.D.", "delta": "Δ(ALL)", "knowledge_base": "knowledge base"}
    names = [name for name in values.columns if not name.startswith(LETTERS)]
    rows = [
        [
            row["reader"],
            row["knowledge_base"],
            *(
                distance(row[name])
                if name == "edit_distance"
                else signed(100 * row[name], 1)
                if name == "delta"
                else add_letters(percent(row[name]), row.get(LETTERS + name))
                for name in names[2:]
            ),
        ]
        for row in values.to_dict("records")
    ]
    measured = caption(cells.assign(reader=""))  # each row is one reader's
    parts = [f"Readers by knowledge base, {STAGE_METRICS[2][2]}", measured]
    title = "; ".join(parts + note_lines(answerers(cells), notes))
    table = TextTable([titles.get(name, name) for name in names], rows, title, left=2)
    return write_table(folder, "table_s5", values, table)
