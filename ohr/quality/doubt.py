"""Finds text layers that engines contradict.

Two engines that read the page image seldom make the same mistakes where both are confident. If both
find words that the layer does not have, the layer is wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import combinations
from types import MappingProxyType

from ohr.metrics.holes import known_texts
from ohr.quality.table import Observation
from ohr.quality.texts import content_tokens
from ohr.statistics.numbers import percent
from ohr.types import Holes, PageRef

SURE = 0.85
"""Least mean confidence with which an engine is sure of a page."""
ALIKE = 0.85
"""Two engines agree if they share this part of the words of the longer text."""
MOST_MISSING = 0.3
"""Largest share of the words that both engines found that a layer may miss."""
FEWEST_WORDS = 10


def contradicted_layers(
    seen: Mapping[str, Mapping[PageRef, Observation]],
    layers: Mapping[PageRef, str | None],
    holes: Mapping[PageRef, Holes] = MappingProxyType({}),
) -> dict[PageRef, str]:
    """The pages whose text layer two engines contradict, with the reason.

    ``seen`` are the observations of engines that read page images, by label. Word order does not
    count, engines without confidences are ignored, and so are the doubtful words of ``holes``. Two
    engines with equal words and equal confidences are the same recogniser, so that their agreement
    does not count.
    """
    faults: dict[PageRef, str] = {}
    for first, second in combinations(seen, 2):
        for ref, layer in layers.items():
            if layer is None or ref in faults:
                continue
            page, other_page = seen[first].get(ref), seen[second].get(ref)
            if page is None or other_page is None or not (_is_sure(page) and _is_sure(other_page)):
                continue
            if page.words == other_page.words:
                continue
            texts = [known_texts(each.text, layer, holes.get(ref)) for each in (page, other_page)]
            share = _missing(texts[0][0], texts[1][0], texts[0][1])
            if share > MOST_MISSING:
                faults[ref] = (
                    f"{first} and {second} are sure and agree, but it lacks {percent(share)} of "
                    "the words that both found"
                )
    return faults


def _is_sure(seen: Observation) -> bool:
    sure = [word.confidence for word in seen.words or ()]
    return bool(sure) and sum(sure) / len(sure) >= SURE


def _missing(first: str, second: str, layer: str) -> float:
    """The share of two texts' common words that the layer lacks; 0 if the texts differ."""
    first_words, second_words = Counter(content_tokens(first)), Counter(content_tokens(second))
    both = first_words & second_words
    if both.total() < max(FEWEST_WORDS, ALIKE * max(first_words.total(), second_words.total())):
        return 0.0
    return (both - Counter(content_tokens(layer))).total() / both.total()
