"""Compares two texts word by word, for display side by side."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate, groupby

from rapidfuzz.distance import Levenshtein

from ohr.report.made_up import made_up_spans

Pieces = list[tuple[int, str]]
"""Pieces of a text: (0, equal on both sides), (1, differs) or (2, made up)."""
MOST_WORDS = 20_000
"""Longest text that is compared, in words; longer texts have no marks."""
_WORD = re.compile(r"\s*\S+\s*")


def side_by_side(truth: str, output: str) -> tuple[Pieces, Pieces]:
    """Both texts in pieces, which together are the texts; white space is not compared, nor is case
    with a truth in capitals alone.

    Invented words and silently changed numbers of the output are made up.
    """
    left_side, right = _words(truth), _words(output)
    if max(len(left_side), len(right)) > MOST_WORDS:
        return _whole(truth), _whole(output)
    compared = str.lower if truth.isupper() else str
    ops = Levenshtein.opcodes(
        [compared(word.strip()) for word in left_side], [compared(word.strip()) for word in right]
    )
    left_pieces: Pieces = []
    right_pieces: Pieces = []
    made_up = _touched(right, made_up_spans(output, truth))
    for op in ops:
        changed = int(op.tag != "equal")
        _add(left_pieces, changed, left_side[op.src_start : op.src_end])
        for is_made_up, words in groupby(range(op.dest_start, op.dest_end), made_up.__getitem__):
            _add(right_pieces, 2 if is_made_up else changed, [right[i] for i in words])
    return left_pieces, right_pieces


def _touched(words: Sequence[str], spans: Sequence[tuple[int, int]]) -> list[bool]:
    """Whether a span touches each of the words that together are a text."""
    ends = [*accumulate(map(len, words))]
    touched = [False] * len(words)
    for start, end in spans:
        for i in range(bisect_right(ends, start), bisect_left(ends, end) + 1):
            touched[i] = True
    return touched


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


def _whole(text: str) -> Pieces:
    return [(0, text)] if text else []


def _add(pieces: Pieces, changed: int, words: Sequence[str]) -> None:
    if words:
        pieces.append((changed, "".join(words)))
