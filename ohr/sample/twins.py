"""Twins of a dataset's pages, in the layout of OHR-Bench, whole or not at all.

::

    pdfs/<domain>/<doc>.pdf                   the pages drawn anew, each as large as its scan
    retrieval_base/gt/<domain>/<doc>.json     their texts, as the dataset has them
    qas.json                                  the questions of which all evidence was drawn
    twins.json                                what was drawn from what, and what was left out
    complete.json                             every file with its size

Documents, pages and questions have the dataset's ids, so that a study of the scans and one of the
twins can be paired. The scans can stand beside their twins, each in a domain of its own, so that
one study reads both: ``pdfs/<domain>-scan/<doc>.jpg`` and so on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from ohr.collection import Dataset
from ohr.datasets.ohrbench import question_of
from ohr.datasets.question_entries import entry_of
from ohr.documents.images import image_size
from ohr.documents.pdf import opened
from ohr.errors import ConfigError, DatasetError, EngineError
from ohr.files.safe_text import safe_path
from ohr.sample import storage
from ohr.sample.origin import generator
from ohr.sample.typesetting.faces import Face
from ohr.sample.typesetting.twin import Sheet, twins_pdf
from ohr.sample.typesetting.twin_check import layer_difference
from ohr.store.atomic import write_bytes, write_text
from ohr.store.identity import digest
from ohr.types import Document, Page, PageRef, Question

RECORD = "twins.json"
SCANS = "-scan"
"""What follows the domain and the question's id of a scan that stands beside its twin."""
Size = tuple[int, int]
"""Width and height in pixels."""
NO_LINES = "it has no transcribed lines"
_NO_IMAGE = "it has no image whose size is known"
_NO_PAGE = "none of its pages has a twin"
_NO_EVIDENCE = "a page of its evidence has no twin"
_OFF_LAYOUT = "the layout of OHR-Bench cannot hold it"


@dataclass
class Twins:
    """What was drawn, and what was left out and why.

    ``pages`` counts those drawn, ``equal`` those of them whose text layer equals the lines: only
    these are in the folder.
    """

    pages: int = 0
    equal: int = 0
    documents: int = 0
    questions: int = 0
    scans: int = 0
    pages_out: list[tuple[str, int, str]] = field(default_factory=list)
    documents_out: list[tuple[str, str]] = field(default_factory=list)
    questions_out: list[tuple[str, str]] = field(default_factory=list)


def write_twins(
    dataset: Dataset,
    out: Path,
    *,
    dpi: int,
    face: Face,
    with_scans: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[Twins, bool]:
    """Write the twins of a dataset to ``out``, unless they are there.

    ``with_scans``: also the scans of documents of one page. Returns what they are, and whether they
    were written now. ``progress`` is called with the
    documents done and all. Raises ConfigError for a folder with other things in it, DatasetError if
    no page has lines, StoreError if files cannot be written.
    """
    if not any(page.lines for page in dataset.pages.values()):
        raise DatasetError(
            f"no page of the dataset ({dataset.kind}) has transcribed lines with boxes; "
            "datasets of the kinds sroie, page_xml and alto have"
        )
    sizes = {ref: _size(dataset.documents[ref.doc_id], page) for ref, page in dataset.pages.items()}
    identity = _identity(dataset, sizes, dpi, face) | ({"scans": True} if with_scans else {})
    if out.is_dir() and any(out.iterdir()):
        stored = _stored(out / RECORD)
        if stored.get("identity") != identity or not storage.is_complete(out):
            raise ConfigError(
                f"{out} is not empty and holds no twins of this dataset with these options: "
                "choose another folder, or remove what is in it"
            )
        return Twins(**stored["twins"]), False
    twins = Twins()

    def write(folder: Path) -> None:
        for done, document in enumerate(dataset.documents.values()):
            progress(done, len(dataset.documents))
            _write_document(folder, document, sizes, dpi, face, twins)
        progress(len(dataset.documents), len(dataset.documents))
        scans = _write_scans(folder, dataset.documents.values(), twins) if with_scans else {}
        _write_questions(folder, dataset.questions, twins, scans)
        content = {"identity": identity, "twins": asdict(twins)}
        write_text(folder / RECORD, json.dumps(content, ensure_ascii=False, indent=1) + "\n")

    storage.ensure(out, write)
    return twins, True


def _size(document: Document, page: Page) -> Size | None:
    """Width and height of a page's image in pixels; None if they are not known.

    How many pixels a page of a PDF has depends on the dpi, so boxes on it mean nothing.
    """
    path = document.source or page.image
    if path is None or path.suffix.lower() == ".pdf":
        return None
    try:
        return image_size(path)
    except EngineError:
        return None


def _identity(
    dataset: Dataset, sizes: Mapping[PageRef, Size | None], dpi: int, face: Face
) -> dict[str, Any]:
    drawn = [[ref, sizes[ref], page.lines] for ref, page in dataset.pages.items()]
    return {
        "corpus": "twins",
        "dataset": dataset.digest(),
        "lines": digest(drawn),
        "dpi": dpi,
        "face": face,
        **generator(),
    }


def _stored(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _write_document(
    folder: Path,
    document: Document,
    sizes: Mapping[PageRef, Size | None],
    dpi: int,
    face: Face,
    twins: Twins,
) -> None:
    """Draw a document and write its PDF and texts, unless no page can be drawn."""
    doc_id = document.doc_id
    if safe_path(doc_id) != doc_id or not doc_id.startswith(f"{document.domain}/"):
        twins.documents_out.append((doc_id, _OFF_LAYOUT))
        return
    sheets: dict[int, Sheet] = {}
    reasons: dict[int, str] = {}
    for page in document.pages:
        size = sizes[page.ref]
        if page.lines and size is not None:
            sheets[page.ref.page_no] = Sheet(page.lines, size)
        else:
            reasons[page.ref.page_no] = _NO_IMAGE if page.lines else NO_LINES
    pdf, not_drawn = _draw(sheets, dpi, face)
    sheets = _remaining(sheets, not_drawn)
    twins.pages += len(sheets)
    path = folder / "pdfs" / f"{doc_id}.pdf"
    unequal = _write_pdf(path, pdf, sheets)
    if unequal:
        sheets = _remaining(sheets, unequal)
        _write_pdf(path, _draw(sheets, dpi, face)[0], sheets)
    reasons |= not_drawn | unequal
    twins.pages_out += [(doc_id, number, reason) for number, reason in sorted(reasons.items())]
    if not sheets:
        why = set(reasons.values())
        twins.documents_out.append((doc_id, why.pop() if len(why) == 1 else _NO_PAGE))
        return
    twins.documents += 1
    twins.equal += len(sheets)
    texts = [
        {"page_idx": page.ref.page_no, "text": page.text}
        for page in document.pages
        if page.ref.page_no in sheets
    ]
    content = json.dumps(texts, ensure_ascii=False, indent=1) + "\n"
    write_text(folder / "retrieval_base" / "gt" / f"{doc_id}.json", content)


def _remaining(sheets: Mapping[int, Sheet], numbers: Container[int]) -> dict[int, Sheet]:
    return {number: sheet for number, sheet in sheets.items() if number not in numbers}


def _draw(sheets: Mapping[int, Sheet], dpi: int, face: Face) -> tuple[bytes, dict[int, str]]:
    """A PDF of the pages that can be drawn (empty without any), and why the others cannot.

    A page is where its number says; there are blank pages for those that are left out.
    """
    if not sheets:
        return b"", {}
    blank = Sheet((), sheets[min(sheets)].size)
    pages = [sheets.get(number, blank) for number in range(max(sheets) + 1)]
    try:
        return twins_pdf(pages, dpi, face), {}
    except DatasetError as error:
        if len(sheets) == 1:
            return b"", {number: str(error) for number in sheets}
        reasons: dict[int, str] = {}
        for number, sheet in sheets.items():
            reasons |= _draw({number: sheet}, dpi, face)[1]
        if not reasons:
            raise
        return _draw(_remaining(sheets, reasons), dpi, face)[0], reasons


def _write_pdf(path: Path, pdf: bytes, sheets: Mapping[int, Sheet]) -> dict[int, str]:
    """Write a document's PDF: page number -> what its text layer says otherwise than its lines.

    Without pages there is no file.
    """
    if not sheets:
        path.unlink(missing_ok=True)
        return {}
    write_bytes(path, pdf)
    with opened(path) as document:
        differences = {
            number: layer_difference(document[number], sheet.lines)
            for number, sheet in sheets.items()
        }
    return {number: difference for number, difference in differences.items() if difference}


def _write_scans(folder: Path, documents: Iterable[Document], twins: Twins) -> dict[str, str]:
    """Copy the scans of the twins of one page; by the id of the document that of its scan.

    Raises StoreError.
    """
    absent = {doc_id for doc_id, _ in twins.documents_out}
    scans: dict[str, str] = {}
    for document in documents:
        if document.doc_id in absent or len(document.pages) != 1:
            continue
        [page] = document.pages
        path = document.source or page.image
        assert path is not None  # the twin is as large as this image
        scan = f"{document.domain}{SCANS}{document.doc_id.removeprefix(document.domain)}"
        write_bytes(folder / "pdfs" / f"{scan}{path.suffix.lower()}", path.read_bytes())
        content = json.dumps(
            [{"page_idx": page.ref.page_no, "text": page.text}], ensure_ascii=False
        )
        write_text(folder / "retrieval_base" / "gt" / f"{scan}.json", content + "\n")
        scans[document.doc_id] = scan
    twins.scans = len(scans)
    return scans


def _moved(question: Question, scans: Mapping[str, str]) -> Question:
    """The question, asked of the scan."""
    scan = scans[question.doc_id]
    refs = tuple(PageRef(scans[ref.doc_id], ref.page_no) for ref in question.evidence_pages)
    return replace(
        question,
        qid=f"{question.qid}{SCANS}",
        doc_id=scan,
        domain=scan.partition("/")[0],
        evidence_pages=refs,
    )


def _write_questions(
    folder: Path, questions: Iterable[Question], twins: Twins, scans: Mapping[str, str]
) -> None:
    """Write the questions that can be asked of the twins, and of their scans."""
    without = {(doc_id, number) for doc_id, number, _ in twins.pages_out}
    missing = {doc_id for doc_id, _ in twins.documents_out}
    with storage.listing(folder / "qas.json") as add:
        for question in questions:
            places = [(ref.doc_id, ref.page_no) for ref in question.evidence_pages]
            if {question.doc_id, *(doc_id for doc_id, _ in places)} & missing or without & {
                *places
            }:
                twins.questions_out.append((question.qid, _NO_EVIDENCE))
            elif not _is_kept(question):
                twins.questions_out.append((question.qid, _OFF_LAYOUT))
            else:
                add(entry_of(question))
                twins.questions += 1
                if {question.doc_id, *(doc_id for doc_id, _ in places)} <= scans.keys():
                    add(entry_of(_moved(question, scans)))


def _is_kept(question: Question) -> bool:
    """Whether the layout gives the question back as it is."""
    try:
        return question_of(entry_of(question)) == question
    except (KeyError, TypeError, ValueError):
        return False
