"""Plain text layer or ``structured`` over the same layer: which finds more in tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ohr.adviser.recommend.limits import Limit, limit_of, too_few_clusters
from ohr.adviser.recommend.table import choose
from ohr.display.wording import excluded
from ohr.errors import OhrError
from ohr.machine.engines import examine
from ohr.registry import PluginSpec
from ohr.statistics.numbers import prose
from ohr.study.results import StudyRun
from ohr.types import Question

PLAIN = PluginSpec(name="pdf_text")
STRUCTURED = PluginSpec(
    name="structured", label="structured over the layer", params={"words": "pdfminer"}
)
FEWEST_TABLES = 10
"""Least number of questions on tables for the comparison."""
_FORMULAS = ("docling", "mineru")
"""Engines that also give formulas and reading order."""


@dataclass(frozen=True)
class TableVerdict:
    """Retrieval LCS of the plain layer and of ``structured`` over it on questions on tables.

    ``better`` is ``plain``, ``structured``, or empty if they do not differ significantly or were
    not compared; ``reason`` then says why not. ``limit`` is the end of the scale at which both are,
    ``too_few`` why so few documents can show nothing.
    """

    questions: int
    plain: float = math.nan
    structured: float = math.nan
    better: str = ""
    behind: tuple[float, float] = (math.nan, math.nan)
    reason: str = ""
    limit: Limit = ""
    too_few: str = ""

    def sentences(self) -> list[str]:
        """What to use for tables, and for formulas and reading order."""
        if self.reason:
            first = (
                "Tables: the plain layer against structured over the same layer: not assessed: "
                f"{self.reason}."
            )
        else:
            means = f"{prose(self.structured)} against {prose(self.plain)}"
            on = f"retrieval LCS on {self.questions} questions on tables, made of the layer itself"
            if self.limit:
                first = (
                    f"Tables: structured over the layer and plain text are both at the {self.limit}"
                    f", so this decides nothing: {means}, {on}."
                )
            elif self.better == "structured":
                first = (
                    "Tables: use structured over the layer (words=pdfminer), this project's own "
                    f"engine: {means} for plain text, {on}."
                )
            elif self.better == "plain":
                first = (
                    "Tables: plain text is enough: structured over the layer is worse, "
                    f"{means}, {on}."
                )
            elif self.too_few:
                first = (
                    "Tables: which of structured over the layer and plain text is better cannot be "
                    f"shown ({self.too_few}): {means}, {on}."
                )
            else:
                first = (
                    "Tables: structured over the layer and plain text do not differ significantly: "
                    f"{means}, {excluded(*self.behind)}; {on}."
                )
        return [first, _others()]

    def json_content(self) -> dict[str, Any]:
        """The verdict for ``recommendation.json``."""
        known_values = not self.reason
        return {
            "assessed": known_values,
            "questions": self.questions,
            "plain": round(self.plain, 6) if known_values else None,
            "structured": round(self.structured, 6) if known_values else None,
            "better": self.better or None,
            "reason": self.reason or None,
        }


def layer_engines() -> list[PluginSpec]:
    """The two engines of text layers, if both are installed; else none."""
    states = [examine(spec) for spec in (PLAIN, STRUCTURED)]
    return [PLAIN, STRUCTURED] if all(each and each.installed for each in states) else []


def table_questions(questions: Sequence[Question]) -> list[str]:
    """The ids of the questions on tables."""
    return [question.qid for question in questions if question.evidence_source == "table"]


def table_verdict(run: StudyRun | None, qids: Sequence[str], reason: str = "") -> TableVerdict:
    """Compare by questions on pages with usable layers; ``reason`` is why it cannot be done."""
    if run is None or reason:
        return TableVerdict(len(qids), reason=reason or "there are no questions")
    try:
        choice = choose(run, (PLAIN.label, STRUCTURED.label), qids, clean_only=True)
    except OhrError:
        return TableVerdict(len(qids), reason="no question has a score of both")
    by_engine = choice.engines
    if len(by_engine) < 2:
        return TableVerdict(len(qids), reason="no question has a score of both")
    standings = {name: choice.compared.standings[i] for name, i in by_engine.items()}
    [worse] = [name for name, i in by_engine.items() if i != choice.compared.first][:1]
    best = next(name for name in by_engine if name != worse)
    means = (standings[PLAIN.label].mean, standings[STRUCTURED.label].mean)
    limit = limit_of(means, is_error=False)
    better = ("plain" if best == PLAIN.label else "structured") if standings[worse].is_worse else ""
    documents = run.rows.loc[run.rows["qid"].isin(list(qids)), "doc_id"].nunique()
    ends = standings[worse].from_first
    return TableVerdict(
        choice.compared.n,
        *means,
        "" if limit else better,
        (ends.low, ends.high),
        limit=limit,
        too_few=too_few_clusters(choice.compared.size, choice.compared.unit, documents),
    )


def _others() -> str:
    states = {name: examine(PluginSpec(name=name)) for name in _FORMULAS}
    ready = [name for name, state in states.items() if state is not None and state.installed]
    absent = [name for name in _FORMULAS if name not in ready]
    text = "Formulas and reading order: "
    if ready:
        text += f"{' or '.join(ready)} (ohr read --engines {ready[0]} --pdf); not assessed here"
    if absent:
        text += f"{'; ' if ready else ''}{' and '.join(absent)}, not installed here"
        text += "" if ready else ", can give them (ohr list engines)"
    return f"{text}."
