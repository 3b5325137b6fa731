"""Chunks of a limited number of tokens, within a page, with an overlap if one is set.

Modelled on the sentence splitter of the published evaluation: pages are cut at blank lines
(three line breaks), then sentences, then phrases, then spaces, then anywhere, each only
where the larger unit does not fit, and the pieces are packed greedily from the left.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from pydantic import Field, model_validator

from ohr.plugins import Chunker, Params
from rag.chunking._pieces import sentence_ends, stripped
from rag.chunking.token_counter import cumulative_tokens, fits_many
from rag.chunking.tokenizer import Tokenizer

_PARAGRAPH = re.compile("\n\n\n")
_SPACE = re.compile(" ")
_PHRASE_END = re.compile(r"[,.;\u3002\uff1f\uff01]")

Boundaries = Callable[[str, int, int], Iterable[int]]


class TokenChunkerParams(Params):
    """``size``: most tokens per chunk, of which ``reserve`` are left free for metadata.

    ``overlap``: most tokens that a chunk shares with the one before it. It starts at a sentence, or
    else at a phrase, or else at a word.

    ``tokenizer``: a ``tokenizer.json``, or a model's folder with one, whose tokens are counted;
    without it, the built-in estimate of cl100k's tokens.
    """

    size: int = Field(default=1024, ge=1)
    reserve: int = Field(default=0, ge=0)
    overlap: int = Field(default=0, ge=0)
    keep_empty: bool = False
    """Whether an empty page becomes an empty chunk, as in the published evaluation."""
    tokenizer: Path | None = None

    @model_validator(mode="after")
    def _check_reserve(self) -> TokenChunkerParams:
        if self.reserve >= self.size:
            raise ValueError("reserve must be smaller than size")
        if self.overlap >= self.size - self.reserve:
            raise ValueError("overlap must be smaller than size, less reserve")
        return self


class TokenChunker(Chunker[TokenChunkerParams]):
    """Packs sentences into chunks, by the built-in token counter or a tokenizer of yours."""

    name = "tokens"

    def spans(self, text: str) -> list[tuple[int, int]]:
        return self.spans_many([text])[0]

    def spans_many(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        if self._tokenizer is not None:
            return [self._cut(text) for text in texts]
        fit_whole = fits_many(texts, self._budget)
        return [
            stripped(text, [(0, len(text))]) if fits_whole and text else self._cut(text)
            for text, fits_whole in zip(texts, fit_whole, strict=True)
        ]

    @property
    def overlaps(self) -> bool:
        return self.params.overlap > 0

    @property
    def _budget(self) -> int:
        return self.params.size - self.params.reserve

    def _cut(self, text: str) -> list[tuple[int, int]]:
        if not text:
            return [(0, 0)] if self.params.keep_empty else []
        budget = self._budget
        tokens = cumulative_tokens(text) if self._tokenizer is None else self._tokenizer(text)
        cuts = np.array([0, len(text)])
        for boundaries in (_paragraphs, sentence_ends, _phrases, _words):
            if np.diff(tokens[cuts]).max() <= budget:
                break
            cuts = _refine(cuts, boundaries, text, tokens, budget)
        cuts = _cut_anywhere(cuts, tokens, budget)
        if self.params.overlap:
            return _distinct(
                stripped(text, _pack_over(text, cuts, tokens, budget, self.params.overlap))
            )
        return stripped(text, _pack(cuts, tokens, budget))

    @cached_property
    def _tokenizer(self) -> Tokenizer | None:
        return None if self.params.tokenizer is None else Tokenizer(self.params.tokenizer)

    def identity(self) -> dict[str, object]:
        identity = super().identity()
        if not self.params.overlap:
            # As before there was such a setting, so that what is cached stays valid.
            params = self.params.model_dump(mode="json", exclude={"overlap"})
            identity = identity | {"params": params}
        if self._tokenizer is None:
            return identity
        return identity | {
            "tokenizer": self._tokenizer.digest,
            "tokenizer_version": self._tokenizer.version,
        }


def _refine(
    cuts: np.ndarray, boundaries: Boundaries, text: str, tokens: np.ndarray, budget: float
) -> np.ndarray:
    """Add a level's boundaries inside every piece that does not fit."""
    added = [cuts]
    for start, end in _too_long(cuts, tokens, budget):
        inner = np.fromiter(boundaries(text, start, end), np.int64)
        added.append(inner[(inner > start) & (inner < end)])
    return np.unique(np.concatenate(added))


def _too_long(cuts: np.ndarray, tokens: np.ndarray, budget: float) -> list[tuple[int, int]]:
    long = np.flatnonzero(np.diff(tokens[cuts]) > budget)
    return [(int(cuts[i]), int(cuts[i + 1])) for i in long]


def _paragraphs(text: str, start: int, end: int) -> Iterable[int]:
    return (match.start() for match in _PARAGRAPH.finditer(text, start, end))


def _phrases(text: str, start: int, end: int) -> Iterable[int]:
    return (match.end() for match in _PHRASE_END.finditer(text, start, end))


def _words(text: str, start: int, end: int) -> Iterable[int]:
    return (match.start() for match in _SPACE.finditer(text, start, end))


def _cut_anywhere(cuts: np.ndarray, tokens: np.ndarray, budget: float) -> np.ndarray:
    """Cut pieces that are still too long into ones that fit, of at least one character each."""
    added = [cuts]
    for start, end in _too_long(cuts, tokens, budget):
        pieces = []
        position = start
        while tokens[end] - tokens[position] > budget:
            fits = int(np.searchsorted(tokens, tokens[position] + budget, side="right")) - 1
            position = max(position + 1, fits)
            pieces.append(position)
        added.append(np.array(pieces, dtype=np.int64))
    return np.unique(np.concatenate(added))


def _pack(cuts: np.ndarray, tokens: np.ndarray, budget: float) -> list[tuple[int, int]]:
    """Greedy spans from cut to cut, each as long as the budget allows."""
    at_cut = tokens[cuts]
    spans = []
    first = 0
    while first < len(cuts) - 1:
        last = int(np.searchsorted(at_cut, at_cut[first] + budget, side="right")) - 1
        last = max(last, first + 1)
        spans.append((int(cuts[first]), int(cuts[last])))
        first = last
    return spans


def _pack_over(
    text: str, cuts: np.ndarray, tokens: np.ndarray, budget: float, overlap: float
) -> list[tuple[int, int]]:
    """:func:`_pack`, with spans that start up to ``overlap`` tokens before the end of the last.

    An overlap gives way where the next piece would not fit beside it.
    """
    at_cut = tokens[cuts]
    spans = []
    first, start = 0, int(cuts[0])
    while True:
        last = int(np.searchsorted(at_cut, tokens[start] + budget, side="right")) - 1
        last = max(last, first + 1)
        spans.append((start, int(cuts[last])))
        if last == len(cuts) - 1:
            return spans
        least = max(at_cut[last] - overlap, at_cut[last + 1] - budget)
        start = _overlap_start(text, start, int(cuts[last]), tokens, float(least))
        first = last


def _overlap_start(text: str, start: int, end: int, tokens: np.ndarray, least: float) -> int:
    """The first sentence, phrase or word of ``text[start:end]`` from so many tokens on; its end if
    there is none."""
    for boundaries in (sentence_ends, _phrases, _words):
        for position in boundaries(text, start, end):
            if start < position < end and tokens[position] >= least and text[position:end].strip():
                return int(position)
    return end


def _distinct(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans without those that lie in the one before or after them.

    Where white space was cut off, only an overlap may be left of a span.
    """
    distinct: list[tuple[int, int]] = []
    for start, end in spans:
        if distinct and start <= distinct[-1][0]:
            distinct.pop()
        if not distinct or end > distinct[-1][1]:
            distinct.append((start, end))
    return distinct
