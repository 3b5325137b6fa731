"""A verdict on the engines for each measure: wrong characters, content r_noise, retrieval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from ohr.adviser.quality.table import (
    DECIDES,
    engine_estimate,
    engine_verdict,
    have_same_scores,
)
from ohr.adviser.recommend.limits import (
    FEWEST_PAGES,
    Limit,
    limit_of,
    too_few_clusters,
    too_few_pages,
)
from ohr.adviser.recommend.table import Choice
from ohr.quality.inference import FEWEST_LABELLED
from ohr.quality.inference import OutputComparison as Comparison
from ohr.statistics.inference import ALPHA

Name = Literal["characters", "content_r_noise", "retrieval"]
TITLES: Mapping[Name, str] = {
    "characters": "wrong characters",
    "content_r_noise": "content r_noise",
    "retrieval": "retrieval LCS",
}
CLOSE = 0.02
"""Largest difference of any measure, with its whole interval, for a faster engine."""
FEWEST_WITHOUT_LAYER = FEWEST_PAGES
"""Least number of pages without a layer for the engines to be compared on these alone."""
TARGETS_OF: Mapping[str, Name] = {DECIDES: "characters", "r_noise_content": "content_r_noise"}
"""The predicted errors that have a verdict."""


@dataclass(frozen=True)
class Candidate:
    """An engine (with a retriever, if there are several) by one measure.

    ``behind`` is the interval of its distance behind the best, all comparisons of the measure
    together at 95 %: NaN for the best, and if nothing was compared. Ends may be infinite.
    ``is_same`` says that its score is that of the best on every page or question.
    """

    name: str
    engine: str
    mean: float
    low: float
    high: float
    is_worse: bool = False
    behind: tuple[float, float] = (math.nan, math.nan)
    retriever: str = ""
    is_same: bool = False

    @property
    def is_close(self) -> bool:
        """Whether the whole interval of its distance from the best is within :data:`CLOSE`."""
        return all(abs(end) <= CLOSE for end in self.behind)  # NaN is not


@dataclass(frozen=True)
class MeasureVerdict:
    """The engines by one measure, the best mean first; without candidates it was not assessed."""

    measure: Name
    candidates: tuple[Candidate, ...]
    n: int
    """Number of pages, or of questions for retrieval."""
    documents: int
    against: str
    """What the outputs are measured against."""
    not_assessed: Mapping[str, str]
    """Why engines are not candidates."""
    pairs: int = 0
    further: int = 0
    """Number of further documents or pages that would show differences as large as measured, about;
    0 if it is not known."""
    unit: str = "page"
    where: str = ""
    """Noise levels of retrieval."""
    needs_truth: bool = False
    """Whether more pages could show nothing more: predictions are too uncertain."""
    alpha: float = ALPHA
    """The chance that any of its comparisons errs."""
    too_few: str = ""
    """Why so few pages or documents can show nothing; empty if they can."""
    needs_ocr: bool = True
    """Whether enough of its pages have no usable layer, and so need OCR, to speak for these."""
    ocr_pages: int = 0
    """Number of these pages."""

    @property
    def is_error(self) -> bool:
        """Whether less is better."""
        return self.measure != "retrieval"

    @property
    def rests_on(self) -> str:
        """What it was measured on: ``12 pages of 12 documents``."""
        unit = "question" if self.measure == "retrieval" else "page"
        return (
            f"{self.n} {unit}{'s' * (self.n != 1)} of {self.documents} "
            f"document{'s' * (self.documents != 1)}"
        )

    @property
    def is_compared(self) -> bool:
        """Whether there are several candidates."""
        return len({candidate.engine for candidate in self.candidates}) > 1

    @property
    def best(self) -> Candidate | None:
        """The candidate with the best mean; None unless several engines were compared."""
        return self.candidates[0] if self.is_compared else None

    @property
    def limit(self) -> Limit:
        """The end of the scale at which all candidates are; empty if they are at none."""
        return limit_of([each.mean for each in self.candidates], is_error=self.is_error)

    @property
    def decides(self) -> bool:
        """Whether it can decide which engine to take for pages that need OCR."""
        return self.is_compared and self.needs_ocr and not self.too_few and not self.limit

    @property
    def shown_worse(self) -> list[Candidate]:
        """Candidates that are significantly worse than the best."""
        return [candidate for candidate in self.candidates[1:] if candidate.is_worse]

    @property
    def unsure(self) -> list[Candidate]:
        """Candidates that do not differ significantly from the best."""
        return [candidate for candidate in self.candidates[1:] if not candidate.is_worse]

    @property
    def is_settled(self) -> bool:
        """Whether each other engine is shown to be worse than the best, or to be close to it."""
        return self.is_compared and all(
            each.is_worse or each.is_close for each in self.candidates[1:]
        )

    def json_content(self, sentence: str) -> dict[str, Any]:
        """The verdict for ``recommendation.json``."""
        return {
            "measure": self.measure,
            "assessed": bool(self.candidates),
            "best": self.best.name if self.best else None,
            "n": self.n,
            "unit": "question" if self.measure == "retrieval" else "page",
            "documents": self.documents,
            "against": self.against,
            "comparisons": self.pairs,
            "alpha": round(self.alpha, 6),
            "limit": self.limit or None,
            "too_few": self.too_few or None,
            "candidates": [
                {
                    "engine": each.engine,
                    "retriever": each.retriever or None,
                    "mean": _number(each.mean),
                    "low": _number(each.low),
                    "high": _number(each.high),
                    "shown_worse": each.is_worse,
                    "behind_low": _number(each.behind[0]),
                    "behind_high": _number(each.behind[1]),
                }
                for each in self.candidates
            ],
            "not_assessed": dict(self.not_assessed),
            "further": self.further or None,
            "sentence": sentence,
        }


def _number(value: float) -> float | None:
    return round(value, 6) if math.isfinite(value) else None


def basis(table: pd.DataFrame, of_layer: frozenset[str]) -> tuple[pd.DataFrame, str]:
    """The rows by which engines of page images are compared, and which pages they are.

    These are the pages without a usable layer, which need OCR, if there are enough; else all.
    """
    rows = table[~table["engine"].isin(of_layer)]
    if rows.empty or rows["has_layer"].all() or not rows["has_layer"].any():
        return rows, ""
    without = rows[~rows["has_layer"]]
    count = len(without.drop_duplicates(["doc_id", "page_no"]))
    if count < FEWEST_WITHOUT_LAYER:
        return rows, f", {count} of them without a usable layer"
    return without, ", those without a usable layer"


def speak_for_ocr(ocr_pages: int, pages: int) -> bool:
    """Whether ``ocr_pages`` of ``pages`` are enough to speak for pages without a usable layer.

    They are if there are no others: whether these are too few is said of them all.
    """
    return 0 < ocr_pages == pages or ocr_pages >= FEWEST_WITHOUT_LAYER


def error_verdict(table: pd.DataFrame, target: str, alpha: float = ALPHA) -> MeasureVerdict:
    """The verdict on a predicted error, by the pages of ``table``: less is better.

    ``alpha`` is the chance that any comparison errs. With fewer than :data:`FEWEST_PAGES` pages
    nothing is compared.
    """
    parts = {str(name): rows for name, rows in table.groupby("engine", sort=False)}
    estimates = {name: engine_estimate(rows, target) for name, rows in parts.items()}
    known_values = {name: each for name, each in estimates.items() if each is not None}
    ranked = sorted(known_values, key=lambda name: known_values[name].mean)
    pairs = math.comb(len(ranked), 2)
    rows = table[table["engine"].isin(ranked) & table[f"{target}_mean"].notna()]
    pages = rows.drop_duplicates(["doc_id", "page_no"])
    ocr_pages = int((~pages["has_layer"].astype(bool)).sum())
    too_few = too_few_pages(len(pages)) if pages.size else ""
    candidates, further, compared, undecided = [], 0, {}, []
    for name in ranked:
        each = known_values[name]
        gap = None
        if name != ranked[0] and not too_few:
            gap = engine_verdict(table, name, ranked[0], target, alpha / pairs)
            compared[name] = gap
            if gap is not None and gap.winner is None:
                undecided.append(gap.needs_truth)
        ends = (math.nan, math.nan) if gap is None else (gap.difference.low, gap.difference.high)
        is_worse = gap is not None and gap.winner == 1
        if gap is not None and not is_worse and gap.pages:
            further = max(further, gap.pages)
        candidates.append(
            Candidate(
                name,
                name,
                each.mean,
                max(0.0, each.low),
                min(1.0, each.high),
                is_worse,
                ends,
                is_same=name != ranked[0] and have_same_scores(table, name, ranked[0], target),
            )
        )
    return MeasureVerdict(
        TARGETS_OF[target],
        tuple(candidates),
        len(pages),
        int(pages["doc_id"].nunique()),
        _reference_text(rows, pages, target, compared),
        {name: "no page has a prediction" for name in parts if name not in known_values},
        pairs,
        max(0, further - len(pages)),
        needs_truth=bool(undecided) and all(undecided),
        alpha=alpha,
        too_few=too_few,
        needs_ocr=speak_for_ocr(ocr_pages, len(pages)),
        ocr_pages=ocr_pages,
    )


def _reference_text(
    rows: pd.DataFrame,
    pages: pd.DataFrame,
    target: str,
    compared: Mapping[str, Comparison | None],
) -> str:
    transcribed = rows[rows[f"true_{target}"].notna()].drop_duplicates(["doc_id", "page_no"])
    if len(transcribed) >= FEWEST_LABELLED:
        return f"{len(transcribed)} transcribed pages, which correct the predictions"
    layered = int(pages["has_layer"].sum()) if len(pages) else 0
    if layered == len(pages):
        return "the text layer"
    rest = "predicted from the engines' agreement and confidences"
    return rest if not layered else f"the text layer on {layered} pages, the others {rest}"


def retrieval_verdict(
    choice: Choice,
    against: str,
    documents: int,
    further: int,
    *,
    needs_ocr: bool = True,
    ocr_pages: int = 0,
) -> MeasureVerdict:
    """The verdict on retrieval LCS; the last two are as in :class:`MeasureVerdict`."""
    standings = choice.compared.standings
    order = sorted(range(len(standings)), key=lambda i: (-standings[i].mean, i))
    several = len(choice.settings) > 1
    candidates = []
    for place in order:
        standing, (engine, retriever) = standings[place], choice.settings[place]
        ends = standing.from_first
        behind = (ends.low, ends.high) if several and place != choice.compared.first else None
        low, high = choice.intervals[place]
        candidates.append(
            Candidate(
                choice.names[place],
                engine,
                standing.mean,
                low,
                high,
                standing.is_worse,
                behind or (math.nan, math.nan),
                retriever,
                choice.is_same[place] and place != choice.compared.first,
            )
        )
    return MeasureVerdict(
        "retrieval",
        tuple(candidates),
        choice.compared.n,
        documents,
        against,
        dict.fromkeys(choice.not_distorted, "it reads no page images, which noise distorts"),
        math.comb(len(standings), 2),
        further,
        "document" if choice.compared.unit == "document" else "page",
        " and ".join(choice.levels),
        too_few=too_few_clusters(choice.compared.size, choice.compared.unit, documents),
        needs_ocr=needs_ocr,
        ocr_pages=ocr_pages,
    )


def not_assessed(measure: Name, reason: str, engines: Sequence[str]) -> MeasureVerdict:
    """A verdict on nothing, with the reason."""
    return MeasureVerdict(measure, (), 0, 0, "", dict.fromkeys(engines, reason) or {"": reason})
