"""PDFTriage's five tools: their OpenAI schema, and the text that their calls fetch.

A call is checked before anything is fetched. The reply to a wrong call lists what exists.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from ohr.markup.outline.tree import DocumentTree, Place
from ohr.types import Hit, PageRef
from rag.systems._frames import frame
from rag.systems.triage.library import Library, Shelf

MOST = 100
"""Pages, or sections, that one call may name."""
_SHOWN = 30
_SHOWN_CHARS = 80
_RANGE = re.compile(r"\s*(\d{1,9})\s*(?:(?:-|–|to)\s*(\d{1,9}))?\s*")


@dataclass(frozen=True)
class Piece:
    """A fetched text: its document, which part of it this is, the text, and its pages."""

    document: str
    part: str
    text: str
    refs: tuple[PageRef, ...]

    def frame(self) -> str:
        """The piece in its frame, for a model."""
        return frame(self.text, name=self.document, part=self.part)


@dataclass(frozen=True)
class Fetched:
    """The result of a call, or what was wrong with it. ``arguments``: as understood."""

    arguments: Mapping[str, object]
    pieces: tuple[Piece, ...] = ()
    problem: str = ""


class _CallError(Exception):
    """A wrong call; the message says what exists."""


def _tool(name: str, description: str, argument: str, shape: Mapping[str, Any]) -> dict[str, Any]:
    document = {"type": "string", "description": "The document's name; may be left out."}
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {
                "type": "object",
                "properties": {argument: dict(shape), "document": document},
                "required": [argument],
            },
        },
    }


_TEXT = {"type": "string"}
TOOLS = (
    _tool(
        "fetch_pages",
        "The text of pages.",
        "pages",
        {"type": "array", "items": {"type": "integer"}, "description": "Page numbers, from 1."},
    ),
    _tool(
        "fetch_sections",
        "The text of sections, with their subsections.",
        "sections",
        {"type": "array", "items": _TEXT, "description": "Titles, or numbers of headings."},
    ),
    _tool(
        "fetch_table",
        "A table with its caption.",
        "table",
        _TEXT | {"description": "Its number, or its caption."},
    ),
    _tool(
        "fetch_figure",
        "A figure's caption with the text around it.",
        "figure",
        _TEXT | {"description": "Its number, or its caption."},
    ),
    _tool("retrieve", "Passages that a search finds.", "query", _TEXT),
)
NAMES = tuple(tool["function"]["name"] for tool in TOOLS)


@dataclass
class Tools:
    """The tools over a library. ``search``: the ranking of a query over all documents;
    ``top_k``: passages that ``retrieve`` returns.
    """

    library: Library
    search: Callable[[str], Sequence[Hit]]
    top_k: int

    def call(self, name: str, arguments: str | Mapping[str, Any], document: str) -> Fetched:
        """The result of a call; ``document``: the default if the call names none.

        The default of ``retrieve`` is all documents. Nothing that a model writes makes it raise.
        """
        understood: dict[str, object] = {}
        try:
            if name not in NAMES:
                raise _CallError(
                    f"there is no tool {_shorten(name)!r}; there are {', '.join(NAMES)}"
                )
            values = _parse_arguments(arguments)
            document_name = values.get("document")
            shelf = self._shelf_of(document_name, "" if name == "retrieve" else document)
            if shelf is not None and document_name:
                understood["document"] = shelf.name
            if name == "retrieve":
                query = _text_argument(values, "query")
                understood = {"query": query, **understood}
                return Fetched(understood, self._retrieve(query, shelf))
            if shelf is None:
                raise _CallError("there is no document")
            if name == "fetch_pages":
                numbers = _page_numbers(values.get("pages"))
                understood = {"pages": numbers, **understood}
                return Fetched(understood, _pages(shelf, numbers))
            if name == "fetch_sections":
                titles = _text_arguments(values, "sections")
                understood = {"sections": titles, **understood}
                return Fetched(understood, _sections(shelf, titles))
            kind = name.removeprefix("fetch_")
            label = _text_argument(values, kind)
            understood = {kind: label, **understood}
            return Fetched(understood, (_node(shelf, kind, label),))
        except _CallError as error:
            return Fetched(understood, problem=str(error))

    def _shelf_of(self, name: object, default: str) -> Shelf | None:
        shelves = self.library.shelves
        if name is None or name == "":
            return shelves.get(default)
        if isinstance(name, str) and name in shelves:
            return shelves[name]
        raise _CallError(
            f"there is no document {_shorten(name)!r}; there are {_list_names(shelves)}"
        )

    def _retrieve(self, query: str, shelf: Shelf | None) -> tuple[Piece, ...]:
        hits = [hit for hit in self.search(query) if shelf is None or hit.ref.doc_id == shelf.name]
        return tuple(
            Piece(hit.ref.doc_id, f"page {hit.ref.page_no + 1}", hit.text, (hit.ref,))
            for hit in hits[: self.top_k]
        )


def _parse_arguments(arguments: str | Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}")
        except (ValueError, RecursionError):
            raise _CallError("the arguments are no JSON") from None
    if not isinstance(arguments, Mapping):
        raise _CallError("the arguments are no JSON object")
    return arguments


def _text_argument(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value.strip():
        raise _CallError(f"{name} must be a text")
    return value[:1000]


def _text_arguments(arguments: Mapping[str, Any], name: str) -> list[str]:
    value = arguments.get(name)
    values = value if isinstance(value, list) else [value]
    if not values or len(values) > MOST:
        raise _CallError(f"{name} must be a list of 1 to {MOST} texts")
    return [_text_argument({name: text}, name) for text in values]


def _page_numbers(value: object) -> list[int]:
    """Page numbers from a list, a number, or a text such as ``5-7``."""
    numbers: dict[int, None] = {}
    parts: list[object] = []
    for item in value if isinstance(value, list) else [value]:
        parts += re.split(r"[,;]", item) if isinstance(item, str) else [item]
    for part in parts[: MOST + 1]:
        match = _RANGE.fullmatch(str(part)) if isinstance(part, int | str) else None
        if match is None or isinstance(part, bool):
            raise _CallError("pages must be a list of page numbers, from 1")
        first, last = int(match[1]), int(match[2] or match[1])
        if last - first >= MOST:
            raise _CallError(f"pages {first} to {last} are more than {MOST} pages")
        numbers.update(dict.fromkeys(range(first, last + 1)))
    if not numbers or len(numbers) > MOST:
        raise _CallError(f"pages must be a list of 1 to {MOST} page numbers")
    return list(numbers)


def _pages(shelf: Shelf, numbers: Sequence[int]) -> tuple[Piece, ...]:
    missing = [number for number in numbers if number not in shelf.pages]
    if missing:
        existing = _format_runs(sorted(shelf.pages)) or "none"
        raise _CallError(
            f"there is no page {_format_runs(missing)}; the document's pages are {existing}"
        )
    return tuple(
        Piece(shelf.name, f"page {number}", page.text, (page.ref,))
        for number in numbers
        for page in [shelf.pages[number]]
    )


def _sections(shelf: Shelf, titles: Sequence[str]) -> tuple[Piece, ...]:
    tree, pieces = shelf.tree, []
    for title in titles:
        section = shelf.section(title)
        if section is None:
            existing = _list_names([section.title for section in tree.sections]) or "none"
            raise _CallError(
                f"there is no section {_shorten(title)!r}; the sections are {existing}"
            )
        part = "section " + " > ".join(_shorten(heading) for heading in tree.path(section))
        text = tree.section_text(section)
        pieces.append(Piece(shelf.name, part, text, _refs(tree, section.start, section.end)))
    return tuple(pieces)


def _node(shelf: Shelf, kind: str, reference: str) -> Piece:
    tree = shelf.tree
    if kind == "table" and (table := shelf.table(reference)) is not None:
        text = tree.text(table.start, table.end)
        if table.caption not in text:
            text = f"{table.caption}\n{text}"
        return Piece(
            shelf.name, _describe_node(kind, table), text, _refs(tree, table.start, table.end)
        )
    if kind == "figure" and (figure := shelf.figure(reference)) is not None:
        refs = _refs(tree, figure.start, figure.end)
        return Piece(shelf.name, _describe_node(kind, figure), shelf.surroundings(figure), refs)
    nodes = tree.tables if kind == "table" else tree.figures
    existing = _list_names([_describe_node(kind, node) for node in nodes]) or "none"
    raise _CallError(f"there is no {kind} {_shorten(reference)!r}; the {kind}s are {existing}")


def _describe_node(kind: str, node: Any) -> str:
    return f"{kind} {node.label}" if node.label else f"{kind} {node.number} in order"


def _refs(tree: DocumentTree, start: Place, end: Place) -> tuple[PageRef, ...]:
    """The pages between two places, without a last page of which no text is included."""
    last = end.page - 1 if end.at == 0 and end.page > start.page else end.page
    return tuple(page.ref for page in tree.pages[start.page : last + 1])


def _list_names(names: Any) -> str:
    shown = [_shorten(name) for name in list(names)[:_SHOWN]]
    more = len(names) - len(shown)
    return ", ".join(repr(name) for name in shown) + (f" and {more} more" if more > 0 else "")


def _shorten(name: object) -> str:
    text = " ".join(str(name).split())
    return text if len(text) <= _SHOWN_CHARS else f"{text[: _SHOWN_CHARS - 1]}…"


def _format_runs(numbers: Sequence[int]) -> str:
    """Numbers as text, such as ``1 to 3, 5``."""
    runs = []
    for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        pages = [number for _, number in run]
        runs.append(f"{pages[0]} to {pages[-1]}" if len(pages) > 1 else str(pages[0]))
    return ", ".join(runs[:_SHOWN])
