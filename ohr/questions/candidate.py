"""Candidates: questions before they are checked."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ohr.types import PageRef

KINDS = (
    *("table", "definition", "abbreviation", "caption", "heading", "list", "subject"),
    *("date", "amount", "percentage", "period", "year", "number", "name", "word"),
)
"""Kinds of the questions that rules make."""
MODEL_KIND = "model"
"""Prefix of the kinds of a model's questions, before the task: ``model:understanding``."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A span of a page's text."""

    ref: PageRef
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question with its answer and evidence.

    ``terms`` are the words that identify what is asked about; they must lead to one place in the
    corpus. ``fuller`` is a longer wording, which names the document or quotes more of its sentence,
    for use if the short one is not unique; ``fuller_terms`` are its terms, if they differ.
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
        """The first page of the evidence."""
        return self.evidence[0].ref

    @property
    def passages(self) -> tuple[str, ...]:
        """The evidence by page, in the order of the pages."""
        texts: dict[PageRef, list[str]] = {}
        for evidence in self.evidence:
            texts.setdefault(evidence.ref, []).append(evidence.text)
        return tuple("\n".join(of_page) for of_page in texts.values())

    def use_fuller(self) -> Candidate:
        """The candidate with the wording ``fuller``."""
        terms = self.fuller_terms or self.terms
        named = not self.fuller_terms
        return replace(self, text=self.fuller, terms=terms, names_document=named, fuller="")


_QUOTE = re.compile('["\u201c\u201d]')


def quoted(text: str) -> str:
    """A text in quotation marks; double marks inside become single ones."""
    return f"\u201c{_QUOTE.sub(chr(0x2019), text)}\u201d"
