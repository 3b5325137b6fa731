"""Two texts side by side, cut where their words differ."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein

Pieces = list[tuple[int, str]]
"""Stretches of a text: (0, the same on both sides) or (1, not so on the other)."""
MOST_WORDS = 20_000
"""Words of a side that are compared; texts of more are shown unmarked."""
_WORD = re.compile(r"\s*\S+\s*")


def side_by_side(truth: str, read: str) -> tuple[Pieces, Pieces]:
    """Both texts in pieces, whose words together are the texts; white space does not differ."""
    left, right = _words(truth), _words(read)
    if max(len(left), len(right)) > MOST_WORDS:
        return _whole(truth), _whole(read)
    ops = Levenshtein.opcodes([one.strip() for one in left], [one.strip() for one in right])
    ours: Pieces = []
    theirs: Pieces = []
    for op in ops:
        changed = int(op.tag != "equal")
        _add(ours, changed, left[op.src_start : op.src_end])
        _add(theirs, changed, right[op.dest_start : op.dest_end])
    return ours, theirs


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


def _whole(text: str) -> Pieces:
    return [(0, text)] if text else []


def _add(pieces: Pieces, changed: int, words: Sequence[str]) -> None:
    if words:
        pieces.append((changed, "".join(words)))
