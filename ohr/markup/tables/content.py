"""The content of a cell, independent of the format: text, formulas, styles, breaks, inner tables.

Page text is Markdown with LaTeX, so formulas are LaTeX in every format. A command without a
counterpart is kept as written (:class:`Raw`), also in HTML and Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ohr.markup.tables.model import ParsedTable

Style = Literal["bold", "italic", "underline", "code", "superscript", "subscript"]

DEEPEST = 20
"""Most levels of nested styles; deeper content loses its style."""

SPACES = {"\u00a0": "~", "\u2003": r"\quad ", "\u2009": r"\,", "\u2004": r"\;", "\u2005": r"\:"}
"""Space of a fixed width -> LaTeX."""
_WHITE = re.compile(r"[ \t\r\n\f\v]+")
_BARE_PERCENT = re.compile(r"(\\.)|%", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Text:
    """Characters as a reader sees them, white space collapsed."""

    value: str


@dataclass(frozen=True, slots=True)
class Math:
    """A formula's LaTeX without its delimiters, trimmed; ``display`` sets it on its own line."""

    source: str
    display: bool = False


@dataclass(frozen=True, slots=True)
class Styled:
    """Nodes with a style; styles may be nested."""

    style: Style
    children: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Break:
    """A line break within a cell."""


@dataclass(frozen=True, slots=True)
class Raw:
    """A LaTeX command with its arguments, or an environment, kept as written."""

    source: str


@dataclass(frozen=True, slots=True)
class Inner:
    """A table in a cell, and its source."""

    parsed: ParsedTable
    source: str


Node = Text | Math | Styled | Break | Raw | Inner


@dataclass(slots=True)
class Collector:
    """Collects nodes, nested in styles that open and close."""

    lost: set[str] = field(default_factory=set)
    _frames: list[tuple[str, Style | None, list[Node]]] = field(
        default_factory=lambda: [("", None, [])]
    )

    def add(self, *nodes: Node) -> None:
        """Append nodes to what is open."""
        self._frames[-1][2].extend(nodes)

    def open(self, mark: str, style: Style) -> None:
        """Open a style that ``close`` with the same mark ends."""
        if len(self._frames) <= DEEPEST:
            self._frames.append((mark, style, []))

    def is_open(self, mark: str) -> bool:
        """Whether a style with this mark is open."""
        return any(frame[0] == mark for frame in self._frames)

    def close(self, mark: str) -> None:
        """Close the nearest style with this mark, if any, and those opened since."""
        if self.is_open(mark):
            while self._pop() != mark:
                pass

    def _pop(self) -> str:
        mark, style, children = self._frames.pop()
        if style is not None:
            self.add(Styled(style, tuple(children)))
        return mark

    def finish(self, literal: bool = False) -> tuple[Node, ...]:
        """All nodes in normal form. Open styles close; with ``literal``, open marks become text."""
        while len(self._frames) > 1:
            if literal and not self._frames[-1][0].startswith("<"):
                mark, _, children = self._frames.pop()
                self.add(Text(mark), *children)
            else:
                self._pop()
        return normal(self._frames[0][2])


def formula(source: str, display: bool) -> Node:
    """A formula in normal form: trimmed, percent signs escaped; a space if it is empty."""
    source = _BARE_PERCENT.sub(lambda m: m[1] or r"\%", _WHITE.sub(" ", source).strip())
    if source.endswith("\\") and not source.endswith("\\\\"):
        source += " "  # a backslash and the space that was trimmed
    return Math(source, display) if source else Text(" ")


def normal(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """Join adjacent texts and collapse white space; none stays at the ends or around a break."""
    joined = _joined(nodes)
    trimmed: list[Node] = []
    for i, node in enumerate(joined):
        if isinstance(node, Text):
            value = node.value
            if i == 0 or isinstance(joined[i - 1], Break):
                value = value.lstrip(" ")
            if i == len(joined) - 1 or isinstance(joined[i + 1], Break):
                value = value.rstrip(" ")
            node = Text(value)
            if not value:
                continue
        trimmed.append(node)
    return tuple(trimmed)


def _joined(nodes: Iterable[Node]) -> list[Node]:
    joined: list[Node] = []
    for node in nodes:
        if isinstance(node, Styled):
            children = tuple(_joined(node.children))
            if not children:
                continue
            node = Styled(node.style, children)
        if isinstance(node, Text) and joined and isinstance(joined[-1], Text):
            joined[-1] = Text(joined[-1].value + node.value)
        elif not (isinstance(node, Text) and not node.value):
            joined.append(node)
    return [Text(_WHITE.sub(" ", n.value)) if isinstance(n, Text) else n for n in joined]


def plain(nodes: Sequence[Node]) -> str:
    """The text of a cell on one line: formulas between dollars, styles dropped."""
    pieces: list[str] = []
    for node in nodes:
        match node:
            case Text(value):
                pieces.append(value)
            case Math(source, display):
                pieces.append(f"$${source}$$" if display else f"${source}$")
            case Styled(_, children):
                pieces.append(plain(children))
            case Raw(source):
                pieces.append(source)
            case Break():
                pieces.append(" ")
            case Inner(parsed):
                pieces.append(" ".join(cell.content for cell in parsed.cells))
    return " ".join("".join(pieces).split())
