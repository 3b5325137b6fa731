"""An inverted index over integer terms: in memory, or built in blocks and mapped from disk.

Term frequencies are counted block by block; each block's postings are then copied into the whole
index, term by term. So building takes the memory of one block, for any number of texts.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from scipy import sparse

BLOCK = 50_000
"""Texts per block; an index of at most one block is held in memory."""

Weigh = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""(term, frequency in the text, text) of some postings -> their weights, float64."""


@dataclass
class Postings:
    """Texts and weights of each term: those of the i-th lie in ``indptr[i]:indptr[i + 1]``.

    ``terms`` are the term ids, ascending, int64; ``texts`` int32 ascending within a term;
    ``weights`` float64.
    """

    terms: np.ndarray
    indptr: np.ndarray
    texts: np.ndarray
    weights: np.ndarray
    lengths: np.ndarray
    """Number of terms of each text, repetitions included."""
    _folder: tempfile.TemporaryDirectory[str] | None = None

    @property
    def text_frequency(self) -> np.ndarray:
        """Number of texts that have each term."""
        return np.diff(self.indptr)

    def local(self, term_ids: np.ndarray) -> np.ndarray:
        """Positions of terms in ``terms``, in order; unknown ones are left out."""
        if not len(self.terms):
            return np.array([], dtype=np.int64)
        positions = np.searchsorted(self.terms, term_ids)
        positions[positions == len(self.terms)] = 0
        return np.asarray(positions[self.terms[positions] == term_ids])

    def texts_with(self, local_terms: np.ndarray) -> np.ndarray:
        """The texts with at least one of the terms, ascending."""
        parts = [self.texts[self.indptr[term] : self.indptr[term + 1]] for term in local_terms]
        return np.unique(np.concatenate(parts)) if parts else np.zeros(0, np.int32)

    def matrix(self) -> sparse.csr_matrix | None:
        """The weights ``(terms, texts)``; None if they are on disk, or there are none."""
        if self._folder is not None or not len(self.weights):
            return None
        shape = (len(self.terms), len(self.lengths))
        return sparse.csr_matrix((self.weights, self.texts, self.indptr), shape=shape)

    def weigh(self, weigh: Weigh) -> None:
        """Replace the weights, which are frequencies after :func:`build`, in blocks of terms."""
        step, start = 1 << 22, 0
        while start < len(self.terms):
            end = int(np.searchsorted(self.indptr, self.indptr[start] + step, side="right")) - 1
            end = max(end, start + 1)
            a, b = int(self.indptr[start]), int(self.indptr[end])
            terms = np.repeat(np.arange(start, end), np.diff(self.indptr[start : end + 1]))
            self.weights[a:b] = weigh(terms, self.weights[a:b], self.texts[a:b])
            start = end


def build(ids: Iterable[np.ndarray], block: int = BLOCK) -> Postings:
    """Index texts given as arrays of term ids; ``weights`` are the terms' frequencies."""
    blocks = _blocks(ids, block)
    first = next(blocks, _count([]))
    second = next(blocks, None)
    if second is None:
        return Postings(*first)
    folder = tempfile.TemporaryDirectory(prefix="ohr-bm25-")
    sizes, terms, frequency = [], np.array([], np.int64), np.array([], np.int64)
    lengths = []
    for number, part in enumerate(_chain(first, second, blocks)):
        for name, array in zip(("terms", "indptr", "texts", "weights"), part, strict=False):
            np.save(Path(folder.name, f"{number}-{name}.npy"), array)
        merged = np.union1d(terms, part[0])
        grown = np.zeros(len(merged), np.int64)
        grown[np.searchsorted(merged, terms)] = frequency
        grown[np.searchsorted(merged, part[0])] += np.diff(part[1])
        terms, frequency = merged, grown
        sizes.append(len(part[4]))
        lengths.append(part[4])
    return _merge(folder, terms, frequency, sizes, np.concatenate(lengths))


_Part = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""terms, indptr, texts, weights, lengths"""


def _chain(first: _Part, second: _Part, rest: Iterator[_Part]) -> Iterator[_Part]:
    yield first
    yield second
    yield from rest


def _blocks(ids: Iterable[np.ndarray], block: int) -> Iterator[_Part]:
    stream = iter(ids)
    while texts := list(islice(stream, block)):
        yield _count(texts)


def _count(texts: list[np.ndarray]) -> _Part:
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    flat = np.concatenate(texts) if texts else np.array([], dtype=np.int64)
    terms, columns = _dense(flat)
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    rows = sparse.csr_matrix((np.ones(len(flat)), columns, indptr), shape=(len(texts), len(terms)))
    matrix = rows.tocsc()  # by counting, in linear time; keeps the texts in order
    matrix.sum_duplicates()
    return (
        terms,
        matrix.indptr.astype(np.int64),
        matrix.indices.astype(np.int32),
        matrix.data,
        lengths,
    )


def _dense(flat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct ids, ascending, and the position of each id among them."""
    if not len(flat) or flat.min() < 0 or flat.max() > 4 * len(flat) + 1_000_000:
        terms, columns = np.unique(flat, return_inverse=True)
        return terms, columns
    is_present = np.zeros(int(flat.max()) + 1, dtype=bool)
    is_present[flat] = True
    terms = np.flatnonzero(is_present)
    position = np.zeros(len(is_present), np.int64)
    position[terms] = np.arange(len(terms))
    return terms, position[flat]


def _merge(
    folder: tempfile.TemporaryDirectory[str],
    terms: np.ndarray,
    frequency: np.ndarray,
    sizes: list[int],
    lengths: np.ndarray,
) -> Postings:
    """Copy the blocks' postings into files for the whole index, block after block."""
    indptr = np.concatenate(([0], np.cumsum(frequency)))

    def mapped(name: str, dtype: type[np.generic]) -> np.ndarray:
        path = Path(folder.name, f"{name}.npy")
        shape = (int(indptr[-1]),)
        return np.lib.format.open_memmap(path, mode="w+", dtype=dtype, shape=shape)

    texts, weights = mapped("texts", np.int32), mapped("weights", np.float64)
    heads, offset = indptr[:-1].copy(), 0
    for number, size in enumerate(sizes):
        paths = {
            name: Path(folder.name, f"{number}-{name}.npy")
            for name in ("terms", "indptr", "texts", "weights")
        }
        part = {name: np.load(path) for name, path in paths.items()}
        positions = np.searchsorted(terms, part["terms"])
        counts = np.diff(part["indptr"])
        target = np.repeat(heads[positions] - part["indptr"][:-1], counts)
        target += np.arange(len(target))
        texts[target] = part["texts"] + offset
        weights[target] = part["weights"]
        heads[positions] += counts
        offset += size
        for path in paths.values():
            path.unlink()
    return Postings(terms, indptr, texts, weights, lengths, folder)
