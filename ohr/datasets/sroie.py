"""Reads SROIE (ICDAR 2019), and other scans with transcribed lines and their boxes.

``path`` is a folder with images (``img`` or ``images``), a file of lines for each (``box`` or
``boxes``) and, for receipts, a file of key fields (``key``). Each image is a document of one page;
its lines, joined to rows, are its text. The fields become questions where only one receipt answers
them. A data set without fields, and without ``questions``, is searched for its pages instead: each
has one question, which consists of the page's first words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ohr.collection import Dataset, ValidationReport, finish, validate_questions
from ohr.datasets.json_text import parse_json
from ohr.datasets.known_items import known_item, page_images
from ohr.datasets.line_boxes import BOX_SUFFIXES, drop_repeated, lines_of, text_of_rows
from ohr.datasets.ohrbench import read_questions
from ohr.datasets.values import reason_of, text_of
from ohr.errors import DatasetError
from ohr.files.bounded import read_bounded
from ohr.files.safe_text import readable, visible
from ohr.plugins import DatasetParams, DatasetSource
from ohr.types import Document, Line, Page, PageRef, Question

IMAGE_FOLDERS, BOX_FOLDERS, KEY_FOLDERS = ("images", "img"), ("boxes", "box"), ("keys", "key")
DEFAULT_DOMAIN = "receipt"
FIELDS = ("company", "date", "address", "total")
_TOTAL = re.compile(r"\btotal\b", re.IGNORECASE)


class SroieParams(DatasetParams):
    """How the transcription is written."""

    marks: str = ""
    """Characters that mark something in the transcription and are not on the page, such as ``_^~``;
    they are taken out."""


@dataclass(frozen=True, slots=True)
class _Receipt:
    """A document and its key fields; a missing one is empty."""

    document: Document
    fields: Mapping[str, str]


class Sroie(DatasetSource[SroieParams]):
    """Scans with transcribed lines, and their key fields as questions."""

    name = "sroie"
    version = "1"

    def load(self) -> Dataset:
        params = self.params
        if params.path is None:
            raise DatasetError(
                "dataset.kind=sroie needs dataset.path, a folder with images and boxes"
            )
        if params.pdfs is not None:
            raise DatasetError("dataset.kind=sroie finds its images in dataset.path, not .pdfs")
        report = ValidationReport()
        root = Path(params.path)
        receipts = {receipt.document.doc_id: receipt for receipt in self._receipts(root, report)}
        documents = {doc_id: receipt.document for doc_id, receipt in receipts.items()}
        if params.questions is not None:
            candidates: Iterator[Question] = (
                question
                for question in read_questions(params.questions, report)
                if not params.domains or question.domain in params.domains
            )
        elif _folder(root, KEY_FOLDERS) is not None:
            candidates = _questions(list(receipts.values()), report)
        else:
            candidates = map(known_item, documents.values())
            report.notes.append("no key fields: each page has one question, its own first words")
        questions = validate_questions(candidates, documents, report)
        dataset = Dataset(documents.values(), questions, kind=self.name, root=root, report=report)
        return finish(dataset, strict=params.strict)

    def _receipts(self, root: Path, report: ValidationReport) -> Iterator[_Receipt]:
        folders = [_folder(root, names) for names in (IMAGE_FOLDERS, BOX_FOLDERS)]
        if folders[0] is None or folders[1] is None:
            raise DatasetError(f"no folders images and boxes (or img and box) in {root}")
        boxes = _named_files(folders[1], BOX_SUFFIXES)
        key_folder = _folder(root, KEY_FOLDERS)
        keys = _named_files(key_folder, (".json", ".txt")) if key_folder is not None else {}
        repeated = without_key = 0
        images = page_images(folders[0])
        for name, image in images.items():
            doc_id = name if "/" in name else f"{DEFAULT_DOMAIN}/{name}"
            domain, stem = doc_id.partition("/")[0], name.rpartition("/")[2]
            if self.params.domains and domain not in self.params.domains:
                continue
            file = boxes.pop(name, None) or boxes.pop(stem, None)
            if file is None:
                report.add("unreadable_document", f"{name}: no file of lines")
                continue
            try:
                transcribed = self._lines(file)
            except (OSError, ValueError, RecursionError) as error:
                report.add("unreadable_document", f"{name}: {file.name}: {error}")
                continue
            lines = drop_repeated(transcribed)
            repeated += len(transcribed) - len(lines)
            ref = PageRef(doc_id, 0)
            page = Page(ref, text_of_rows(lines), image, tuple(lines))
            key = keys.get(name, keys.get(stem))
            without_key += key is None
            fields = _fields(key, name, report) if key is not None else {}
            yield _Receipt(Document(ref.doc_id, domain, (page,)), fields)
        if not self.params.domains:
            for name in boxes:
                report.add("missing_image", f"{name}: it has lines and no image")
        if key_folder is not None and without_key:
            report.notes.append(
                f"{without_key} images have no file of key fields: nothing is asked"
            )
        if repeated:
            report.notes.append(
                f"{repeated} lines are transcribed twice at the same place: each counts once"
            )

    def _lines(self, file: Path) -> list[Line]:
        lines = lines_of(read_bounded(file), file.suffix.lower())
        if not self.params.marks:
            return lines
        unmarked = str.maketrans("", "", self.params.marks)
        cleaned = (
            Line(" ".join(line.text.translate(unmarked).split()), line.box) for line in lines
        )
        return [line for line in cleaned if line.text]


def _folder(root: Path, names: Sequence[str]) -> Path | None:
    return next((root / name for name in names if (root / name).is_dir()), None)


def _named_files(folder: Path, suffixes: Sequence[str]) -> dict[str, Path]:
    """Path within the folder, without suffix -> file."""
    return {
        readable(path.relative_to(folder).with_suffix("").as_posix()): path
        for path in visible(folder, "**/*")
        if path.suffix.lower() in suffixes and path.is_file()
    }


def _fields(file: Path, name: str, report: ValidationReport) -> dict[str, str]:
    try:
        content: Any = parse_json(read_bounded(file))
        if not isinstance(content, dict):
            raise TypeError("it is no object of key fields")
        return {field: " ".join(text_of(content.get(field), field).split()) for field in FIELDS}
    except (OSError, ValueError, TypeError, RecursionError) as error:
        report.add("malformed_question", f"{name}: {file.name}: {reason_of(error)}")
        return {}


def _questions(receipts: Sequence[_Receipt], report: ValidationReport) -> Iterator[Question]:
    """The questions on date, total and address that name one receipt alone.

    A receipt is named by its company with the total or the date; an address by the company, where
    all its receipts have the same.
    """
    fields = [receipt.fields for receipt in receipts]
    by_total = Counter((each.get("company"), each.get("total")) for each in fields)
    by_date = Counter((each.get("company"), each.get("date")) for each in fields)
    by_company = Counter(each.get("company") for each in fields)
    unclear = absent = empty = 0
    for receipt in receipts:
        own = receipt.fields
        company, date, address, total = (own.get(field, "") for field in FIELDS)
        by_field = [
            ("date", date, f"On what date was the receipt of {company} with a total of {total} "
             "issued?", by_total[company, total] == 1 and total),
            ("total", total, f"What is the total of the receipt of {company} of {date}?",
             by_date[company, date] == 1 and date),
            ("address", address, f"What is the address of {company}?", by_company[company] == 1),
        ]  # fmt: skip
        for field, answer, text, names_one in by_field:
            if not company or not answer:
                empty += bool(own)
                continue
            if not names_one:
                unclear += 1
                continue
            evidence = _evidence(receipt.document.pages[0], field, answer)
            if not evidence:
                absent += 1
                continue
            yield Question(
                qid=f"{receipt.document.doc_id}-{field}",
                text=text,
                answers=(answer,),
                doc_id=receipt.document.doc_id,
                domain=receipt.document.domain,
                evidence_pages=(receipt.document.pages[0].ref,),
                evidence_text=evidence,
                evidence_source="table" if field == "total" else "text",
                answer_form="Numeric" if field == "total" else "String",
            )
    if empty:
        report.notes.append(f"{empty} key fields are not asked: they, or the company, are empty")
    if unclear:
        report.notes.append(f"{unclear} key fields are not asked: several receipts could be meant")
    if absent:
        report.notes.append(
            f"{absent} key fields are not asked: they do not stand in the transcription as written"
        )


def _evidence(page: Page, field: str, answer: str) -> str:
    """The row with the answer; for a total, one that says so if there is one; for an address, its
    rows. Empty if the answer does not stand there.
    """
    rows = page.text.split("\n")
    if field == "address":
        return answer if _plain(answer) in _plain(page.text) else ""
    stands = re.compile(rf"(?<![\w.,]){re.escape(answer)}(?![\w]|[.,]\d)", re.IGNORECASE)
    holding = [row for row in rows if stands.search(row)]
    named = [row for row in holding if _TOTAL.search(row)]
    return (named if field == "total" and named else holding or [""])[0]


def _plain(text: str) -> str:
    """Letters and digits alone, without case."""
    return "".join(filter(str.isalnum, text)).casefold()
