"""How sure a tool says it is of the words of its pages."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple


class SureWord(NamedTuple):
    """A word, or a line where a tool rates lines, and how sure the tool is of it, in [0, 1]."""

    text: str
    confidence: float


@dataclass(frozen=True)
class PageConfidence:
    """A page's mean confidence in [0, 1], and its words if the tool rates them."""

    mean: float
    words: tuple[SureWord, ...] = ()


def page_confidence(
    words: Iterable[tuple[Any, Any]], *, scale: float = 1.0, mean: Any = None
) -> PageConfidence | None:
    """The confidence of a page from its words, each a text and a number from 0 to ``scale``.

    Each rating counts once, also where it is of a line. A rating that is missing, no number or out
    of range is left out: it says nothing, and the text of the page is not damaged by it. Without
    any, ``mean`` counts, what the tool says of the whole page; None without that too.
    """
    rated = []
    for text, number in words:
        share = _share(number, scale)
        if share is not None and isinstance(text, str) and text.strip():
            rated.append(SureWord(text.strip(), share))
    if rated:
        return PageConfidence(sum(word.confidence for word in rated) / len(rated), tuple(rated))
    share = _share(mean, scale)
    return None if share is None else PageConfidence(share)


def _share(number: Any, scale: float) -> float | None:
    """A rating as a share; None for anything else. XML has its numbers as text."""
    if isinstance(number, bool) or not isinstance(number, int | float | str):
        return None
    try:
        share = float(number) / scale
    except (ValueError, OverflowError):
        return None
    return share if math.isfinite(share) and 0 <= share <= 1 else None
