"""Vectors of texts and pages by digest: nothing is encoded twice."""

from __future__ import annotations

import contextlib
import hashlib
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import DTypeLike

from ohr.errors import EngineError, StoreError
from ohr.store.atomic import write_bytes
from ohr.store.identity import DIGEST_BYTES, digest

PART = 512
"""Texts encoded between two writes: a killed run loses at most these."""

_FLAT = -1
"""Stands for the columns of an array of one dimension."""

T = TypeVar("T")
Encode = Callable[[list[str]], Sequence[np.ndarray | None]]
"""Encodes texts: an array for each, or None for one that cannot be encoded."""


class VectorStore:
    """One encoder's arrays by digest, in memory or, given a folder, on disk and memory-mapped.

    A part is a file of digests beside a file of the arrays, end to end. The digests are written
    last, by atomic rename, so a part exists completely or not at all. A checksum of both is stored
    with the digests; a damaged part is ignored.
    """

    def __init__(self, folder: Path | None = None, dtype: DTypeLike = np.float32) -> None:
        self._folder, self._dtype = folder, np.dtype(dtype)
        self._vectors: dict[bytes, np.ndarray] = {}
        self._parts: set[str] = set()

    def collect(self, texts: Sequence[str], encode: Encode) -> list[np.ndarray]:
        """Like :meth:`find`, but every text must get an array. Raises EngineError otherwise."""
        arrays = self.find(texts, encode)
        if missing := sum(array is None for array in arrays):
            raise EngineError(f"the model gave nothing for {missing} of {len(texts)} texts")
        return [array for array in arrays if array is not None]

    def find(self, texts: Sequence[str], encode: Encode) -> list[np.ndarray | None]:
        """The array of each text, or None; ``encode`` is called for the missing ones, each once.

        Texts are encoded in parts, in order, so a run that was killed encodes the remaining ones in
        the same batches as a run without interruption.
        """
        self.add([digest(text) for text in texts], texts, encode)
        return [self.get(digest(text)) for text in texts]

    def __len__(self) -> int:
        """How many arrays are known."""
        return len(self._vectors)

    def add(
        self,
        digests: Sequence[str],
        items: Sequence[T],
        encode: Callable[[list[T]], Sequence[np.ndarray | None]],
    ) -> None:
        """Encode the items whose digests are missing; those encoded as None are not stored.

        Raises EngineError for an array that is not finite, for example if a model overflows.
        """
        keys = [bytes.fromhex(item_digest) for item_digest in digests]
        if any(key not in self._vectors for key in keys):
            self._read_new_parts()
        missing = {
            key: item for key, item in zip(keys, items, strict=True) if key not in self._vectors
        }
        pending = list(missing.items())
        for start in range(0, len(pending), PART):
            batch = pending[start : start + PART]
            encoded = encode([item for _, item in batch])
            with np.errstate(over="ignore"):  # an error is raised below
                arrays = {
                    key: np.asarray(array, dtype=self._dtype)
                    for (key, _), array in zip(batch, encoded, strict=True)
                    if array is not None
                }
            if broken := sum(not np.isfinite(array).all() for array in arrays.values()):
                raise EngineError(
                    f"the model gave numbers that are not finite for {broken} of {len(arrays)} "
                    "inputs, which nothing can rank: name dtype: float32, or another model"
                )
            if arrays:
                self._write(list(arrays), list(arrays.values()))

    def get(self, item_digest: str) -> np.ndarray | None:
        """The array of a digest, or None where there is none."""
        return self._vectors.get(bytes.fromhex(item_digest))

    def _write(self, keys: list[bytes], arrays: list[np.ndarray]) -> None:
        self._vectors.update(zip(keys, arrays, strict=True))
        if self._folder is None:
            return
        name = digest(b"".join(keys))
        flat = np.concatenate([array.ravel() for array in arrays])
        write_bytes(self._folder / f"{name}.npy", _bytes_of(lambda stream: np.save(stream, flat)))
        digests = np.frombuffer(b"".join(keys), np.uint8).reshape(-1, DIGEST_BYTES)
        shapes = np.array([_shape(array) for array in arrays], np.int64)
        _describe(self._folder / f"{name}.keys.npz", digests, shapes, flat)
        self._parts.add(f"{name}.keys.npz")
        self._read(self._folder / f"{name}.keys.npz")  # replaces the copies in memory

    def _read_new_parts(self) -> None:
        """Read the parts that other users of the folder have written since."""
        if self._folder is None:
            return
        for path in sorted(self._folder.glob("*.keys.npz")):
            if path.name not in self._parts:
                self._read(path)
                self._parts.add(path.name)

    def _read(self, path: Path) -> None:
        """Read a part's arrays; an old part without a checksum gets one."""
        try:
            with np.load(path) as described:
                keys, shapes = described["keys"], described["shapes"]
                checksum = described.get("checksum")
            flat = np.load(path.with_name(path.name.replace(".keys.npz", ".npy")), mmap_mode="r")
            if not _is_part(keys, shapes, flat, self._dtype):
                return
            if checksum is None:
                with contextlib.suppress(StoreError):  # a read-only cache is still readable
                    _describe(path, keys, shapes, flat)
            elif checksum.tobytes() != _checksum(keys, shapes, flat):
                return
        except Exception:  # a damaged archive can raise almost anything
            return
        start = 0
        for key, (rows, columns) in zip(keys, shapes.tolist(), strict=True):
            flat_array = columns == _FLAT
            end = start + rows * (1 if flat_array else columns)
            array = flat[start:end]
            self._vectors[key.tobytes()] = array if flat_array else array.reshape(rows, columns)
            start = end


def _describe(path: Path, keys: np.ndarray, shapes: np.ndarray, flat: np.ndarray) -> None:
    """Write a part's digests and shapes. Raises StoreError."""
    checksum = np.frombuffer(_checksum(keys, shapes, flat), np.uint8)
    packed = _bytes_of(lambda stream: np.savez(stream, keys=keys, shapes=shapes, checksum=checksum))
    write_bytes(path, packed)


def _checksum(keys: np.ndarray, shapes: np.ndarray, flat: np.ndarray) -> bytes:
    parts = (np.ascontiguousarray(array).tobytes() for array in (keys, shapes))
    state = hashlib.blake2b(b"".join(parts), digest_size=DIGEST_BYTES)
    state.update(np.ascontiguousarray(flat).data)
    return state.digest()


def _is_part(keys: np.ndarray, shapes: np.ndarray, flat: np.ndarray, dtype: np.dtype) -> bool:
    """Whether the arrays have the form that :meth:`VectorStore.add` writes."""
    forms = [f"{array.dtype} {array.shape[1:]}" for array in (keys, shapes, flat)]
    if forms != [f"uint8 ({DIGEST_BYTES},)", "int64 (2,)", f"{dtype} ()"]:
        return False
    columns = np.where(shapes[:, 1] == _FLAT, 1, shapes[:, 1])
    is_complete = int((shapes[:, 0] * columns).sum()) == len(flat)
    return (
        len(keys) == len(shapes)
        and bool((shapes[:, 0] >= 0).all() and (columns >= 0).all())
        and is_complete
    )


def _shape(array: np.ndarray) -> tuple[int, int]:
    """Rows and columns of an array of one or two dimensions."""
    return (array.shape[0], array.shape[1]) if array.ndim == 2 else (len(array), _FLAT)


def _bytes_of(save: Callable[[io.BytesIO], None]) -> bytes:
    stream = io.BytesIO()
    save(stream)
    return stream.getvalue()
