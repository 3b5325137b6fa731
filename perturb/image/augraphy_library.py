"""Augraphy, tamed: loaded late, seeded inside the call, leaving no trace outside it.

Augraphy draws from the global generators of ``random``, NumPy and Numba's compiled code, sets
Numba's global switches, and runs Numba's threads. :func:`seeded` seeds all that and puts it back
afterwards. Three limits remain:

* It is not safe in threads. Calls are serialised by a lock, but other threads that draw from
  ``random`` or ``numpy.random`` during a call get seeded numbers.
* It is not safe to fork after a call: Numba's threads do not exist in the child, which hangs.
  Start worker processes by spawning.
* Importing it takes seconds and 300 MB, and its first calls compile for seconds more. So it is
  imported inside the first call, never with this module.

Its effects are called directly. Only its pipelines write ``augraphy_cache`` and ``logs`` into
the working directory, and these are not used.
"""

from __future__ import annotations

import importlib
import importlib.util
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from ohr.errors import MissingDependencyError

INSTALL = "pip install 'ohr[augraphy]' && pip install --no-deps augraphy==8.2.6"
NEEDS = ("augraphy", "numba", "requests", "skimage", "sklearn")

_LOCK = threading.RLock()


def installed_version() -> str:
    """Augraphy's version; it is not imported. Raises MissingDependencyError."""
    for name in NEEDS:
        if not _is_there(name):
            raise MissingDependencyError(
                f"Augraphy's effects need {name}, which is not installed: {INSTALL}"
            )
    try:
        return version("augraphy")
    except PackageNotFoundError as error:
        raise MissingDependencyError(f"Augraphy is not installed: {INSTALL}") from error


@contextmanager
def seeded(seed: int) -> Iterator[Any]:
    """The module ``augraphy``, with all its generators started from a seed below 2**32.

    The generators of the caller's ``random``, ``numpy.random`` and Numba code, and Numba's
    switches, are put back at the end. Raises MissingDependencyError.
    """
    installed_version()
    with _LOCK:
        python, numpy = random.getstate(), np.random.get_state(legacy=False)
        try:
            augraphy = importlib.import_module("augraphy")
            numba = importlib.import_module("numba")
            # Numba says how to seed its generators, but nothing public reads their state.
            generators = importlib.import_module("numba._helperlib")
            pointers = (generators.rnd_get_py_state_ptr(), generators.rnd_get_np_state_ptr())
            compiled = [generators.rnd_get_state(pointer) for pointer in pointers]
            threads, without_jit = numba.get_num_threads(), numba.config.DISABLE_JIT
            try:
                random.seed(seed)
                np.random.seed(seed)
                for pointer in pointers:
                    generators.rnd_seed(pointer, seed)
                # The generators are a thread's own, and threads share work as they come.
                numba.set_num_threads(1)
                yield augraphy
            finally:
                for pointer, state in zip(pointers, compiled, strict=True):
                    generators.rnd_set_state(pointer, state)
                numba.set_num_threads(threads)
                numba.config.DISABLE_JIT = without_jit
        finally:
            random.setstate(python)
            np.random.set_state(numpy)


def _is_there(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ValueError:  # marked as absent in sys.modules
        return False
