"""What a file says of a document's pages, whatever the format: it is told from the content."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element

from ocr_backends.formats.alto import alto_pages
from ocr_backends.formats.docling import docling_pages
from ocr_backends.formats.hocr import hocr_pages
from ocr_backends.formats.mineru import content_list_pages, mineru_pages
from ocr_backends.formats.page_xml import page_xml_pages
from ocr_backends.formats.xml_tree import parse_xml
from ocr_backends.normalise import line_feeds
from ohr.errors import EngineError
from ohr.markup.blocks import Block, to_markdown
from ohr.pdf import MAX_PAGES
from ohr.types import Outcome

PAGE_KEYS = ("page_idx", "page_no")
XML_SUFFIXES = (".hocr", ".html", ".xml")
_ROOTS: dict[str, tuple[str, Callable[[Element], dict[int, list[Block]]]]] = {
    "html": ("hocr", hocr_pages),
    "alto": ("alto", alto_pages),
    "PcGts": ("page", page_xml_pages),
}


@dataclass(frozen=True)
class Reading:
    """Pages by number (0-based), what is wrong with the file, and the format that it has.

    ``form`` is empty for a list of pages, the toolkit's own.
    """

    pages: dict[int, Outcome[str]]
    problem: str = ""
    form: str = ""


def read_xml(data: bytes) -> Reading:
    """Pages of hOCR, ALTO or PAGE XML. Raises EngineError."""
    root = parse_xml(data)
    if root.tag not in _ROOTS:
        raise EngineError(f"XML whose root is <{root.tag[:40]}>, not hOCR, ALTO or PAGE")
    form, pages = _ROOTS[root.tag]
    return _of_blocks(pages(root), form)


def read_json(data: bytes) -> Reading:
    """Pages of a list of pages, of Docling's or MinerU's JSON.

    Text that is not UTF-8 is read with U+FFFD in place of what is invalid. Raises EngineError.
    """
    try:
        content = json.loads(data.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError) as error:
        raise EngineError(f"file is not JSON: {error}" if data else "file is empty") from error
    if isinstance(content, list) and not _is_content_list(content):
        return _page_list(content)
    try:
        if isinstance(content, list):
            return _of_blocks(_whole(content_list_pages(content)), "mineru")
        if isinstance(content, dict) and content.get("schema_name") == "DoclingDocument":
            return _of_blocks(docling_pages(content), "docling")
        if isinstance(content, dict) and isinstance(content.get("pages"), list):
            return _of_blocks(mineru_pages(content), "mineru")
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise EngineError(f"file is neither Docling's nor MinerU's: {error!r}") from error
    raise EngineError(f"file holds a {type(content).__name__}, not a list of pages")


def _is_content_list(content: list[Any]) -> bool:
    """MinerU names each block's type, which a list of pages does not know."""
    return bool(content) and all(
        isinstance(entry, dict) and "type" in entry and "page_idx" in entry for entry in content
    )


def _whole(pages: dict[int, list[Block]]) -> dict[int, list[Block]]:
    """With the pages before the last that are not there, as nothing is on them.

    Raises ValueError for more than :data:`ohr.pdf.MAX_PAGES`.
    """
    if not 0 <= min(pages) <= max(pages) < MAX_PAGES:
        raise ValueError(f"page_idx from {min(pages)} to {max(pages)}")
    return {number: pages.get(number, []) for number in range(max(pages) + 1)}


def _of_blocks(pages: dict[int, list[Block]], form: str) -> Reading:
    """Without headers and footers, as engines with a layout model are read."""
    texts = {
        number: line_feeds(to_markdown(blocks, furniture=False))
        for number, blocks in pages.items()
        if number >= 0
    }
    problem = "" if texts else "file has no pages"
    return Reading({number: Outcome.of_text(text) for number, text in texts.items()}, problem, form)


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
    return Reading(pages, problem or ("" if entries else "file has no pages"))
