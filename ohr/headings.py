"""Headings of a page's Markdown or LaTeX, and the path of sections at a place in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_LATEX_LEVELS = {
    "part": 1,
    "chapter": 2,
    "section": 3,
    "subsection": 4,
    "subsubsection": 5,
    "paragraph": 6,
}
_HEADING = re.compile(
    r"^(?:```|~~~).*?(?:^(?:```|~~~)|\Z)"  # fenced code, where # starts a comment
    r"|^[ ]{0,3}(?P<marks>#{1,6})[ \t]+(?P<title>[^\n]*?)[ \t]*#*[ \t]*$"
    rf"|\\(?P<command>{'|'.join(_LATEX_LEVELS)})\*?\{{(?P<name>[^{{}}\n]*)\}}",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: where its mark-up starts and ends (characters), level 1 to 6, and title."""

    start: int
    end: int
    level: int
    title: str


def headings(text: str) -> list[Heading]:
    """Headings of a text in order: Markdown's ``#`` and LaTeX's sectioning commands."""
    if "#" not in text and "\\" not in text:
        return []
    found = []
    for match in _HEADING.finditer(text):
        title = match["title"] if match["marks"] else match["name"]
        if title and title.strip():
            level = len(match["marks"]) if match["marks"] else _LATEX_LEVELS[match["command"]]
            start = match.start("marks") if match["marks"] else match.start()
            found.append(Heading(start, match.end(), level, " ".join(title.split())))
    return found


def opened(above: Sequence[Heading], following: Iterable[Heading]) -> tuple[Heading, ...]:
    """The headings that are open after some more: each closes those of its level and below."""
    path = list(above)
    for heading in following:
        while path and path[-1].level >= heading.level:
            path.pop()
        path.append(heading)
    return tuple(path)


def titles(path: Iterable[Heading]) -> tuple[str, ...]:
    """The titles along a path, outermost first."""
    return tuple(heading.title for heading in path)
