"""One random generator per (seed, operator, page), so that order never changes a result."""

from __future__ import annotations

import hashlib

import numpy as np

from ohr.types import PageRef


def generator_for(seed: int, operator: str, ref: PageRef) -> np.random.Generator:
    """A random generator that depends on (seed, operator, doc_id, page_no) alone.

    Equal arguments give equal streams in every process, in any order, with any number of
    workers; different arguments give independent streams.
    """
    key = f"{seed}\x1f{operator}\x1f{ref.doc_id}\x1f{ref.page_no}".encode("utf-8", "surrogatepass")
    entropy = int.from_bytes(hashlib.blake2b(key, digest_size=16).digest(), "big")
    return np.random.default_rng(entropy)
