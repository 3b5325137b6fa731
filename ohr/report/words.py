"""Compares two texts word by word, for display side by side."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate, groupby

from rapidfuzz.distance import Levenshtein

from ohr.report.made_up import made_up_spans

Pieces = list[tuple[int, str]]
"""Pieces of a text: (0, equal on both sides), (1, differs), (2, made up) or (3, differs in mark-up
or the shape of quotes and dashes alone)."""
MOST_WORDS = 20_000
"""Longest text that is compared, in words; longer texts have no marks."""
_WORD = re.compile(r"\s*\S+\s*")
_MARK_UP = re.compile(
    r"\\[a-zA-Z]+\*?|</?[a-zA-Z][^<>]*>|\$(?!\d)|[*_#|`{}\\~&\u200b]+|^:?-{2,}:?$"
)
"""What mark-up adds to a word. A dollar before a digit is money."""
_SHAPES = str.maketrans({"“": '"', "”": '"', "’": "'", "‘": "'", "–": "-", "—": "-", "−": "-"})
MARK_UP = 3


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
        lost, read = left_side[op.src_start : op.src_end], right[op.dest_start : op.dest_end]
        if op.tag == "equal":
            lost_kinds, read_kinds = [0] * len(lost), [0] * len(read)
        else:
            lost_kinds, read_kinds = _kinds(lost, read), _kinds(read, lost)
        read_kinds = [
            2 if is_made_up else kind
            for is_made_up, kind in zip(
                made_up[op.dest_start : op.dest_end], read_kinds, strict=True
            )
        ]
        for side, words, kinds in (
            (left_pieces, lost, lost_kinds),
            (right_pieces, read, read_kinds),
        ):
            for kind, places in groupby(range(len(words)), kinds.__getitem__):
                _add(side, kind, [words[place] for place in places])
    return left_pieces, right_pieces


def _kinds(words: Sequence[str], others: Sequence[str]) -> list[int]:
    """Of words that differ from others: 3 for mark-up, and for those equal without it; else 1."""
    contents, other_contents = [*map(_content, words)], [*map(_content, others)]
    if "".join(contents) == "".join(other_contents):
        return [MARK_UP] * len(words)
    pairs = other_contents if len(words) == len(others) else [None] * len(words)
    return [
        MARK_UP if not content or content == other else 1
        for content, other in zip(contents, pairs, strict=True)
    ]


def _content(word: str) -> str:
    """A word without mark-up, and with the plain shape of quotes and dashes."""
    return _MARK_UP.sub("", word.strip()).translate(_SHAPES)


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
