"""Splits the text of a page into the blocks that are typeset, each with its place in the text."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from ohr.markup.fences import fenced
from ohr.markup.page import MarkupPage
from ohr.markup.scanner import MarkupKind, MarkupRegion
from ohr.markup.strip import TAGS, strip_markup
from ohr.markup.tables.content import Break, Math, Node, Style, Styled, Text
from ohr.markup.tables.model import ParsedTable

Kind = Literal["heading", "paragraph", "list", "table", "formula", "code", "figure"]

_BLANK = re.compile(r"\n[ \t]*\n\s*")
_ESCAPED = re.compile(r"\\([%&$#_{}])")
_WHITE = re.compile(r"[ \t\r\f\v]+")
_SIGNS = re.compile(r" {0,3}(#{1,6})")
_BULLET = re.compile(r"[-*+][ \t]+")
_LINE_TAGS = frozenset("br p div tr li dt dd h1 h2 h3 h4 h5 h6".split())
_TAG_NAME = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]*)")
_TAG_STYLES: dict[str, Style] = {
    "b": "bold", "strong": "bold", "i": "italic", "em": "italic", "u": "underline",
    "ins": "underline", "sup": "superscript", "sub": "subscript",
}  # fmt: skip
_COMMAND_STYLES: dict[str, Style] = {
    "textbf": "bold", "textit": "italic", "emph": "italic", "textsl": "italic",
    "underline": "underline", "uline": "underline",
}  # fmt: skip
_COMMAND = re.compile(r"\\([a-zA-Z]+)")
_LEVELS = {"title": 1, "part": 1, "chapter": 1, "section": 2, "subsection": 3}


@dataclass(frozen=True, slots=True)
class Block:
    """A block of a page: ``text[start:end]`` is its source, ``nodes`` what is printed.

    ``table`` is set for tables, whose cells are parsed when they are written; their caption is in
    ``nodes``. ``level`` counts from 1 and is that of a heading.
    """

    kind: Kind
    start: int
    end: int
    nodes: tuple[Node, ...] = ()
    level: int = 0
    table: ParsedTable | None = None


def page_blocks(text: str) -> list[Block]:
    """The blocks of a page in order; their spans do not overlap and have no space at their ends.

    Accepts any text and never raises.
    """
    return _Splitter(MarkupPage(text)).blocks()


@dataclass
class _Splitter:
    page: MarkupPage
    finished: list[Block] = field(default_factory=list)
    run: list[MarkupRegion] = field(default_factory=list)
    """The regions of the paragraph that is being collected."""

    def blocks(self) -> list[Block]:
        tables = {table.span[0]: table for table in self.page.tables}
        for region in self.page.regions:
            self._add(region, tables)
        self._close()
        return self.finished

    def _add(self, region: MarkupRegion, tables: dict[int, ParsedTable]) -> None:
        text = self.page.text
        match region.kind:
            case MarkupKind.TABLE:
                self._block("table", region, (), table=tables[region.start])
            case MarkupKind.HEADING:
                nodes = self._inline(
                    region.inside, region.inner_start, region.inner_end, frozenset()
                )
                self._block("heading", region, nodes, level=_level(text[region.start : region.end]))
            case MarkupKind.DISPLAY:
                self._block("formula", region, (self._formula(region),))
            case MarkupKind.CODE if "\n" in text[region.start : region.end]:
                self._block("code", region, self._code_lines(region))
            case MarkupKind.IMAGE:
                caption = text[region.inner_start : region.inner_end]
                self._block("figure", region, (Text(" ".join(caption.split())),))
            case MarkupKind.LIST:
                before = text.rfind("\n", 0, region.start) + 1
                if not text[before : region.start].strip():
                    self._close()
                self.run.append(region)
            case MarkupKind.TEXT:
                self._text(region)
            case _:
                self.run.append(region)

    def _text(self, region: MarkupRegion) -> None:
        """Add text to the paragraph; a blank line in it begins another one."""
        start = region.start
        for blank in _BLANK.finditer(self.page.text, region.start, region.end):
            self.run.append(_text_region(start, blank.start()))
            self._close()
            start = blank.end()
        if start < region.end:
            self.run.append(_text_region(start, region.end))

    def _block(
        self,
        kind: Kind,
        region: MarkupRegion,
        nodes: tuple[Node, ...],
        level: int = 0,
        table: ParsedTable | None = None,
    ) -> None:
        self._close()
        start, end = _trimmed(self.page.text, region.start, region.end)
        if start < end:
            self.finished.append(Block(kind, start, end, nodes, level, table))

    def _close(self) -> None:
        """End the paragraph or list item that is being collected."""
        run, self.run = self.run, []
        if not run:
            return
        text = self.page.text
        start, end = _trimmed(text, run[0].start, run[-1].end)
        nodes = self._inline(run, start, end, filled_breaks(text, start, end))
        if nodes:
            kind: Kind = "list" if run[0].kind is MarkupKind.LIST else "paragraph"
            self.finished.append(Block(kind, start, end, nodes))

    def _inline(
        self, regions: Sequence[MarkupRegion], start: int, end: int, filled: frozenset[int]
    ) -> tuple[Node, ...]:
        """The nodes of ``text[start:end]``; text between the regions is plain."""
        builder = _Builder(self, filled)
        done = start
        for region in regions:
            if region.start >= end or region.end <= start:
                continue
            builder.text(done, max(region.start, start))
            builder.region(region, min(region.end, end))
            done = max(done, region.end)
        builder.text(done, end)
        return builder.nodes()

    def _formula(self, region: MarkupRegion) -> Math:
        text = self.page.text
        whole = text.startswith("\\begin", region.start)
        source = (
            text[region.start : region.end]
            if whole
            else text[region.inner_start : region.inner_end]
        )
        return Math(" ".join(source.split()), region.kind is MarkupKind.DISPLAY)

    def _code_lines(self, region: MarkupRegion) -> tuple[Node, ...]:
        text = self.page.text
        start, end = region.inner_start, region.inner_end
        if text[region.start : region.end].lstrip()[:3] in ("```", "~~~"):
            start, end = fenced(text, (region.start, region.end))
        nodes: list[Node] = []
        for line in text[start:end].strip("\n").split("\n"):
            nodes += [Text(line.expandtabs(4)), Break()]
        return tuple(nodes[:-1])


class _Builder:
    """Collects the nodes of a paragraph, heading or list item."""

    def __init__(self, splitter: _Splitter, filled: frozenset[int]) -> None:
        self.splitter = splitter
        self.source = splitter.page.text
        self.filled = filled
        self.frames: list[tuple[Style | None, list[Node]]] = [(None, [])]

    def add(self, *nodes: Node) -> None:
        self.frames[-1][1].extend(nodes)

    def text(self, start: int, end: int) -> None:
        """Plain text; its line breaks stay, except those of lines that were filled."""
        piece = start
        for position in range(start, end):
            if self.source[position] == "\n":
                self._words(self.source[piece:position])
                self.add(Text(" ") if position in self.filled else Break())
                piece = position + 1
        if piece < end:
            self._words(self.source[piece:end])

    def _words(self, words: str) -> None:
        self.add(Text(html.unescape(_ESCAPED.sub(r"\1", _WHITE.sub(" ", words)))))

    def region(self, region: MarkupRegion, end: int) -> None:
        source = self.source
        match region.kind:
            case MarkupKind.INLINE | MarkupKind.DISPLAY:
                self.add(self.splitter._formula(region))
            case MarkupKind.CODE:
                code = source[region.inner_start : region.inner_end]
                self.add(Styled("code", (Text(" ".join(code.split())),)))
            case MarkupKind.EMPHASIS:
                inner = self.splitter._inline(
                    region.inside, region.inner_start, region.inner_end, self.filled
                )
                self.add(Styled(self._emphasis(region), inner))
            case MarkupKind.LINK:
                self.text(region.inner_start, region.inner_end)
            case MarkupKind.TAG:
                self._tag(source[region.start : region.end])
            case MarkupKind.LIST:
                mark = source[region.start : end].strip()
                self.add(Text(_BULLET.sub("\u2022 ", mark + " ")))
            case MarkupKind.COMMAND:
                self._command(source[region.start : region.end])
            case MarkupKind.IMAGE:
                self._words(source[region.inner_start : region.inner_end])
            case _:
                self.text(region.start, end)

    def _emphasis(self, region: MarkupRegion) -> Style:
        command = _COMMAND.match(self.source, region.start)
        if command is not None:
            return _COMMAND_STYLES.get(command[1], "italic")
        return "bold" if region.inner_start - region.start > 1 else "italic"

    def _command(self, command: str) -> None:
        """A command outside formulas: its characters and arguments, as the metrics read it."""
        stripped = strip_markup(command)
        lines = [" ".join(line.split()) for line in stripped.split("\n")]
        for number, line in enumerate(lines):
            if number:
                self.add(Break())
            self.add(Text(line))
        if stripped[-1:].isspace():
            self.add(Text(" "))

    def _tag(self, tag: str) -> None:
        match = _TAG_NAME.match(tag)
        if match is None:
            return
        name, closes = match[2].lower(), bool(match[1])
        if name in _TAG_STYLES:
            if not closes:
                self.frames.append((_TAG_STYLES[name], []))
            elif len(self.frames) > 1 and self.frames[-1][0] == _TAG_STYLES[name]:
                self._pop()
        elif name in _LINE_TAGS:
            self.add(Break())
        elif name not in TAGS:
            self.add(Text(tag))

    def _pop(self) -> None:
        style, children = self.frames.pop()
        assert style is not None
        self.add(Styled(style, tuple(children)))

    def nodes(self) -> tuple[Node, ...]:
        """All nodes; styles that are open end. Without breaks or space at the ends."""
        while len(self.frames) > 1:
            self._pop()
        nodes = self.frames[0][1]
        while nodes and _is_space(nodes[0]):
            nodes = nodes[1:]
        while nodes and _is_space(nodes[-1]):
            nodes = nodes[:-1]
        return tuple(nodes)


def filled_breaks(text: str, start: int, end: int) -> frozenset[int]:
    """The positions of line breaks that mean nothing, since the lines were filled.

    A paragraph was filled if no line had room for the next line's first word; otherwise its line
    breaks stand for lines of the page.
    """
    lines = text[start:end].split("\n")
    if len(lines) < 3:  # two lines could be filled by chance
        return frozenset()
    widest = max(map(len, lines))
    for line, following in pairwise(lines):
        first = following.split(maxsplit=1)[:1]
        if len(line) + 1 + len("".join(first)) <= widest:
            return frozenset()
    positions: list[int] = []
    position = start
    for line in lines[:-1]:
        position += len(line)
        positions.append(position)
        position += 1
    return frozenset(positions)


def _is_space(node: Node) -> bool:
    return isinstance(node, Break) or (isinstance(node, Text) and not node.value.strip())


def _text_region(start: int, end: int) -> MarkupRegion:
    return MarkupRegion(MarkupKind.TEXT, start, end, start, end)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end


def _level(source: str) -> int:
    signs = _SIGNS.match(source)
    if signs is not None:
        return min(len(signs[1]), 3)
    command = _COMMAND.match(source)
    return _LEVELS.get(command[1], 3) if command is not None else 3
