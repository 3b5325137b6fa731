"""The pages of a study's knowledge bases, for analyses of OCR output."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ohr.collection import Dataset
from ohr.files.safe_text import plain
from ohr.ocr.progress import Progress
from ohr.store.artefacts import ArtefactStore
from ohr.study.conditions import Condition, condition_of
from ohr.study.config import StudyConfig
from ohr.study.knowledge_bases import KnowledgeBases
from ohr.study.loading import load_dataset
from ohr.study.plan import Plan, Variant, make_plan
from ohr.types import KnowledgeBase, PageRef

Key = dict[str, object]
"""``engine``, ``perturbation``, ``level``, ``intensity``, and counts of ``pages`` and ``draws``."""


@dataclass(frozen=True)
class ReadPages:
    """Knowledge bases by condition; ``refs``: their re-read pages that have a ground truth, the
    order of whose words is known."""

    plan: Plan
    dataset: Dataset
    refs: list[PageRef]
    knowledge_bases: KnowledgeBases

    def conditions(self) -> Iterator[tuple[Key, list[tuple[str, KnowledgeBase]]]]:
        """Each condition with its draws: label and knowledge base."""
        draws: dict[Condition, list[Variant]] = {}
        for variant in self.plan.variants:
            draws.setdefault(condition_of(self.plan, variant), []).append(variant)
        for condition, variants in draws.items():
            key: Key = {
                "engine": condition.engine,
                "perturbation": condition.perturbation,
                "level": condition.level,
                "intensity": condition.intensity,
                "pages": len(self.refs),
                "draws": len(variants),
            }
            yield (
                key,
                [(self.plan.label(v), self.knowledge_bases.knowledge_base(v)) for v in variants],
            )


def read_pages(config: StudyConfig, progress: Progress) -> ReadPages:
    """Read the pages that are not in the cache. Raises OhrError."""
    dataset = load_dataset(config)
    if dataset.report:
        progress.say(plain(f"dataset: {dataset.report.summary()}"))
    plan = make_plan(config, dataset)
    for note in plan.unreachable:
        progress.say(f"left out: {note}")
    knowledge_bases = KnowledgeBases(plan, ArtefactStore(config.cache))
    with progress:
        knowledge_bases.make(progress)
    refs = [ref for ref in plan.reread if dataset.has_order(ref)]
    return ReadPages(plan, dataset, refs, knowledge_bases)
