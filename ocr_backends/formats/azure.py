"""The JSON of Azure Document Intelligence: Markdown, or paragraphs and tables, or lines."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ocr_backends.formats.confidence import PageConfidence, page_confidence
from ohr.markup.blocks import Block, BlockKind, GridCell, html_table

_FURNITURE = re.compile(r'<!--\s*(?:PageHeader|PageFooter|PageNumber)="((?:[^"\\]|\\.)*)"\s*-->')
_COMMENT = re.compile(r"<!--(?:(?!<!--).)*?-->", re.DOTALL)
_FIGURE = re.compile(r"</?(?:figure|figcaption)>")
_MARKS = {":selected:": "☒", ":unselected:": "☐"}
_ROLES: Mapping[str, tuple[BlockKind, int]] = {
    "title": ("heading", 1),
    "sectionHeading": ("heading", 2),
    "footnote": ("note", 1),
    "formulaBlock": ("formula", 1),
    "pageHeader": ("furniture", 1),
    "pageFooter": ("furniture", 1),
    "pageNumber": ("furniture", 1),
}


def is_azure(content: Any) -> bool:
    """Whether it is a result of the service, or the answer that holds one."""
    return isinstance(_result(content).get("pages"), list) and "content" in _result(content)


def azure_pages(content: Any) -> dict[int, list[Block]]:
    """Blocks of each page; pages count from 1."""
    result = _result(content)
    if result.get("contentFormat") == "markdown":
        return {
            int(page["pageNumber"]) - 1: list(_markdown(result, page)) for page in result["pages"]
        }
    pages: dict[int, list[Block]] = {int(page["pageNumber"]) - 1: [] for page in result["pages"]}
    if not result.get("paragraphs"):
        for page in result["pages"]:
            text = "\n".join(line["content"] for line in page.get("lines") or ())
            pages[int(page["pageNumber"]) - 1].append(Block("text", text))
        return pages
    for _, number, block in sorted(_parts(result), key=lambda part: part[:2]):
        pages.setdefault(number, []).append(block)
    return pages


def azure_confidence(content: Any) -> dict[int, PageConfidence | None]:
    """The confidence of each page by its words."""
    return {
        int(page["pageNumber"]) - 1: page_confidence(
            (word.get("content"), word.get("confidence")) for word in page.get("words") or ()
        )
        for page in _result(content)["pages"]
    }


def markdown_of(result: Mapping[str, Any], *, furniture: bool) -> str:
    """The page's Markdown: headers and footers stand in comments, figures in tags of their own."""
    text: str = result["content"].encode("utf-8", "replace").decode()
    text = _FURNITURE.sub(lambda match: html.unescape(match[1]) if furniture else "", text)
    return _plain(text)


def _plain(text: str) -> str:
    """Without comments and the tags of figures, and with signs for ticked boxes."""
    text = _FIGURE.sub("", _COMMENT.sub("", text))
    for mark, sign in _MARKS.items():
        text = text.replace(mark, sign)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _result(content: Any) -> Mapping[str, Any]:
    result = content.get("analyzeResult", content) if isinstance(content, dict) else {}
    return result if isinstance(result, dict) else {}


def _markdown(result: Mapping[str, Any], page: Mapping[str, Any]) -> Iterator[Block]:
    """A page's Markdown, with headers and footers as blocks of their own."""
    text = "".join(_piece(result, span) for span in page["spans"])
    before = 0
    for match in _FURNITURE.finditer(text):
        yield Block("text", _plain(text[before : match.start()]))
        yield Block("furniture", html.unescape(match[1]))
        before = match.end()
    yield Block("text", _plain(text[before:]))


def _piece(result: Mapping[str, Any], span: Mapping[str, Any]) -> str:
    """The part of the content: places count characters or units of UTF-16, as the result says."""
    text, start, length = result["content"], int(span["offset"]), int(span["length"])
    if result.get("stringIndexType") == "utf16CodeUnit":
        units = text.encode("utf-16-le", "surrogatepass")[2 * start : 2 * (start + length)]
        return str(units.decode("utf-16-le", "replace"))
    return str(text[start : start + length])


def _parts(result: Mapping[str, Any]) -> Iterator[tuple[int, int, Block]]:
    """Tables, and the paragraphs outside them: place in the content, page, block."""
    taken = []
    for table in result.get("tables") or ():
        spans = [_ends(span) for span in table.get("spans") or ()]
        taken += spans
        cells = [_cell(cell) for cell in table["cells"]]
        start = min((start for start, _ in spans), default=0)
        yield start, _page(table), Block("table", html_table(cells))
    for paragraph in result["paragraphs"]:
        start = min((_ends(span)[0] for span in paragraph.get("spans") or ()), default=0)
        if not any(first <= start < last for first, last in taken):
            kind, level = _ROLES.get(str(paragraph.get("role")), ("text", 1))
            yield start, _page(paragraph), Block(kind, paragraph["content"], level)


def _ends(span: Mapping[str, Any]) -> tuple[int, int]:
    return int(span["offset"]), int(span["offset"]) + int(span["length"])


def _page(part: Mapping[str, Any]) -> int:
    return int(part["boundingRegions"][0]["pageNumber"]) - 1


def _cell(cell: Mapping[str, Any]) -> GridCell:
    return GridCell(
        int(cell["rowIndex"]),
        int(cell["columnIndex"]),
        _plain(cell["content"]),
        int(cell.get("rowSpan") or 1),
        int(cell.get("columnSpan") or 1),
    )
