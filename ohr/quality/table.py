"""The table of signals: one row per page and engine."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import pandas as pd

from ohr.quality.bounds import Apart, apart, write_apart
from ohr.quality.language import Corpus
from ohr.quality.signals import PageOutput, signals
from ohr.quality.texts import content
from ohr.quality.writing import page_script
from ohr.types import FAILED, Holes, Outcome, PageRef, Word

APART = "apart"
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
    scripts: Mapping[str, Collection[str]] = MappingProxyType({}),
    kin: Mapping[str, Collection[str]] = MappingProxyType({}),
    pictured: Mapping[PageRef, str] = MappingProxyType({}),
) -> pd.DataFrame:
    """The signals of every page of every engine, in order.

    ``outputs`` are observations by engine, ``layers`` the text layers that can stand for their
    pages. Engines of ``not_images`` read the layer itself: they are not compared with the layer,
    nor with other engines. ``holes`` have what is not known of layers, which is not compared. An
    engine that failed on a page is not compared with either. The
    language of the documents comes from the texts of all engines. The column :data:`APART` says how
    far each output is from those of the other engines, as :func:`ohr.quality.bounds.write_apart`
    writes it.

    ``scripts`` are the writing systems that engines can write, of those whose alphabet is known.
    The columns ``script`` and ``writes_script`` are the writing system of the page and whether the
    engine can write it. Outputs of engines that cannot are not compared with others. ``pictured``
    are the writing systems of pages whose outputs do not say it, by their pictures. ``kin`` are
    the engines that share a recogniser with each: that these agree with it says nothing.
    """
    corpora: dict[str, list[str]] = {}
    for label, pages in outputs.items():
        if label not in not_images:
            for ref, seen in pages.items():
                corpora.setdefault(ref.doc_id, []).append(content(seen.text))
    corpus = Corpus(corpora)
    languages = {doc_id: corpus.leave_out(doc_id) for doc_id in corpora}
    written = _page_scripts(outputs, not_images, scripts) | dict(pictured)

    def writes(label: str, ref: PageRef) -> bool:
        script = written.get(ref, "")
        return not script or script in scripts.get(label, (script,))

    rows = []
    pairs: dict[tuple[PageRef, str, str], dict[str, Apart]] = {}
    for label, pages in outputs.items():
        for ref, seen in pages.items():
            others = [
                other
                for other in outputs
                if other not in (label, *not_images)
                and ref in outputs[other]
                and outputs[other][ref].outcome.status not in FAILED
                and writes(other, ref)
            ]
            rest = tuple(
                outputs[other][ref].text for other in others if other not in kin.get(label, ())
            )
            is_compared = (
                label not in not_images and seen.outcome.status not in FAILED and writes(label, ref)
            )
            for other in others if is_compared else ():
                if (ref, other, label) in pairs:
                    of = {name: each.swapped() for name, each in pairs[ref, other, label].items()}
                else:
                    of = apart(seen.text, outputs[other][ref].text)
                pairs[ref, label, other] = of
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
                    "script": written.get(ref, ""),
                    "writes_script": label in not_images or writes(label, ref),
                    APART: write_apart(
                        {
                            other: pairs[ref, label, other]
                            for other in others
                            if (ref, label, other) in pairs
                        }
                    ),
                }
            )
    return pd.DataFrame(rows)


def _page_scripts(
    outputs: Mapping[str, Mapping[PageRef, Observation]],
    not_images: frozenset[str],
    scripts: Mapping[str, Collection[str]],
) -> dict[PageRef, str]:
    """The writing system of each page that an engine of page images read."""
    texts: dict[PageRef, dict[str, str]] = {}
    for label, pages in outputs.items():
        if label not in not_images:
            for ref, seen in pages.items():
                texts.setdefault(ref, {})[label] = seen.text
    return {ref: page_script(of, scripts) for ref, of in texts.items()}
