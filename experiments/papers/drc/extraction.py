"""Words of paragraphs and of tables that engines extract, after table 3 of the DRC paper.

Precision, recall and F1 of a document's words as multisets, averaged over documents. Paragraphs
are running text without headings; what an engine does not mark as a heading, or leaves out, is one
to it. An engine that marks no table in a document is judged by all its words there, as extractors
without regions are in the paper.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

import pandas as pd

from ohr.analysis.page_texts import read_pages
from ohr.markup.headings import headings
from ohr.metrics.regions import KINDS, region_words, regions, word_overlap
from ohr.ocr.progress import Progress
from ohr.study.config import StudyConfig
from ohr.types import PageRef

PARTS = ("precision", "recall", "f1")
GROUPS = {"paragraphs": "text", "tables": "table"}
"""The paper's kinds of region, by ours."""
Words = Mapping[str, Counter[str]]
"""The words of a document by kind of region."""


def extraction_table(config: StudyConfig, progress: Progress) -> pd.DataFrame:
    """One row per knowledge base and kind: ``documents`` that have it, and the three means.

    With several draws of the noise, all count the same. A page that failed has no words.
    Raises OhrError.
    """
    pages_read = read_pages(config, progress)
    of_document: dict[str, list[PageRef]] = {}
    for ref in pages_read.refs:
        of_document.setdefault(ref.doc_id, []).append(ref)
    pages = pages_read.dataset.pages
    truth = {
        doc: words_by_kind(pages[ref].text for ref in refs) for doc, refs in of_document.items()
    }
    rows = []
    judging = Progress(verb="judging", unit="documents")
    with judging:
        for key, draws in pages_read.conditions():
            scores: dict[str, list[Sequence[float]]] = {group: [] for group in GROUPS}
            for label, kb in draws:
                for done, (doc, refs) in enumerate(of_document.items(), start=1):
                    output = words_by_kind(kb.text(ref) for ref in refs)
                    for group, kind in GROUPS.items():
                        if expected := truth[doc][kind]:
                            predicted = output[kind] or sum(output.values(), Counter[str]())
                            scores[group].append(word_overlap(predicted, expected))
                    judging(label, done, len(of_document))
            for group, values in scores.items():
                means = [fmean(column) for column in zip(*values, strict=True)] if values else []
                by_part = dict(zip(PARTS, means or [float("nan")] * len(PARTS), strict=True))
                rows.append(key | {"kind": group, "documents": len(values) // len(draws)} | by_part)
    return pd.DataFrame(rows)


def words_by_kind(pages: Iterable[str]) -> dict[str, Counter[str]]:
    """The words of some pages by kind of region, without headings."""
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    for page in pages:
        found_regions = regions(_drop_headings(page))
        for kind in KINDS:
            counts[kind].update(region_words(found_regions, kind))
    return counts


def _drop_headings(text: str) -> str:
    parts, end = [], 0
    for heading in headings(text):
        parts.append(text[end : heading.start])
        end = heading.end
    return "".join([*parts, text[end:]])
