"""Selects the questions of a dataset that a study asks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

import numpy as np

from ohr.collection import Dataset
from ohr.errors import ConfigError
from ohr.questions.review import read_verdicts
from ohr.study.config import DatasetConfig, StudyConfig
from ohr.study.wordings import apply_wordings, read_wordings
from ohr.types import PageRef, Question


def select_questions(config: StudyConfig, dataset: Dataset) -> tuple[Question, ...]:
    """The questions to ask, in the dataset's order. Raises ConfigError if there are none."""
    questions = _eligible(config, dataset)
    if config.dataset.verdicts is not None:
        questions = read_verdicts(config.dataset.verdicts).usable(questions)
        if not questions:
            raise ConfigError("dataset.verdicts: the review leaves no question")
    return tuple(_drawn(config.dataset, questions, np.random.default_rng(config.seed)))


def left_out(config: StudyConfig, dataset: Dataset) -> dict[str, int]:
    """The number of questions left out by ``dataset.verdicts``, by verdict."""
    path = config.dataset.verdicts
    return {} if path is None else read_verdicts(path).left_out(_eligible(config, dataset))


def _eligible(config: StudyConfig, dataset: Dataset) -> list[Question]:
    documents = set(config.dataset.documents)
    questions = [q for q in dataset.questions if not documents or q.doc_id in documents]
    if not questions:
        raise ConfigError("dataset.documents: no question is about these documents")
    if sources := set(config.dataset.sources):
        sources_present = {question.evidence_source for question in questions}
        questions = [q for q in questions if q.evidence_source in sources]
        if missing := sources - sources_present:
            raise ConfigError(
                f"dataset.sources: no question on {', '.join(sorted(missing))}; "
                f"there: {', '.join(sorted(sources_present))}"
            )
    if config.dataset.rewritten is not None:
        other = apply_wordings(questions, read_wordings(config.dataset.rewritten))
        with_wording = {question.qid for question in other}
        original = config.dataset.wording == "original"
        questions = [q for q in questions if q.qid in with_wording] if original else other
    return questions


def _drawn(
    config: DatasetConfig, questions: Sequence[Question], rng: np.random.Generator
) -> Sequence[Question]:
    """At most ``limit`` questions of the drawn order, after the first ``skip``."""
    if config.limit is None and not config.skip:
        return questions
    if config.skip >= len(questions):
        raise ConfigError(f"dataset.skip: there are only {len(questions)} questions")
    order = _evenly(questions, rng) if config.even else rng.permutation(len(questions)).tolist()
    last = None if config.limit is None else config.skip + config.limit
    return [questions[place] for place in sorted(order[config.skip : last])]


def _evenly(questions: Sequence[Question], rng: np.random.Generator) -> list[int]:
    """All places, in an order that takes domains and evidence sources in turn.

    Questions about the same pages follow one another, so that fewer pages are read.
    """
    strata: dict[tuple[str, str], dict[tuple[PageRef, ...], list[int]]] = {}
    for place, question in enumerate(questions):
        pages = strata.setdefault((question.domain, question.evidence_source), {})
        pages.setdefault(question.evidence_pages, []).append(place)
    ordered = []
    for _, pages in sorted(strata.items()):
        groups = list(pages.values())
        ordered.append([place for group in rng.permutation(len(groups)) for place in groups[group]])
    return [place for places in zip_longest(*ordered) for place in places if place is not None]


def pages_to_reread(
    config: StudyConfig, dataset: Dataset, questions: Sequence[Question]
) -> tuple[PageRef, ...]:
    """The pages whose text engines read; the others keep their ground truth."""
    documents = set(config.dataset.documents)
    domains = {question.domain for question in questions}
    evidence = {ref for question in questions for ref in question.evidence_pages}
    return tuple(
        ref
        for ref in dataset.pages
        if (not documents or ref.doc_id in documents)
        and dataset.documents[ref.doc_id].domain in domains
        and (config.dataset.pages == "all" or ref in evidence)
    )
