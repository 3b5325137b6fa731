"""Documents as questions are made of them, and the questions as files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ohr.collection import ValidationReport
from ohr.datasets.folder import read_layers
from ohr.datasets.ohrbench import GROUND_TRUTH, read_documents
from ohr.errors import DatasetError
from ohr.questions import agreed
from ohr.types import Document, Page, PageRef


@dataclass(frozen=True, slots=True)
class Grounds:
    """Documents, the text by which questions are made of them, and what that text is."""

    documents: Mapping[str, Document]
    texts: Mapping[PageRef, str]
    origin: str
    of_folder: bool
    """A folder of PDFs, whose questions are a CSV."""
    left_out: Mapping[PageRef, str]
    report: ValidationReport


def read_grounds(data: Path, readings: Sequence[str]) -> Grounds:
    """The documents of a folder: of PDFs, or ``retrieval_base`` with the ground truth in it.

    ``readings`` are knowledge bases, by their folders or, beside the ground truth, by name: with
    them, the text is what at least two of them agree on, where a page has no usable text layer
    or no ground truth is there. Raises DatasetError.
    """
    if len(readings) == 1:
        raise DatasetError(
            f"--readings: {readings[0]} alone: questions are made of what two readings agree on, "
            "never of what one engine has read"
        )
    if not data.is_dir():
        raise DatasetError(f"no folder of documents at {data}")
    _none_twice(data, readings)
    report = ValidationReport()
    bases = [_reading(data, name, report) for name in readings]
    if (data / GROUND_TRUTH).is_dir():
        documents = {one.doc_id: one for one in read_documents(data / GROUND_TRUTH, (), {}, report)}
        texts = {page.ref: page.text for one in documents.values() for page in one.pages}
        return Grounds(documents, texts, "ground truth", False, {}, report)
    if bases and not any(path.suffix.lower() == ".pdf" for path in data.rglob("*")):
        documents = dict(bases[0])
        origin = f"what at least two of {', '.join(readings)} agree on"
        return Grounds(documents, agreed(list(map(_texts, bases))), origin, False, {}, report)
    layers = read_layers(data)
    for kind, lines in report.problems.items():
        layers.report.problems.setdefault(kind, []).extend(lines)
    truth = {
        page.ref: page.text
        for one in layers.documents.values()
        for page in one.pages
        if page.ref not in layers.without_truth
    }
    both = agreed(list(map(_texts, bases))) if bases else {}
    texts = {
        page.ref: text
        for one in layers.documents.values()
        for page in one.pages
        if (text := truth.get(page.ref) or both.get(page.ref))
    }
    left_out = {ref: why for ref, why in layers.without_truth.items() if ref not in texts}
    origin = "text layers of the PDFs"
    if both:
        origin += f", and where there is none, what two of {', '.join(readings)} agree on"
    return Grounds(layers.documents, texts, origin, True, left_out, layers.report)


def _reading(data: Path, name: str, report: ValidationReport) -> Mapping[str, Document]:
    folder = _folder(data, name)
    documents = {one.doc_id: one for one in read_documents(folder, (), {}, report)}
    if not documents:
        raise DatasetError(f"--readings: no documents in {folder}")
    return documents


def _none_twice(data: Path, readings: Sequence[str]) -> None:
    """Raise DatasetError for a reading that is named twice: it would agree with itself."""
    names: dict[Path, str] = {}
    for name in readings:
        folder = _folder(data, name).resolve()
        if folder in names:
            raise DatasetError(
                f"--readings: {names[folder]} and {name} are one reading, which agrees with "
                "itself: name each once"
            )
        names[folder] = name


def _folder(data: Path, name: str) -> Path:
    return data / name if (data / name).is_dir() else Path(name)


def _texts(documents: Mapping[str, Document]) -> dict[PageRef, str]:
    return {page.ref: page.text for one in documents.values() for page in one.pages}


def drawn_pages(grounds: Grounds, number: int | None, seed: int) -> list[Page]:
    """The pages that are asked about: all with text, or so many, evenly over the documents.

    Of each document in turn one page, as the seed has it; the same pages first whatever their
    number.
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
