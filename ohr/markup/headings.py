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
# Patterns that start with a plain character are searched for many times as fast as others.
_MARKDOWN = re.compile(r"\n[ ]{0,3}(?P<marks>#{1,6})[ \t]+(?P<title>[^\n]*?)[ \t]*#*[ \t]*(?=\n)")
_LATEX = re.compile(rf"\\(?P<command>{'|'.join(_LATEX_LEVELS)})\*?\{{(?P<name>[^{{}}\n]*)\}}")
_FENCED = re.compile(r"\n(?P<fence>```|~~~).*?(?:\n(?P=fence)|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: where its mark-up starts and ends (characters), level 1 to 6, and title."""

    start: int
    end: int
    level: int
    title: str


def headings(text: str) -> list[Heading]:
    """Headings of a text in order: Markdown's ``#`` and LaTeX's sectioning commands."""
    marks = []
    if "#" in text:
        for match in _MARKDOWN.finditer(f"\n{text}\n"):
            start, end = match.start("marks") - 1, match.end() - 1
            marks.append(Heading(start, end, len(match["marks"]), _title(match["title"])))
    if "\\" in text:
        for match in _LATEX.finditer(text):
            level = _LATEX_LEVELS[match["command"]]
            marks.append(Heading(match.start(), match.end(), level, _title(match["name"])))
    if marks and ("```" in text or "~~~" in text):  # where # starts a comment
        fenced = [(m.start() - 1, m.end() - 1) for m in _FENCED.finditer(f"\n{text}")]
        marks = [h for h in marks if not any(start <= h.start < end for start, end in fenced)]
    return sorted((h for h in marks if h.title), key=lambda heading: heading.start)


def _title(text: str) -> str:
    return " ".join(text.split())


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
