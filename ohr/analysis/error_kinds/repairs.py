"""Knowledge bases in which some errors of an engine are repaired."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ohr.errors import ConfigError
from ohr.ocr_errors.compare import compare_page
from ohr.ocr_errors.differences import Edit, PageDifference
from ohr.ocr_errors.error_kinds import ERROR_KINDS
from ohr.ocr_errors.evidence import evidence_lines
from ohr.ocr_errors.words import PageWords, cached_page_words
from ohr.plugins.randomness import generator_for
from ohr.scoring.overlay import overlay
from ohr.study.plan import Plan
from ohr.types import KnowledgeBase, Outcome, PageRef

HALF = 0.5
"""The share of a kind's errors that is repaired where a random part of them is."""


@dataclass
class Repairs:
    """An engine's pages with their errors, each of which has a label such as its kind."""

    plan: Plan
    read: KnowledgeBase
    differences: Mapping[PageRef, PageDifference]
    labels: Mapping[PageRef, Sequence[str]]
    """The label of each edit of each page."""
    seed: int = 0
    uncompared: int = 0
    """Number of pages whose truth has no known order of words: they stay as they were read."""
    _texts: dict[tuple[PageRef, bytes], Outcome[str]] = field(default_factory=dict, repr=False)

    def knowledge_base(self, repaired: Collection[str], half: str = "") -> KnowledgeBase:
        """The pages with the errors of some labels repaired, and a random half of those of one.

        The half is drawn for each page from the seed, whatever else is repaired. A page without a
        repaired error keeps its outcome.
        """
        pages = dict(self.read.pages)
        texts: dict[tuple[PageRef, bytes], Outcome[str]] = {}
        for ref, difference in self.differences.items():
            labels = self.labels[ref]
            chosen = np.array([label in repaired for label in labels], bool)
            if half and half in labels:
                drawn = generator_for(self.seed, f"half of {half}", ref).random(len(labels)) < HALF
                chosen |= drawn & np.array([label == half for label in labels], bool)
            if not chosen.any():
                continue
            key = ref, np.packbits(chosen).tobytes()
            outcome = self._texts.get(key)
            if outcome is None:
                text = difference.text(set(np.flatnonzero(chosen).tolist()))
                outcome = Outcome.of_text(text)
            pages[ref] = texts[key] = outcome
        self._texts = texts  # the next knowledge base shares most of its pages with this one
        if self.all_labels <= set(repaired):
            pages = self._drop_errors(pages)
        return KnowledgeBase(overlay(self.plan.units, pages), self.read.origin)

    @cached_property
    def all_labels(self) -> frozenset[str]:
        """The labels that any error has."""
        return frozenset(label for labels in self.labels.values() for label in labels)

    def _drop_errors(self, pages: Mapping[PageRef, Outcome[str]]) -> dict[PageRef, Outcome[str]]:
        """The pages in the truth's order: failed empty ones are read, and pages that the truth
        does not have go."""
        dataset = self.plan.dataset
        return {
            ref: Outcome.of_text(page.text)
            if dataset.has_order(ref) and ref not in self.differences
            else pages.get(ref, Outcome.of_text(page.text))
            for ref, page in dataset.pages.items()
        }

    def count(self) -> tuple[Counter[str], Counter[str]]:
        """Errors, and wrong characters, by label."""
        errors: Counter[str] = Counter()
        characters: Counter[str] = Counter()
        for ref, difference in self.differences.items():
            for label, edit in zip(self.labels[ref], difference.edits, strict=True):
                errors[label] += 1
                characters[label] += edit.characters
        return errors, characters

    def relabelled(self, label: Callable[[PageRef, Edit], str]) -> Repairs:
        """The same errors with other labels."""
        labels = {
            ref: [label(ref, edit) for edit in difference.edits]
            for ref, difference in self.differences.items()
        }
        return replace(self, labels=labels, _texts={})


def find_repairs(
    plan: Plan, read: KnowledgeBase, seed: int, progress: Callable[[str, int, int], None]
) -> Repairs:
    """The errors of an engine's pages, by kind, on all pages whose truth has an order of words.

    Only pages of scopes with questions are compared: no other page is searched.
    """
    units, dataset = plan.units, plan.dataset
    scopes = set(units.scopes)
    searched = [ref for ref in dataset.pages if units.scope_of_document(ref.doc_id) in scopes]
    refs = list(filter(dataset.has_order, searched))
    uncompared = len(searched) - len(refs)
    refs += [  # a page that the truth does not have is text added
        ref
        for ref in read.pages
        if ref not in dataset.pages and units.scope_of_document(ref.doc_id) in scopes
    ]
    differences = {}
    for number, ref in enumerate(refs):
        if number % 100 == 0:
            progress("errors", number, len(refs))
        truth = dataset.pages[ref].text if ref in dataset.pages else ""
        difference = compare_page(truth, read.text(ref), folds_case=units.folds_case)
        if difference.edits:
            differences[ref] = difference
    progress("errors", len(refs), len(refs))
    labels = {ref: [edit.kind for edit in each.edits] for ref, each in differences.items()}
    return Repairs(plan, read, differences, labels, seed, uncompared)


REST = "rest"
"""The label of all kinds that are not measured one by one."""


def chosen_kinds(kinds: Collection[str]) -> Callable[[PageRef, Edit], str]:
    """The kind of an error if it is one of ``kinds``, else :data:`REST`.

    Raises ConfigError for a kind that there is not.
    """
    for kind in kinds:
        if kind not in ERROR_KINDS:
            raise ConfigError(f"--kind {kind}: no such kind; there: {', '.join(ERROR_KINDS)}")
    return lambda _, edit: edit.kind if edit.kind in kinds else REST


PLACES = ("evidence lines", "rest of the evidence pages", "other pages")
"""Where an error is, from the evidence outwards."""


def place_labels(distances: Sequence[int] = ()) -> tuple[str, ...]:
    """The labels of :func:`error_places`, from the evidence outwards."""
    near = (f"at most {distance} words away" for distance in distances)
    return (PLACES[0], *near, *PLACES[1:])


def error_places(plan: Plan, distances: Sequence[int] = ()) -> Callable[[PageRef, Edit], str]:
    """Tells where an error is: in a line with evidence of any question, elsewhere on its page, or
    on another page.

    ``distances``, ascending, divide the errors elsewhere on the page by the number of words of the
    truth between them and the nearest line with evidence.
    """
    texts: dict[PageRef, list[str]] = {}
    for question in plan.questions:
        for ref in question.evidence_pages:
            texts.setdefault(ref, []).append(question.evidence_text)
    lines: dict[PageRef, list[tuple[int, int]]] = {}

    def place(ref: PageRef, edit: Edit) -> str:
        if ref not in texts or ref not in plan.dataset.pages:
            return PLACES[2]
        page = cached_page_words(plan.dataset.pages[ref].text)
        if ref not in lines:
            lines[ref] = [span for text in texts[ref] for span in evidence_lines(page, text)]
        if any(edit.start < b and a <= edit.end for a, b in lines[ref]):
            return PLACES[0]
        if distances and lines[ref]:
            words = min(_words_between(page, edit, span) for span in lines[ref])
            near = (distance for distance in distances if words <= distance)
            if (distance := next(near, None)) is not None:
                return place_labels((distance,))[1]
        return PLACES[1]

    return place


def _words_between(page: PageWords, edit: Edit, span: tuple[int, int]) -> int:
    """Words of the truth between an error and a stretch that it does not touch."""
    first, last = (edit.end, span[0]) if edit.end <= span[0] else (span[1], edit.start)
    return max(0, bisect_left(page.starts, last) - bisect_left(page.starts, first))
