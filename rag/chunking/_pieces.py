"""Shared by the chunkers: ends of sentences, and spans without white space at their ends."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

Span = tuple[int, int]
_SENTENCE_END = re.compile(r"[.?!][\"')\]}\u2019\u201d]*\s+(?=\S)")


def sentence_ends(text: str, start: int, end: int) -> Iterator[int]:
    """Where sentences end in ``text[start:end]``: after the mark and its white space."""
    for match in _SENTENCE_END.finditer(text, start, end):
        if not _is_abbreviation(text, match.start(), match.end()):
            yield match.end()


def _is_abbreviation(text: str, mark: int, following: int) -> bool:
    """An ellipsis, an initial, or a number before a lower-case word ends no sentence."""
    if text[mark] != ".":
        return False
    before = text[max(0, mark - 12) : mark].rsplit(maxsplit=1)
    word = before[-1] if before and not text[mark - 1].isspace() else ""
    if word.endswith("."):
        return True
    if len(word) == 1 and word.isalpha():
        return True
    return word.isdigit() and text[following].islower()


def strip(text: str, start: int, end: int) -> Span:
    """The span without white space at its ends."""
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - (len(piece) - len(piece.rstrip()))


def stripped(text: str, spans: Iterable[Span]) -> list[Span]:
    """Spans without white space at their ends; those of white space alone are dropped."""
    return [(a, b) for a, b in (strip(text, *span) for span in spans) if a < b]


def split_spans(cuts: Iterable[int], text: str) -> list[Span]:
    """Stripped spans between ascending cuts, and before the first and after the last."""
    spans, start = [], 0
    for cut in [*cuts, len(text)]:
        spans.append((start, cut))
        start = cut
    return stripped(text, spans)
