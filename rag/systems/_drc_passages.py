"""The passages that DRC ranks: paragraphs and captions of a document's pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ohr.markup.outline.numbering import caption_of
from ohr.markup.outline.read import document_tree
from ohr.markup.page import read_page
from ohr.markup.structure import Span, merged
from ohr.types import Chunk, Document, Page

LONGEST = 300
"""Most words of a passage."""
EDGE_LINES = 2
"""Running headers and footers are in this many lines at the top and bottom of a page ..."""
REPEATED = 3
"""... are the same on at least this many pages, except for a number at an end ..."""
RUNNING_WORDS, RUNNING_CHARS = 15, 300
"""... and have at most this many words and characters."""

_PARAGRAPH_END = re.compile(r"\n[ \t]*\n\s*")
_LINE = re.compile(r"[^\n]+")
_WORD = re.compile(r"\S+")
_LETTER = re.compile(r"[^\W\d_]")
_END_NUMBER = re.compile(r"^\d+|(?<!\d)\d++$")
_PAGE_NUMBER = re.compile(r"(?:page|p\.)?[\W_]*\d{1,4}[\W_]*(?:(?:of|/)[\W_]*\d{1,4})?[\W_]*")
_SENTENCE_END = re.compile(r"[.?!][\"')\]}\u2019\u201d]*$|[\u3002\uff01\uff1f]$")


def passages(
    document: Document, *, tables: bool = False, longest: int = LONGEST
) -> Iterator[Chunk]:
    """Paragraphs and captions in reading order, each within a page; linear in the text.

    Headings, running headers and footers and page numbers are left out. With ``tables`` each table
    is a passage; otherwise tables are left out too. A paragraph of more than ``longest`` words is
    cut, at the end of a sentence if there is one in its second half.
    """
    running = _running_lines(document.pages)
    tree = document_tree(document)
    headings: list[list[Span]] = [[] for _ in document.pages]
    text_tables: list[list[Span]] = [[] for _ in document.pages]
    for section in tree.sections:
        start, end = section.start, section.body
        text = document.pages[start.page].text
        stop = end.at if end.page == start.page else len(text)
        headings[start.page].append((start.at, stop))
    for node in tree.tables:
        if node.source == "lines":
            text_tables[node.start.page].append((node.start.at, node.end.at))
    for number, page in enumerate(document.pages):
        skipped = [*headings[number], *running[number]]
        yield from _page_passages(page, skipped, text_tables[number], tables, longest)


def _page_passages(
    page: Page, skipped: Sequence[Span], text_tables: Sequence[Span], tables: bool, longest: int
) -> Iterator[Chunk]:
    """Passages of a page; ``text_tables``: its tables of plain text, with their captions."""
    spans: list[Span] = []
    in_tables: list[Span] = []
    for table in read_page(page.text).tables:
        in_tables.append(table.span)
        if tables:
            spans.append(table.span)
        elif caption := table.table.caption:
            position = page.text.find(caption, *table.span)
            spans += [(position, position + len(caption))] if position >= 0 else []
    for span in text_tables:
        in_tables.append(span)
        spans += [span] if tables else _captions(page.text, *span)
    edges = [0]
    for start, end in merged([*skipped, *in_tables]):
        edges += [start, end]
    edges.append(len(page.text))
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        for a, b in _paragraphs(page.text, start, end):
            spans += _cut(page.text, a, b, longest)
    for a, b in sorted(spans):
        if _LETTER.search(page.text, a, b):
            yield Chunk(page.ref, a, b, page.text[a:b])


def _captions(text: str, start: int, end: int) -> list[Span]:
    """The lines of a table of plain text that begin a caption."""
    lines = ((m.start(), m.end()) for m in _LINE.finditer(text, start, end))
    return [(a, b) for a, b in lines if caption_of(text[a:b]) is not None]


def _paragraphs(text: str, start: int, end: int) -> Iterator[Span]:
    position = start
    for gap in _PARAGRAPH_END.finditer(text, start, end):
        yield position, gap.start()
        position = gap.end()
    yield position, end


def _cut(text: str, start: int, end: int, longest: int) -> Iterator[Span]:
    """A paragraph without white space at its ends, in parts of at most ``longest`` words."""
    words = [match.span() for match in _WORD.finditer(text, start, end)]
    first = 0
    while first < len(words):
        last = min(first + longest, len(words)) - 1
        if last < len(words) - 1:
            for position in range(last, first + longest // 2 - 1, -1):
                if _SENTENCE_END.search(text[slice(*words[position])]):
                    last = position
                    break
        yield words[first][0], words[last][1]
        first = last + 1


def _running_lines(pages: Sequence[Page]) -> list[list[Span]]:
    """For each page, the spans of its running headers, footers and page number."""
    edges = [_edge_lines(page.text) for page in pages]
    counts = Counter(key for lines in edges for key in {_key(line) for _, _, line in lines})
    return [
        [
            (start, end)
            for start, end, line in lines
            if counts[_key(line)] >= REPEATED or _PAGE_NUMBER.fullmatch(line.casefold())
        ]
        for lines in edges
    ]


def _edge_lines(text: str) -> list[tuple[int, int, str]]:
    """The first and last lines with text: start, end, and the line; long ones left out."""
    lines: list[tuple[int, int, str]] = []
    start, end = 0, len(text)
    for _ in range(EDGE_LINES):
        start += len(text[start:end]) - len(text[start:end].lstrip())
        if start < end:
            stop = text.find("\n", start, end)
            stop = end if stop < 0 else stop
            lines.append((start, stop, text[start:stop]))
            start = stop
        end = start + len(text[start:end].rstrip())
        if start < end:
            begin = max(text.rfind("\n", start, end) + 1, start)
            lines.append((begin, end, text[begin:end]))
            end = begin
    return [
        line
        for line in lines
        if len(line[2]) <= RUNNING_CHARS and len(line[2].split()) <= RUNNING_WORDS
    ]


def _key(line: str) -> str:
    """A line in the form that is compared between pages: its number at an end replaced."""
    return _END_NUMBER.sub("#", " ".join(line.casefold().split()))
