"""Forecasts what engines behind servers will cost, from the pages that they have read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ohr.ocr.store import stored_cost
from ohr.plugins import OcrBackend
from ohr.plugins.base import Plugin
from ohr.store.artefacts import ArtefactStore
from ohr.study.knowledge_bases import KnowledgeBases
from ohr.study.plan import Plan


@dataclass(frozen=True)
class PageForecast:
    """``pages`` that an engine has to read. ``cost_each`` is the mean cost of those that it has
    read; None where no cost is known.
    """

    label: str
    pages: int
    cost_each: float | None

    @property
    def likely_cost(self) -> float:
        return self.pages * (self.cost_each or 0.0)


def has_prices(plugin: Plugin[Any]) -> bool:
    """Whether a plug-in asks a server whose price may be given."""
    return "prompt_price" in type(plugin.params).model_fields


def forecast_pages(plan: Plan, store: ArtefactStore) -> list[PageForecast]:
    """What each engine with prices has to read."""
    knowledge_bases = KnowledgeBases(plan, store)
    forecasts = []
    for label, engine in plan.engines.items():
        if not isinstance(engine, OcrBackend) or not has_prices(engine):
            continue
        variants = [variant for variant in plan.variants if variant.engine.label == label]
        identity = engine.identity()
        costs = [
            cost["cost"]
            for variant in variants
            for task in knowledge_bases.tasks(variant)
            if (cost := stored_cost(store, task.key, identity)) and "cost" in cost
        ]
        pages = sum(map(knowledge_bases.pending, variants))
        forecasts.append(PageForecast(label, pages, sum(costs) / len(costs) if costs else None))
    return forecasts
