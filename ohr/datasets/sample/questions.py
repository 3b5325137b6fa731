"""Which of the questions that the pages could answer are asked."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ohr.datasets.sample.template import FORMS, Candidate
from ohr.errors import ConfigError

SHARES = {"formula": 0.15, "table": 0.25}
"""Share of each evidence source; the rest is text."""

YES_NO_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that is asked of page ``page`` (a running number over the corpus)."""

    page: int
    question: str
    answer: str
    form: str
    source: str
    evidence: str


def choose(
    pages: Sequence[Sequence[Candidate]], count: int, rng: np.random.Generator
) -> list[Asked]:
    """Choose ``count`` questions: evenly over the pages, sources in their shares.

    Yes/No questions are even in number, half with each answer, and no two questions have the
    same text. Raises ConfigError if the pages cannot answer so many.
    """
    choice = _Choice(pages, rng)
    choice.quota = [
        (i + 1) * count // len(pages) - i * count // len(pages) for i in range(len(pages))
    ]
    for source, share in SHARES.items():
        choice.draw(round(count * share), source)
    choice.draw(count - len(choice.chosen), "text")
    choice.draw(count - len(choice.chosen), None)
    # Some pages may have run out of questions; what they lack is asked of the others.
    choice.quota = [count] * len(pages)
    choice.draw(count - len(choice.chosen), None)
    if len(choice.chosen) < count:
        raise ConfigError(
            f"{len(pages)} sample pages answer at most {len(choice.chosen)} questions, "
            f"not {count}: lower n_questions or raise n_pages"
        )
    choice.even_out()
    return _answered(choice.chosen)


def _is_yes_no(candidate: Candidate) -> bool:
    return candidate.ask.form == FORMS["Y"]


class _Choice:
    """What is chosen so far, and what is left to ask of each page."""

    def __init__(self, pages: Sequence[Sequence[Candidate]], rng: np.random.Generator) -> None:
        self.left = [[page[int(i)] for i in rng.permutation(len(page))] for page in pages]
        self.quota = [0] * len(pages)
        self.chosen: list[tuple[int, Candidate]] = []
        self._texts: set[str] = set()
        self._evidence: set[tuple[int, str]] = set()

    def draw(self, number: int, source: str | None) -> None:
        """Take up to ``number``, one from each page in turn, while the pages' quotas last."""
        turns = deque(_scattered(len(self.left)))
        while number > 0 and turns:
            page = turns.popleft()
            if not self.quota[page]:
                continue
            asked = sum(_is_yes_no(candidate) for _, candidate in self.chosen)
            wanted = asked < YES_NO_SHARE * (len(self.chosen) + 1)
            candidate = self._take(page, source, wanted) or self._take(page, source, not wanted)
            if candidate:
                self.chosen.append((page, candidate))
                self.quota[page] -= 1
                number -= 1
                turns.append(page)

    def even_out(self) -> None:
        """Exchange one question, on its own page, if the number of Yes/No questions is odd."""
        if sum(_is_yes_no(candidate) for _, candidate in self.chosen) % 2 == 0:
            return
        for same_source in (True, False):
            for i in reversed(range(len(self.chosen))):
                page, old = self.chosen[i]
                new = self._take(page, old.source if same_source else None, not _is_yes_no(old))
                if new:
                    self.chosen[i] = (page, new)
                    return
        raise ConfigError("the pages give an odd number of Yes/No questions: change n_questions")

    def _take(self, page: int, source: str | None, yes_no: bool) -> Candidate | None:
        """The next fitting candidate of a page, if possible of evidence not yet asked about."""
        fitting = [
            candidate
            for candidate in self.left[page]
            if source in (None, candidate.source)
            and _is_yes_no(candidate) == yes_no
            and not {candidate.ask.question, candidate.ask.denied} & self._texts
        ]
        fresh = [c for c in fitting if (page, c.evidence) not in self._evidence]
        for candidate in [*fresh, *fitting][:1]:
            self.left[page].remove(candidate)
            self._texts |= {candidate.ask.question, candidate.ask.denied} - {""}
            self._evidence.add((page, candidate.evidence))
            return candidate
        return None


def _scattered(places: int) -> list[int]:
    """Page numbers in an order whose every beginning is spread over the whole range."""
    step = max(1, round(places * 0.618))
    while math.gcd(step, places) != 1:
        step += 1
    return [i * step % places for i in range(places)]


def _answered(chosen: Iterable[tuple[int, Candidate]]) -> list[Asked]:
    """The questions in page order; of the Yes/No questions every other one is denied."""
    asked: list[Asked] = []
    deny = False
    for page, candidate in sorted(chosen, key=lambda pair: pair[0]):
        question, answer = candidate.ask.question, candidate.ask.answer
        if _is_yes_no(candidate):
            if deny:
                question, answer = candidate.ask.denied, "No"
            deny = not deny
        asked.append(
            Asked(page, question, answer, candidate.ask.form, candidate.source, candidate.evidence)
        )
    return asked
