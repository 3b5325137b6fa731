"""Finds formulas, code, links, tags, commands, emphasis and headings in a part of a page.

:func:`scan` goes through Markdown with LaTeX once, from left to right. Each pattern is possessive
or looks no further than the next opener of its kind, so the time is linear in any text. A construct
that is not closed, or does not look like its kind (a dollar that is a price), is plain text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from ohr.markup.fences import fenced
from ohr.markup.lines import HEADING
from ohr.markup.structure import Block, Structure, clipped


class MarkupKind(Enum):
    """The kind of a region."""

    TEXT = "text"
    HEADING = "heading"
    TABLE = "table"
    INLINE = "inline formula"
    DISPLAY = "block formula"
    CODE = "code"
    INDENTED = "indented line: code to Markdown, text to an OCR engine"
    LINK = "link or URL"
    IMAGE = "image"
    TAG = "HTML tag"
    COMMAND = "LaTeX command with its arguments"
    EMPHASIS = "emphasis"
    LIST = "mark of a list item or quotation"


@dataclass(frozen=True, slots=True)
class MarkupRegion:
    """The region ``text[start:end]``; ``text[inner_start:inner_end]`` is without delimiters.

    ``inside`` are the regions in it, in order and without overlap, such as a formula in a heading.
    """

    kind: MarkupKind
    start: int
    end: int
    inner_start: int
    inner_end: int
    inside: tuple[MarkupRegion, ...] = ()

    @property
    def is_formula(self) -> bool:
        """Whether it is a formula, inline or block."""
        return self.kind is MarkupKind.INLINE or self.kind is MarkupKind.DISPLAY

    def walk(self) -> Iterator[MarkupRegion]:
        """The region and all regions in it, outermost first."""
        yield self
        for region in self.inside:
            yield from region.walk()


DEEPEST = 6
"""Most levels of nested regions; deeper ones are plain text."""
BLOCK_ENVIRONMENTS = frozenset(
    f"{name}{star}"
    for name in "equation align gather multline eqnarray flalign alignat displaymath math".split()
    for star in ("", "*")
)
INNER_ENVIRONMENTS = frozenset(
    "array aligned gathered cases matrix pmatrix bmatrix vmatrix split".split()
)
"""Environments that belong in a formula; alone they are a formula if they have mathematics."""
MATH_ENVIRONMENTS = BLOCK_ENVIRONMENTS | INNER_ENVIRONMENTS
CODE_ENVIRONMENTS = frozenset(("verbatim", "verbatim*", "lstlisting", "minted"))
CODE_TAGS = frozenset("code pre script style textarea math svg smiles".split())
EMPHASIS_COMMANDS = frozenset(("textbf", "textit", "emph", "underline", "textsl", "uline"))
TITLE_COMMANDS = frozenset(
    (
        "title",
        "part",
        "chapter",
        "section",
        "subsection",
        "subsubsection",
        "paragraph",
        "subparagraph",
    )
)

# Within a paragraph: everything but the closer; an escape counts as one character.
_DOLLAR = re.compile(r"\$((?:[^\\$\n]++|\\[^\n]|\n(?![ \t]*\n))*+)\$")
_DOLLARS = re.compile(r"\$\$((?:[^\\$\n]++|\\[^\n]|\$(?!\$)|\\?\n(?![ \t]*\n))*+\s*+)\$\$")
_PAREN = re.compile(r"\\\(((?:[^\\\n]++|\\[^()\n]|\n(?![ \t]*\n))*+)\\\)")
_BRACKET = re.compile(r"\\\[((?:[^\\\n]++|\\[^\[\]\n]|\\?\n(?![ \t]*\n))*+)\\\]")
_TEX = re.compile(r"\\[a-zA-Z]|\^|_\{|(?<![^\W_][^\W_])_")
_MATH = re.compile(r"\\[a-zA-Z]|[\^_={}+<>]")
_RELATED = re.compile(r"(?<!\\)\\[a-zA-Z]|[\^_=+<>]")
_OF_TEXT = re.compile(
    r"\\(?:caption|(?:sub)*section|chapter|paragraph|title|item|footnote|includegraphics"
    r"|multicolumn)(?![a-zA-Z])"
)
"""Commands that never occur in a formula."""
_SPACE = re.compile(r"\s")
_WORD = re.compile(r"[^\W\d_]{2}")
_CELL = re.compile(r"(?<!\\)&")
_SHORT_FORMULA = 12

_SPECIAL = re.compile(r"[\\$`<\[*_]")
_COMMAND = re.compile(r"\\([a-zA-Z]+)\*?")
_ENVIRONMENT = re.compile(r"\\(begin|end)[ \t]*\{([a-zA-Z]+\*?)\}")
_LINK = re.compile(r"\[([^\[\]\n]{0,500})\]\([^()\s]{0,500}\)")
_TAG = re.compile(r"</?([a-zA-Z][a-zA-Z0-9-]{0,30})(?:\s[^<>$]{0,2000})?/?>")
_STARRED = re.compile(
    r"(?<![^\s(\[\"'“‘])(\*{1,3}|_{1,3})(?=[^\s*_])"
    r"((?:[^*_`$\\<>\[\]{}|\n]++|\\[$%&#]|\n(?![ \t]*\n))*+)(?<!\s)\1(?![\w*])"
)
_WORD_CHAR = re.compile(r"[^\W_]")


def scan(structure: Structure, start: int, end: int, depth: int = 0) -> list[MarkupRegion]:
    """The regions of ``text[start:end]``, except text, tables and list marks, in order.

    They do not overlap, and text outside the span has no influence. ``depth`` is above 0 inside
    another region, where no block can begin.
    """
    blocks = structure.addresses if depth else structure.blocks
    blocks = clipped(blocks, start, end) if blocks else blocks
    if not blocks and _SPECIAL.search(structure.text, start, end) is None:
        return []
    return _Scan(structure, start, end, depth, blocks).run()


@dataclass
class _Scan:
    structure: Structure
    start: int
    end: int
    depth: int
    blocks: list[Block]

    def __post_init__(self) -> None:
        self.text = self.structure.text
        self.absent: set[tuple[str, int]] = set()
        self.block_end = self.end
        """Where the next code block starts; no construct extends over it."""

    def run(self) -> list[MarkupRegion]:
        regions: list[MarkupRegion] = []
        position = self.start
        walls = [a for a, _, kind in reversed(self.blocks) if kind in ("CODE", "INDENTED")]
        for a, b, kind in [*self.blocks, (self.end, self.end, "")]:
            while walls and walls[-1] < position:
                walls.pop()
            self.block_end = walls[-1] if walls else self.end
            while position < a:
                special = _SPECIAL.search(self.text, position, a)
                if special is None:
                    break
                region = self._region(special.start(), special.group(), a)
                if region is None:
                    position = self._skip(special.start(), special.group(), a)
                else:
                    regions.append(region)
                    position = region.end
            if position <= a < b:
                regions.append(self._block(a, b, MarkupKind[kind]))
                position = b
        return regions

    def _block(self, a: int, b: int, kind: MarkupKind) -> MarkupRegion:
        inner = (a, b)
        if kind is MarkupKind.HEADING:
            mark = HEADING.match(self.text, a, b)
            inner = _title(self.text, mark.end() if mark is not None else a, b)
        elif kind is MarkupKind.CODE:
            inner = fenced(self.text, (a, b))
        inside = () if kind in (MarkupKind.CODE, MarkupKind.LINK) else self._inner_regions(*inner)
        return MarkupRegion(kind, a, b, *inner, inside)

    def _inner_regions(self, start: int, end: int) -> tuple[MarkupRegion, ...]:
        """The regions within a region."""
        if self.depth >= DEEPEST:
            return ()
        return tuple(scan(self.structure, start, end, self.depth + 1))

    def _skip(self, position: int, char: str, limit: int) -> int:
        """Where to continue after a special character that opens nothing."""
        if char == "\\" or self.text.startswith("$$", position):
            return min(position + 2, limit)
        run = position + 1
        while run < limit and self.text[run] == char and char in "`*_":
            run += 1
        return run

    def _region(self, position: int, char: str, limit: int) -> MarkupRegion | None:
        if char == "$":
            return self._dollar(position, limit)
        if char == "\\":
            return self._backslash(position, limit)
        if char == "`":
            return self._code_span(position, limit)
        if char == "<":
            return self._tag(position, self.block_end)
        if char == "[":
            link = _LINK.match(self.text, position, limit)
            if link is None:
                return None
            image = position > self.start and self.text[position - 1] == "!"
            kind = MarkupKind.IMAGE if image else MarkupKind.LINK
            return MarkupRegion(
                kind,
                position - image,
                link.end(),
                *link.span(1),
                self._inner_regions(*link.span(1)),
            )
        starred = _STARRED.match(self.text, position, limit)
        if starred is None or not _WORD_CHAR.search(starred.group(2)):
            return None
        return MarkupRegion(MarkupKind.EMPHASIS, *starred.span(), *starred.span(2))

    def _dollar(self, position: int, limit: int) -> MarkupRegion | None:
        if self.text.startswith("$$", position):
            display = _DOLLARS.match(self.text, position, limit)
            if display is not None and _is_display(display.group(1)):
                return MarkupRegion(MarkupKind.DISPLAY, *display.span(), *display.span(1))
            return None
        inline = _DOLLAR.match(self.text, position, limit)
        if inline is None:
            return None
        if not _is_formula(inline.group(1), self.text[inline.end() : inline.end() + 2]):
            return None
        return MarkupRegion(MarkupKind.INLINE, *inline.span(), *inline.span(1))

    def _backslash(self, position: int, limit: int) -> MarkupRegion | None:
        for pattern, kind in ((_PAREN, MarkupKind.INLINE), (_BRACKET, MarkupKind.DISPLAY)):
            formula = pattern.match(self.text, position, limit)
            if formula is not None and formula.group(1).strip():
                return MarkupRegion(kind, *formula.span(), *formula.span(1))
        environment = _ENVIRONMENT.match(self.text, position, limit)
        if environment is not None:
            return self._environment(environment, self.block_end)
        command = _COMMAND.match(self.text, position, limit)
        if command is None:
            return None
        name = command.group(1)
        if name in EMPHASIS_COMMANDS or name in TITLE_COMMANDS:
            group = self.structure.group(command.end(), limit)
            if group is not None:
                kind = MarkupKind.EMPHASIS if name in EMPHASIS_COMMANDS else MarkupKind.HEADING
                inner = (group[0] + 1, group[1] - 1)
                return MarkupRegion(kind, position, group[1], *inner, self._inner_regions(*inner))
        end = self._skip_arguments(command.end(), limit)
        if end == command.end():
            return _whole(MarkupKind.COMMAND, position, end)
        inside = self._inner_regions(command.end(), end)
        return MarkupRegion(MarkupKind.COMMAND, position, end, command.end(), end, inside)

    def _environment(self, begin: re.Match[str], limit: int) -> MarkupRegion:
        name, position = begin.group(2), begin.start()
        end = self.structure.environments.get(position) if begin.group(1) == "begin" else None
        if end is not None and end[1] <= limit:
            inner = (begin.end(), end[0])
            if name in BLOCK_ENVIRONMENTS or (
                name in INNER_ENVIRONMENTS and _RELATED.search(self.text, *inner)
            ):
                return MarkupRegion(MarkupKind.DISPLAY, position, end[1], *inner)
            if name in CODE_ENVIRONMENTS:
                return MarkupRegion(MarkupKind.CODE, position, end[1], *inner)
        return _whole(MarkupKind.COMMAND, position, self._skip_arguments(begin.end(), limit))

    def _skip_arguments(self, position: int, limit: int) -> int:
        """The end of the bracketed and braced arguments that follow on the same line."""
        while (group := self.structure.group(position, limit)) is not None:
            position = group[1]
        return position

    def _code_span(self, position: int, limit: int) -> MarkupRegion | None:
        length = 1
        while position + length < limit and self.text[position + length] == "`":
            length += 1
        runs = self.structure.backticks.get(length, [])
        number = bisect_right(runs, position)
        if number == len(runs):
            return None
        end = runs[number] + length
        if end > self.structure.paragraph_end(position, limit):
            return None
        return MarkupRegion(MarkupKind.CODE, position, end, position + length, end - length)

    def _tag(self, position: int, limit: int) -> MarkupRegion | None:
        if self.text.startswith("<!--", position):
            end = self._find("-->", position, limit)
            return None if end < 0 else _whole(MarkupKind.TAG, position, end)
        tag = _TAG.match(self.text, position, limit)
        if tag is None:
            return None
        name = tag.group(1).lower()
        if name in CODE_TAGS and not tag.group().startswith("</"):
            end = self._find(f"</{name}>", tag.end(), limit)
            if end >= 0:
                return _whole(MarkupKind.CODE, position, end)
        return _whole(MarkupKind.TAG, *tag.span())

    def _find(self, closer: str, position: int, limit: int) -> int:
        """The end of the next closer, or -1. One that is absent is looked for only once."""
        if (closer, limit) in self.absent:
            return -1
        index = self.text.find(closer, position, limit)
        if index < 0:
            self.absent.add((closer, limit))
            return -1
        return index + len(closer)


def _whole(kind: MarkupKind, start: int, end: int) -> MarkupRegion:
    return MarkupRegion(kind, start, end, start, end)


def _title(text: str, start: int, end: int) -> tuple[int, int]:
    """What a heading's line says: without the space and the signs that may close it."""
    title = text[start:end].rstrip()
    opened = title.rstrip("#")
    if not opened or opened[-1].isspace():
        title = opened.rstrip()
    return start, start + len(title)


def _is_formula(inner: str, after: str) -> bool:
    """Whether what stands between two dollars is a formula and not text between two prices.

    ``after`` are the two characters that follow.
    """
    content = inner.strip()
    if not content or (_CELL.search(content) and "\\begin" not in content):
        return False
    if "\\" in content and _OF_TEXT.search(content) is not None:
        return False
    opens, closes = inner[0].isspace(), inner[-1].isspace()
    amount = after.lstrip(" ") if opens or closes else after
    if content[0].isdigit() and amount[:1].isdigit():
        return False
    before_digit = after[:1].isdigit()
    if opens or closes:
        if _TEX.search(content):
            return opens or not before_digit
        short = len(content) <= _SHORT_FORMULA and any(map(str.isalpha, content))
        return opens and closes and short and not _has_words(content)
    if _MATH.search(content):
        return True
    return not before_digit and not _has_words(content)


def _has_words(content: str) -> bool:
    return _WORD.search(content) is not None and _SPACE.search(content) is not None


def _is_display(inner: str) -> bool:
    return bool(inner.strip()) and not (_CELL.search(inner) and "\\begin" not in inner)
