"""Makes a question set: questions of pages, checked and selected. Equal input, equal output."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from ohr.datasets import wording
from ohr.datasets.locating import SearchablePage
from ohr.plugins.randomness import generator_for
from ohr.questions.candidate import KINDS, Candidate
from ohr.questions.checks import Examined, first_fault
from ohr.questions.corpus import Corpus, TermIndex
from ohr.questions.from_sentences import ask_sentence
from ohr.questions.from_structure import ask_captions, ask_headings, ask_lists
from ohr.questions.from_tables import ask_tables
from ohr.questions.sentences import sentences
from ohr.store.identity import digest
from ohr.types import Page, PageRef, Question

ALIKE = 0.8
"""A question that shares this part of its terms with an accepted one is a near-duplicate."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """A question that failed a check, and the reason, which quotes the documents."""

    question: Question
    kind: str
    check: str
    reason: str


@dataclass(frozen=True, slots=True)
class Yield:
    """Counts of the candidates of one kind. ``spare`` passed, but were not needed."""

    kind: str
    candidates: int
    accepted: int
    spare: int
    rejected: Mapping[str, int]


@dataclass(frozen=True)
class QuestionSet:
    """Accepted and rejected questions.

    ``kinds`` has the kind of each question by id, ``passages`` the evidence on each of its pages.
    ``spare`` are questions that passed but were not needed: ``--most`` does not decide what passes.
    """

    accepted: tuple[Question, ...]
    rejected: tuple[Rejected, ...]
    kinds: Mapping[str, str]
    passages: Mapping[str, tuple[str, ...]]
    spare: tuple[Question, ...] = ()
    pages: int = 0
    text_pages: int = 0

    def yields(self) -> list[Yield]:
        """Counts of candidates, accepted and rejected, by kind in the order of :data:`KINDS`."""
        accepted = Counter(self.kinds[item.qid] for item in self.accepted)
        spare = Counter(self.kinds[item.qid] for item in self.spare)
        reasons: dict[str, Counter[str]] = {}
        for item in self.rejected:
            reasons.setdefault(item.kind, Counter())[item.check] += 1
        kinds = {*accepted, *spare, *reasons}
        order = [kind for kind in KINDS if kind in kinds] + sorted(kinds - {*KINDS})
        return [
            Yield(
                kind,
                accepted[kind] + spare[kind] + sum(reasons.get(kind, Counter()).values()),
                accepted[kind],
                spare[kind],
                dict(reasons.get(kind, Counter())),
            )
            for kind in order
        ]


TEXT_PAGE = 30
"""Least number of words of a text page."""


def make_question_set(
    pages: Sequence[Page], texts: Mapping[PageRef, str], seed: int = 0, most: int | None = None
) -> QuestionSet:
    """At most ``most`` questions of some pages; all that pass if it is None.

    ``texts`` are the texts of the whole corpus: ground truth, text layers, or what
    :func:`ohr.questions.agreed.agreed_texts` keeps of several OCR outputs. Pages without a text
    get no questions. Equal arguments give equal question sets. Questions are spread over pages
    first, then over kinds.
    """
    refs = [page.ref for page in pages if page.ref in texts]
    return examine(candidates_of(refs, texts, seed), seed, most)


@dataclass(frozen=True)
class Candidates:
    """Candidates by the first page of their evidence."""

    by_page: Mapping[PageRef, Sequence[Candidate]]
    corpus: Corpus


def candidates_of(refs: Sequence[PageRef], texts: Mapping[PageRef, str], seed: int) -> Candidates:
    """The candidates that rules make of some pages; ``texts`` are those of the whole corpus."""
    corpus = Corpus(texts)
    return Candidates({ref: list(ask_page(ref, corpus, seed)) for ref in refs}, corpus)


def ask_page(ref: PageRef, corpus: Corpus, seed: int) -> Iterator[Candidate]:
    """All candidates that rules make of a page, in order."""
    text, name = corpus.texts[ref], corpus.name(ref.doc_id)
    rng = generator_for(seed, "exam", ref)  # an earlier name, on which the draw depends
    page_sentences = sentences(text)
    yield from ask_tables(ref, text, name)
    yield from ask_captions(ref, text)
    yield from ask_headings(ref, text, page_sentences)
    yield from ask_lists(ref, text)
    topics = corpus.topics(ref) if page_sentences else []
    for sentence in page_sentences:
        yield from ask_sentence(ref, text, sentence, corpus, topics, rng)


def examine(candidates: Candidates, seed: int, most: int | None) -> QuestionSet:
    """Check the candidates of some pages, and select from those that pass."""
    corpus, by_page = candidates.corpus, candidates.by_page
    text_pages = sum(wording.word_count(corpus.texts[ref]) >= TEXT_PAGE for ref in by_page)
    searchable = {ref: SearchablePage(text) for ref, text in corpus.texts.items()}
    rejected: list[Rejected] = []
    kinds: dict[str, str] = {}
    passages: dict[str, tuple[str, ...]] = {}
    passed: dict[PageRef, list[tuple[Candidate, Question]]] = {}
    for ref, of_one in by_page.items():
        for candidate in of_one:
            question, fault = _checked(candidate, corpus, searchable)
            kinds[question.qid] = candidate.kind
            passages[question.qid] = candidate.passages
            if fault is None:
                passed.setdefault(ref, []).append((candidate, question))
            else:
                rejected.append(Rejected(question, candidate.kind, *fault))
    accepted: list[Question] = []
    spare: list[Question] = []
    accepted_terms: TermIndex[str] = TermIndex()
    places: set[tuple[PageRef, int]] = set()
    for candidate, question in _take_turns(passed, seed):
        place = (candidate.ref, candidate.evidence[0].start)
        terms = wording.content_words(candidate.terms)
        again = next(accepted_terms.covering(terms, ALIKE), None)
        if again is not None or (place in places and candidate.kind != "table"):
            why = f"like {again}" if again is not None else "its passage is asked about already"
            rejected.append(Rejected(question, candidate.kind, "near_duplicate", why))
            continue
        accepted_terms.add(question.qid, terms)
        places.add(place)
        is_needed = most is None or len(accepted) < most
        (accepted if is_needed else spare).append(question)
    return QuestionSet(
        tuple(accepted), tuple(rejected), kinds, passages, tuple(spare), len(by_page), text_pages
    )


def _checked(
    candidate: Candidate, corpus: Corpus, pages: Mapping[PageRef, SearchablePage]
) -> tuple[Question, tuple[str, str] | None]:
    """The question with the first check that it fails; in full wording if the short one fails."""
    question = make_question(candidate)
    fault = first_fault(Examined(candidate, question, corpus, pages))
    if fault is not None and fault[0] in ("unique", "entity_named") and candidate.fuller:
        fuller = candidate.use_fuller()
        question = make_question(fuller)
        fault = first_fault(Examined(fuller, question, corpus, pages))
    return question, fault


def make_question(candidate: Candidate) -> Question:
    """A candidate as a question; its id is a digest of kind, text, answer and pages."""
    refs = tuple(dict.fromkeys(evidence.ref for evidence in candidate.evidence))
    key = [
        candidate.kind,
        candidate.text,
        candidate.answer,
        [[ref.doc_id, ref.page_no] for ref in refs],
    ]
    return Question(
        qid=f"made-{digest(key)[:12]}",
        text=candidate.text,
        answers=(candidate.answer,),
        doc_id=candidate.ref.doc_id,
        domain=candidate.ref.doc_id.split("/", 1)[0],
        evidence_pages=refs,
        evidence_text="\n".join(evidence.text for evidence in candidate.evidence),
        evidence_source=candidate.source,
        answer_form=candidate.form,
        task=candidate.task,
    )


def _take_turns(
    passed: Mapping[PageRef, Sequence[tuple[Candidate, Question]]], seed: int
) -> Iterator[tuple[Candidate, Question]]:
    """The questions in drawn order: pages take turns, and on each page kinds take turns."""
    rng = np.random.default_rng(seed)
    refs = sorted(passed)
    shuffled = [refs[i] for i in rng.permutation(len(refs))]
    rows = [list(_mixed(passed[ref], generator_for(seed, "exam order", ref))) for ref in shuffled]
    for turn in zip_longest(*rows):
        yield from (item for item in turn if item is not None)


def _mixed(
    candidates: Iterable[tuple[Candidate, Question]], rng: np.random.Generator
) -> Iterator[tuple[Candidate, Question]]:
    listed = list(candidates)
    by_kind: dict[str, list[tuple[Candidate, Question]]] = {}
    for i in rng.permutation(len(listed)):
        by_kind.setdefault(listed[i][0].kind, []).append(listed[i])
    kinds = sorted(by_kind)
    order = [kinds[i] for i in rng.permutation(len(kinds))]
    order.sort(key="word".__eq__)  # the most common kind comes last
    for turn in zip_longest(*(by_kind[kind] for kind in order)):
        yield from (item for item in turn if item is not None)
