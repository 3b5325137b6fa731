"""Sentences and table rows of a text, and the one that supports an answer."""

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
"""Most characters of a quote; a longer sentence is cut."""

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
    is_heading: bool


@dataclass(frozen=True, slots=True)
class Quote:
    """A quote, its piece, and the offset of its beginning in the piece."""

    text: str
    piece: Piece
    at: int


def find_quote(
    question: str, answer: str, pieces: Sequence[Piece], language: Language
) -> Quote | None:
    """The sentence or row that contains the answer and most of the question's rarer terms.

    If none contains the answer (``Yes``), the one with most of the question's terms; None if no
    word of either occurs. Ties go to the first.
    """
    question_terms = frozenset(analyser_of(language).ids(question).tolist())
    answer_words = _words(answer)
    candidates = [(piece, part) for piece in pieces for part in quotable(piece.text, language)]
    n_holding = dict.fromkeys(question_terms, 0)
    common = []
    for _, part in candidates:
        common_terms = question_terms & part.terms
        common.append(common_terms)
        for term in common_terms:
            n_holding[term] += 1
    weight = {term: math.log(1 + len(candidates) / n) for term, n in n_holding.items() if n}
    best, best_number = (False, False, 0.0), -1
    for number, ((_, part), common_terms) in enumerate(zip(candidates, common, strict=True)):
        holds = bool(answer_words.strip()) and answer_words in part.words
        score = (holds, not part.is_heading, math.fsum(weight[term] for term in common_terms))
        if (holds or common_terms) and score > best:
            best, best_number = score, number
    if best_number < 0:
        return None
    piece, part = candidates[best_number]
    return Quote(" ".join(piece.text[part.start : part.end].split()), piece, part.start)


@lru_cache(maxsize=65536)
def quotable(text: str, language: Language) -> tuple[Quotable, ...]:
    """The quotable parts of a text, in order."""
    parts = []
    analyser = analyser_of(language)
    for start, end in stripped(text, _spans(text)):
        piece = text[start : min(end, start + LONGEST)]
        words = _words(piece)
        if words.strip():
            terms = frozenset(analyser.ids(piece).tolist())
            is_heading = _HEADING.match(piece) is not None
            parts.append(Quotable(start, start + len(piece), words, terms, is_heading))
    return tuple(parts)


def _words(text: str) -> str:
    """Words separated by single spaces, with a space at either end."""
    return f" {' '.join(_WORD.findall(fold(_COMMAND.sub(' ', text)).casefold()))} "


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Sentences of paragraphs, rows of tables, and lines of lists and headings."""
    start = position = 0
    for line in text.splitlines(keepends=True):
        end = position + len(line)
        if _ROWS.search(line):
            yield from _sentences(text, start, position)
            cut = position
            for mark in _ROW_END.finditer(text, position, end):
                yield cut, mark.end()
                cut = mark.end()
            yield cut, end
            start = end
        elif not line.strip() or _OWN_LINE.match(line):
            yield from _sentences(text, start, position)
            start = position
            if _HEADING.match(line):
                yield position, end
                start = end
        position = end
    yield from _sentences(text, start, position)


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for cut in sentence_ends(text, start, end):
        yield start, cut
        start = cut
    yield start, end
