"""PDFTriage's five tools: their OpenAI schema, and what a call of one fetches.

A call is checked before anything is done. What is wrong with one is answered with what exists.
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
from rag.systems._frames import framed
from rag.systems.triage.library import Library, Shelf

MOST = 100
"""Pages, or sections, that one call may name."""
_SHOWN = 30
_SHOWN_CHARS = 80
_RANGE = re.compile(r"\s*(\d{1,9})\s*(?:(?:-|–|to)\s*(\d{1,9}))?\s*")


@dataclass(frozen=True)
class Piece:
    """A text that was fetched: of which document, what it is, and the pages that it is from."""

    document: str
    what: str
    text: str
    refs: tuple[PageRef, ...]

    def framed(self) -> str:
        """The piece as a model is shown it."""
        return framed(self.text, name=self.document, part=self.what)


@dataclass(frozen=True)
class Fetched:
    """What a call gave, or what was wrong with it. ``arguments``: as they were understood."""

    arguments: Mapping[str, object]
    pieces: tuple[Piece, ...] = ()
    problem: str = ""


class _CallError(Exception):
    """A call that means nothing; its text says what exists."""


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
    ``top_k``: passages that ``retrieve`` gives.
    """

    library: Library
    search: Callable[[str], Sequence[Hit]]
    top_k: int

    def call(self, name: str, arguments: str | Mapping[str, Any], document: str) -> Fetched:
        """What a call fetches; ``document``: the one that is meant where the call names none.

        For ``retrieve`` that is all documents. Never raises on what a model writes.
        """
        said: dict[str, object] = {}
        try:
            if name not in NAMES:
                raise _CallError(f"there is no tool {_short(name)!r}; there are {', '.join(NAMES)}")
            given = _object(arguments)
            wanted = given.get("document")
            shelf = self._shelf(wanted, "" if name == "retrieve" else document)
            if shelf is not None and wanted:
                said["document"] = shelf.name
            if name == "retrieve":
                query = _text(given, "query")
                said = {"query": query, **said}
                return Fetched(said, self._retrieve(query, shelf))
            if shelf is None:
                raise _CallError("there is no document")
            if name == "fetch_pages":
                numbers = _numbers(given.get("pages"))
                said = {"pages": numbers, **said}
                return Fetched(said, _pages(shelf, numbers))
            if name == "fetch_sections":
                titles = _texts(given, "sections")
                said = {"sections": titles, **said}
                return Fetched(said, _sections(shelf, titles))
            kind = name.removeprefix("fetch_")
            label = _text(given, kind)
            said = {kind: label, **said}
            return Fetched(said, (_node(shelf, kind, label),))
        except _CallError as error:
            return Fetched(said, problem=str(error))

    def _shelf(self, wanted: object, default: str) -> Shelf | None:
        shelves = self.library.shelves
        if wanted is None or wanted == "":
            return shelves.get(default)
        if isinstance(wanted, str) and wanted in shelves:
            return shelves[wanted]
        raise _CallError(f"there is no document {_short(wanted)!r}; there are {_listed(shelves)}")

    def _retrieve(self, query: str, shelf: Shelf | None) -> tuple[Piece, ...]:
        hits = [hit for hit in self.search(query) if shelf is None or hit.ref.doc_id == shelf.name]
        return tuple(
            Piece(hit.ref.doc_id, f"page {hit.ref.page_no + 1}", hit.text, (hit.ref,))
            for hit in hits[: self.top_k]
        )


def _object(arguments: str | Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}")
        except (ValueError, RecursionError):
            raise _CallError("the arguments are no JSON") from None
    if not isinstance(arguments, Mapping):
        raise _CallError("the arguments are no JSON object")
    return arguments


def _text(given: Mapping[str, Any], name: str) -> str:
    value = given.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value.strip():
        raise _CallError(f"{name} must be a text")
    return value[:1000]


def _texts(given: Mapping[str, Any], name: str) -> list[str]:
    value = given.get(name)
    values = value if isinstance(value, list) else [value]
    if not values or len(values) > MOST:
        raise _CallError(f"{name} must be a list of 1 to {MOST} texts")
    return [_text({name: one}, name) for one in values]


def _numbers(value: object) -> list[int]:
    """Page numbers: of a list, a number, or a text such as ``5-7``."""
    numbers: dict[int, None] = {}
    parts: list[object] = []
    for one in value if isinstance(value, list) else [value]:
        parts += re.split(r"[,;]", one) if isinstance(one, str) else [one]
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
        there = _runs(sorted(shelf.pages)) or "none"
        raise _CallError(f"there is no page {_runs(missing)}; the document's pages are {there}")
    return tuple(
        Piece(shelf.name, f"page {number}", page.text, (page.ref,))
        for number in numbers
        for page in [shelf.pages[number]]
    )


def _sections(shelf: Shelf, wanted: Sequence[str]) -> tuple[Piece, ...]:
    tree, pieces = shelf.tree, []
    for title in wanted:
        section = shelf.section(title)
        if section is None:
            there = _listed([one.title for one in tree.sections]) or "none"
            raise _CallError(f"there is no section {_short(title)!r}; the sections are {there}")
        what = "section " + " > ".join(_short(part) for part in tree.path(section))
        text = tree.section_text(section)
        pieces.append(Piece(shelf.name, what, text, _refs(tree, section.start, section.end)))
    return tuple(pieces)


def _node(shelf: Shelf, kind: str, wanted: str) -> Piece:
    tree = shelf.tree
    if kind == "table" and (table := shelf.table(wanted)) is not None:
        text = tree.text(table.start, table.end)
        if table.caption not in text:
            text = f"{table.caption}\n{text}"
        return Piece(shelf.name, _what(kind, table), text, _refs(tree, table.start, table.end))
    if kind == "figure" and (figure := shelf.figure(wanted)) is not None:
        refs = _refs(tree, figure.start, figure.end)
        return Piece(shelf.name, _what(kind, figure), shelf.around(figure), refs)
    nodes = tree.tables if kind == "table" else tree.figures
    there = _listed([_what(kind, node) for node in nodes]) or "none"
    raise _CallError(f"there is no {kind} {_short(wanted)!r}; the {kind}s are {there}")


def _what(kind: str, node: Any) -> str:
    return f"{kind} {node.label}" if node.label else f"{kind} {node.number} in order"


def _refs(tree: DocumentTree, start: Place, end: Place) -> tuple[PageRef, ...]:
    """The pages between two places, without one of which nothing is meant but its beginning."""
    last = end.page - 1 if end.at == 0 and end.page > start.page else end.page
    return tuple(page.ref for page in tree.pages[start.page : last + 1])


def _listed(names: Any) -> str:
    shown = [_short(name) for name in list(names)[:_SHOWN]]
    more = len(names) - len(shown)
    return ", ".join(repr(name) for name in shown) + (f" and {more} more" if more > 0 else "")


def _short(name: object) -> str:
    text = " ".join(str(name).split())
    return text if len(text) <= _SHOWN_CHARS else f"{text[: _SHOWN_CHARS - 1]}…"


def _runs(numbers: Sequence[int]) -> str:
    """``1 to 3, 5``."""
    runs = []
    for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        pages = [number for _, number in run]
        runs.append(f"{pages[0]} to {pages[-1]}" if len(pages) > 1 else str(pages[0]))
    return ", ".join(runs[:_SHOWN])
