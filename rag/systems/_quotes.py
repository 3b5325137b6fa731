"""Sentences and table rows of a text as it stands, and the one that an answer rests on."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ohr.markup.folding import fold
from rag.chunking._pieces import sentence_ends, stripped
from rag.systems._language import Language, analyser_of
from rag.systems._passages import Piece

LONGEST = 1000
"""Characters of a quote; a longer sentence is cut."""

_ROWS = re.compile(r"^[ \t]*\||\\\\|</tr>", re.IGNORECASE)
_ROW_END = re.compile(r"\\\\|</tr>", re.IGNORECASE)
_OWN_LINE = re.compile(r"[ \t]*(?:#{1,6}[ \t]|[-*+•][ \t]|\d{1,3}[.)][ \t]|\\(?:sub)*section)")
_HEADING = re.compile(r"[ \t]*(?:#{1,6}[ \t]|\\(?:sub)*section)")
_COMMAND = re.compile(r"\\[a-zA-Z]+")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Quotable:
    """A sentence, row or heading: its span, its words between spaces, and its terms."""

    start: int
    end: int
    words: str
    terms: frozenset[int]
    heading: bool


@dataclass(frozen=True, slots=True)
class Found:
    """A quote, and where it begins: the piece and its character there."""

    text: str
    piece: Piece
    at: int


def find_quote(
    question: str, answer: str, pieces: Sequence[Piece], language: Language
) -> Found | None:
    """The sentence or row that holds an answer and most of the question's rarer terms.

    Where none holds the answer (``Yes``), the one with most of the question. None where no word
    of either is there. Ties go to what stands first.
    """
    asked = frozenset(analyser_of(language).ids(question).tolist())
    said = _words(answer)
    there = [(piece, one) for piece in pieces for one in quotable(piece.text, language)]
    holding = dict.fromkeys(asked, 0)
    shared = []
    for _, one in there:
        both = asked & one.terms
        shared.append(both)
        for term in both:
            holding[term] += 1
    weight = {term: math.log(1 + len(there) / n) for term, n in holding.items() if n}
    best, place = (False, False, 0.0), -1
    for number, ((_, one), both) in enumerate(zip(there, shared, strict=True)):
        holds = bool(said.strip()) and said in one.words
        score = (holds, not one.heading, math.fsum(weight[term] for term in both))
        if (holds or both) and score > best:
            best, place = score, number
    if place < 0:
        return None
    piece, one = there[place]
    return Found(" ".join(piece.text[one.start : one.end].split()), piece, one.start)


@lru_cache(maxsize=65536)
def quotable(text: str, language: Language) -> tuple[Quotable, ...]:
    """What can be quoted of a text, in order."""
    found = []
    analyser = analyser_of(language)
    for start, end in stripped(text, _spans(text)):
        piece = text[start : min(end, start + LONGEST)]
        words = _words(piece)
        if words.strip():
            terms = frozenset(analyser.ids(piece).tolist())
            heading = _HEADING.match(piece) is not None
            found.append(Quotable(start, start + len(piece), words, terms, heading))
    return tuple(found)


def _words(text: str) -> str:
    """Words between single spaces, with one at either end."""
    return f" {' '.join(_WORD.findall(fold(_COMMAND.sub(' ', text)).casefold()))} "


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Sentences of paragraphs, rows of tables, and lines of lists and headings."""
    begun = at = 0
    for line in text.splitlines(keepends=True):
        end = at + len(line)
        if _ROWS.search(line):
            yield from _sentences(text, begun, at)
            cut = at
            for mark in _ROW_END.finditer(text, at, end):
                yield cut, mark.end()
                cut = mark.end()
            yield cut, end
            begun = end
        elif not line.strip() or _OWN_LINE.match(line):
            yield from _sentences(text, begun, at)
            begun = at
            if _HEADING.match(line):
                yield at, end
                begun = end
        at = end
    yield from _sentences(text, begun, at)


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for cut in sentence_ends(text, start, end):
        yield start, cut
        start = cut
    yield start, end
