"""The pages of a file in any known format, which is recognised by its content."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from xml.etree.ElementTree import Element

from ocr_backends.formats.confidence import PageConfidence, SureWord
from ocr_backends.formats.doctags import TAG, doctags_pages, is_doctags
from ocr_backends.formats.hocr import hocr_confidence, hocr_pages
from ocr_backends.formats.json_formats import JsonFormat, json_format
from ocr_backends.formats.marker import marked_pages
from ocr_backends.formats.xml_confidence import alto_confidence, page_xml_confidence
from ocr_backends.normalise import line_feeds
from ohr.documents.alto import alto_pages
from ohr.documents.page_xml import page_xml_pages
from ohr.documents.pdf import MAX_PAGES
from ohr.documents.xml_tree import parse_xml, words
from ohr.errors import EngineError
from ohr.files.decoding import UndecodableError, decoded
from ohr.markup.blocks import Block, write_markdown
from ohr.markup.hyphenation import WordForms, join_cut_words
from ohr.types import Outcome

PAGE_KEYS = ("page_idx", "page_no")
XML_SUFFIXES = (".hocr", ".html", ".xml")
_SHOWN, _KEYS = 40, 6
_ALTO_TEXTS = ("String", "Glyph")
_PAGE_TEXTS = ("Unicode", "PlainText")
_JSON_TEXTS = (
    *("text", "content", "table_body", "code_body", "orig"),
    *("markdown", "md", "Text", "block_content"),
)
_Confidences = Mapping[int, PageConfidence | None]
_ROOTS: dict[
    str,
    tuple[str, Callable[[Element], dict[int, list[Block]]], Callable[[Element], _Confidences]],
] = {
    "html": ("hocr", hocr_pages, hocr_confidence),
    "alto": ("alto", alto_pages, alto_confidence),
    "PcGts": ("page", page_xml_pages, page_xml_confidence),
}


@dataclass(frozen=True)
class Reading:
    """Pages by number (0-based), what is wrong with the file, and its format.

    ``form`` is empty for a list of pages, the toolkit's own format, and for files of Markdown.
    ``is_listed`` marks such a list, which numbers its pages itself, from 0 unless all say
    otherwise. ``is_guessed``: the pages' numbers were taken to count from 1 since there is no 0.
    ``words`` are those of a page that the tool rates, with how sure it is of each.
    """

    pages: dict[int, Outcome[str]]
    problem: str = ""
    form: str = ""
    is_listed: bool = False
    is_guessed: bool = False
    words: Mapping[int, tuple[SureWord, ...]] = field(default_factory=dict)


def read_xml(data: bytes, *, furniture: bool = True) -> Reading:
    """Pages of hOCR, ALTO or PAGE XML; ``furniture``: with headers and footers.

    Lines stay as on the page; words cut at the end of a line are joined, as in an engine's output.
    Raises EngineError, also for a file whose text is all outside the places for page text.
    """
    root = parse_xml(data)
    root.tag = "html" if root.tag.lower() == "html" else root.tag
    if root.tag not in _ROOTS:
        raise EngineError(f"XML whose root is <{root.tag[:40]}>, not hOCR, ALTO or PAGE")
    form, pages, confidence = _ROOTS[root.tag]
    reading = _read_blocks(pages(root), form, _text_of_xml(root), furniture, confidence(root))
    forms = WordForms.from_texts(outcome.value or "" for outcome in reading.pages.values())
    whole = {
        number: replace(outcome, value=join_cut_words(outcome.value or "", forms))
        for number, outcome in reading.pages.items()
    }
    return replace(reading, pages=whole)


def read_json(data: bytes, *, furniture: bool = True, name: str = "file") -> Reading:
    """Pages of a list of pages, or of a file in one of
    :data:`~ocr_backends.formats.json_formats.JSON_FORMATS`; ``furniture``: with headers and
    footers, where the file marks them.

    Raises EngineError, also for bytes that are no text (with the file's ``name`` in the message),
    and for a file whose text is all outside the places for page text.
    """
    try:
        content = json.loads(decoded(data))
    except UndecodableError as error:
        raise EngineError(f"{name} is {error}") from error
    except (ValueError, RecursionError) as error:
        raise EngineError(f"file is not JSON: {error}" if data else "file is empty") from error
    return read_content(content, furniture=furniture)


def read_content(content: Any, *, furniture: bool = True) -> Reading:
    """Pages of parsed JSON. Raises EngineError, which names the format and what is missing."""
    recognised = json_format(content)
    if recognised is None and isinstance(content, list):
        return _page_list(content)
    if recognised is None:
        raise EngineError(f"file holds {_shape(content)}: no format that is read")
    try:
        pages = recognised.pages(content)
        pages = _whole(pages) if recognised.skips_empty else pages
        confidence = _confidence(recognised, content)
        return _read_blocks(pages, recognised.form, _text_of_json(content), furniture, confidence)
    except KeyError as error:
        raise EngineError(f"file is {recognised.title}, but a part of it has no {error}") from error
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise EngineError(f"file is {recognised.title}, but it is damaged: {error!r}") from error


def _confidence(recognised: JsonFormat, content: Any) -> _Confidences:
    """How sure the tool is of each page; nothing where that part of a file is damaged."""
    try:
        return recognised.confidence(content)
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError):
        return {}


def _shape(content: Any) -> str:
    """A JSON value in words: ``an object with the keys a, b``."""
    if not isinstance(content, dict):
        return f"a {type(content).__name__}, not a list of pages"
    keys = [key[:_SHOWN] for key in content]
    more = f" and {len(keys) - _KEYS} more" if len(keys) > _KEYS else ""
    return f"an object with the keys {', '.join(keys[:_KEYS])}{more}" if keys else "an empty object"


def read_json_lines(data: bytes, *, furniture: bool = True, name: str = "file") -> Reading:
    """Pages of a file with a JSON value on each line: one document, or a page on each line.

    Raises EngineError.
    """
    values = json_lines(data, name)
    if not values:
        raise EngineError("file is empty")
    return read_content(values[0] if len(values) == 1 else values, furniture=furniture)


def json_lines(data: bytes, name: str) -> list[Any]:
    """The values of a file with a JSON value on each line. Raises EngineError, naming the line."""
    values = []
    try:
        lines = decoded(data).split("\n")
    except UndecodableError as error:
        raise EngineError(f"{name} is {error}") from error
    for number, line in enumerate(lines, 1):
        try:
            values += [json.loads(line)] if line.strip() else []
        except (ValueError, RecursionError) as error:
            raise EngineError(f"{name}, line {number}, is not JSON: {error}") from error
    return values


def read_text(data: bytes, name: str, pages: int, *, furniture: bool = True) -> Reading:
    """Pages of a text: DocTags, Marker's Markdown with marks, text with form feeds, or one page.

    ``pages`` is the number of pages of the document. Raises EngineError if the text does not say
    where the pages of a longer one begin.
    """
    try:
        text = line_feeds(decoded(data))
    except UndecodableError as error:
        raise EngineError(f"{name} is {error}") from error
    if is_doctags(text):
        return _read_blocks(doctags_pages(text), "doctags", _text_of_tags(text), furniture, {})
    if marked := marked_pages(text):
        return Reading(_outcomes(marked), "", "marker")
    parts = text.split("\f")
    if len(parts) > 1:
        parts = parts if parts[-1].strip() else parts[:-1]  # each page ends with a form feed
        return Reading(_outcomes(dict(enumerate(parts))), "", "form_feeds")
    if pages != 1:
        raise EngineError(
            f"{name} does not say where its {pages} pages begin: write one file per page"
        )
    return Reading(_outcomes({0: text}), "", "text")


def _text_of_tags(text: str) -> str:
    return words(TAG.sub(" ", text))


def _outcomes(pages: dict[int, str]) -> dict[int, Outcome[str]]:
    return {number: Outcome.of_text(text) for number, text in pages.items()}


def _whole(pages: dict[int, list[Block]]) -> dict[int, list[Block]]:
    """Add the pages that are missing before the last one, as empty pages.

    Raises ValueError for more than :data:`ohr.documents.pdf.MAX_PAGES`.
    """
    if not 0 <= min(pages) <= max(pages) < MAX_PAGES:
        raise ValueError(f"page_idx from {min(pages)} to {max(pages)}")
    return {number: pages.get(number, []) for number in range(max(pages) + 1)}


def _read_blocks(
    pages: dict[int, list[Block]],
    form: str,
    excerpt: str,
    furniture: bool,
    confidence: _Confidences,
) -> Reading:
    """The pages of blocks. ``excerpt`` is some text of the file; raises EngineError if no block has
    text although it is not empty.
    """
    if excerpt and not any(block.text.strip() for blocks in pages.values() for block in blocks):
        raise EngineError(
            f"file of the format {form} has text, such as {excerpt[:_SHOWN]!r}, of which nothing "
            "stands where the format has a page's text"
        )
    texts = {
        number: line_feeds(write_markdown(blocks, furniture=furniture))
        for number, blocks in pages.items()
        if number >= 0
    }
    problem = "" if texts else "file has no pages"
    rated = {number: page for number, page in confidence.items() if page and number in texts}
    outcomes = {
        number: Outcome.of_text(text, confidence=rated[number].mean if number in rated else None)
        for number, text in texts.items()
    }
    return Reading(
        outcomes, problem, form, words={number: page.words for number, page in rated.items()}
    )


def _text_of_xml(root: Element) -> str:
    """Some text that a file of hOCR, ALTO or PAGE XML says is on its page; nothing without any."""
    texts: Iterable[str | None]
    if root.tag == "html":
        texts = ("".join(body.itertext()) for body in root.iter("body"))
    elif root.tag == "alto":
        texts = (element.get("CONTENT") for element in root.iter() if element.tag in _ALTO_TEXTS)
    else:
        texts = (element.text for element in root.iter() if element.tag in _PAGE_TEXTS)
    return next(filter(None, map(words, texts)), "")


def _text_of_json(content: Any) -> str:
    """Some text that a JSON file holds under the names of texts; nothing where there is none."""
    remaining = [content]
    while remaining:
        value = remaining.pop()
        if isinstance(value, list):
            remaining += reversed(value)
        elif isinstance(value, dict):
            for name in _JSON_TEXTS:
                if isinstance(text := value.get(name), str) and text.strip():
                    return words(text)
            remaining += value.values()
    return ""


def _page_list(entries: list[Any]) -> Reading:
    """Entries with the same page number are joined by a blank line."""
    pages: dict[int, Outcome[str]] = {}
    astray = 0
    for entry in entries:
        fields = entry if isinstance(entry, dict) else {}
        page_no = next((fields[key] for key in PAGE_KEYS if key in fields), None)
        text = fields.get("text")
        text = line_feeds(text) if isinstance(text, str) else text
        if type(page_no) is not int or page_no < 0:
            astray += 1
        elif not isinstance(text, str):
            pages.setdefault(page_no, Outcome.error("entry has no text"))
        elif (before := pages.get(page_no)) is not None and before.value is not None:
            pages[page_no] = Outcome.of_text(f"{before.value}\n\n{text}", "entries joined")
        else:
            pages[page_no] = Outcome.of_text(text)
    problem = f"{astray} of {len(entries)} entries have no page number" if astray else ""
    if entries and astray == len(entries):
        problem += f": the first holds {_shape(entries[0])}"
    problem = problem or ("" if entries else "file has no pages")
    return Reading(pages, problem, is_listed=True)
