"""Metrics of what an engine makes up: silently changed numbers and invented text.

A failed page makes nothing up: there it scores 0, and its numbers count as dropped. So the share of
dropped numbers, or r_noise, belongs beside the others.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import partial

from ohr.markup.folding import fold_amounts
from ohr.metrics.changed_numbers import NumberFates, compare_numbers, replaced_values
from ohr.metrics.invented_text import PASSAGE, InventedText, find_invented
from ohr.metrics.page_numbers import PageNumber, find_numbers
from ohr.metrics.placement import page_content
from ohr.metrics.quantities import OF_MONEY, SCALES, any_of
from ohr.plugins.metric import AnswerCase, PageCase, metric

_page = partial(metric, of="page", higher_is_better=False, protocols=frozenset({"default"}))
_answer = partial(
    metric,
    of="answer",
    higher_is_better=False,
    protocols=frozenset({"default"}),
    missing=0.0,
    without_context=False,
)


@_page(title="silently changed numbers", missing=0.0)
def silent_numbers(case: PageCase) -> float:
    """Share of the page's numbers in whose place another well-formed number stands.

    Pages without numbers are left out, also of the two below.
    """
    fates = compare_numbers(case.text, case.truth)
    return _share(len(fates.changed), fates)


@_page(title="dropped numbers")
def dropped_numbers(case: PageCase) -> float:
    """Share of the page's numbers in whose place no number stands, or one that cannot be read."""
    fates = compare_numbers(case.text, case.truth)
    return _share(len(fates.dropped), fates)


@_page(title="added numbers", missing=0.0)
def added_numbers(case: PageCase) -> float:
    """Numbers that the page has nowhere and that stand in no number's place, over its numbers, at
    most 1."""
    fates = compare_numbers(case.text, case.truth)
    return _share(len(fates.added), fates)


def _share(count: int, fates: NumberFates) -> float:
    return min(1.0, count / fates.total) if fates.total else math.nan


@_page(title="invented words", missing=0.0, order_free=True)
def invented_words(case: PageCase) -> float:
    """Share of the output's words that no part of the page supports; 0 for an empty output."""
    return 0.0 if case.text == case.truth else _invented(case).share


@_page(title="pages with an invented passage", missing=0.0, order_free=True)
def invented_passage(case: PageCase) -> float:
    """Whether eight invented words or more stand in a row."""
    return float(case.text != case.truth and _invented(case).longest >= PASSAGE)


@_page(title="repeated words", missing=0.0, order_free=True)
def repeated_words(case: PageCase) -> float:
    """Share of the output's words that come more often than on the page, as in loops."""
    return 0.0 if case.text == case.truth else _invented(case).repeated_share


def _invented(case: PageCase) -> InventedText:
    return find_invented(case.text, case.truth)


@_answer(title="wrong number", version="2")
def wrong_number(case: AnswerCase) -> float:
    """Whether an answer has a number but not the accepted one.

    ``3 million`` is 3,000,000 or, as in a table in millions, 3; it is not 3 billion. Questions
    whose accepted answers have no number in digits are left out. An empty answer scores 0.
    """
    gold = _accepted_numbers(case)
    return _is_wrong(case, gold) if gold else math.nan


@_answer(title="accepted number silently changed")
def number_changed(case: AnswerCase) -> float:
    """Whether the accepted number was silently changed on its page, and stands nowhere else on it.

    Questions whose accepted answers have no number are left out, also of the next.
    """
    gold = _accepted_numbers(case)
    return float(_is_changed(case, gold)) if gold else math.nan


@_answer(title="misled by a changed number", version="2")
def misled(case: AnswerCase) -> float:
    """Whether an answer has a wrong number after the accepted one was silently changed."""
    gold = _accepted_numbers(case)
    if not gold:
        return math.nan
    return _is_wrong(case, gold) if _is_changed(case, gold) else 0.0


@dataclass(frozen=True, slots=True)
class _Amount:
    """A number of an answer, and the scale that is named after it."""

    number: PageNumber
    scale: Decimal = Decimal(1)

    def is_same(self, other: _Amount) -> bool:
        """Whether both may be the same amount: one without a scale may be in the other's."""
        if (self.scale == other.scale or 1 in (self.scale, other.scale)) and (
            self.number.is_same(other.number)
        ):
            return True
        return self.scale != other.scale and bool(self._values & other._values)

    @property
    def _values(self) -> frozenset[Decimal]:
        return frozenset(value * self.scale for value in self.number.meanings)


_SCALE = re.compile(rf"[\s-]?({any_of(SCALES.keys() - OF_MONEY)})(?!\w)", re.IGNORECASE)


def _amounts(answer: str) -> list[_Amount]:
    text = fold_amounts(answer)
    amounts = []
    for number in find_numbers(text):
        scale = _SCALE.match(text, number.end)
        amounts.append(_Amount(number, SCALES[scale[1].lower()] if scale else Decimal(1)))
    return amounts


def _accepted_numbers(case: AnswerCase) -> list[_Amount]:
    return [amount for answer in case.question.answers for amount in _amounts(answer)]


def _is_wrong(case: AnswerCase, gold: list[_Amount]) -> float:
    given = _amounts(case.answer.text)
    return float(bool(given) and not any(a.is_same(b) for a in given for b in gold))


def _evidence_texts(case: AnswerCase) -> Iterator[tuple[str, str]]:
    """Page text and truth of each page of the evidence."""
    for ref in case.question.evidence_pages:
        texts = [
            next((page.text for page in documents[ref.doc_id].pages if page.ref == ref), "")
            for documents in (case.documents, case.truth)
            if ref.doc_id in documents
        ]
        if len(texts) == 2:
            yield texts[0], texts[1]


def _is_changed(case: AnswerCase, gold: list[_Amount]) -> bool:
    """Whether an accepted number was silently changed on a page of the evidence."""
    numbers = [amount.number for amount in gold]
    return any(
        any(true.is_same(g) for true, _ in replaced_values(text, truth) for g in numbers)
        for text, truth in _evidence_texts(case)
        if not any(
            word.number is not None and word.number.is_same(g)
            for word in page_content(text).words
            for g in numbers
        )
    )
