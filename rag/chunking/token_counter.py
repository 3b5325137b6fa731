"""Counts tokens without a tokenizer: an estimate of cl100k's count, additive over characters.

Text is cut into runs of one kind (letters, digits, punctuation …). Each run costs the mean
number of cl100k tokens of runs of its kind and length, fitted by least squares on English and
Chinese pages (``token_costs.json``; the last entry of a row is the cost of each further
character). On held-out pages the mean error is 0.4 %, the median absolute error 3 %.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Any

import numpy as np

_KINDS = (
    "letters",
    "digits",
    "spaces",
    "newlines",
    "punct",
    "cjk",
    "other_letters",
    "other",
    "capitalised",
    "mixed",
)
_LETTERS, _DIGITS, _SPACES, _NEWLINES, _PUNCT, _CJK, _OTHER_LETTERS, _OTHER = range(8)
_CAPITALISED, _MIXED = 8, 9
_CLASSIFIED = 0x30000
_MAX_PER_CHARACTER = 2.1
"""No run costs more tokens per character."""
_BATCH_CHARACTERS = 1 << 18
"""Characters that are counted together, about."""
_DOUBT = 1e-6


def _kind(code: int) -> int:
    char = chr(code)
    if code < 128:
        if char.isalpha():
            return _LETTERS
        if char.isdigit():
            return _DIGITS
        if char in "\r\n":
            return _NEWLINES
        return _SPACES if char.isspace() else _PUNCT
    if code >= 0x20000 or 0xF900 <= code <= 0xFAFF:
        return _CJK
    if char.isalpha():
        return _CJK if 0x2E80 <= code <= 0xD7FF else _OTHER_LETTERS
    return _SPACES if char.isspace() else _OTHER


@functools.cache
def _tables() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Kind, and whether upper case, of each code point (the last stands for all above);
    cost by kind and length; cost of each character past the longest length."""
    kinds = np.fromiter((_kind(code) for code in range(_CLASSIFIED)), np.uint8, _CLASSIFIED)
    rows: dict[str, Any] = json.loads(
        files("rag.chunking").joinpath("token_costs.json").read_text("utf-8")
    )
    table = np.array([rows[name] for name in _KINDS])
    upper = np.zeros(_CLASSIFIED, np.uint8)
    upper[ord("A") : ord("Z") + 1] = 1
    return kinds, upper, table[:, :-1], table[:, -1]


@functools.cache
def _ascii_classes() -> tuple[bytes, bytes]:
    """Tables for ``bytes.translate``, which is many times faster than indexing."""
    kinds, upper, _, _ = _tables()
    return kinds[:256].tobytes(), upper[:256].tobytes()


def _classes(text: str) -> tuple[np.ndarray, np.ndarray]:
    """Kind of each character, and whether it is upper-case (uint8)."""
    if text.isascii():
        data = text.encode("ascii")
        kinds, upper = (data.translate(table) for table in _ascii_classes())
        return np.frombuffer(kinds, np.uint8), np.frombuffer(upper, np.uint8)
    kind_of, is_upper, _, _ = _tables()
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    return kind_of.take(codes, mode="clip"), is_upper.take(codes, mode="clip")


def _run_costs(text: str, cuts: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Tokens and length of each run of a text that is not empty; no run crosses a cut."""
    _, _, costs, excess = _tables()
    classes, is_upper = _classes(text)
    breaks = classes[1:] != classes[:-1]
    if cuts is not None:
        breaks[cuts - 1] = True
    starts = np.flatnonzero(breaks)
    starts = np.concatenate(([0], starts + 1))
    lengths = np.diff(starts, append=len(classes))
    run_kinds = classes[starts]
    letters = run_kinds == _LETTERS
    uppers = np.add.reduceat(is_upper, starts, dtype=np.int32)
    capitalised = letters & (uppers == 1) & (is_upper[starts] == 1)
    run_kinds[letters & (uppers > 0)] = _MIXED
    run_kinds[capitalised] = _CAPITALISED
    longest = costs.shape[1]
    cost = costs[run_kinds, np.minimum(lengths, longest) - 1]
    long = np.flatnonzero(lengths > longest)
    cost[long] += excess[run_kinds[long]] * (lengths[long] - longest)
    return cost, lengths


def cumulative_tokens(text: str) -> np.ndarray:
    """Tokens before each character: float array of ``len(text) + 1``, rising from 0.

    The tokens of ``text[i:j]`` are ``result[j] - result[i]``; a run's cost is spread evenly
    over its characters.
    """
    if not text:
        return np.zeros(1)
    cost, lengths = _run_costs(text)
    return np.concatenate(([0.0], np.cumsum(np.repeat(cost / lengths, lengths))))


def count_tokens(text: str) -> float:
    """Estimated number of tokens of a text."""
    return float(_run_costs(text)[0].sum()) if text else 0.0


def fits_many(texts: Sequence[str], budget: float) -> list[bool]:
    """Whether each text has at most ``budget`` tokens. Texts that are short enough in any case are
    not counted; the others are counted together, since most of the time of a count is its overhead.
    """
    fits = [len(text) * _MAX_PER_CHARACTER <= budget for text in texts]
    unknown = [index for index, is_known in enumerate(fits) if not is_known]
    for is_ascii in (True, False):  # a single non-ASCII text would slow all of them down
        alike = [index for index in unknown if texts[index].isascii() is is_ascii]
        for index, count in zip(alike, _count_many([texts[index] for index in alike]), strict=True):
            # Summed in another order, a count may differ from the text's own in the last digits.
            is_sure = abs(count - budget) > _DOUBT
            fits[index] = (count if is_sure else count_tokens(texts[index])) <= budget
    return fits


def _count_many(texts: Sequence[str]) -> Iterator[float]:
    """Tokens of each text, none of them empty; in batches, so that memory is bounded."""
    start = 0
    while start < len(texts):
        end, characters = start, 0
        while end < len(texts) and characters < _BATCH_CHARACTERS:
            characters, end = characters + len(texts[end]), end + 1
        ends = np.cumsum([len(text) for text in texts[start:end]])
        cost, lengths = _run_costs("".join(texts[start:end]), ends[:-1])
        first = np.searchsorted(np.cumsum(lengths) - lengths, ends - np.diff(ends, prepend=0))
        yield from np.add.reduceat(cost, first).tolist()
        start = end
