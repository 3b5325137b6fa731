"""What the bytes of a sample come from, beside its parameters."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ohr.errors import MissingDependencyError


@cache
def generator() -> dict[str, str]:
    """Digest of the generator's own files (code, templates, styles, words), and Typst's version.

    A sample of an older generator is never taken for one of this. Raises MissingDependencyError.
    """
    try:
        typst = version("typst")
    except PackageNotFoundError as error:
        raise MissingDependencyError(
            "typst, which typesets the sample, is not installed: pip install 'ohr[sample]'"
        ) from error
    state = hashlib.blake2b(digest_size=16)
    for path in sorted(Path(__file__).parent.rglob("*")):
        if path.suffix in (".py", ".txt", ".json", ".typ"):
            data = path.read_bytes()
            state.update(f"{path.name}:{len(data)}:".encode())
            state.update(data)
    return {"generator": state.hexdigest(), "typst": typst}
