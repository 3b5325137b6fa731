"""Which writing system a page is in, and which engines can write it at all.

An engine writes letters of its alphabet only, whatever is on the page: that an engine without
ideographs writes Latin letters on a Chinese page says nothing against an engine that has both.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping

import pandas as pd

from ohr.markup.writing_systems import writing_system
from ohr.types import PageRef

__all__ = ["FEWEST_LETTERS", "page_script", "pages_of_unknown_script", "scripts_in"]

FEWEST_LETTERS = 15
"""Fewest letters of a writing system in the alphabet of an engine that writes it, and fewest
letters of a page whose writing system is told."""

LEAST_APART = 0.5
"""Disagreement from which outputs may be of a writing system that no engine writes. On 11 documents
as photographs it is 0.95 and more where none does, and 0.02 to 0.99 elsewhere."""
LEAST_UNSURE = 0.2
"""The same for 1 - the mean confidence of a single engine."""


def scripts_in(alphabet: Collection[str]) -> frozenset[str]:
    """The writing systems of which an alphabet has enough letters."""
    counts = Counter(writing_system(char) for char in alphabet if len(char) == 1)
    return frozenset(name for name, n in counts.items() if name and n >= FEWEST_LETTERS)


def page_script(texts: Mapping[str, str], scripts: Mapping[str, Collection[str]]) -> str:
    """The writing system of a page; empty if the texts have too few letters.

    ``texts`` are the outputs by engine, ``scripts`` the writing systems of the engines whose
    alphabet is known; others can write anything. Each system counts by its mean share of the
    letters of the engines that can write it.
    """
    shares: dict[str, dict[str, float]] = {}
    for engine, text in texts.items():
        counts = Counter(filter(None, map(writing_system, text)))
        if (total := counts.total()) >= FEWEST_LETTERS:
            shares[engine] = {name: n / total for name, n in counts.items()}
    names = sorted({name for of in shares.values() for name in of})
    means = {}
    for name in names:
        able = [of for engine, of in shares.items() if name in scripts.get(engine, (name,))]
        if able:
            means[name] = sum(of.get(name, 0.0) for of in able) / len(able)
    return max(means, key=lambda name: means[name], default="")


def pages_of_unknown_script(table: pd.DataFrame, pages: Collection[PageRef]) -> list[PageRef]:
    """The pages of ``pages`` whose outputs may be of a writing system that no engine writes.

    Engines that write Latin letters only write these for any script, and each engine others.
    ``table`` has the signals ``disagreement`` and ``confidence``, and the ``script``. Where no
    output is near another one, or the only one is unsure, only the picture shows the writing
    system: unless the outputs are in letters of another one than Latin.
    """
    columns = ["disagreement", "confidence", "script"]
    groups = table.groupby(["doc_id", "page_no"], sort=False)[columns].min()
    chosen = []
    for (doc_id, page_no), apart, unsure, script in groups.itertuples():
        ref = PageRef(str(doc_id), int(page_no))
        doubtful = unsure >= LEAST_UNSURE if math.isnan(apart) else apart >= LEAST_APART
        if ref in pages and script in ("", "Latin") and doubtful:
            chosen.append(ref)
    return chosen
