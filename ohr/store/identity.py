"""Canonical JSON and digests, which identify parameters, inputs and artefacts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel

from ohr.types import PageRef

if TYPE_CHECKING:
    import numpy as np

DIGEST_BYTES = 16
_BLOCK = 1 << 18


def _plain(value: object) -> object:
    import numpy as np

    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence):
        return list(value)
    raise TypeError(f"{type(value).__name__} has no canonical JSON")


_ENCODER = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=_plain
)


def canonical_json(value: object) -> str:
    """JSON with sorted keys and without spaces: equal values give equal text.

    Accepts plain JSON values, pydantic models, dataclasses, enums, paths and NumPy scalars.
    Raises TypeError for anything else and ValueError for NaN or infinity.
    """
    return _ENCODER.encode(value)


def digest(value: object) -> str:
    """Hex digest (BLAKE2b, 128 bits) of bytes, of text, or of a value's canonical JSON."""
    if isinstance(value, bytes | bytearray | memoryview):
        data: bytes | bytearray | memoryview = value
    else:
        text = value if isinstance(value, str) else canonical_json(value)
        data = text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=DIGEST_BYTES).hexdigest()


def pages_digest(pages: Iterable[tuple[PageRef, str]]) -> str:
    """Digest of pages and their texts, in order; much faster than their canonical JSON."""
    state = hashlib.blake2b(digest_size=DIGEST_BYTES)
    for ref, text in pages:
        data = text.encode("utf-8", "surrogatepass")
        head = f"{len(ref.doc_id)}:{ref.doc_id}{ref.page_no}:{len(data)}:"
        state.update(head.encode("utf-8", "surrogatepass"))
        state.update(data)
    return state.hexdigest()


def file_digest(path: Path | str) -> str:
    """Digest of a file's bytes, read in blocks."""
    state = hashlib.blake2b(digest_size=DIGEST_BYTES)
    with open(path, "rb", buffering=0) as stream:  # hashlib.file_digest fills a buffer for each
        while block := stream.read(_BLOCK):
            state.update(block)
    return state.hexdigest()


def pixel_digest(image: np.ndarray) -> str:
    """Digest of an image's shape, dtype and pixels."""
    import numpy as np

    state = hashlib.blake2b(digest_size=DIGEST_BYTES)
    state.update(f"{image.shape}{image.dtype}".encode())
    state.update(np.ascontiguousarray(image).data)
    return state.hexdigest()
