"""Compares two texts word by word, for display side by side."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein

Pieces = list[tuple[int, str]]
"""Pieces of a text: (0, piece equal on both sides) or (1, piece that differs)."""
MOST_WORDS = 20_000
"""Longest text that is compared, in words; longer texts have no marks."""
_WORD = re.compile(r"\s*\S+\s*")


def side_by_side(truth: str, output: str) -> tuple[Pieces, Pieces]:
    """Both texts in pieces, which together are the texts; white space is not compared."""
    left_side, right = _words(truth), _words(output)
    if max(len(left_side), len(right)) > MOST_WORDS:
        return _whole(truth), _whole(output)
    ops = Levenshtein.opcodes(
        [word.strip() for word in left_side], [word.strip() for word in right]
    )
    left_pieces: Pieces = []
    right_pieces: Pieces = []
    for op in ops:
        changed = int(op.tag != "equal")
        _add(left_pieces, changed, left_side[op.src_start : op.src_end])
        _add(right_pieces, changed, right[op.dest_start : op.dest_end])
    return left_pieces, right_pieces


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


def _whole(text: str) -> Pieces:
    return [(0, text)] if text else []


def _add(pieces: Pieces, changed: int, words: Sequence[str]) -> None:
    if words:
        pieces.append((changed, "".join(words)))
