"""What a prototype shows of documents: passages, made of pieces of pages, with their headings."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter

from ohr.markup.outline.tree import DocumentTree, Place, Section
from ohr.types import Chunk, Hit, PageRef

Path = tuple[str, ...]
"""Titles of headings, outermost first."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of one page. ``paths``: pairs of a character offset, ascending from 0, and the
    headings that are open from there on, as far as they are known.
    """

    ref: PageRef
    start: int
    text: str
    paths: tuple[tuple[int, Path], ...]

    def path_at(self, position: int) -> Path:
        """The headings above a character of the piece, as far as they are known."""
        place = bisect_right(self.paths, position, key=itemgetter(0))
        return self.paths[place - 1][1] if place else ()

    @property
    def hit(self) -> Hit:
        """The piece as a hit for a reader."""
        return Hit(self.ref, self.text, 1.0, 0, (self.start, self.start + len(self.text)))


@dataclass(frozen=True, slots=True)
class Passage:
    """Pieces of one document in order. ``headers``: shown with it, if the system knows any."""

    pieces: tuple[Piece, ...]
    headers: Path = ()

    @property
    def text(self) -> str:
        """The text of all pieces, joined by line breaks."""
        return "\n".join(piece.text for piece in self.pieces)

    @property
    def chunk(self) -> Chunk:
        """The passage as a retriever indexes it, under the page that it begins on."""
        first, text = self.pieces[0], self.text
        return Chunk(first.ref, first.start, first.start + len(text), text, self.headers)


def whole_document(tree: DocumentTree) -> Passage | None:
    """All pages of a document that have text, each with its headings and those open at its top."""
    starts = _starts(tree)
    pieces = []
    for number, page in enumerate(tree.pages):
        if page.text.strip():
            open_path = tree.path(tree.section_at(Place(number, 0)))
            paths = [
                (0, open_path),
                *((position, tree.path(section)) for position, section in starts[number]),
            ]
            pieces.append(Piece(page.ref, 0, page.text, tuple(paths)))
    return Passage(tuple(pieces)) if pieces else None


def pieces_of_length(tree: DocumentTree, size: int) -> Iterator[Passage]:
    """Each page cut after every ``size`` characters. Only headings inside a piece are known."""
    starts = _starts(tree)
    for number, page in enumerate(tree.pages):
        places = [position for position, _ in starts[number]]
        for start in range(0, len(page.text), size):
            text = page.text[start : start + size]
            inside = starts[number][bisect_left(places, start) : bisect_left(places, start + size)]
            if text.strip():
                paths = _visible(tree, inside, start)
                yield Passage((Piece(page.ref, start, text, tuple(paths)),))


def _visible(
    tree: DocumentTree, inside: Sequence[tuple[int, Section]], start: int
) -> Iterator[tuple[int, Path]]:
    """The path below each heading of a piece, made of headings of the piece alone."""
    seen: set[int] = set()
    for position, section in inside:
        seen.add(section.number)
        path, above = [section.title], section.parent
        while above:
            if above in seen:
                path.append(tree.sections[above - 1].title)
            above = tree.sections[above - 1].parent
        yield position - start, tuple(reversed(path))


def sections(tree: DocumentTree, longest: int) -> Iterator[Passage]:
    """Each section without its subsections, and the text before the first heading.

    A section of more than ``longest`` characters is cut, at white space if possible. A section
    without text is left out, since its subsections have its heading in their headers.
    """
    edges = [Place(0, 0), *(section.start for section in tree.sections), tree.end]
    for owner, (start, end) in zip([None, *tree.sections], pairwise(edges), strict=True):
        path = tree.path(owner)
        body = start if owner is None else owner.body
        if tree.text(body, end).strip():
            yield from _cut(tree, start, end, path, longest)


def _cut(
    tree: DocumentTree, start: Place, end: Place, path: Path, longest: int
) -> Iterator[Passage]:
    """The pieces between two places, grouped into passages that are not too long."""
    group: list[Piece] = []
    length = 0
    for number in range(start.page, end.page + 1):
        page = tree.pages[number]
        first = start.at if number == start.page else 0
        last = end.at if number == end.page else len(page.text)
        for a, b in _parts(page.text, first, last, longest):
            if group and length + b - a > longest:
                yield Passage(tuple(group), path)
                group, length = [], 0
            group.append(Piece(page.ref, a, page.text[a:b], ((0, path),)))
            length += b - a
    if group:
        yield Passage(tuple(group), path)


def _parts(text: str, start: int, end: int, longest: int) -> Iterator[tuple[int, int]]:
    """Spans of at most ``longest`` characters that hold more than white space."""
    while start < end:
        cut = min(end, start + longest)
        if cut < end and (space := max(text.rfind(mark, start + 1, cut) for mark in "\n ")) > start:
            cut = space
        if text[start:cut].strip():
            yield start, cut
        start = cut


def _starts(tree: DocumentTree) -> list[list[tuple[int, Section]]]:
    """The sections that begin on each page, with the offset of their beginning."""
    starts: list[list[tuple[int, Section]]] = [[] for _ in tree.pages]
    for section in tree.sections:
        starts[section.start.page].append((section.start.at, section))
    return starts
