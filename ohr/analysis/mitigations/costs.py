"""What arms change in page texts, and what they cost: numbers changed, words added, CPU seconds."""

from __future__ import annotations

import fnmatch
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import median
from typing import Any

import pandas as pd

from ohr.analysis.mitigations.arms import Arm
from ohr.analysis.realism.table import CLEAN, NATURAL
from ohr.ocr.noise import noise_name
from ohr.ocr.store import stored_cost
from ohr.store.artefacts import ArtefactStore
from ohr.study.knowledge_bases import KnowledgeBases
from ohr.study.plan import Variant
from ohr.study.results import StudyRun
from ohr.types import PageRef

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass
class Page:
    """Numbers and words of a page's text, and the CPU seconds that reading it took, if measured."""

    numbers: Counter[str]
    words: Counter[str]
    cpu_s: float | None


def arm_costs(run: StudyRun, arms: Sequence[Arm], natural: str = "") -> pd.DataFrame:
    """One row per arm that changes page texts, and noise.

    ``numbers_changed`` is the share of the numbers in the page texts without the arm that those
    with it lack; it counts repairs of misread numbers too, so it is harm on clean pages only.
    ``words_added`` is the share of the words, at white space, in the page texts with the arm that
    those without it lack: what a second engine adds, inventions too, and repairs of misread words.
    ``cpu_s`` is the median of the CPU seconds of a page, ``base_cpu_s`` that without the arm.
    ``natural`` matches documents with natural noise, as in
    :func:`~ohr.analysis.mitigations.table.won_back`.
    """
    plan = run.plan
    bases = KnowledgeBases(plan, ArtefactStore(plan.config.cache))
    variants: dict[str, list[Variant]] = {}
    for variant in plan.variants:
        variants.setdefault(variant.engine.label, []).append(variant)

    @cache
    def read(engine: str) -> dict[str, list[Page]]:
        """The pages by noise, in the same order for each engine."""
        by_noise: dict[str, list[Page]] = {}
        for variant in variants[engine]:
            for ref, page in _pages(bases, variant):
                point = variant.noise
                noise = noise_name(point.name, point.level, point.intensity)
                if noise == CLEAN and natural and fnmatch.fnmatchcase(ref.doc_id, natural):
                    noise = NATURAL
                by_noise.setdefault(noise, []).append(page)
        return by_noise

    records: list[dict[str, Any]] = []
    for arm in arms:
        if arm.engine == arm.base_engine:
            continue
        before, after = read(arm.base_engine), read(arm.engine)
        for noise, pages in after.items():
            pairs = list(zip(before[noise], pages, strict=True))
            lacking = sum((base.numbers - page.numbers).total() for base, page in pairs)
            total = sum(base.numbers.total() for base, _ in pairs)
            added = sum((page.words - base.words).total() for base, page in pairs)
            words = sum(page.words.total() for page in pages)
            records.append(
                {
                    "engine": arm.base_engine,
                    "arm": arm.name,
                    "noise": noise,
                    "numbers_changed": lacking / total if total else float("nan"),
                    "numbers": total,
                    "words_added": added / words if words else float("nan"),
                    "words": words,
                    "cpu_s": _median(pages),
                    "base_cpu_s": _median(before[noise]),
                }
            )
    columns = ["engine", "arm", "noise", "numbers_changed", "numbers", "words_added", "words"]
    columns += ["cpu_s", "base_cpu_s"]
    return pd.DataFrame(records, columns=columns).drop_duplicates(columns[:3], ignore_index=True)


def _pages(bases: KnowledgeBases, variant: Variant) -> Iterator[tuple[PageRef, Page]]:
    identity = bases.plan.engines[variant.engine.label].identity()
    outcomes = bases.outcomes(variant)
    for task in bases.tasks(variant):
        cost = stored_cost(bases.store, task.key, identity) or {}
        text = outcomes[task.ref].value or ""
        numbers, words = Counter(_NUMBER.findall(text)), Counter(text.split())
        yield task.ref, Page(numbers, words, cost.get("cpu_s"))


def _median(pages: Sequence[Page]) -> float:
    measured = [page.cpu_s for page in pages if page.cpu_s is not None]
    return median(measured) if measured else float("nan")
