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
    """``pages`` that an engine has to read. ``cost_each`` is its price of a page or, without one,
    the mean cost of those that it has read; None where no cost is known.
    """

    label: str
    pages: int
    cost_each: float | None

    @property
    def likely_cost(self) -> float:
        return self.pages * (self.cost_each or 0.0)


_PRICES = {"prompt_price", "completion_price", "page_price"}


def has_prices(plugin: Plugin[Any]) -> bool:
    """Whether a plug-in asks a server whose price may be given."""
    return not _PRICES.isdisjoint(type(plugin.params).model_fields)


def lacks_price(plugin: Plugin[Any]) -> bool:
    """Whether it asks a server whose price was not set; a server that is free has the price 0."""
    return has_prices(plugin) and _PRICES.isdisjoint(plugin.params.model_fields_set)


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
        each = engine.page_cost()
        if each is None and costs:
            each = sum(costs) / len(costs)
        forecasts.append(PageForecast(label, pages, each))
    return forecasts
