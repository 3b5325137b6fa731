"""A knowledge base that some engine made elsewhere, from files in one of two layouts.

OHR-Bench's: ``<kb>/<domain>/<document>.json`` is a list of ``{"page_idx": 0, "text": "…"}``,
0-based; ``page_no`` will do for ``page_idx``.

Markdown: ``<kb>/<domain>/<document>/`` is a folder with a ``.md``, ``.mmd`` or ``.txt`` file a
page. Its name is the page's number, or ends in it (``7.md``, ``page_0007.md``), counted as
``first_page`` says.

A document that has both is an error: which one counts must not be a guess.
"""

from __future__ import annotations

import json
import re
from pathlib import Path, PurePosixPath
from typing import Literal

from ohr import plugins
from ohr.collection import Dataset
from ohr.errors import DatasetError, EngineError
from ohr.plugins import KnowledgeBaseSource
from ohr.store.identity import digest
from ohr.types import Document, KnowledgeBase, Outcome, PageRef

PAGE_KEYS = ("page_idx", "page_no")
TEXTS = (".md", ".mmd", ".txt")
_NUMBER = re.compile(r"[0-9]{1,9}$")


class PrecomputedParams(plugins.Params):
    """``kb``: a folder, or the name of one beside the ground truth (``MinerU``).

    ``first_page``: the number of a document's first page in the names of Markdown files. By
    default 0 where a document has a page 0, else 1.
    """

    kb: str
    first_page: Literal[0, 1] | None = None


class Precomputed(KnowledgeBaseSource[PrecomputedParams]):
    """What an engine made of the dataset's documents, read from files."""

    name = "precomputed"
    argument = "kb"

    def check(self, dataset: Dataset) -> None:
        """Raises DatasetError if the folder is missing."""
        find_folder(self.params.kb, dataset.root)

    def knowledge_base(self, dataset: Dataset) -> KnowledgeBase:
        """Pages of the dataset's documents, in the order of the files.

        Where a file or page is missing or damaged, the document's ground-truth pages that it
        fails to give are ``error`` outcomes and follow its other pages; pages that only the
        knowledge base has are kept. Raises DatasetError if the folder is missing.
        """
        folder = find_folder(self.params.kb, dataset.root)
        pages: dict[PageRef, Outcome[str]] = {}
        digests = []
        for document in dataset.documents.values():
            data, problem = b"", ""
            outcomes: dict[int, Outcome[str]] = {}
            try:
                pages_folder = _pages_folder(folder, document.doc_id)
                if pages_folder is None:
                    data = _read(folder, document.doc_id)
                    outcomes, problem = parse_pages(data)
                else:
                    outcomes, problem, data = read_markdown(pages_folder, self.params.first_page)
            except EngineError as error:
                problem = str(error)
            digests.append((document.doc_id, digest(data)))
            pages |= _with_missing(document, outcomes, f"page missing from {folder.name}", problem)
        return KnowledgeBase(pages, {"engine": self.identity(), "digest": digest(digests)})


def find_folder(kb: str, root: Path | None) -> Path:
    """The folder of a knowledge base. Raises DatasetError that lists those beside the truth.

    A bare name means the folder beside the ground truth first, anything else a path first.
    """
    places = [Path(kb).expanduser()] if kb else []
    if kb and root is not None:
        places.insert(0 if Path(kb).name == kb else 1, root / kb)
    for place in places:
        if place.is_dir():
            return place
    beside = sorted(path.name for path in root.iterdir() if path.is_dir()) if root else []
    known = f"; known in {root}: {', '.join(beside)}" if beside else ""
    raise DatasetError(f"no folder of a precomputed knowledge base {kb!r}{known}")


def _name(doc_id: str) -> PurePosixPath:
    """A document's id, which is not trusted, as a path. Raises EngineError."""
    parts = doc_id.split("/")
    if any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in parts):
        raise EngineError(f"document id {doc_id!r} cannot be a file name")
    return PurePosixPath(*parts)


def document_file(doc_id: str) -> PurePosixPath:
    """The JSON file of a document within its knowledge base. Raises EngineError."""
    name = _name(doc_id)
    return name.with_name(f"{name.name}.json")


def _pages_folder(folder: Path, doc_id: str) -> Path | None:
    """The folder of a document's Markdown files, if it has one. Raises EngineError."""
    path = folder / _name(doc_id)
    try:
        if not path.is_dir():
            return None
        if path.with_name(f"{path.name}.json").exists():
            raise EngineError(f"{path.name} is there as a folder and as a JSON file: remove one")
    except OSError as error:
        raise EngineError(f"{path.name} cannot be read: {error}") from error
    return path


def read_markdown(
    folder: Path, first_page: int | None
) -> tuple[dict[int, Outcome[str]], str, bytes]:
    """Pages of a folder by number (0-based), what is wrong with it, and what it all says.

    Raises EngineError if two files are one page, or a page comes before the first.
    """
    numbered: dict[int, Path] = {}
    astray = 0
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() not in TEXTS or not path.is_file():
            continue
        digits = _NUMBER.search(path.stem)
        if digits is None:
            astray += 1
            continue
        other = numbered.setdefault(int(digits[0]), path)
        if other != path:
            raise EngineError(f"{other.name} and {path.name} are the same page")
    if first_page is None:
        first_page = 0 if 0 in numbered else 1
    elif first_page == 1 and 0 in numbered:
        raise EngineError(f"{numbered[0].name} comes before page 1: leave first_page out")
    pages: dict[int, Outcome[str]] = {}
    content: list[str] = []
    for number in sorted(numbered):
        try:
            text = numbered[number].read_text("utf-8-sig", "replace")
        except OSError as error:
            pages[number - first_page] = Outcome.error(f"file cannot be read: {error.strerror}")
            continue
        pages[number - first_page] = Outcome.of_text(text)
        content.append(f"{number - first_page} {digest(text)}")
    problem = f"{astray} files have no page number in their name" if astray else ""
    if not pages and not problem:
        problem = "folder has no pages"
    return pages, problem, "\n".join(content).encode()


def _read(folder: Path, doc_id: str) -> bytes:
    """The JSON file of a document. Raises EngineError."""
    name = document_file(doc_id)
    path = folder / name
    try:
        if not path.is_file():  # a pipe would be waited on for ever
            raise EngineError(f"{name} missing from {folder.name}")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise EngineError(f"{name} cannot be read: {error}") from error


def parse_pages(data: bytes) -> tuple[dict[int, Outcome[str]], str]:
    """Pages of a document's file by number, in file order, and what is wrong with the file.

    Text that is not UTF-8 is read with U+FFFD in place of what is invalid. Entries with the
    same page number are joined by a blank line. Raises EngineError unless it is a JSON list.
    """
    try:
        entries = json.loads(data.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError) as error:
        raise EngineError(f"file is not JSON: {error}" if data else "file is empty") from error
    if not isinstance(entries, list):
        raise EngineError(f"file holds a {type(entries).__name__}, not a list of pages")
    pages: dict[int, Outcome[str]] = {}
    astray = 0
    for entry in entries:
        fields = entry if isinstance(entry, dict) else {}
        page_no = next((fields[key] for key in PAGE_KEYS if key in fields), None)
        text = fields.get("text")
        if type(page_no) is not int or page_no < 0:
            astray += 1
        elif not isinstance(text, str):
            pages.setdefault(page_no, Outcome.error("entry has no text"))
        elif (before := pages.get(page_no)) is not None and before.value is not None:
            pages[page_no] = Outcome.of_text(f"{before.value}\n\n{text}", "entries joined")
        else:
            pages[page_no] = Outcome.of_text(text)
    problem = f"{astray} of {len(entries)} entries have no page number" if astray else ""
    return pages, problem or ("" if entries else "file has no pages")


def _with_missing(
    document: Document, outcomes: dict[int, Outcome[str]], missing: str, problem: str
) -> dict[PageRef, Outcome[str]]:
    """The pages found, then an error for each ground-truth page that is not among them."""
    pages = {PageRef(document.doc_id, page_no): page for page_no, page in outcomes.items()}
    why = " ".join(f"{missing}: {problem}".split()) if problem else missing
    for page in document.pages:
        pages.setdefault(page.ref, Outcome.error(why))
    return pages
