"""A folder of your own Markdown as a dataset.

``<domain>/<document>/page_0001.md`` is a page; ``<domain>/<document>.md`` is a document, whose
pages are separated by form feeds. Without a folder around them documents are in the domain
``documents``. Without questions, each page is asked for by its first words.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

from ohr.collection import Dataset, ValidationReport, finish, validate_questions
from ohr.datasets.known_items import known_item
from ohr.datasets.ohrbench import read_questions
from ohr.errors import DatasetError
from ohr.files.bounded import read_bounded
from ohr.files.safe_text import readable, visible
from ohr.types import Document, Page, PageRef

DEFAULT_DOMAIN = "documents"
SUFFIXES = (".md", ".markdown", ".txt")
_PAGE = re.compile(r"page_(\d{1,6})")


def markdown_dataset(folder: Path, questions: Path | None = None) -> Dataset:
    """The dataset of a folder of Markdown; ``questions`` is a Q&A file as of OHR-Bench.

    Raises DatasetError for a folder without pages, and for two files of one page.
    """
    if not folder.is_dir():
        raise DatasetError(f"--markdown: no folder {folder}")
    pages: dict[str, dict[int, str]] = defaultdict(dict)
    for path in visible(folder, "**/*"):
        if path.suffix.lower() not in SUFFIXES or not path.is_file():
            continue
        parts = [readable(part) for part in path.relative_to(folder).with_suffix("").parts]
        number = _PAGE.fullmatch(parts[-1]) if len(parts) > 1 else None
        if number is not None:
            numbered = {int(number[1]) - 1: _text(path)}
            parts = parts[:-1]
        else:
            numbered = dict(enumerate(_text(path).split("\f")))
        doc_id = "/".join(parts if len(parts) > 1 else [DEFAULT_DOMAIN, *parts])
        for page_no, text in numbered.items():
            if page_no < 0:
                raise DatasetError(f"{path}: pages are counted from 1")
            if page_no in pages[doc_id]:
                raise DatasetError(f"{path}: page {page_no + 1} of {doc_id} is there twice")
            pages[doc_id][page_no] = text
    if not pages:
        raise DatasetError(
            f"no Markdown in {folder}: name the files <domain>/<document>.md or "
            "<domain>/<document>/page_0001.md"
        )
    documents = {
        doc_id: Document(
            doc_id,
            doc_id.partition("/")[0],
            [Page(PageRef(doc_id, number), texts[number]) for number in sorted(texts)],
        )
        for doc_id, texts in sorted(pages.items())
    }
    report = ValidationReport()
    unchecked = (
        list(read_questions(questions, report))
        if questions is not None
        else [
            replace(known_item(replace(document, pages=[page])), qid=f"{doc_id}#{page.ref.page_no}")
            for doc_id, document in documents.items()
            for page in document.pages
            if page.text.split()
        ]
    )
    valid = validate_questions(unchecked, documents, report)
    return finish(
        Dataset(documents.values(), valid, kind="markdown", root=folder, report=report),
        strict=False,
    )


def _text(path: Path) -> str:
    try:
        return read_bounded(path).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path} cannot be read as UTF-8: {error}") from error
