"""The condition that a row or a cell belongs to, and its columns."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from itertools import product

from ohr.ocr.noise import noise_name
from ohr.study.config import BUILT_IN, Stage
from ohr.study.plan import Plan, Variant


@dataclass(frozen=True)
class Condition:
    """The key columns; what does not apply to a stage is empty (None for ``top_k``)."""

    noise: str
    perturbation: str
    level: str
    intensity: float
    engine: str
    system: str
    chunker: str
    retriever: str
    reader: str
    top_k: int | None
    kb_scope: str
    protocol: str
    seed: int

    def restricted(self, stage: Stage) -> Condition:
        """The condition without the columns that do not apply to a stage."""
        uses_retriever = stage in ("retrieval", "overall")
        return replace(
            self,
            system=self.system if stage == "overall" else "",
            chunker=self.chunker if uses_retriever else "",
            retriever=self.retriever if uses_retriever else "",
            top_k=self.top_k if uses_retriever else None,
            reader=self.reader if stage in ("generation", "overall") else "",
        )


CONDITION_COLUMNS = tuple(field.name for field in fields(Condition))


def name_of(condition: Condition) -> str:
    """A condition in words: ``tesseract, rotation 0.3, page, bm25, extractive``."""
    noise = noise_name(condition.perturbation, condition.level, condition.intensity)
    system = "" if condition.system == BUILT_IN else condition.system
    parts = (condition.chunker, condition.retriever, condition.reader, system)
    return ", ".join(part for part in (condition.engine, noise, *parts) if part)


def condition_of(
    plan: Plan,
    variant: Variant,
    chunker: str = "",
    retriever: str = "",
    reader: str = "",
    top_k: int | None = None,
    system: str = BUILT_IN,
) -> Condition:
    """The condition of a variant under a chunker, a retriever and a reader."""
    config = plan.config
    return Condition(
        noise=variant.noise.kind,
        perturbation=variant.noise.name,
        level=variant.noise.level,
        intensity=variant.noise.intensity,
        engine=variant.engine.label,
        system=system,
        chunker=chunker,
        retriever=retriever,
        reader=reader,
        top_k=config.top_k if top_k is None else top_k,
        kb_scope=plan.kb_scope,
        protocol=config.scoring,
        seed=config.seed,
    )


def condition_of_system(plan: Plan, variant: Variant, system: str) -> Condition:
    """The condition of a variant under a whole system."""
    condition = condition_of(plan, variant, system=system).restricted("overall")
    return replace(condition, top_k=None)


def conditions(plan: Plan, stage: Stage) -> list[Condition]:
    """Every condition that the plan measures at a stage, in order."""
    ordered: dict[Condition, None] = {}
    cutoffs = plan.config.cutoffs if stage == "retrieval" else (plan.config.top_k,)
    for variant in plan.variants:
        if stage != "overall" or plan.has_built_in:
            readers = list(plan.readers)
            if stage == "overall":
                readers += [name for name, _, _ in plan.readings_elsewhere(variant)]
            for chunker, retriever, reader, k in product(
                plan.chunkers or [""], plan.retrievers or [""], readers or [""], cutoffs
            ):
                condition = condition_of(plan, variant, chunker, retriever, reader, k)
                ordered[condition.restricted(stage)] = None
        if stage == "overall":
            for system in plan.systems:
                ordered[condition_of_system(plan, variant, system)] = None
    return list(ordered)
