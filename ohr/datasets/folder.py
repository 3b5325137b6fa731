"""A folder of PDFs and a CSV of questions: for one's own documents.

There is no ground truth: the PDFs' text layer is the declared pseudo-truth. A PDF in a
subfolder belongs to the domain of that name, the others to ``documents``.

The CSV (UTF-8) has a header. ``question``, ``answer``, ``document`` (the PDF's name, with or
without suffix, and with its folder where several PDFs have that name) and ``page`` (counted
from 1, as PDF viewers do) are required; several answers are separated by ``|``. Optional:
``evidence`` (by default the lines of the page that contain an answer), ``id``,
``evidence_source`` (default ``text``), ``answer_form``, ``task``.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path

from ohr.datasets.dataset import (
    Dataset,
    DatasetSource,
    ValidationReport,
    finish,
    validate_questions,
)
from ohr.errors import DatasetError, EngineError
from ohr.pdf import text_layer
from ohr.types import Document, Page, PageRef, Question

DEFAULT_DOMAIN = "documents"
REQUIRED_COLUMNS = ("question", "answer", "document", "page")


class Folder(DatasetSource):
    """``path`` is the folder of PDFs, ``questions`` the CSV."""

    name = "folder"

    def load(self) -> Dataset:
        params = self.params
        if params.path is None or params.questions is None:
            raise DatasetError("dataset.kind=folder needs dataset.path and dataset.questions")
        if params.pdfs is not None:
            raise DatasetError("dataset.kind=folder finds its PDFs in dataset.path, not .pdfs")
        report = ValidationReport()
        root = Path(params.path)
        pdfs = _find_pdfs(root, report)
        documents = {
            document.doc_id: document
            for document in _read_documents(pdfs, report)
            if not params.domains or document.domain in params.domains
        }
        questions = validate_questions(
            _read_questions(params.questions, documents, pdfs, report),
            documents,
            report,
            first_page=1,
        )
        dataset = Dataset(documents.values(), questions, kind=self.name, root=root, report=report)
        return finish(dataset, strict=params.strict)


def _find_pdfs(root: Path, report: ValidationReport) -> dict[str, Path]:
    """The PDFs by the id of their document; of several for one id, the first."""
    if not root.is_dir():
        raise DatasetError(f"no folder of PDFs at {root}")
    found: dict[str, Path] = {}
    for path in sorted(root.rglob("*")):
        if path.suffix.lower() != ".pdf" or not path.is_file():
            continue
        parts = path.relative_to(root).with_suffix("").parts
        doc_id = "/".join(parts if len(parts) > 1 else (DEFAULT_DOMAIN, *parts))
        first = found.setdefault(doc_id, path)
        if first != path:
            report.add(
                "duplicate_document",
                f"{first.relative_to(root)} and {path.relative_to(root)} are both {doc_id}: "
                "only the first is read",
            )
    return found


def _read_documents(pdfs: Mapping[str, Path], report: ValidationReport) -> Iterator[Document]:
    for doc_id, path in pdfs.items():
        try:
            texts = text_layer(path)
        except EngineError as error:
            report.add("unreadable_document", str(error))
            continue
        if not texts:
            report.add("document_without_pages", doc_id)
        for number, text in enumerate(texts):
            if not text.strip():
                report.add("page_without_text_layer", f"page {number + 1} of {doc_id}")
        pages = tuple(Page(PageRef(doc_id, number), text) for number, text in enumerate(texts))
        yield Document(doc_id, doc_id.split("/", 1)[0], pages, path)


def _read_rows(path: Path) -> list[dict[str, str | None]]:
    """Rows of the CSV, by column. Raises DatasetError."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise DatasetError(f"cannot read questions from {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DatasetError(f'{path}: not UTF-8: save it as "CSV UTF-8"') from error
    reader = csv.DictReader(io.StringIO(text, newline=""))
    rows = []
    try:
        missing = [name for name in REQUIRED_COLUMNS if name not in (reader.fieldnames or ())]
        if missing:
            raise DatasetError(f"{path}: no column {', '.join(missing)} in the header")
        for row in reader:
            rows.append(row)
    except csv.Error as error:
        place = f"row {len(rows) + 2}" if reader.line_num else "the header"
        raise DatasetError(f"{path}: {place}: {error}: is a quote left open?") from error
    if not rows:
        raise DatasetError(f"no questions can be asked: {path} has no rows below its header")
    return rows


def _read_questions(
    path: Path,
    documents: Mapping[str, Document],
    pdfs: Mapping[str, Path],
    report: ValidationReport,
) -> Iterator[Question]:
    by_name: dict[str, list[str]] = {}
    for known in pdfs:
        by_name.setdefault(known.rsplit("/", 1)[-1], []).append(known)
    for number, row in enumerate(_read_rows(path), start=2):
        try:
            page_no = int(row["page"] or "") - 1
        except ValueError:
            report.add("malformed_question", f"line {number}: page {row['page']!r} is no number")
            continue
        name = (row["document"] or "").strip()
        name = name[:-4] if name.lower().endswith(".pdf") else name
        named = [name] if "/" in name else by_name.get(name, [f"{DEFAULT_DOMAIN}/{name}"])
        if len(named) > 1:
            report.add(
                "ambiguous_document",
                f"line {number}: {row['document']!r} is any of {', '.join(named)}: "
                "name the folder too",
            )
            continue
        doc_id = named[0]
        ref = PageRef(doc_id, page_no)
        answers = tuple(part.strip() for part in (row["answer"] or "").split("|") if part.strip())
        evidence = (row.get("evidence") or "").strip() or _evidence(documents, ref, answers)
        yield Question(
            qid=(row.get("id") or "").strip() or f"line-{number}",
            text=(row["question"] or "").strip(),
            answers=answers,
            doc_id=doc_id,
            domain=doc_id.split("/", 1)[0],
            evidence_pages=(ref,),
            evidence_text=evidence,
            evidence_source=(row.get("evidence_source") or "text").strip() or "text",
            answer_form=(row.get("answer_form") or "").strip(),
            task=(row.get("task") or "").strip(),
        )


def _evidence(documents: Mapping[str, Document], ref: PageRef, answers: tuple[str, ...]) -> str:
    """The lines of the page that contain an answer, ignoring case."""
    document = documents.get(ref.doc_id)
    text = next((page.text for page in document.pages if page.ref == ref), "") if document else ""
    lowered = [answer.casefold() for answer in answers]
    lines = (line for line in text.splitlines() if any(a in line.casefold() for a in lowered))
    return "\n".join(lines)
