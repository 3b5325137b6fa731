"""The table of signals: one row per page and engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import pandas as pd

from ohr.quality.language import Corpus
from ohr.quality.signals import PageOutput, signals
from ohr.quality.texts import content
from ohr.types import FAILED, Holes, Outcome, PageRef, Word

KEY = ("engine", "doc_id", "page_no", "status")


@dataclass(frozen=True)
class Observation:
    """One engine's output of a page, its repeats under mild distortions, and its words."""

    outcome: Outcome[str]
    repeats: tuple[str, ...] = ()
    words: tuple[Word, ...] | None = None

    @property
    def text(self) -> str:
        """The page text; empty if the page failed."""
        return self.outcome.value or ""


def signal_table(
    outputs: Mapping[str, Mapping[PageRef, Observation]],
    layers: Mapping[PageRef, str | None],
    not_images: frozenset[str] = frozenset(),
    holes: Mapping[PageRef, Holes] = MappingProxyType({}),
) -> pd.DataFrame:
    """The signals of every page of every engine, in order.

    ``outputs`` are observations by engine, ``layers`` the text layers that can stand for their
    pages. Engines of ``not_images`` read the layer itself: they are not compared with the layer,
    nor with other engines. ``holes`` have what is not known of layers, which is not compared. An
    engine that failed on a page is not compared with either. The
    language of the documents comes from the texts of all engines.
    """
    corpora: dict[str, list[str]] = {}
    for label, pages in outputs.items():
        if label not in not_images:
            for ref, seen in pages.items():
                corpora.setdefault(ref.doc_id, []).append(content(seen.text))
    corpus = Corpus(corpora)
    languages = {doc_id: corpus.leave_out(doc_id) for doc_id in corpora}
    rows = []
    for label, pages in outputs.items():
        for ref, seen in pages.items():
            rest = tuple(
                outputs[other][ref].text
                for other in outputs
                if other not in (label, *not_images)
                and ref in outputs[other]
                and outputs[other][ref].outcome.status not in FAILED
            )
            layer = None if label in not_images else layers.get(ref)
            page = PageOutput(seen.text, rest, seen.repeats, layer, seen.words, holes.get(ref))
            values = signals(page, languages.get(ref.doc_id))
            rows.append(
                {
                    "engine": label,
                    "doc_id": ref.doc_id,
                    "page_no": ref.page_no,
                    "status": str(seen.outcome.status),
                    **values,
                }
            )
    return pd.DataFrame(rows)
