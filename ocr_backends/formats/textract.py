"""The JSON of Amazon Textract: lines, and tables and the layout where they were asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ocr_backends.formats.confidence import PageConfidence, page_confidence
from ohr.markup.blocks import Block, BlockKind, GridCell, html_table

_Item = Mapping[str, Any]
_LAYOUT: Mapping[str, BlockKind] = {
    "LAYOUT_TITLE": "heading",
    "LAYOUT_SECTION_HEADER": "heading",
    "LAYOUT_HEADER": "furniture",
    "LAYOUT_FOOTER": "furniture",
    "LAYOUT_PAGE_NUMBER": "furniture",
    "LAYOUT_FIGURE": "figure",
    "LAYOUT_TEXT": "text",
    "LAYOUT_KEY_VALUE": "text",
    "LAYOUT_TABLE": "text",
}
_LEVELS = {"LAYOUT_TITLE": 1, "LAYOUT_SECTION_HEADER": 2}
_LIST = "LAYOUT_LIST"


def is_textract(content: Any) -> bool:
    """Whether it is an answer of the service, or a list of its parts."""
    parts = content if isinstance(content, list) else [content]
    return bool(parts) and all(_is_part(part) for part in parts)


def _is_part(part: Any) -> bool:
    blocks = part.get("Blocks") if isinstance(part, dict) else None
    return isinstance(blocks, list) and all(
        isinstance(block, dict) and "BlockType" in block for block in blocks
    )


def textract_pages(content: Any) -> dict[int, list[Block]]:
    """Blocks of each page, also of those without text; pages count from 1."""
    parts = content if isinstance(content, list) else [content]
    count = max(int((part.get("DocumentMetadata") or {}).get("Pages", 0)) for part in parts)
    by_page: dict[int, list[_Item]] = {number: [] for number in range(count)}
    for part in parts:
        for item in part["Blocks"]:
            by_page.setdefault(int(item.get("Page") or 1) - 1, []).append(item)
    return {number: list(_Page(items).blocks()) for number, items in by_page.items()}


def textract_confidence(content: Any) -> dict[int, PageConfidence | None]:
    """The confidence of each page by its words, or by its lines where words were left out."""
    rated: dict[int, dict[str, list[tuple[Any, Any]]]] = {}
    for part in content if isinstance(content, list) else [content]:
        for item in part["Blocks"]:
            kinds = rated.setdefault(int(item.get("Page") or 1) - 1, {"WORD": [], "LINE": []})
            if (kind := item["BlockType"]) in kinds:
                kinds[kind].append((item.get("Text"), item.get("Confidence")))
    return {
        number: page_confidence(kinds["WORD"] or kinds["LINE"], scale=100)
        for number, kinds in rated.items()
    }


class _Page:
    """The blocks of a page, which refer to each other by their ids."""

    def __init__(self, items: list[_Item]) -> None:
        self._items = items
        self._by_id = {item["Id"]: item for item in items if "Id" in item}
        self._tables = [item for item in items if item["BlockType"] == "TABLE"]
        self._table_of = {
            word["Id"]: number
            for number, table in enumerate(self._tables)
            for cell in self._children(table)
            for word in self._children(cell)
        }
        self._written: set[int] = set()

    def blocks(self) -> Iterator[Block]:
        """In the order of the layout or, without one, of the lines; tables stand once."""
        layout = [item for item in self._items if item["BlockType"].startswith("LAYOUT_")]
        in_lists = {
            below["Id"]
            for item in layout
            if item["BlockType"] == _LIST
            for below in self._children(item)
        }
        if not layout:
            yield from self._lines(self._items_of_type("LINE"), "text")
        for item in layout:
            kind = item["BlockType"]
            if item.get("Id") in in_lists:
                continue
            if kind == _LIST:
                for entry in self._children(item):
                    yield from self._joined(entry, "item")
            elif kind in _LEVELS:
                yield from self._joined(item, "heading", _LEVELS[kind])
            else:
                yield from self._lines(self._children(item), _LAYOUT.get(kind, "text"))
        for number in range(len(self._tables)):
            yield from self._table(number)

    def _items_of_type(self, kind: str) -> list[_Item]:
        return [item for item in self._items if item["BlockType"] == kind]

    def _children(self, item: _Item) -> list[_Item]:
        ids = [
            name
            for relation in item.get("Relationships") or ()
            if relation["Type"] == "CHILD"
            for name in relation["Ids"]
        ]
        return [self._by_id[name] for name in ids if name in self._by_id]

    def _joined(self, item: _Item, kind: BlockKind, level: int = 1) -> Iterator[Block]:
        below = self._children(item) if item["BlockType"] != "LINE" else [item]
        yield Block(kind, " ".join(str(line.get("Text", "")) for line in below), level)

    def _lines(self, lines: list[_Item], kind: BlockKind) -> Iterator[Block]:
        """Lines as a block; a table stands where its first line would."""
        texts: list[str] = []
        for line in lines:
            words = [word.get("Id") for word in self._children(line)]
            tables = sorted({self._table_of[word] for word in words if word in self._table_of})
            if not tables:
                texts.append(str(line.get("Text", "")))
                continue
            yield Block(kind, "\n".join(texts))
            texts = []
            for number in tables:
                yield from self._table(number)
        yield Block(kind, "\n".join(texts))

    def _table(self, number: int) -> Iterator[Block]:
        if number in self._written:
            return
        self._written.add(number)
        cells = [
            GridCell(
                int(cell["RowIndex"]) - 1,
                int(cell["ColumnIndex"]) - 1,
                " ".join(str(word.get("Text", "")) for word in self._children(cell)),
                int(cell.get("RowSpan") or 1),
                int(cell.get("ColumnSpan") or 1),
            )
            for cell in self._children(self._tables[number])
            if cell["BlockType"] == "CELL"
        ]
        yield Block("table", html_table(cells))
