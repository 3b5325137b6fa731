"""A question before it is checked."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ohr.types import PageRef

KINDS = (
    *("table", "definition", "abbreviation", "caption", "heading", "list", "subject"),
    *("date", "amount", "percentage", "period", "year", "number", "name", "word"),
)
"""What a question without a model asks for."""
MODEL_KIND = "model"
"""What a model wrote, by the task that it was given: ``model:understanding`` and so on."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A run of a page's text, as the page has it."""

    ref: PageRef
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question with its answer and evidence.

    ``terms`` are the words that say what is asked about, without those of the wording: they must
    lead to one place in the corpus. ``fuller`` is the same question with its document named, or
    with more of its sentence, for where the shorter one does not do; ``fuller_terms`` are its
    words, if they are others.
    """

    kind: str
    text: str
    answer: str
    evidence: tuple[Evidence, ...]
    source: str
    form: str
    terms: str
    task: str = "understanding"
    fuller: str = ""
    fuller_terms: str = ""
    names_document: bool = False

    @property
    def ref(self) -> PageRef:
        """The first page of its evidence."""
        return self.evidence[0].ref

    @property
    def passages(self) -> tuple[str, ...]:
        """Its evidence by page, in the order of the pages."""
        texts: dict[PageRef, list[str]] = {}
        for evidence in self.evidence:
            texts.setdefault(evidence.ref, []).append(evidence.text)
        return tuple("\n".join(of_page) for of_page in texts.values())

    def in_full(self) -> Candidate:
        """The candidate worded as ``fuller``."""
        terms = self.fuller_terms or self.terms
        named = not self.fuller_terms
        return replace(self, text=self.fuller, terms=terms, names_document=named, fuller="")


_QUOTE = re.compile('["\u201c\u201d]')


def quoted(text: str) -> str:
    """A text between quotation marks, those within it made single."""
    return f"\u201c{_QUOTE.sub(chr(0x2019), text)}\u201d"
