"""Fenced code blocks, as in CommonMark."""

from __future__ import annotations

import re
from collections.abc import Sequence

Span = tuple[int, int]

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)


def parted(text: str, rest: Sequence[Span]) -> tuple[list[Span], list[int]]:
    """The fenced code blocks of a text, and the indices of those other spans that are outside them.

    ``others`` are sorted. What begins first counts: a span that begins in a block is code; a fence
    or another span that begins in a span is part of it. A block without an end runs to the end of
    the text.
    """
    fences: list[Span] = []
    outside: list[int] = []
    opened: re.Match[str] | None = None
    number, until = 0, 0
    marks = _FENCE.finditer(text) if "```" in text or "~~~" in text else ()
    for mark in marks:
        while opened is None and number < len(rest) and rest[number][0] < mark.start():
            if rest[number][0] >= until:
                outside.append(number)
                until = rest[number][1]
            number += 1
        if opened is None:
            if mark.start() >= until and not (mark[1][0] == "`" and "`" in mark[2]):
                opened = mark
        elif mark[1].startswith(opened[1]) and not mark[2].strip():
            fences.append((opened.start(), mark.end()))
            opened, until = None, mark.end()
    if opened is not None:
        return [*fences, (opened.start(), len(text))], outside
    for i in range(number, len(rest)):
        if rest[i][0] >= until:
            outside.append(i)
            until = rest[i][1]
    return fences, outside


def fenced(text: str, block: Span) -> Span:
    """The span of the lines between the fences of a block."""
    start, end = block
    first = text.find("\n", start, end)
    inner = end if first < 0 else first + 1
    last = text.rfind("\n", inner, end) + 1 or inner
    # An open block has no fence at its end.
    mark = _FENCE.match(text, last, end) if last < end else None
    closes = mark is not None and mark[2].strip() == ""
    return (inner, last) if closes else (inner, end)
