"""What arms change in page texts, and what they cost: numbers changed, CPU seconds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd

from ohr.analysis.mitigations.arms import Arm
from ohr.ocr.noise import noise_name
from ohr.store.artefacts import ArtefactStore
from ohr.study.knowledge_bases import KnowledgeBases
from ohr.study.plan import Variant
from ohr.study.results import Run

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def arm_costs(run: Run, arms: Sequence[Arm]) -> pd.DataFrame:
    """One row per arm that changes page texts, and noise.

    ``numbers_changed`` is the share of the numbers in the page texts without the arm that those
    with it lack; it counts repairs of misread numbers too, so it is harm on clean pages only.
    ``cpu_s`` is the median of the CPU seconds of a page, ``base_cpu_s`` that without the arm.
    """
    plan = run.plan
    bases = KnowledgeBases(plan, ArtefactStore(plan.config.cache))
    by_engine: dict[str, dict[str, list[Variant]]] = {}
    for variant in plan.variants:
        noise = noise_name(variant.noise.name, variant.noise.level, variant.noise.intensity)
        points = by_engine.setdefault(variant.engine.label, {})
        points.setdefault(noise, []).append(variant)
    numbers: dict[str, list[Counter[str]]] = {}
    seconds: dict[str, float] = {}

    def read(engine: str, noise: str) -> tuple[list[Counter[str]], float]:
        """The numbers of each page, and the median CPU seconds of one."""
        key = f"{engine}, {noise}"
        if key not in numbers:
            outcomes = [
                outcome
                for variant in by_engine[engine][noise]
                for outcome in bases.outcomes(variant).values()
            ]
            numbers[key] = [Counter(_NUMBER.findall(each.value or "")) for each in outcomes]
            costs = [bases.cost(variant) for variant in by_engine[engine][noise]]
            medians = [cost["median_cpu_s"] for cost in costs if "median_cpu_s" in cost]
            seconds[key] = sum(medians) / len(medians) if medians else float("nan")
        return numbers[key], seconds[key]

    records: list[dict[str, Any]] = []
    for arm in arms:
        if arm.engine == arm.base_engine:
            continue
        for noise in by_engine[arm.engine]:
            before, base_s = read(arm.base_engine, noise)
            after, arm_s = read(arm.engine, noise)
            lacking = sum((x - y).total() for x, y in zip(before, after, strict=True))
            total = sum(page.total() for page in before)
            records.append(
                {
                    "engine": arm.base_engine,
                    "arm": arm.name,
                    "noise": noise,
                    "numbers_changed": lacking / total if total else float("nan"),
                    "numbers": total,
                    "cpu_s": arm_s,
                    "base_cpu_s": base_s,
                }
            )
    columns = ["engine", "arm", "noise", "numbers_changed", "numbers", "cpu_s", "base_cpu_s"]
    return pd.DataFrame(records, columns=columns).drop_duplicates(columns[:3], ignore_index=True)
