"""What a page's text says about itself before it is read: braces, environments, code, URLs.

Each map is made once for a page, on first use, in one pass.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from functools import cached_property

Span = tuple[int, int]

_BLANK = re.compile(r"\n[ \t]*\n")
_BRACE = re.compile(r"\\[^\n]|[{}]|\n[ \t]*\n")
_ENVIRONMENT = re.compile(r"\\(begin|end)[ \t]*\{([a-zA-Z]+\*?)\}")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)
_INDENTED = re.compile(r"^(?: {4}| {0,3}\t)[^\n]*\S[^\n]*$", re.MULTILINE)
_BLOCK_END = re.compile(r"[ \t]*\Z| {0,3}(?:#{1,6}(?:[ \t]|\Z)|[-=*_`~][-=*_`~ \t]*\Z)")
_URL = re.compile(
    r"(?:(?<!\]\()(?<!\{)https?://|(?<![/\w{(])www\.)[^\s<>\"'{}|\\^`$]+", re.IGNORECASE
)
_OPTION = re.compile(r"\[[^\[\]\n]{0,200}\]")
_WHITE = re.compile(r"\s*")
_SPACE = re.compile(r"[ \t]*")


@dataclass
class Structure:
    """A page's text with its maps; positions are in characters.

    ``tables`` are the spans of its tables, sorted and apart: a fence that opens inside one is
    part of a cell.
    """

    text: str
    tables: list[Span] = field(default_factory=list)

    @cached_property
    def blank_lines(self) -> list[int]:
        """Where the line break before each blank line stands."""
        return [match.start() for match in _BLANK.finditer(self.text)]

    def paragraph_end(self, position: int, limit: int) -> int:
        """The next blank line's start, or the limit."""
        at = bisect_left(self.blank_lines, position)
        return min(limit, self.blank_lines[at]) if at < len(self.blank_lines) else limit

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
                    opened, at = stack.pop()
                    open_names[opened] -= 1
                    if opened == name:
                        pairs[at] = match.span()
                        break
        return pairs

    def group(self, position: int, limit: int) -> Span | None:
        """The braced group, or bracketed option, that follows on the same line."""
        option = _OPTION.match(self.text, position, limit)
        if option is not None:
            return option.span()
        space = _SPACE.match(self.text, position, limit)
        at = space.end() if space is not None else position
        close = self.braces.get(at)
        return (at, close + 1) if close is not None and close < limit else None

    @cached_property
    def fences(self) -> list[Span]:
        """Fenced and indented code blocks; an open fence runs to the end, as in CommonMark."""
        spans: list[Span] = []
        opened: re.Match[str] | None = None
        if "```" in self.text or "~~~" in self.text:
            for fence in _FENCE.finditer(self.text):
                marks = fence.group(1)
                if opened is None:
                    if "`" not in fence.group(2) and not within(self.tables, fence.start()):
                        opened = fence
                elif marks.startswith(opened.group(1)) and not fence.group(2).strip():
                    spans.append((opened.start(), fence.end()))
                    opened = None
            if opened is not None:
                spans.append((opened.start(), len(self.text)))
        if "    " in self.text or "\t" in self.text:
            spans = merged(spans + self._indented())
        return spans

    def _indented(self) -> list[Span]:
        """Indented lines that do not go on with a paragraph."""
        lines: list[Span] = []
        code_until = 0
        for line in _INDENTED.finditer(self.text):
            start, end = line.span()
            above = self.text.rfind("\n", 0, max(0, start - 1)) + 1
            opens = start <= code_until or _BLOCK_END.match(self.text[above : start - 1])
            if opens and not within(self.tables, start):
                lines.append((start, end))
                following = _WHITE.match(self.text, end)
                code_until = following.end() if following is not None else end
        return lines

    @cached_property
    def _fixed(self) -> list[tuple[str, int, int]]:
        fences = [("CODE", *span) for span in self.fences]
        urls = [
            ("LINK", *match.span())
            for match in _URL.finditer(self.text)
            if not within(self.fences, match.start())
        ]
        return sorted(fences + urls, key=lambda fixed: fixed[1])

    def fixed_spans(self, start: int, end: int) -> list[tuple[str, int, int]]:
        """Code blocks (``CODE``) and bare URLs (``LINK``) in a stretch, clipped to it."""
        clipped = []
        for at in range(bisect_right(self._fixed, start, key=_end), len(self._fixed)):
            kind, a, b = self._fixed[at]
            if a >= end:
                break
            clipped.append((kind, max(a, start), min(b, end)))
        return clipped


def _end(fixed: tuple[str, int, int]) -> int:
    return fixed[2]


def merged(spans: list[Span]) -> list[Span]:
    """Spans in order, those that overlap or touch as one."""
    result: list[Span] = []
    for start, end in sorted(spans):
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result


def within(spans: list[Span], position: int) -> bool:
    """Whether one of the sorted, separate spans covers a position."""
    at = bisect_right(spans, position, key=lambda span: span[0]) - 1
    return at >= 0 and position < spans[at][1]
