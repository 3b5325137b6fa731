"""Pages: the edit distance of each under each condition, and the texts of some."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ohr.report.again import Recipes
from ohr.report.chunks import packed
from ohr.report.images import PageImages
from ohr.report.rendered import blocks_of
from ohr.report.rows import NONE, SCALE, Rows
from ohr.report.texts import TRUTH, Texts
from ohr.report.words import side_by_side
from ohr.study.results import KNOWLEDGE_BASE, StudyRun, knowledge_base_name, rows_of
from ohr.types import PageRef

Key = tuple[str, PageRef]
"""Name of a run, and one of its pages."""


@dataclass
class Pages:
    """All pages that the runs read, with the edit distance of each condition's OCR output."""

    keys: list[Key]
    distances: np.ndarray
    """Float ``(pages, conditions)``; NaN where a condition did not read a page."""
    details: dict[Key, list[int]] = field(default_factory=dict)
    """Pages with details, each with its conditions; numbered in this order from 1."""
    pictures: dict[Key, dict[int, str]] = field(default_factory=dict)
    """Image files of the pages with details: the input of each condition's engine."""

    def json_content(self) -> dict[str, Any]:
        """Columns for the browser."""
        numbers = {key: number for number, key in enumerate(self.details, start=1)}
        is_known = ~np.isnan(self.distances)
        scaled = np.full(self.distances.shape, NONE, dtype=np.uint16)
        scaled[is_known] = np.round(np.clip(self.distances[is_known], 0, 1) * SCALE).astype(
            np.uint16
        )
        pictures: list[dict[int, str]] = [{} for _ in range(self.distances.shape[1])]
        for index, key in enumerate(self.keys):
            for condition, name in self.pictures.get(key, {}).items():
                pictures[condition][index] = name
        return {
            "doc": [ref.doc_id for _, ref in self.keys],
            "page": [ref.page_no for _, ref in self.keys],
            "detail": packed(np.array([numbers.get(k, 0) for k in self.keys], dtype=np.uint32)),
            "distance": [packed(column) for column in scaled.T],
            "picture": pictures,
        }


def make_pages(runs: Mapping[str, StudyRun], rows: Rows) -> Pages:
    """The pages of some runs, in the order of their rows."""
    index = {(c["run"], c["name"]): c["index"] for c in rows.conditions}
    keys: dict[Key, int] = {}
    entries: list[tuple[int, int, float]] = []
    for name, run in runs.items():
        distances = rows_of(run.rows, "ocr", "edit_distance")
        bases = distances[list(KNOWLEDGE_BASE)].drop_duplicates()
        names = {tuple(row): knowledge_base_name(row) for _, row in bases.iterrows()}
        columns = ["doc_id", "page_no", "value", *KNOWLEDGE_BASE]
        for doc, page, value, *base in distances[columns].itertuples(index=False, name=None):
            key = (name, PageRef(str(doc), int(page)))
            position = keys.setdefault(key, len(keys))
            entries.append((position, index[name, names[tuple(base)]], float(value)))
    table = np.full((len(keys), len(rows.conditions)), np.nan)
    for position, condition, value in entries:
        table[position, condition] = value
    return Pages(list(keys), table)


def worst_pages(pages: Pages, count: int) -> list[Key]:
    """The pages with the largest edit distance under any condition, worst first."""
    worst = np.nan_to_num(pages.distances, nan=-1.0).max(axis=1, initial=-1.0)
    order = np.argsort(-worst, kind="stable")[:count]
    return [pages.keys[position] for position in order if worst[position] > 0]


def page_details(
    texts: Mapping[str, Texts],
    rows: Rows,
    pages: Pages,
    recipes: Mapping[str, Recipes],
    images: Mapping[str, PageImages],
) -> Iterator[dict[str, Any]]:
    """The texts and images of the pages with details, in order; adds images to ``pages``."""
    for (name, ref), conditions in pages.details.items():
        truth = texts[name].truth(ref)
        page_images = images.get(name)
        outputs = [
            _output(texts[name], rows, ref, c, truth, recipes[name], page_images)
            for c in sorted(conditions)
        ]
        pages.pictures[name, ref] = {
            output["condition"]: output["images"]["read"] for output in outputs if output["images"]
        }
        yield {
            "run": name,
            "doc": ref.doc_id,
            "page": ref.page_no,
            "truth": truth,
            "set": None if truth is None else blocks_of(truth),
            "of": outputs,
        }


def _output(
    texts: Texts,
    rows: Rows,
    ref: PageRef,
    condition: int,
    truth: str | None,
    recipes: Recipes,
    images: PageImages | None,
) -> dict[str, Any]:
    base = rows.conditions[condition]["kept"]
    text = texts.bases.get(base, {}).get(ref)
    status, detail = texts.outcome(base, ref)
    left_side, right = side_by_side(truth or "", text or "")
    return {
        "condition": condition,
        "status": status,
        "detail": detail,
        "truth": None if truth is None else left_side,
        "read": None if text is None else (right if truth is not None else [[0, text]]),
        "set": None if text is None or base == TRUTH else blocks_of(text),
        "images": images.draw(base, ref) if images else None,
        "python": recipes.python(base, ref),
    }


def pages_with_details(
    pages: Pages, evidence: Sequence[tuple[Key, int]], every: Sequence[Key]
) -> dict[Key, list[int]]:
    """Pages with details: those of cases under their conditions, those of ``every`` under all."""
    selected: dict[Key, set[int]] = {}
    for key, condition in evidence:
        selected.setdefault(key, set()).add(condition)
    place = {key: index for index, key in enumerate(pages.keys)}
    for key in every:
        conditions = np.flatnonzero(~np.isnan(pages.distances[place[key]]))
        selected.setdefault(key, set()).update(int(c) for c in conditions)
    return {key: sorted(numbers) for key, numbers in selected.items()}
