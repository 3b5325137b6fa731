"""Docling's DocTags: a text with a tag around each block and tokens for the cells of tables."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping

from ohr.markup.blocks import Block, BlockKind, GridCell, html_table

_START = re.compile(r"\s*<doctags?>")
_BREAK = re.compile(r"<page_break\s*/?>")
_NAMES = (
    "title|section_header_level_[1-6]|text|paragraph|list_item|otsl|formula|code|caption|"
    "footnote|page_header|page_footer|checkbox_selected|checkbox_unselected|document_index|"
    "reference|key_value_region"
)
_BLOCK = re.compile(rf"<(?P<name>{_NAMES})>(?P<inside>.*?)(?:</(?P=name)>|\Z)", re.S)
_LOCATION = re.compile(r"<loc_\d+>")
_LANGUAGE = re.compile(r"<_[^<>]*_>")
TAG = re.compile(r"</?[a-z_0-9]+/?>")
_CELL = re.compile(
    r"<(fcel|ecel|ched|rhed|srow|lcel|ucel|xcel|nl)>([^<]*(?:<(?!fcel|ecel|ched|"
    r"rhed|srow|lcel|ucel|xcel|nl|/)[^<]*)*)"
)
_CAPTION = re.compile(r"<caption>(.*?)</caption>", re.S)
_KINDS: Mapping[str, BlockKind] = {
    "list_item": "item",
    "formula": "formula",
    "code": "code",
    "footnote": "note",
    "page_header": "furniture",
    "page_footer": "furniture",
}
_TABLES = ("otsl", "document_index")
_FULL = ("fcel", "ecel", "ched", "rhed", "srow")


def is_doctags(text: str) -> bool:
    """Whether a text begins as DocTags do."""
    return _START.match(text) is not None


def doctags_pages(text: str) -> dict[int, list[Block]]:
    """Blocks of each page; a page is what stands between two page breaks."""
    return {number: list(_blocks(page)) for number, page in enumerate(_BREAK.split(text))}


def _blocks(page: str) -> Iterator[Block]:
    for match in _BLOCK.finditer(_LOCATION.sub("", page)):
        name, inside = match["name"], match["inside"]
        if name in _TABLES:
            for caption in _CAPTION.findall(inside):
                yield Block("text", _plain(caption))
            yield Block("table", html_table(_cells(_CAPTION.sub("", inside))))
        elif name == "title":
            yield Block("heading", _plain(inside), 1)
        elif name.startswith("section_header"):
            yield Block("heading", _plain(inside), int(name[-1]) + 1)
        else:
            yield Block(_KINDS.get(name, "text"), _plain(inside))


def _plain(text: str) -> str:
    return html.unescape(TAG.sub("", _LANGUAGE.sub("", text))).strip()


def _cells(text: str) -> Iterator[GridCell]:
    """Cells with their spans: a token says that a cell goes on from the left, or from above."""
    rows: list[list[tuple[str, str]]] = [[]]
    for token, words in _CELL.findall(text):
        if token == "nl":
            rows.append([])
        else:
            rows[-1].append((token, _plain(words)))

    def goes_on(row: int, column: int, tokens: tuple[str, ...]) -> bool:
        return row < len(rows) and column < len(rows[row]) and rows[row][column][0] in tokens

    for row, cells in enumerate(rows):
        for column, (token, words) in enumerate(cells):
            if token not in _FULL:
                continue
            width, height = 1, 1
            while goes_on(row, column + width, ("lcel",)):
                width += 1
            while goes_on(row + height, column, ("ucel",)):
                height += 1
            yield GridCell(row, column, words, height, width)
