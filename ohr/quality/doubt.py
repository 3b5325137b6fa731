"""Text layers that engines contradict.

Two engines that look at the page, not at the layer, seldom make the same mistakes where both are
sure. Where they find the same words and the layer lacks them, the layer is at fault.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import combinations

from ohr.quality.table import Seen
from ohr.quality.texts import content_tokens
from ohr.types import PageRef

SURE = 0.85
"""An engine is sure of a page from this mean confidence on."""
ALIKE = 0.85
"""Two engines agree where they share so much of the longer text's words."""
MOST_MISSING = 0.3
"""Of the words that both read, the share that a layer may lack."""
FEWEST_WORDS = 10


def contradicted_layers(
    seen: Mapping[str, Mapping[PageRef, Seen]], layers: Mapping[PageRef, str | None]
) -> dict[PageRef, str]:
    """The pages whose layer two engines contradict, and how.

    ``seen`` are the engines that read page images, by label. Word order does not count, and an
    engine that says nothing of its confidence takes no part. Two engines that are equally sure of
    equal words are one recogniser, which agrees with itself.
    """
    found: dict[PageRef, str] = {}
    for first, second in combinations(seen, 2):
        for ref, layer in layers.items():
            if layer is None or ref in found:
                continue
            one, other = seen[first].get(ref), seen[second].get(ref)
            if one is None or other is None or not (_is_sure(one) and _is_sure(other)):
                continue
            if one.words == other.words:
                continue
            share = _missing(one.text, other.text, layer)
            if share > MOST_MISSING:
                found[ref] = (
                    f"{first} and {second} are sure and agree, but it lacks {share:.0%} of the "
                    "words that both found"
                )
    return found


def _is_sure(seen: Seen) -> bool:
    sure = [word.confidence for word in seen.words or ()]
    return bool(sure) and sum(sure) / len(sure) >= SURE


def _missing(first: str, second: str, layer: str) -> float:
    """Of the words that two texts share, the share that the layer lacks; 0 where they differ."""
    one, other = Counter(content_tokens(first)), Counter(content_tokens(second))
    both = one & other
    if both.total() < max(FEWEST_WORDS, ALIKE * max(one.total(), other.total())):
        return 0.0
    return (both - Counter(content_tokens(layer))).total() / both.total()
