"""Questions that were written for a system's own rules, which no overall figure counts.

A set of questions may say of a question for which system it was ``written_for``: the rules that
made it are those by which that system answers. A score on such a question says that two programs
agree. Where that system is among those compared, overall figures leave it out, for all systems
alike; figures of one category, and ``cells.csv``, keep it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

from ohr.study.output.cases import FILE, read_questions
from ohr.study.results import Run
from ohr.types import Question


@dataclass(frozen=True)
class WrittenFor:
    """The questions of a run that were written for one of its systems."""

    qids: frozenset[str]
    total: int
    """Questions of the run."""
    systems: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    """Those that all these questions state, in the order of the alphabet."""

    def without(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Rows of questions without theirs."""
        return rows[~rows["qid"].isin(self.qids)] if self.qids else rows

    def line(self) -> str:
        """What overall figures leave out, in a sentence; empty where they leave out nothing."""
        if not self.qids:
            return ""
        of = f" ({', '.join(self.categories)})" if self.categories else ""
        return (
            f"Overall figures leave out {len(self.qids):,} of {self.total:,} questions{of}: they "
            f"were written for the rules by which {' and '.join(self.systems)} answers."
        )


def written_for(run: Run) -> WrittenFor:
    """The questions of a run that were written for one of its systems; none without its cases."""
    if not (run.path / FILE).exists():
        return WrittenFor(frozenset(), 0)
    systems = run.manifest.get("config", {}).get("systems") or ()
    names = [system["name"] for system in systems if isinstance(system, Mapping)]
    return of_systems(read_questions(run.path), names)


def of_systems(questions: Iterable[Question], names: Iterable[str]) -> WrittenFor:
    """Those of some questions that were written for systems of some names."""
    known = {*names}
    asked = list(questions)
    found = [
        question for question in asked if question.written_for and question.written_for in known
    ]
    return WrittenFor(
        frozenset(question.qid for question in found),
        len(asked),
        tuple(sorted({question.written_for for question in found})),
        tuple(sorted({question.category for question in found if question.category})),
    )
