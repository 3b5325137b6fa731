"""The board's page: rankings, incomplete runs, runs, and how to read them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd
from markupsafe import Markup

from ohr.analysis.board.runs import Entry, Rerun, study_of
from ohr.analysis.board.table import MADE_UP, Ranking
from ohr.analysis.comparison.table import metrics_of
from ohr.analysis.noise_cost.losses import noise_losses
from ohr.analysis.noise_cost.report import interval_text
from ohr.analysis.noise_cost.table import AT_BASELINE, OWN_ERRORS, PARTS
from ohr.display.labels import interval_units
from ohr.display.notes import note_lines, run_notes
from ohr.files.safe_text import plain
from ohr.report.overview import TEMPLATES
from ohr.report.tables import Table, number_text, seconds_text, stage_title
from ohr.statistics.numbers import interval, number
from ohr.study.config import BUILT_IN
from ohr.study.results import StudyRun

SCRIPTS = ("dom.js", "board.js")
SHEETS = ("style.css", "board.css")
_TITLES = {"top_k": "hits"}
_DIGITS = 8
_LETTER = re.compile(r"\([a-z]+\)|[a-z]")
"""A letter for ties; after z they have two characters, in parentheses."""
_MADE_UP = {
    "silent_numbers": "changed numbers per 1,000",
    "invented_words": "invented words per 1,000",
}
_MEASURED = "clean score, measured"
_REPORTED = "clean score, reported (not ranked)"


def page(
    title: str,
    entries: Sequence[Entry],
    tables: Sequence[Ranking],
    again: Sequence[Rerun],
    baseline: str = "",
) -> str:
    """The page as HTML; all texts of the runs are escaped."""
    metrics: dict[tuple[str, str], list[Ranking]] = {}
    for table in tables:
        metrics.setdefault((table.info.stage, table.info.metric), []).append(table)
    runs = {entry.name: entry.run for entry in entries if entry.run}
    html: str = TEMPLATES.get_template("board.html").render(
        title=plain(title),
        sheets=SHEETS,
        scripts=SCRIPTS,
        answer=[plain(sentence) for sentence in _answer(entries, tables)],
        metrics=[
            {
                "title": stage_title(str(metric_rows[0].info.stage), metric_rows[0].info),
                "rankings": [_section(ranking, runs) for ranking in metric_rows],
            }
            for metric_rows in metrics.values()
        ],
        incomplete=[
            {
                "name": plain(entry.name),
                "lacks": [plain(line) for line in entry.lacks],
                "table": _measured(entry.run),
            }
            for entry in entries
            if entry.lacks
        ],
        runs=_runs_table(entries, again),
        failures=[
            f"{plain(entry.name)}: {plain(line)}"
            for entry in entries
            if entry.run and not entry.lacks
            for line in entry.run.failures
        ],
        reading=[plain(sentence) for sentence in _reading(tables, baseline)],
    )
    return html


def _answer(entries: Sequence[Entry], tables: Sequence[Ranking]) -> Iterator[str]:
    """A sentence per table: the best condition, and which others do not differ from it.

    Tables of a single condition come last.
    """
    for table in sorted(tables, key=lambda table: len(table.ranked) < 2):
        ranked = table.ranked
        if ranked.empty:
            continue
        several = sum(other.info == table.info for other in tables) > 1
        of = f"{stage_title(str(table.info.stage), table.info)}"
        of += f" ({', '.join(table.runs)})" if several else ""
        names = list(_names(ranked))
        best = ranked.iloc[0]
        value = (
            f"a loss of {number_text(best['loss'])}"
            if table.no_cost
            else f"a mean noise cost of {best['cost']:.0f}"
        )
        only = " is the only condition, with" if len(names) == 1 else " is lowest, with"
        ties = [
            name
            for name, letters in zip(names[1:], ranked["letters"].iloc[1:], strict=True)
            if set(_LETTER.findall(letters)) & set(_LETTER.findall(best["letters"]))
        ]
        shared = f"; it does not differ significantly from {' or '.join(ties)}" if ties else ""
        yield f"{of}: {names[0]}{only} {value}{shared}."
    complete = [entry for entry in entries if not entry.lacks]
    measured = {name for table in tables for name in table.runs}
    if not any(len(table.ranked) for table in tables):
        yield (
            "Nothing can be ranked: no condition was measured on clean pages and under noise."
            if complete
            else "Nothing can be ranked: no run is complete."
        )
    for entry in complete:
        if entry.name not in measured:
            yield f"{entry.name} has none of these metrics, so it is in no table."


def _varying(frame: pd.DataFrame) -> list[str]:
    """The parts in which the conditions differ; the engine if they differ in none."""
    return [name for name in PARTS if frame[name].nunique() > 1] or ["engine"]


def _names(frame: pd.DataFrame) -> Iterator[str]:
    varying = _varying(frame)
    for row in frame[varying].itertuples(index=False):
        yield ", ".join(str(value) for value in row if value) or "(no name)"


def _section(ranking: Ranking, runs: dict[str, StudyRun]) -> dict[str, Any]:
    reasons = [ranking.apart] if ranking.apart else []
    if ranking.no_cost:
        reasons.append(f"No mean noise cost: {ranking.no_cost}. The table is ordered by loss.")
    of = [runs[name] for name in ranking.runs]
    return {
        "reasons": [plain(reason) for reason in reasons],
        "table": _ranked(ranking),
        "others": _others(ranking),
        "notes": [plain(note) for note in _notes(ranking, of)],
    }


def _heads(ranking: Ranking) -> tuple[list[str], list[str]]:
    """The columns that name a condition, and their titles."""
    names = _varying(ranking.frame)
    names += ["runs"] if len(ranking.runs) > 1 else []
    return names, [_TITLES.get(name, name).replace("runs", "run") for name in names]


def _texts(row: Mapping[Any, Any], names: Sequence[str]) -> list[str]:
    return [plain(str(row[name])) or "–" for name in names]


def _title(ranking: Ranking, kind: str) -> str:
    """The title of a table, which no other table of the page has."""
    return plain(f"{ranking.info.label} {kind}: {', '.join(ranking.runs)}")


def _ranked(ranking: Ranking) -> Table:
    """The conditions with a place, the best first."""
    names, titles = _heads(ranking)
    ranked = ranking.ranked
    by_cost = not ranking.no_cost
    columns = [*titles, *(["noise cost"] if by_cost else ["loss"]), "95 % interval", "letters"]
    columns += ["loss"] if by_cost else []
    columns += [_MEASURED]
    is_reported = bool(ranked["reported"].notna().any())
    columns += [_REPORTED] if is_reported else []
    made_up = [name for name in MADE_UP if ranked[name].notna().any()]
    columns += [*(_MADE_UP[name] for name in made_up), "seconds a page", "n", "noises"]
    rows = []
    for row in ranked.to_dict("records"):
        cells: list[str] = _texts(row, names)
        if by_cost:
            cells += [f"{row['cost']:.0f}", interval_text(row["ci_low"], row["ci_high"]) or "–"]
        else:
            cells += [number_text(row["loss"]), _interval(row["loss_low"], row["loss_high"])]
        cells.append(str(row["letters"]) or "–")
        cells += [number_text(row["loss"])] if by_cost else []
        cells.append(number_text(row["clean"]))
        cells += [_reported(row)] if is_reported else []
        cells += [_thousandths(row[name]) for name in made_up]
        cells += [seconds_text(row["seconds"]), f"{row['n']:,}", str(row["n_noises"])]
        rows.append(cells)
    return {
        "title": _title(ranking, "by mean noise cost" if by_cost else "by loss"),
        "columns": columns,
        "texts": len(names),
        "rows": rows,
    }


def _others(ranking: Ranking) -> Table:
    """The conditions without a place, with the reason."""
    names, titles = _heads(ranking)
    is_reported = bool(ranking.unranked["reported"].notna().any())
    columns = ["reason", "loss", _MEASURED, *[_REPORTED] * is_reported, "n"]
    return {
        "title": _title(ranking, "not ranked"),
        "columns": [*titles, *columns],
        "texts": len(names) + 1,
        "rows": [
            [
                *_texts(row, names),
                Markup('<span class="why">{}</span>').format(plain(row["not_ranked"])),
                number_text(row["loss"]),
                number_text(row["clean"]),
                *[_reported(row)] * is_reported,
                f"{row['n']:,}",
            ]
            for row in ranking.unranked.to_dict("records")
        ],
    }


def _reported(row: Mapping[Any, Any]) -> str:
    text = str(row["reported_in"])
    return Markup('<span class="reported">{}</span>').format(plain(text)) if text else "–"


def _thousandths(share: float) -> str:
    return "–" if pd.isna(share) else number(1000 * share, 1)


def _interval(low: float, high: float) -> str:
    return "–" if pd.isna(low) else interval(low, high)


def _notes(ranking: Ranking, runs: Sequence[StudyRun]) -> Iterator[str]:
    """The signature, what all conditions share, the noises and units, and notes of readers."""
    yield f"Signature: {ranking.signature}"
    frame = ranking.frame
    varying = _varying(frame)
    shared = [
        f"{_TITLES.get(name, name)} {frame[name].iloc[0]}"
        for name in PARTS
        if name not in varying and frame[name].iloc[0] not in ("", BUILT_IN)
    ]
    if shared:
        yield f"The same in all: {', '.join(shared)}."
    by_noises: dict[str, list[str]] = {}
    for name, noises in zip(_names(ranking.ranked), ranking.ranked["noises"], strict=True):
        by_noises.setdefault(noises, []).append(name)
    for noises, names in by_noises.items():
        of = f" of {'; '.join(names)}" if len(by_noises) > 1 else ""
        yield f"Noises{of}: {noises}."
    if len(ranking.ranked):
        units = interval_units(ranking.ranked["ci_unit"])
        yield f"Intervals: for further {units}." if units else "No intervals: too few documents."
    if len(ranking.ranked) > 1 and not (ranking.ranked["letters"] != "").any():
        yield (
            "No letters: the conditions were measured under different noises, or on different or "
            "too few documents."
        )
    yield from note_lines(frame["reader"], run_notes(runs))


def _measured(run: StudyRun | None) -> Table:
    """What an incomplete run measured; nothing of it is ranked."""
    rows: list[list[str]] = []
    names = list(PARTS)
    frames = []
    if run is not None:
        for stage, metric in metrics_of([run]):
            if stage != "ocr":
                frame = noise_losses([run], stage, metric)
                frames.append(frame.assign(name=f"{stage}:{metric}"))
    if frames:
        frame = pd.concat(frames, ignore_index=True)
        differing = [name for name in PARTS if frame[name].replace("", None).nunique() > 1]
        names = differing or ["engine"]  # parts that a stage lacks are empty
        rows = [
            [
                str(row["name"]),
                *_texts(row, names),
                number_text(row["loss"]),
                number_text(row["clean"]),
                f"{row['n']:,}",
            ]
            for row in frame.to_dict("records")
        ]
    titles = [_TITLES.get(name, name) for name in names]
    return {
        "columns": ["metric", *titles, "loss", _MEASURED, "n"],
        "texts": 1 + len(names),
        "rows": rows,
    }


def _runs_table(entries: Sequence[Entry], again: Sequence[Rerun]) -> Table:
    badges = {rerun.name: rerun for rerun in again}
    firsts = {rerun.first for rerun in again}
    rows = []
    for entry in entries:
        dataset: dict[str, Any] = entry.run.manifest.get("dataset", {}) if entry.run else {}
        rows.append(
            [
                plain(entry.name),
                entry.state,
                study_of(entry.run)[:_DIGITS] if entry.run else "–",
                _badge(badges.get(entry.name)) or ("–" if entry.name not in firsts else "first"),
                str(dataset.get("digest", "") or "–")[:_DIGITS],
                *(
                    f"{dataset[name]:,}" if isinstance(dataset.get(name), int) else "–"
                    for name in ("documents", "pages", "asked")
                ),
            ]
        )
    columns = ["run", "state", "study", "rerun", "data", "documents", "pages", "questions"]
    return {"columns": columns, "texts": 5, "rows": rows}


def _badge(rerun: Rerun | None) -> str:
    if rerun is None:
        return ""
    kind = "same" if rerun.same_bytes else "other"
    return Markup('<span class="badge {}">{}</span>').format(kind, plain(rerun.badge()))


def _reading(tables: Sequence[Ranking], baseline: str) -> Iterator[str]:
    of = plain(baseline) or "Tesseract 5 with BM25 and the extractive reader"
    yield (
        f"Noise cost: the loss of a condition under noise, divided by that of {of} "
        "on the same questions, both over all noises. "
        f"{AT_BASELINE:.0f} is this baseline; lower is better. An interval is unbounded where that "
        "of the baseline's own loss contains 0."
    )
    yield (
        "Loss: the score on the same engine's clean pages less the score under noise. An engine "
        "that reads clean pages badly can have a low loss, so look at its clean score too."
    )
    if any(OWN_ERRORS in list(table.frame["noises"]) for table in tables):
        yield (
            "A condition whose noise is its own errors was measured on clean pages alone: its loss "
            "is the score on the ground truth's clean pages less its own."
        )
    yield (
        "Changed numbers: another number stands in their place. Invented words: no part of the "
        "page supports them. Both are means over pages and noises."
    )
    yield (
        "Intervals are 95 % intervals over documents, or over pages where documents are few; each "
        "table says which. Those of the noise cost are Fieller's, which are made for ratios."
    )
    yield (
        "Letters: conditions of a table that share a letter do not differ significantly (p by sign "
        "flips of documents, all pairs together). Conditions measured under other noises or "
        "on other questions than most have none."
    )
    yield (
        "Seconds a page: wall seconds of OCR for the median clean page with one worker, on the "
        "machine of the run. Ground truth and stored page texts are not read, so they have none."
    )
    yield (
        "Signature: all that decides what a metric's values mean. Runs with different signatures "
        "are never in one table."
    )
    if any(table.frame["reported"].notna().any() for table in tables):
        yield (
            "Reported score: of the same engine on clean pages, by the OHR-Bench paper, on its own "
            "pages and questions and, unless a table is of one reader, as a mean over its readers "
            "and retrievers. It was not measured here, and it is not ranked."
        )
    yield (
        "Same bytes: a run of the same study, whose rows.parquet, cells.csv and cases.zip have the "
        "same digests as those of the earlier run."
    )
