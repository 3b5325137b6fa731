"""Reads the documents that questions are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ohr.collection import ValidationReport
from ohr.datasets.folder import read_layers
from ohr.datasets.holes import NO_ORDER, known_lines
from ohr.datasets.ohrbench import GROUND_TRUTH, read_documents
from ohr.documents.opening import Report
from ohr.errors import DatasetError
from ohr.questions import agreed_texts
from ohr.types import Document, Page, PageRef

OPTION = "--readings"
"""The option of the command that names knowledge bases."""


@dataclass(frozen=True, slots=True)
class Grounds:
    """Documents, the text that questions are made of, and where that text comes from."""

    documents: Mapping[str, Document]
    texts: Mapping[PageRef, str]
    origin: str
    of_folder: bool
    """Whether the documents are a folder of PDFs; their questions are written as CSV."""
    left_out: Mapping[PageRef, str]
    report: ValidationReport


def read_grounds(
    data: Path,
    knowledge_bases: Sequence[str],
    progress: Report = lambda what, done, total: None,
) -> Grounds:
    """Read the documents of a folder of PDFs, or of ``retrieval_base`` with its ground truth.

    ``knowledge_bases`` are folders, or names in ``data``. Pages without a usable text layer, or
    data without ground truth, get the text on which at least two of them agree. ``progress`` gets
    what is done, and the number of pages of which it is done. Raises DatasetError.
    """
    if len(knowledge_bases) == 1:
        raise DatasetError(
            f"{OPTION}: only {knowledge_bases[0]}: name two knowledge bases; questions are made "
            "of what two engines agree on, never of the output of one"
        )
    if not data.is_dir():
        raise DatasetError(f"no folder of documents at {data}")
    _none_twice(data, knowledge_bases)
    report = ValidationReport()
    bases = [_read_base(data, name, report) for name in knowledge_bases]
    if (data / GROUND_TRUTH).is_dir():
        documents = {
            document.doc_id: document
            for document in read_documents(data / GROUND_TRUTH, (), {}, report)
        }
        texts = {page.ref: page.text for document in documents.values() for page in document.pages}
        return Grounds(documents, texts, "ground truth", False, {}, report)
    if bases and not any(path.suffix.lower() == ".pdf" for path in data.rglob("*")):
        documents = dict(bases[0])
        origin = f"what at least two of {', '.join(knowledge_bases)} agree on"
        return Grounds(documents, agreed_texts(list(map(_texts, bases))), origin, False, {}, report)
    layers = read_layers(data, progress=progress)
    for kind, lines in report.problems.items():
        layers.report.problems.setdefault(kind, []).extend(lines)
    truth = {
        page.ref: known_lines(page.text, layers.holes.get(page.ref))
        for document in layers.documents.values()
        for page in document.pages
        if page.ref not in layers.without_truth
    }
    both = agreed_texts(list(map(_texts, bases))) if bases else {}
    texts = {
        page.ref: text
        for document in layers.documents.values()
        for page in document.pages
        if (text := truth.get(page.ref) or both.get(page.ref))
    }
    unknown = {ref: NO_ORDER for ref, holes in layers.holes.items() if not holes.order_known}
    reasons = {**unknown, **layers.without_truth}
    left_out = {ref: why for ref, why in reasons.items() if ref not in texts}
    origin = "text layers of the PDFs"
    if both:
        origin += f", or, without one, what two of {', '.join(knowledge_bases)} agree on"
    return Grounds(layers.documents, texts, origin, True, left_out, layers.report)


def _read_base(data: Path, name: str, report: ValidationReport) -> Mapping[str, Document]:
    folder = _folder(data, name)
    documents = {document.doc_id: document for document in read_documents(folder, (), {}, report)}
    if not documents:
        raise DatasetError(f"{OPTION}: no documents in {folder}")
    return documents


def _none_twice(data: Path, knowledge_bases: Sequence[str]) -> None:
    """Raise DatasetError for a knowledge base that is named twice: it would agree with itself."""
    names: dict[Path, str] = {}
    for name in knowledge_bases:
        folder = _folder(data, name).resolve()
        if folder in names:
            raise DatasetError(
                f"{OPTION}: {names[folder]} and {name} are the same knowledge base: name each once"
            )
        names[folder] = name


def _folder(data: Path, name: str) -> Path:
    return data / name if (data / name).is_dir() else Path(name)


def _texts(documents: Mapping[str, Document]) -> dict[PageRef, str]:
    return {page.ref: page.text for document in documents.values() for page in document.pages}


def drawn_pages(grounds: Grounds, number: int | None, seed: int) -> list[Page]:
    """The pages to ask about: all pages with text, or ``number`` of them, evenly over documents.

    Documents take turns, in an order drawn with the seed. A larger number only adds pages.
    """
    rng = np.random.default_rng(seed)
    by_document = []
    for doc_id in sorted(grounds.documents):
        pages = [page for page in grounds.documents[doc_id].pages if page.ref in grounds.texts]
        by_document.append([pages[i] for i in rng.permutation(len(pages))])
    by_document = [by_document[i] for i in rng.permutation(len(by_document))]
    longest = max(map(len, by_document), default=0)
    turns = [pages[turn] for turn in range(longest) for pages in by_document if turn < len(pages)]
    return turns if number is None else turns[:number]
