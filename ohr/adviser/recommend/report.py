"""The recommendation in sentences: the verdicts first, then the reasons, the cost, and doubts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ohr.adviser.recommend.decision import Decision
from ohr.adviser.recommend.layers import LayerSummary
from ohr.adviser.recommend.limits import limit_clause
from ohr.adviser.recommend.table import METRIC, Choice
from ohr.adviser.recommend.table_questions import TableVerdict
from ohr.adviser.recommend.verdicts import TITLES, Candidate, MeasureVerdict
from ohr.display.wording import pages_of, rounded_up
from ohr.ocr.price import reading_s, spoken
from ohr.quality.inference import FEWEST_DOCUMENTS, FEWEST_LABELLED
from ohr.statistics.clusters import DOCUMENT
from ohr.statistics.inference import ALPHA
from ohr.statistics.numbers import number, prose
from ohr.statistics.paired import FEWEST_TO_SHOW
from ohr.study.results import StudyRun

OWN = "structured"
"""The project's own engine."""
BUSY = 2.0
"""Wall seconds over CPU seconds above which the machine was busy or waiting."""
_FOR_POWER = 1 + 0.84 / 1.96


@dataclass(frozen=True)
class EngineCost:
    """The cost of an engine on this machine; NaN if it is not known."""

    engine: str
    cpu_s: float
    wall_s: float
    pages_per_hour: float
    licence: str
    is_own: bool = False

    @property
    def speed(self) -> str:
        """Pages an hour, in two significant digits; empty if it is not known."""
        return "" if math.isnan(self.pages_per_hour) else rounded(self.pages_per_hour)

    @property
    def is_busy(self) -> bool:
        """Whether wall time is much longer than CPU time."""
        return bool(self.wall_s > BUSY * self.cpu_s)

    def sentence(self, workers: int, pages: int) -> str:
        """The cost per page and, for ``pages`` pages to read with OCR, in all."""
        licence = f"licence {self.licence or 'not stated'}"
        if math.isnan(self.wall_s):
            return f"{self.engine}: time not known, pages were read before; {licence}."
        cpu = "" if math.isnan(self.cpu_s) else f"{self.cpu_s:.1f} CPU s per page, "
        text = (
            f"{self.engine}: {cpu}{self.speed} pages an hour on this machine "
            f"with {workers} worker{'s' * (workers != 1)}; {licence}."
        )
        if pages and self.pages_per_hour:
            took = spoken(reading_s(pages, self.wall_s, workers))
            text += f" About {pages:,} page{'s' * (pages != 1)} to read: {took}."
        if self.is_busy:
            text += (
                f" Wall time is {self.wall_s / max(self.cpu_s, 1e-9):.1f} times CPU time: the "
                "machine was busy or the engine waits, so an idle machine may read faster."
            )
        return text

    def json_content(self) -> dict[str, Any]:
        """The cost for ``recommendation.json``."""
        values = {"cpu_s": self.cpu_s, "wall_s": self.wall_s, "pages_per_hour": self.pages_per_hour}
        return {
            "engine": self.engine,
            **{
                key: None if math.isnan(value) else round(value, 3) for key, value in values.items()
            },
            "licence": self.licence,
            "own_engine": self.is_own,
        }


def rounded(number: float) -> str:
    """Two significant digits: ``1,700`` for 1,683."""
    if number <= 0:
        return "0"
    unit = 10 ** max(0, math.floor(math.log10(number)) - 1)
    return f"{round(number / unit) * unit:,}"


@dataclass(frozen=True)
class Advice:
    """A recommendation in its parts, each of several sentences."""

    verdict: tuple[str, ...]
    reasons: tuple[str, ...]
    cost: tuple[str, ...]
    doubts: tuple[str, ...]

    def parts(self) -> list[tuple[str, tuple[str, ...]]]:
        """The title and sentences of each part."""
        return [
            ("VERDICT", self.verdict),
            ("WHY", self.reasons),
            ("COST", self.cost),
            ("TO BE SURE", self.doubts),
        ]

    def text(self, table: str = "", following: str = "") -> str:
        """The text of ``recommendation.txt``.

        ``table`` has the engines' errors, ``following`` is the next command with its price.
        """
        tables = {"WHY": table}
        parts = [
            f"{title}\n{tables.get(title, '')}" + "".join(f"{line}\n" for line in lines)
            for title, lines in self.parts()
        ]
        if following:
            parts.append(f"NEXT\n{following}\n")
        return "\n".join(parts)

    @property
    def sentences(self) -> list[str]:
        """All sentences, in order."""
        return [line for _, lines in self.parts() for line in lines]


def take_sentence(layers: LayerSummary | None, decision: Decision, *, several: bool) -> str:
    """The first line: what to use. ``several`` retrievers were compared."""
    retriever = f" with {decision.retriever}" if several and decision.retriever else ""
    basis = f"; {decision.rests_on}" if decision.rests_on else ""
    engine = f"{decision.engine}{retriever} ({decision.reason}{basis})"
    if decision.engine == OWN:
        engine += "; structured is this project's own engine"
    is_named = decision.engine and decision.is_shown
    ahead = f"no OCR engine is shown to be best; for now take {engine}" if decision.engine else ""
    none = ahead or decision.clause
    if layers is None or not layers.is_usable:
        return f"Take {engine}." if is_named else f"{none[0].upper()}{none[1:]}."
    caution = f"; {layers.caution}" if layers.caution else ""
    if layers.is_everywhere:
        rest = engine if is_named else none
        every = "usable on the one checked page"
        if layers.checked > 1:
            every = f"usable on all {layers.checked} checked pages{caution}"
        return f"Take the text layer ({every}). For a page without one: {rest}."
    usable = f"{layers.usable} of {layers.checked} checked pages{caution}"
    where = f"Take the text layer where it is usable ({usable})"
    if is_named:
        return f"{where}, else {engine}."
    return f"{where}. For the other pages {ahead}." if ahead else f"{where}; {none}."


def verdict_start(verdict: MeasureVerdict) -> str:
    """The verdict on one measure without what it rests on, while pages are read."""
    values = [_value(candidate, verdict) for candidate in verdict.candidates[:1]]
    values += [_other(candidate, verdict) for candidate in verdict.candidates[1:]]
    return f"{TITLES[verdict.measure]}: {'; '.join(values) or 'not assessed'}"


def verdict_sentence(verdict: MeasureVerdict, basis: str = "") -> str:
    """The verdict on one measure. ``basis`` says which pages or questions it is about."""
    title = _title(verdict)
    if verdict.where:
        title += f" under {verdict.where} noise"
    if not verdict.candidates:
        reasons = dict.fromkeys(verdict.not_assessed.values())
        return f"{title}: not assessed: {'; '.join(reasons)}."
    first = verdict.candidates[0]
    on = f"On {verdict.rests_on}{basis}; measured against {verdict.against}."
    if verdict.against.startswith("predicted"):
        on = on.replace("measured against ", "")
    if not verdict.is_compared:
        each = "; ".join(_value(candidate, verdict) for candidate in verdict.candidates)
        return f"{title}: {each}; nothing was compared with it. {on}"
    quality = "fewest" if verdict.is_error else "best"
    if verdict.measure == "content_r_noise":
        quality = "least"
    rest = [_other(candidate, verdict) for candidate in verdict.candidates[1:]]
    if verdict.limit:
        values = "; ".join(_value(candidate, verdict) for candidate in verdict.candidates)
        return f"{title}: {limit_clause(verdict.limit)}: {values}. {on}"
    return f"{title}: {quality} by {_value(first, verdict)}; {'; '.join(rest)}. {on}"


def _title(verdict: MeasureVerdict) -> str:
    title = TITLES[verdict.measure]
    return f"{title[0].upper()}{title[1:]}"


def _value(candidate: Candidate, verdict: MeasureVerdict) -> str:
    return f"{candidate.name}, {verdict_value(candidate, verdict)}"


def verdict_value(candidate: Candidate, verdict: MeasureVerdict) -> str:
    """A candidate's mean and interval: ``5.0 % [0.0, 19.4]``, or ``0.982 [0.697, 0.999]``."""
    low, high = candidate.low, candidate.high
    if verdict.measure == "characters":
        return f"{100 * candidate.mean:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"
    interval = "" if math.isnan(low) else f" [{number(low)}, {number(high)}]"
    return f"{number(candidate.mean)}{interval}"


def _other(candidate: Candidate, verdict: MeasureVerdict) -> str:
    low, high = candidate.behind
    value = _value(candidate, verdict)
    if candidate.is_worse:
        if math.isfinite(low) and math.isfinite(high) and low > 0 and high < 1:
            first = _gap(low, verdict).removesuffix(" points")
            ends = f"{first} to {_gap(high, verdict)}"
            return f"{value}: shown to be worse, by {ends}"
        return f"{value}: shown to be worse"
    if candidate.is_same:
        unit = "question" if verdict.measure == "retrieval" else "page"
        return f"{value}: the same on every {unit}"
    if verdict.too_few:
        return f"{value}: nothing can be shown ({verdict.too_few})"
    bound = max(abs(low), abs(high))
    if math.isnan(bound) or bound >= 1:
        return f"{value}: no significant difference, and none is excluded"
    return f"{value}: no significant difference (none larger than {_gap(bound, verdict)})"


def _gap(difference: float, verdict: MeasureVerdict) -> str:
    is_percent = verdict.measure == "characters"
    return f"{100 * difference:.1f} points" if is_percent else prose(difference)


def family_sentence(verdicts: Sequence[MeasureVerdict], looks: int) -> str:
    """How intervals are meant; the engines were compared at most ``looks`` times while reading."""
    pairs = max((verdict.pairs for verdict in verdicts), default=0)
    together = []
    if pairs > 1:
        together.append(f"for all {pairs} comparisons of a measure together")
    if looks > 1:
        alphas = [verdict.alpha for verdict in verdicts if verdict.is_error]
        spent = number(min(alphas, default=ALPHA))
        together.append(
            f"those of errors also whichever of {looks} looks at the pages was the last (this one "
            f"has {spent} of the alpha of {number(ALPHA)})"
        )
    text = f"; those of differences hold {', '.join(together)}" if together else ""
    return f"Intervals are 95 %{text}."


def doubts(
    verdicts: Sequence[MeasureVerdict],
    choice: Choice | None,
    transcribe: str,
    no_questions: str,
    *,
    can_read_more: bool = True,
) -> list[str]:
    """What it would take to be sure. ``transcribe`` names the file of pages to transcribe,
    ``can_read_more`` says whether the files have pages that were not read."""
    lines = []
    for verdict in verdicts:
        if not verdict.further or not verdict.unsure:
            continue
        power = "" if verdict.is_error else ", four times in five"
        units = f"{verdict.unit}s like these"
        if verdict.further == 1:
            units = f"{verdict.unit} like this"
        lines.append(
            f"{_title(verdict)}: about {rounded_up(verdict.further)} more {units} would "
            f"show differences as large as measured{power}."
        )
    few = "".join(verdict.too_few for verdict in verdicts if verdict.measure == "retrieval")
    if few:
        lines.append(f"Retrieval: {few}; use {FEWEST_TO_SHOW} documents or more.")
    if choice is not None and choice.compared.unit not in ("", DOCUMENT):
        lines.append("Retrieval: the intervals are about further pages of these documents.")
    if no_questions:
        lines.append(f"Retrieval: {no_questions}.")
    if of_errors := next((v.too_few for v in verdicts if v.is_error and v.too_few), ""):
        lines.append(f"Errors, {of_errors}{' (--budget)' * can_read_more}.")
    errors = [verdict.documents for verdict in verdicts if verdict.is_error and verdict.documents]
    least = min(errors, default=0)
    if least and least < FEWEST_DOCUMENTS:
        these = "this document" if least == 1 else f"these {least} documents"
        lines.append(f"The errors are those of {these}; others may differ.")
    lines.append(transcribe)
    return lines


def correction_sentence(path: Path, rows: pd.DataFrame, *, is_corrected: bool) -> str:
    """How far the predicted errors of ``rows`` can be relied on, and how they are corrected.

    ``path`` is the file of pages to transcribe.
    """
    if is_corrected:
        return "Predictions are corrected by the transcribed pages (--truth)."
    page = ["doc_id", "page_no"]
    pages = len(rows[page].drop_duplicates()) if len(rows) else 0
    beyond = rows[rows["in_range"] == False] if pages else rows  # noqa: E712 - it may be empty
    unlike = ""
    if len(beyond):
        unlike = (
            f" On {len(beyond[page].drop_duplicates())} of {pages_of(pages)} some output is unlike "
            "what predictions were checked on: do not rely on these."
        )
    if pages < FEWEST_LABELLED:
        be = "is" if pages == 1 else "are"
        return (
            f"Errors are predicted.{unlike} {pages_of(pages)} {be} too few to correct them: "
            f"{FEWEST_LABELLED} transcribed pages are needed."
        )
    return (
        f"Errors are predicted.{unlike} To correct them, transcribe {FEWEST_LABELLED} or more "
        f"pages of {path}, from the top, and give their folder with --truth."
    )


def further_units(choice: Choice) -> int:
    """The number of further documents that would show the measured differences; 0: none.

    Half an interval shrinks with the square root of the number of documents. For a chance of 0.8 to
    show a difference, it must exceed half the interval, which is at least 1.96 standard errors, by
    0.84 standard errors.
    """
    further = 0
    for candidate, standing in enumerate(choice.compared.standings):
        behind, ends = choice.distance_from_first(candidate), standing.from_first
        if not standing.is_worse and behind > 0 and ends.bound < choice.compared.largest:
            needed = choice.compared.size * (_FOR_POWER * (ends.high - ends.low) / 2 / behind) ** 2
            further = max(further, math.ceil(needed) - choice.compared.size)
    return further


def retrieval_lines(run: StudyRun, engines: Mapping[str, str]) -> list[str]:
    """A line per noise: the retrieval LCS of each combination on all questions, the best first.

    ``engines`` has the name to show for each engine.
    """
    cells = run.cells
    every = cells[
        (cells["group"] == "all") & (cells["stage"] == "retrieval") & (cells["metric"] == METRIC)
    ]
    means = every.assign(noise=every["level"].fillna("").astype(str).replace("", "clean"))
    lines = []
    for noise, part in means.groupby("noise", sort=False):
        ranked: pd.DataFrame = part.sort_values("mean", ascending=False, kind="stable")
        named = [
            f"{engines.get(str(row['engine']), row['engine'])} + {row['retriever']} "
            f"{row['mean']:.3f}"
            for row in ranked.to_dict("records")
        ]
        lines.append(f"Retrieval LCS on all questions, {noise} pages: {', '.join(named)}.")
    return lines


def table_lines(layers: LayerSummary | None, tables: TableVerdict | None) -> list[str]:
    """The sentences on layers, and on tables if there are usable layers."""
    lines = [] if layers is None else layers.sentences()
    if layers is not None and layers.is_usable and tables is not None:
        lines += tables.sentences()
    return lines
