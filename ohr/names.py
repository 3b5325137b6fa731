"""The nearest of the known names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str], parent: str = "") -> str:
    """``did you mean 'bm25'? known: bm25, hybrid``, without the question where none is near.

    ``parent``: what all of them begin with, as ``dataset.``.
    """
    close = difflib.get_close_matches(name, names := list(known), n=1)
    hint = f"did you mean {parent + close[0]!r}? " if close else ""
    return f"{hint}known: {', '.join(parent + name for name in names)}"
