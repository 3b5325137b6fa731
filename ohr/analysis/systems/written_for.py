"""Questions written for a system's rules, which overall figures leave out.

A question set can name the system that a question was ``written_for``: the question was made by
the rules by which that system answers. A score on it only shows that two programs agree. If that
system is among those compared, overall figures leave the question out for all systems. Figures of
one category, and ``cells.csv``, keep it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

from ohr.study.output.cases import FILE, read_questions
from ohr.study.results import StudyRun
from ohr.types import Question


@dataclass(frozen=True)
class WrittenFor:
    """The questions of a run that were written for one of its systems."""

    qids: frozenset[str]
    total: int
    """Questions of the run."""
    systems: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    """The categories of these questions, in alphabetical order."""

    def drop_rows(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows without those of these questions."""
        return rows[~rows["qid"].isin(self.qids)] if self.qids else rows

    def line(self) -> str:
        """A sentence on what overall figures leave out; empty if nothing."""
        if not self.qids:
            return ""
        of = f" ({', '.join(self.categories)})" if self.categories else ""
        return (
            f"Overall figures leave out {len(self.qids):,} of {self.total:,} questions{of}: they "
            f"were written for the rules by which {' and '.join(self.systems)} answers."
        )


def written_for(run: StudyRun) -> WrittenFor:
    """The questions of a run that were written for one of its systems; none without its cases."""
    if not (run.path / FILE).exists():
        return WrittenFor(frozenset(), 0)
    systems = run.manifest.get("config", {}).get("systems") or ()
    names = [system["name"] for system in systems if isinstance(system, Mapping)]
    return find_written_for(read_questions(run.path), names)


def find_written_for(questions: Iterable[Question], names: Iterable[str]) -> WrittenFor:
    """The questions that were written for systems with one of these names."""
    systems = {*names}
    all_questions = list(questions)
    matches = [
        question
        for question in all_questions
        if question.written_for and question.written_for in systems
    ]
    return WrittenFor(
        frozenset(question.qid for question in matches),
        len(all_questions),
        tuple(sorted({question.written_for for question in matches})),
        tuple(sorted({question.category for question in matches if question.category})),
    )
