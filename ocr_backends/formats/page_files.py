"""A folder with one file per page, whose name is the page's number or ends in it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from ocr_backends.formats.confidence import SureWord
from ocr_backends.formats.documents import XML_SUFFIXES, Reading, read_json, read_xml
from ocr_backends.normalise import line_feeds
from ohr.errors import EngineError
from ohr.files.decoding import UndecodableError, decoded
from ohr.store.identity import digest
from ohr.types import Outcome

TEXTS = (".md", ".mmd", ".txt")
JSON = (".json",)
_ENDINGS = {XML_SUFFIXES: (".page",), JSON: ("_res",)}  # of Transkribus, and of PaddleOCR
_NUMBER = re.compile(r"[0-9]{1,9}$")


def read_page_files(
    folder: Path, first_page: int | None, *, furniture: bool = True
) -> tuple[Reading, bytes]:
    """Pages of a folder, and its content as bytes to digest. Its files are Markdown or, if there
    are none, hOCR, ALTO or PAGE, or else JSON.

    ``furniture``: with headers and footers, where a file marks them. A file that is no text is an
    error of its page.

    Raises EngineError if two files are one page, or a page comes before the first.
    """
    numbered, astray = _numbered(folder, TEXTS)
    form = ""
    for suffixes, name in ((XML_SUFFIXES, "xml"), (JSON, "json")):
        if not numbered:
            rest, lost = _numbered(folder, suffixes)
            if rest:
                numbered, astray, form = rest, lost, name
    is_guessed = first_page is None and 0 not in numbered
    if first_page is None:
        first_page = 0 if 0 in numbered else 1
    elif first_page == 1 and 0 in numbered:
        raise EngineError(f"{numbered[0].name} comes before page 1: leave first_page out")
    pages: dict[int, Outcome[str]] = {}
    words: dict[int, tuple[SureWord, ...]] = {}
    content: list[str] = []
    for number in sorted(numbered):
        try:
            data = numbered[number].read_bytes()
        except OSError as error:
            pages[number - first_page] = Outcome.error(f"file cannot be read: {error.strerror}")
            continue
        if form:
            read = read_xml if form == "xml" else read_json
            page, rated = _only_page(read, data, furniture)
            pages[number - first_page], words[number - first_page] = page, rated
        else:
            pages[number - first_page] = _text_page(data, numbered[number].name)
        content.append(f"{number - first_page} {digest(data)}")
    problem = f"{astray} files have no page number in their name" if astray else ""
    if not pages and not problem:
        problem = "folder has no pages"
    reading = Reading(pages, problem, form, is_guessed=is_guessed, words=words)
    return reading, "\n".join(content).encode()


def is_shown(path: Path) -> bool:
    """Whether a file is not hidden, as those that macOS puts beside others are (``._1.md``)."""
    return not path.name.startswith(".")


def _numbered(folder: Path, suffixes: tuple[str, ...]) -> tuple[dict[int, Path], int]:
    """Files by their number, and how many have none. Raises EngineError."""
    numbered: dict[int, Path] = {}
    astray = 0
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() not in suffixes or not is_shown(path) or not path.is_file():
            continue
        stem = path.stem
        for ending in _ENDINGS.get(suffixes, ()):
            stem = stem.removesuffix(ending)
        digits = _NUMBER.search(stem)
        if digits is None:
            astray += 1
            continue
        other = numbered.setdefault(int(digits[0]), path)
        if other != path:
            raise EngineError(f"{other.name} and {path.name} are the same page")
    return numbered, astray


def _text_page(data: bytes, name: str) -> Outcome[str]:
    """The page of a file of Markdown."""
    try:
        return Outcome.of_text(line_feeds(decoded(data)))
    except UndecodableError as error:
        return Outcome.error(f"{name} is {error}")


def _only_page(
    read: Callable[..., Reading], data: bytes, furniture: bool
) -> tuple[Outcome[str], tuple[SureWord, ...]]:
    """The one page of a file, and its words that are rated."""
    try:
        reading = read(data, furniture=furniture)
    except EngineError as error:
        return Outcome.error(" ".join(str(error).split())), ()
    if len(reading.pages) != 1:
        return Outcome.error(f"file has {len(reading.pages)} pages, 1 expected"), ()
    [(number, outcome)] = reading.pages.items()
    return outcome, tuple(reading.words.get(number, ()))
