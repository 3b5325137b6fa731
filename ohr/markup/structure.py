"""The structure of a page's text: braces, environments, code, headings and URLs.

Each property is computed once per page, on first use, in one pass.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ohr.markup.lines import HEADING

Span = tuple[int, int]
Block = tuple[int, int, str]
"""Start, end, and the name of a kind of region."""

_BLANK = re.compile(r"\n[ \t]*\n")
_BRACE = re.compile(r"\\[^\n]|[{}]|\n[ \t]*\n")
_ENVIRONMENT = re.compile(r"\\(begin|end)[ \t]*\{([a-zA-Z]+\*?)\}")
_INDENTED = re.compile(r"^(?: {4}| {0,3}\t)[^\n]*\S[^\n]*$", re.MULTILINE)
_BLOCK_END = re.compile(r"[ \t]*\Z| {0,3}(?:#{1,6}(?:[ \t]|\Z)|[-=*_`~][-=*_`~ \t]*\Z)")
_URL = re.compile(
    r"(?:(?<!\]\()(?<!\{)https?://|(?<![/\w{(])www\.)[^\s<>\"'{}|\\^`$]+", re.IGNORECASE
)
_URL_SIGN = re.compile(r"://|www\.", re.IGNORECASE)
_OPTION = re.compile(r"\[[^\[\]\n]{0,200}\]")
_BACKTICKS = re.compile(r"`+")
_WHITE = re.compile(r"\s*")
_SPACE = re.compile(r"[ \t]*")


@dataclass
class Structure:
    """A page's text and its structure; positions are in characters.

    ``tables`` and ``fences`` are the spans of its tables and fenced code blocks, sorted and
    without overlap.
    """

    text: str
    tables: list[Span] = field(default_factory=list)
    fences: list[Span] = field(default_factory=list)

    @cached_property
    def blank_lines(self) -> list[int]:
        """The position of the line break before each blank line."""
        return [match.start() for match in _BLANK.finditer(self.text)]

    def paragraph_end(self, position: int, limit: int) -> int:
        """The next blank line's start, or the limit."""
        index = bisect_left(self.blank_lines, position)
        return min(limit, self.blank_lines[index]) if index < len(self.blank_lines) else limit

    @cached_property
    def braces(self) -> dict[int, int]:
        """Opening brace -> its closing brace, within a paragraph; unmatched ones are left out."""
        pairs: dict[int, int] = {}
        if "{" not in self.text:
            return pairs
        stack: list[int] = []
        for match in _BRACE.finditer(self.text):
            char = match.group()
            if char == "{":
                stack.append(match.start())
            elif char == "}":
                if stack:
                    pairs[stack.pop()] = match.start()
            elif char[0] == "\n":
                stack.clear()
        return pairs

    @cached_property
    def environments(self) -> dict[int, Span]:
        r"""Start of a ``\begin`` -> the span of its ``\end``; unmatched ones are left out."""
        pairs: dict[int, Span] = {}
        if "\\begin" not in self.text:
            return pairs
        stack: list[tuple[str, int]] = []
        open_names: dict[str, int] = {}
        for match in _ENVIRONMENT.finditer(self.text):
            name = match.group(2)
            if match.group(1) == "begin":
                stack.append((name, match.start()))
                open_names[name] = open_names.get(name, 0) + 1
            elif open_names.get(name):
                # What was opened since and not closed stays unmatched.
                while stack:
                    opened, position = stack.pop()
                    open_names[opened] -= 1
                    if opened == name:
                        pairs[position] = match.span()
                        break
        return pairs

    def group(self, position: int, limit: int) -> Span | None:
        """The braced group, or bracketed option, that follows on the same line."""
        option = _OPTION.match(self.text, position, limit)
        if option is not None:
            return option.span()
        space = _SPACE.match(self.text, position, limit)
        index = space.end() if space is not None else position
        close = self.braces.get(index)
        return (index, close + 1) if close is not None and close < limit else None

    @cached_property
    def indented(self) -> list[Span]:
        """Spans of indented lines that do not continue a paragraph; in Markdown they are code.

        Adjacent lines form one span. Lines in tables and fenced code do not count.
        """
        lines: list[Span] = []
        if "    " not in self.text and "\t" not in self.text:
            return lines
        code_until = 0
        for line in _INDENTED.finditer(self.text):
            start, end = line.span()
            above = self.text.rfind("\n", 0, max(0, start - 1)) + 1
            opens = start <= code_until or _BLOCK_END.match(self.text[above : start - 1])
            if opens and not is_covered(self.tables, start) and not is_covered(self.fences, start):
                lines.append((start, self._end_before_table(start, end)))
                following = _WHITE.match(self.text, end)
                code_until = following.end() if following is not None else end
        return merged(lines)

    def _end_before_table(self, start: int, end: int) -> int:
        """The end of a line, or the start of a table on it."""
        position = bisect_left(self.tables, (start, start))
        return min(end, self.tables[position][0]) if position < len(self.tables) else end

    @cached_property
    def backticks(self) -> dict[int, list[int]]:
        """Length of a run of backticks -> where runs of that length start."""
        runs: dict[int, list[int]] = {}
        for run in _BACKTICKS.finditer(self.text):
            runs.setdefault(run.end() - run.start(), []).append(run.start())
        return runs

    @cached_property
    def headings(self) -> list[Span]:
        """Lines with Markdown headings, outside tables and code."""
        if "#" not in self.text:
            return []
        return [
            (
                match.start(),
                self._end_before_table(match.start(), _line_end(self.text, match.end())),
            )
            for match in HEADING.finditer(self.text)
            if not is_covered(self.tables, match.start())
            and not is_covered(self.fences, match.start())
        ]

    @cached_property
    def urls(self) -> list[Span]:
        """Bare addresses."""
        if not _URL_SIGN.search(self.text):
            return []
        return [match.span() for match in _URL.finditer(self.text)]

    @cached_property
    def blocks(self) -> list[Block]:
        """Code, indented lines, headings and addresses, in order and without overlap."""
        lines = sorted(
            [
                *((a, b, "CODE") for a, b in self.fences),
                *((a, b, "INDENTED") for a, b in self.indented),
                *((a, b, "HEADING") for a, b in self.headings),
            ]
        )
        spans = [(a, b) for a, b, _ in lines]
        urls = [(a, b, "LINK") for a, b in self.urls if not is_covered(spans, a)]
        return sorted(lines + urls) if urls else lines

    @cached_property
    def addresses(self) -> list[Block]:
        """Bare addresses alone."""
        return [(a, b, "LINK") for a, b in self.urls]


def clipped(blocks: Sequence[Block], start: int, end: int) -> list[Block]:
    """The parts of sorted, separate blocks that lie between two positions."""
    parts: list[Block] = []
    for position in range(bisect_right(blocks, start, key=_end), len(blocks)):
        a, b, kind = blocks[position]
        if a >= end:
            break
        parts.append((max(a, start), min(b, end), kind))
    return parts


def _end(block: Block) -> int:
    return block[1]


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def merged(spans: list[Span]) -> list[Span]:
    """Spans in order, with overlapping and adjacent ones merged."""
    result: list[Span] = []
    for start, end in sorted(spans):
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result


def is_covered(spans: list[Span], position: int) -> bool:
    """Whether one of the sorted, separate spans covers a position."""
    index = bisect_right(spans, position, key=lambda span: span[0]) - 1
    return index >= 0 and position < spans[index][1]
