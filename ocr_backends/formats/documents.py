"""The pages of a file in any known format, which is recognised by its content."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any
from xml.etree.ElementTree import Element

from ocr_backends.formats.docling import docling_pages
from ocr_backends.formats.hocr import hocr_pages
from ocr_backends.formats.mineru import content_list_pages, mineru_pages
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
_SHOWN = 40
_ALTO_TEXTS = ("String", "Glyph")
_PAGE_TEXTS = ("Unicode", "PlainText")
_JSON_TEXTS = ("text", "content", "table_body", "code_body", "orig")
_ROOTS: dict[str, tuple[str, Callable[[Element], dict[int, list[Block]]]]] = {
    "html": ("hocr", hocr_pages),
    "alto": ("alto", alto_pages),
    "PcGts": ("page", page_xml_pages),
}


@dataclass(frozen=True)
class Reading:
    """Pages by number (0-based), what is wrong with the file, and its format.

    ``form`` is empty for a list of pages, the toolkit's own format, and for files of Markdown.
    ``is_listed`` marks such a list, which numbers its pages itself, from 0 unless all say
    otherwise. ``is_guessed``: the pages' numbers were taken to count from 1 since there is no 0.
    """

    pages: dict[int, Outcome[str]]
    problem: str = ""
    form: str = ""
    is_listed: bool = False
    is_guessed: bool = False


def read_xml(data: bytes, *, furniture: bool = True) -> Reading:
    """Pages of hOCR, ALTO or PAGE XML; ``furniture``: with headers and footers.

    Lines stay as on the page; words cut at the end of a line are joined, as in an engine's output.
    Raises EngineError, also for a file whose text is all outside the places for page text.
    """
    root = parse_xml(data)
    if root.tag not in _ROOTS:
        raise EngineError(f"XML whose root is <{root.tag[:40]}>, not hOCR, ALTO or PAGE")
    form, pages = _ROOTS[root.tag]
    reading = _read_blocks(pages(root), form, _text_of_xml(root), furniture)
    forms = WordForms.from_texts(outcome.value or "" for outcome in reading.pages.values())
    whole = {
        number: Outcome.of_text(join_cut_words(outcome.value or "", forms), outcome.detail)
        for number, outcome in reading.pages.items()
    }
    return replace(reading, pages=whole)


def read_json(data: bytes, *, furniture: bool = True, name: str = "file") -> Reading:
    """Pages of a list of pages, or of Docling's or MinerU's JSON; ``furniture``: with headers and
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
    excerpt = _text_of_json(content)
    if isinstance(content, list) and not _is_content_list(content):
        return _page_list(content)
    try:
        if isinstance(content, list):
            return _read_blocks(_whole(content_list_pages(content)), "mineru", excerpt, furniture)
        if isinstance(content, dict) and content.get("schema_name") == "DoclingDocument":
            return _read_blocks(docling_pages(content), "docling", excerpt, furniture)
        if isinstance(content, dict) and isinstance(content.get("pages"), list):
            return _read_blocks(mineru_pages(content), "mineru", excerpt, furniture)
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise EngineError(f"file is neither Docling's nor MinerU's: {error!r}") from error
    raise EngineError(f"file holds a {type(content).__name__}, not a list of pages")


def _is_content_list(content: list[Any]) -> bool:
    """Whether it is MinerU's list, in which each block has a type; entries of a list of pages have
    none."""
    return bool(content) and all(
        isinstance(entry, dict) and "type" in entry and "page_idx" in entry for entry in content
    )


def _whole(pages: dict[int, list[Block]]) -> dict[int, list[Block]]:
    """Add the pages that are missing before the last one, as empty pages.

    Raises ValueError for more than :data:`ohr.documents.pdf.MAX_PAGES`.
    """
    if not 0 <= min(pages) <= max(pages) < MAX_PAGES:
        raise ValueError(f"page_idx from {min(pages)} to {max(pages)}")
    return {number: pages.get(number, []) for number in range(max(pages) + 1)}


def _read_blocks(
    pages: dict[int, list[Block]], form: str, excerpt: str, furniture: bool
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
    return Reading({number: Outcome.of_text(text) for number, text in texts.items()}, problem, form)


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
    problem = problem or ("" if entries else "file has no pages")
    return Reading(pages, problem, is_listed=True)
