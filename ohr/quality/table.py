"""The signals of many pages, as several engines read them: a row for each page and engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from ohr.quality.language import Corpus
from ohr.quality.signals import PageReading, signals
from ohr.quality.texts import content
from ohr.types import FAILED, Outcome, PageRef, Word

KEY = ("engine", "doc_id", "page_no", "status")


@dataclass(frozen=True)
class Seen:
    """One engine's reading of one page, and what was seen beside it."""

    outcome: Outcome[str]
    rereadings: tuple[str, ...] = ()
    words: tuple[Word, ...] | None = None

    @property
    def text(self) -> str:
        """What was read; nothing where it failed."""
        return self.outcome.value or ""


def signal_table(
    readings: Mapping[str, Mapping[PageRef, Seen]],
    layers: Mapping[PageRef, str | None],
    not_images: frozenset[str] = frozenset(),
) -> pd.DataFrame:
    """The signals of every page of every engine, in order.

    ``readings`` are by engine; ``layers`` the text layers that can stand for their pages. An
    engine of ``not_images`` reads the layer itself: it is no other engine, and is not compared with
    the layer. Nor is one that failed on a page another engine there. The documents' language is
    made of all engines' texts together.
    """
    corpora: dict[str, list[str]] = {}
    for label, pages in readings.items():
        if label not in not_images:
            for ref, seen in pages.items():
                corpora.setdefault(ref.doc_id, []).append(content(seen.text))
    corpus = Corpus(corpora)
    languages = {doc_id: corpus.without(doc_id) for doc_id in corpora}
    rows = []
    for label, pages in readings.items():
        for ref, seen in pages.items():
            others = tuple(
                readings[other][ref].text
                for other in readings
                if other not in (label, *not_images)
                and ref in readings[other]
                and readings[other][ref].outcome.status not in FAILED
            )
            layer = None if label in not_images else layers.get(ref)
            reading = PageReading(seen.text, others, seen.rereadings, layer, seen.words)
            found = signals(reading, languages.get(ref.doc_id))
            rows.append(
                {
                    "engine": label,
                    "doc_id": ref.doc_id,
                    "page_no": ref.page_no,
                    "status": str(seen.outcome.status),
                    **found,
                }
            )
    return pd.DataFrame(rows)
