"""Headings in a page's Markdown or LaTeX, and the path of sections at a place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ohr.markup.page import read_page
from ohr.markup.scanner import MarkupKind

_LATEX_LEVELS = {
    "title": 1,
    "part": 1,
    "chapter": 2,
    "section": 3,
    "subsection": 4,
    "subsubsection": 5,
    "paragraph": 6,
    "subparagraph": 6,
}
_SIGN = re.compile(
    rf"^ {{0,3}}#{{1,6}}[ \t]|\\(?:{'|'.join(_LATEX_LEVELS)})(?![a-zA-Z])", re.MULTILINE
)
_COMMAND = re.compile(r"\\([a-z]+)")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: where its mark-up starts and ends (characters), level 1 to 6, and title."""

    start: int
    end: int
    level: int
    title: str


def headings(text: str, *, untitled: bool = False) -> list[Heading]:
    """The headings of a text in order: Markdown's ``#`` and LaTeX's sectioning commands.

    Without those in tables, in code or in other commands, and without those that have no title,
    unless ``untitled``.
    """
    if not _SIGN.search(text):
        return []
    return [
        Heading(_start(text, region.start), region.end, _level(text, region.start), title)
        for _, regions in read_page(text).stretches
        for region in regions
        if region.kind is MarkupKind.HEADING
        and ((title := _title(text[region.inner_start : region.inner_end])) or untitled)
    ]


def _start(text: str, position: int) -> int:
    """Where a heading's mark starts, after at most three spaces."""
    return position if text[position] != " " else text.index("#", position)


def _level(text: str, position: int) -> int:
    command = _COMMAND.match(text, position)
    if command is not None:
        return _LATEX_LEVELS[command[1]]
    signs = text[position : position + 9].lstrip()
    return len(signs) - len(signs.lstrip("#"))


def _title(text: str) -> str:
    return " ".join(text.split())


def opened(above: Sequence[Heading], following: Iterable[Heading]) -> tuple[Heading, ...]:
    """The headings that are open after further ones: each closes those of its level and below."""
    path = list(above)
    for heading in following:
        while path and path[-1].level >= heading.level:
            path.pop()
        path.append(heading)
    return tuple(path)


def titles(path: Iterable[Heading]) -> tuple[str, ...]:
    """The titles along a path, outermost first."""
    return tuple(heading.title for heading in path)
