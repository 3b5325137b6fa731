"""Formatting commands per page, by kind and knowledge base."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pandas as pd

from ohr.errors import ConfigError
from ohr.ocr.progress import Progress
from ohr.plugins import KnowledgeBaseSource
from ohr.store.artefacts import ArtefactStore
from ohr.study.config import StudyConfig
from ohr.study.knowledge_bases import KnowledgeBases
from ohr.study.loading import load_dataset
from ohr.study.plan import make_plan
from ohr.types import Outcome
from perturb.text.commands import KINDS, count_commands, paper_count


def count_knowledge_bases(config: StudyConfig) -> pd.DataFrame:
    """Mean counts per page with text: one row per kind, then ``all`` and ``pages``.

    There is one column per knowledge base. Only re-read pages count, since the other pages have no
    noise. Formatting noise is applied to the ground truth, and has the engine's label if several
    engines are ``gt``; the text of other engines is counted unchanged.
    """
    dataset = load_dataset(config)
    columns: dict[str, dict[str, float]] = {}
    several = sum(spec.name == "gt" for spec in config.engines) > 1
    with Progress(verb="counting", unit="knowledge bases") as progress:
        for spec in config.engines:
            noise = config.noise if spec.name == "gt" else ()
            plan = make_plan(
                config.one_draw().model_copy(
                    update={"engines": (spec,), "noise": noise, "ground_truth": False}
                ),
                dataset,
            )
            if not isinstance(plan.engines[spec.label], KnowledgeBaseSource):
                raise ConfigError(
                    f"engine {spec.label!r} reads pages; paper format-counts needs existing text: "
                    "gt or precomputed:<kb>"
                )
            knowledge_bases = KnowledgeBases(plan, ArtefactStore(config.cache))
            for done, variant in enumerate(plan.variants, start=1):
                noisy = variant.noise.operator is not None
                name = f"{variant.noise.name} {variant.noise.strength}" if noisy else spec.label
                name = f"{spec.label}, {name}" if noisy and several else name
                pages = knowledge_bases.knowledge_base(variant).pages
                columns[name] = _mean_counts(pages[ref] for ref in plan.reread if ref in pages)
                progress(spec.label, done, len(plan.variants))
    return pd.DataFrame(columns)


def _mean_counts(pages: Iterable[Outcome[str]]) -> dict[str, float]:
    total: Counter[str] = Counter()
    texts = [page.value for page in pages if page.value and page.value.strip()]
    for text in texts:
        counts = count_commands(text)
        total.update(counts)
        total["all"] += paper_count(counts)
    n = max(len(texts), 1)
    return {kind: total[kind] / n for kind in (*KINDS, "all")} | {"pages": float(len(texts))}
