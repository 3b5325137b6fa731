"""Reads what :func:`ohr.evaluate` is given: a truth, a knowledge base, questions."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from ohr import registry
from ohr.collection import Dataset, ValidationReport
from ohr.datasets.json_text import parse_records
from ohr.datasets.ohrbench import question_of, read_documents
from ohr.datasets.row_questions import DEFAULT_DOMAIN
from ohr.datasets.values import listed, name_of, page_number_of, reason_of, text_of, texts_of
from ohr.errors import ConfigError, did_you_mean
from ohr.files.bounded import read_bounded
from ohr.plugins import KnowledgeBaseSource
from ohr.registry import PluginSpec
from ohr.scoring.overlay import overlay
from ohr.scoring.units import Units
from ohr.types import Document, KnowledgeBase, Outcome, Page, PageRef, Question

Place = PageRef | tuple[str, int]
"""A page: document and page number, from 0."""
Texts = Mapping[Place, str]
Given = Sequence[Question | Mapping[str, Any]] | Path | str
"""Questions, as objects or mappings, or the JSON file that has them."""

_FIELDS = tuple(field.name for field in fields(Question))
_ALIASES = {"question": "text", "answer": "answers", "evidence_page": "evidence_pages"}
_TEXT_FIELDS = ("domain", "evidence_text", "evidence_source", "answer_form", "task", "category")


# --- truth -----------------------------------------------------------------------------------


def make_dataset(truth: Dataset | Texts | Path | str) -> Dataset:
    """The truth as a dataset, by default without questions. Raises ConfigError, DatasetError."""
    if isinstance(truth, Dataset):
        return truth
    documents: Iterable[Document]
    report = ValidationReport()
    if isinstance(truth, Mapping):
        documents = _documents(truth)
    elif isinstance(truth, Path | str):
        documents = read_documents(Path(truth), (), {}, report)
    else:
        raise ConfigError(
            f"truth is a {type(truth).__name__}: give texts by (document, page), a folder or a "
            "dataset"
        )
    dataset = Dataset(documents, (), kind="given", report=report)
    if "unreadable_document" in report.problems:
        raise ConfigError(f"truth: {report.summary()}")
    if not dataset.pages:
        raise ConfigError("truth has no pages: give texts by (document, page), or a folder")
    return dataset


def _documents(texts: Texts) -> list[Document]:
    pages: dict[str, list[Page]] = {}
    for place, text in texts.items():
        ref = make_ref("truth", place)
        if not isinstance(text, str):
            raise ConfigError(f"truth: {_named(ref)} is a {type(text).__name__}, not a text")
        pages.setdefault(ref.doc_id, []).append(Page(ref, text))
    return [Document(name, _domain(name), tuple(of_name)) for name, of_name in pages.items()]


def _domain(doc_id: str) -> str:
    domain, slash, _ = doc_id.partition("/")
    return domain if slash else DEFAULT_DOMAIN


def make_ref(what: str, place: object) -> PageRef:
    """A page of a mapping. Raises ConfigError for anything but a document and a page number."""
    if isinstance(place, PageRef):
        return place
    match place:
        case (str(doc_id), number) if not isinstance(number, bool):
            try:
                return PageRef(doc_id, page_number_of(number, "page"))
            except ValueError as error:
                raise ConfigError(f"{what}: {place!r}: {error}") from error
        case _:
            raise ConfigError(f"{what}: {place!r} is no page: write (document, page number from 0)")


# --- knowledge base --------------------------------------------------------------------------


def make_knowledge_base(
    kb: KnowledgeBase | Mapping[Place, str | Outcome[str]] | Path | str, units: Units
) -> KnowledgeBase:
    """The pages that are scored, in index order; a page that is missing is an error.

    Warns of documents that the truth does not have: they are left out. Raises ConfigError,
    DatasetError.
    """
    outcomes: dict[PageRef, Outcome[str]] = {}
    if isinstance(kb, KnowledgeBase):
        outcomes = dict(kb.pages)
    elif isinstance(kb, Mapping):
        for place, text in kb.items():
            ref = make_ref("kb", place)
            if not isinstance(text, str | Outcome):
                raise ConfigError(f"kb: {_named(ref)} is a {type(text).__name__}, not a text")
            outcomes[ref] = Outcome.of_text(text) if isinstance(text, str) else text
    elif isinstance(kb, Path | str):
        folder = Path(kb).expanduser().resolve()
        source = registry.create("engine", PluginSpec(name="precomputed", argument=str(folder)))
        assert isinstance(source, KnowledgeBaseSource)
        outcomes = dict(source.knowledge_base(units.dataset).pages)
    else:
        raise ConfigError(
            f"kb is a {type(kb).__name__}: give texts by (document, page), a folder or a "
            "knowledge base"
        )
    _check_documents(outcomes, units.dataset)
    return KnowledgeBase(overlay(units, outcomes))


def _check_documents(outcomes: Iterable[PageRef], dataset: Dataset) -> None:
    names = dict.fromkeys(ref.doc_id for ref in outcomes)
    strange = [name for name in names if name not in dataset.documents]
    if not strange:
        return
    if len(strange) == len(names):
        raise ConfigError(
            f"kb: no document of the truth is among its {len(names)}: {strange[0]!r}; "
            f"{did_you_mean(strange[0], list(dataset.documents)[:20])}"
        )
    warnings.warn(
        f"{len(strange)} of {len(names)} documents of the knowledge base are not in the truth and "
        f"are left out, such as {strange[0]!r}",
        stacklevel=4,
    )


# --- questions -------------------------------------------------------------------------------


def make_questions(questions: Given | None, dataset: Dataset) -> tuple[Question, ...]:
    """The questions, in order; by default those of the dataset.

    Raises ConfigError for a question that is malformed, comes twice, or is about a page or a
    document that the truth does not have.
    """
    if questions is None:
        return dataset.questions
    entries: Any = questions
    where = "questions"
    if isinstance(questions, Path | str):
        where = str(questions)
        try:
            entries = parse_records(read_bounded(Path(questions)))
        except OSError as error:
            raise ConfigError(f"cannot read questions from {where}: {error.strerror}") from error
        except (ValueError, RecursionError) as error:
            raise ConfigError(f"cannot read questions from {where}: {error}") from error
    if not isinstance(entries, Sequence) or isinstance(entries, str | bytes):
        raise ConfigError(f"{where}: expected a list of questions, found {type(entries).__name__}")
    checked = []
    seen: set[str] = set()
    for number, entry in enumerate(entries):
        try:
            question = entry if isinstance(entry, Question) else _question(entry, number)
        except (KeyError, TypeError, ValueError) as error:
            raise ConfigError(f"{where}: question {number}: {reason_of(error)}") from error
        if question.qid in seen:
            raise ConfigError(f"{where}: question {question.qid!r} comes twice")
        seen.add(question.qid)
        _check_pages(question, dataset)
        checked.append(replace(question, domain=dataset.documents[question.doc_id].domain))
    return tuple(checked)


def _question(entry: object, number: int) -> Question:
    """A question from a mapping, with the names of OHR-Bench or of :class:`ohr.Question`."""
    if not isinstance(entry, Mapping):
        raise TypeError(f"a {type(entry).__name__} where a question is expected")
    if "doc_name" in entry:
        return question_of(entry)
    values = {_ALIASES.get(str(name), str(name)): value for name, value in entry.items()}
    for name in values:
        if name not in _FIELDS:
            raise ValueError(f"unknown field {name!r}; {did_you_mean(name, _FIELDS)}")
    for name in ("text", "doc_id"):
        if name not in values:
            raise ValueError(f"no field {name!r}, such as {{'text': …, 'doc_id': …}}")
    doc_id = name_of(values["doc_id"], "doc_id")
    pages = values.get("evidence_pages", ())
    single = isinstance(pages, PageRef) or (
        isinstance(pages, tuple) and len(pages) == 2 and isinstance(pages[0], str)
    )
    return Question(
        qid=name_of(values.get("qid", f"q{number}"), "qid"),
        text=text_of(values["text"], "text"),
        answers=texts_of(values.get("answers", ()), "answers"),
        doc_id=doc_id,
        evidence_pages=tuple(
            _evidence_page(page, doc_id) for page in ([pages] if single else listed(pages))
        ),
        headers=texts_of(values.get("headers", ()), "headers"),
        written_for=text_of(values.get("written_for"), "written_for"),
        relevance=(),
        **{name: text_of(values.get(name), name) for name in _TEXT_FIELDS},
    )


def _evidence_page(page: object, doc_id: str) -> PageRef:
    if isinstance(page, list | tuple) and len(page) == 2 and isinstance(page[0], str):
        return make_ref("evidence_pages", tuple(page))
    if isinstance(page, PageRef):
        return page
    return PageRef(doc_id, page_number_of(page, "evidence_pages"))


def _check_pages(question: Question, dataset: Dataset) -> None:
    for name in (question.doc_id, *(ref.doc_id for ref in question.evidence_pages)):
        if name not in dataset.documents:
            near = did_you_mean(name, list(dataset.documents)[:20])
            raise ConfigError(
                f"question {question.qid!r} is about {name!r}, which the truth does not have; "
                f"{near}"
            )
    for ref in question.evidence_pages:
        if ref not in dataset.pages:
            raise ConfigError(
                f"question {question.qid!r}: its evidence is on {_named(ref)}, which the truth "
                "does not have; pages count from 0"
            )


def _named(ref: PageRef) -> str:
    return f"page {ref.page_no} of {ref.doc_id!r}"
