"""Words of two page texts, aligned, and a page text written again with other words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Indel

_WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class Gap:
    """Words ``[start, end)`` of one text, where the other has ``[other_start, other_end)``."""

    start: int
    end: int
    other_start: int
    other_end: int


def gaps(words: Sequence[str], rest: Sequence[str]) -> Iterator[Gap]:
    """The places where two lists of words differ, by their longest common subsequence."""
    start = other_start = 0
    for match in Indel.opcodes(words, rest):
        if match.tag == "equal":
            if start < match.src_start or other_start < match.dest_start:
                yield Gap(start, match.src_start, other_start, match.dest_start)
            start, other_start = match.src_end, match.dest_end
    if start < len(words) or other_start < len(rest):
        yield Gap(start, len(words), other_start, len(rest))


def rewritten(text: str, words: Sequence[str]) -> str:
    """The text with its words, in order, replaced; its white space stays.

    A replacement may have several words, or be empty. Raises ValueError if their numbers differ.
    """
    pieces, end = [], 0
    for match, word in zip(_WORD.finditer(text), words, strict=True):
        pieces += [text[end : match.start()], word]
        end = match.end()
    return "".join([*pieces, text[end:]])
