"""How a question says of which document it asks.

A company's documents of several years say the same things with other values, so a question names
the one document that answers it: by itself, or with "according to the annual report for 2021".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ohr.sample.questions.asks import Ask
from ohr.sample.template import WrittenPage


@dataclass(frozen=True, slots=True)
class Naming:
    """What tells a document from the others of its entity.

    A question with all of ``marks`` in it names the document. One that names the ``entity`` alone
    lacks the ``edition`` ("the annual report for 2021"), any other the ``document`` ("the annual
    report of Halvonta Group for 2021").
    """

    entity: str
    edition: str
    document: str
    marks: tuple[str, ...]

    def cited(self, question: str) -> str:
        """The question, with its document named."""
        if all(mark in question for mark in self.marks):
            return question
        source = self.edition if self.entity in question else self.document
        return f"{question.removesuffix('?')}, according to {source}?"


def cite(pages: Sequence[WrittenPage], naming: Naming) -> tuple[WrittenPage, ...]:
    """The pages, every question of theirs with its document named."""
    return tuple(
        replace(
            page,
            candidates=tuple(
                replace(candidate, content=_cited(candidate.content, naming))
                if isinstance(candidate.content, Ask)
                else candidate
                for candidate in page.candidates
            ),
        )
        for page in pages
    )


def _cited(ask: Ask, naming: Naming) -> Ask:
    denied = naming.cited(ask.denied) if ask.denied else ""
    return replace(ask, question=naming.cited(ask.question), denied=denied)
