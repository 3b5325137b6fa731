"""Sections of text, listings and tables, as Markdown and as LaTeX."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ohr.display.text_tables import TextTable, escape_latex, escape_markdown
from ohr.files.safe_text import plain

MARKDOWN, TEX = "markdown", "tex"
SUFFIXES = {MARKDOWN: "md", TEX: "tex"}


@dataclass(frozen=True)
class Listing:
    """A text that is printed line by line, such as a prompt or a command."""

    text: str


@dataclass(frozen=True)
class Items:
    """Lines of a list."""

    lines: tuple[str, ...]


Part = str | Listing | Items | TextTable


@dataclass(frozen=True)
class Section:
    """A heading with what stands below it; the paragraph has no heading."""

    title: str
    parts: Sequence[Part]


def written(sections: Sequence[Section], form: str) -> str:
    """The sections in one of the two forms, with all texts escaped."""
    write = _latex if form == TEX else _markdown
    return "\n".join(line for section in sections for line in write(section)) + "\n"


def _markdown(section: Section) -> Iterator[str]:
    if section.title:
        yield from (f"## {escape_markdown(section.title)}", "")
    for part in section.parts:
        match part:
            case TextTable():
                yield part.markdown()
            case Listing(text):
                yield from (f"    {plain(line)}".rstrip() for line in text.splitlines())
                yield ""
            case Items(lines):
                yield from (f"- {escape_markdown(line)}" for line in lines)
                yield ""
            case text:
                yield from (escape_markdown(text), "")


def _latex(section: Section) -> Iterator[str]:
    if section.title:
        yield rf"\section*{{{escape_latex(section.title)}}}"
    for part in section.parts:
        match part:
            case TextTable():
                yield part.latex()
            case Listing(text):
                # Not verbatim: a line of the text could end it.
                rows = [escape_latex(line).strip() for line in text.splitlines()]
                yield r"\begin{quote}\ttfamily\raggedright"
                yield from (row + r"\par" if row else r"\medskip" for row in rows)
                yield r"\end{quote}"
                yield ""
            case Items(lines):
                yield r"\begin{itemize}"
                yield from (rf"\item {escape_latex(line)}" for line in lines)
                yield r"\end{itemize}"
                yield ""
            case text:
                yield from (escape_latex(text), "")
