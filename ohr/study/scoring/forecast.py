"""Forecasts what a study asks language models: answers, tokens and cost, without asking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from pydantic import BaseModel

from ohr import registry
from ohr.errors import ConfigError
from ohr.plugins import Chat, Reader
from ohr.plugins.base import Plugin
from ohr.registry import PluginSpec
from ohr.scoring.answers import Answering
from ohr.scoring.measuring import JUDGE
from ohr.scoring.rankings import NotRankedError
from ohr.store.artefacts import ArtefactStore
from ohr.study.knowledge_bases import KnowledgeBases
from ohr.study.page_costs import PageForecast, forecast_pages, lacks_price
from ohr.study.plan import Plan
from ohr.study.scoring.asking import make_answering
from ohr.study.scoring.conditions import Scorer, gold_contexts
from ohr.study.scoring.repeats import is_repeated
from ohr.types import Hit, KnowledgeBase, Outcome

_ANSWER = "an answer of some words"
"""Stands for the answers that a judge reads, before anybody has given them."""


@dataclass
class Forecast:
    """What a reader or judge would be asked.

    ``usage`` is that of the answers ``to_ask``, at most; ``answer_tokens`` is the mean of the
    stored answers, if there are enough; ``at_once`` the number of requests at the same time.
    """

    label: str
    at_once: int = 1
    answer_tokens: float | None = None
    token_price: float = 0.0
    """The price of one token of an answer."""
    to_ask: int = 0
    stored: int = 0
    usage: Counter[str] = field(default_factory=Counter)

    @property
    def likely_cost(self) -> float:
        """The cost with answers as long as the stored ones; without those, the most."""
        if self.answer_tokens is None:
            return self.usage["cost"]
        fewer = self.usage["completion_tokens"] - self.answer_tokens * self.to_ask
        return self.usage["cost"] - fewer * self.token_price

    def add(self, reader: Reader, question: str, context: Sequence[Hit]) -> None:
        """Add an answer to ask for."""
        self.to_ask += 1
        self.usage.update(reader.expected_usage(question, context))


@dataclass(frozen=True)
class _Block:
    """The contexts of all questions, for some readers; ``is_exact`` if they are those that the
    study will give, and not other texts in their place.
    """

    name: str
    readers: Sequence[str]
    contexts: Sequence[Sequence[Hit]]
    is_exact: bool


def forecast(plan: Plan, store: ArtefactStore) -> list[Forecast]:
    """What each reader that counts tokens would be asked, and the judge.

    Pages that are not read yet count with their ground truth, and rankings that are not stored with
    the evidence pages. Equal questions on equal contexts count once, as far as that is known.
    """
    readers = {label: reader for label, reader in plan.readers.items() if _counts_tokens(reader)}
    if not readers and plan.judge is None:
        return []
    answering = make_answering(plan.config, store)
    forecasts = {label: _empty(label, reader, answering) for label, reader in readers.items()}
    seen: dict[str, set[str]] = {label: set() for label in readers}
    questions = [question.text for question in plan.questions]
    n_answers = 0
    for block in _blocks(plan, store, answering):
        n_answers += len(block.readers) if block.contexts and any(block.contexts) else 0
        for label in readers.keys() & set(block.readers):
            reader = readers[label]
            repeats = plan.config.repeats if is_repeated(plan, reader) else 1
            for repeat in range(repeats):
                numbers = range(len(questions))
                places = {f"{block.name}: {place}, {repeat}": place for place in numbers}
                stored: set[str] = set()
                if block.is_exact and not reader.reads_images:
                    places, stored = answering.places_to_ask(
                        reader, questions, block.contexts, repeat
                    )
                forecasts[label].stored += len(stored - seen[label])
                for key, place in places.items():
                    if key not in seen[label]:
                        forecasts[label].add(reader, questions[place], block.contexts[place])
                seen[label] |= places.keys() | stored
    return [*forecasts.values(), *_judge_forecast(plan, answering, n_answers)]


def _counts_tokens(reader: Reader) -> bool:
    return bool(reader.expected_usage("", []))


def _empty(label: str, reader: Reader, answering: Answering) -> Forecast:
    at_once = reader.at_once if isinstance(reader, Chat) else 1
    without, with_token = (reader.expected_usage("", [], n).get("cost", 0.0) for n in (0, 1))
    return Forecast(label, at_once, answering.mean_answer_tokens(reader), with_token - without)


def _blocks(plan: Plan, store: ArtefactStore, answering: Answering) -> Iterator[_Block]:
    """All that a study asks, in its order."""
    config, readers = plan.config, list(plan.readers)
    scorer = Scorer(plan, store, answering)
    scorer.rankings.stored_only = True
    knowledge_bases = KnowledgeBases(plan, store)
    truth = KnowledgeBase(
        {ref: Outcome.of_text(page.text) for ref, page in plan.dataset.pages.items()}
    )
    if "generation" in config.stages:
        yield _Block("closed book", readers, [[] for _ in plan.questions], is_exact=True)
    for variant in plan.variants:
        is_read = not knowledge_bases.pending(variant)
        kb = knowledge_bases.knowledge_base(variant) if is_read else truth
        pages = gold_contexts(plan, kb)
        if "generation" in config.stages:
            yield _Block(f"{plan.label(variant)}, pages", readers, pages, is_read)
        if "overall" not in config.stages or not plan.has_built_in:
            continue
        elsewhere = [reader for _, reader, _ in plan.readings_elsewhere(variant)]
        for setting in product(plan.chunkers, plan.retrievers):
            name = f"{plan.label(variant)}, {', '.join(setting)}"
            hits = _hits(scorer, kb, setting) if is_read else None
            yield _Block(name, readers, pages if hits is None else hits, hits is not None)
            if elsewhere:
                yield _Block(f"{name}, elsewhere", elsewhere, pages, is_exact=False)
    knowledge_bases.close()


def _hits(scorer: Scorer, kb: KnowledgeBase, setting: tuple[str, str]) -> list[list[Hit]] | None:
    """The hits that readers get; None where the ranking is not stored."""
    try:
        rankings = scorer.retrieve(kb, *setting)
    except NotRankedError:
        return None
    return [ranking[: scorer.plan.config.top_k] for ranking in rankings]


def _judge_forecast(plan: Plan, answering: Answering, n_answers: int) -> list[Forecast]:
    """What a judge is asked at most: ``n_answers`` to each question."""
    judge = plan.judge
    if judge is None or not any("judge" in metric.needs for metric in plan.metrics.values()):
        return []
    if is_repeated(plan, judge) or any(is_repeated(plan, each) for each in plan.readers.values()):
        n_answers *= plan.config.repeats
    expected = _empty(JUDGE, judge, answering)
    for question in plan.questions if n_answers else ():
        shown = Hit(question.place, "\n".join([*question.answers, _ANSWER]), 1.0, 0)
        usage = judge.expected_usage(question.text, [shown])
        expected.usage.update({name: value * n_answers for name, value in usage.items()})
        expected.to_ask += n_answers
    return [expected]


def check_cost(plan: Plan, store: ArtefactStore) -> None:
    """Raise ConfigError if a study would probably cost more than ``max_cost``, or if a server's
    prices are not known.
    """
    most = plan.config.max_cost
    if most is None:
        return
    pages = forecast_pages(plan, store)
    for label, plugin in _plugins_to_pay(plan, pages):
        if lacks_price(plugin):
            raise ConfigError(
                f"max_cost: the prices of {label!r} are not known: set {_names_of_prices(plugin)} "
                "(0 if it is free)"
            )
    for label, system in plan.systems.items():
        if priced := _priced_parts(system.params):
            raise ConfigError(
                f"max_cost cannot limit system {label!r}, which asks {priced[0]} as it goes: leave "
                "out one of them"
            )
    forecasts = forecast(plan, store)
    # What a judge is asked is a bound, far too high where verdicts are stored.
    likely = sum(each.likely_cost for each in forecasts if each.label != JUDGE)
    likely += sum(each.likely_cost for each in pages)
    if likely > most:
        is_bound = any(each.answer_tokens is None for each in forecasts)
        amount = f"{'up to' if is_bound else 'about'} {likely:.2f}"
        what = "pages and answers" if pages else "the answers"
        raise ConfigError(
            f"max_cost: {what} would cost {amount}, more than {most:g}: nothing was asked; "
            "--dry-run lists them"
        )


def _plugins_to_pay(plan: Plan, pages: Sequence[PageForecast]) -> list[tuple[str, Plugin[Any]]]:
    """Readers, retrievers and the judge, and engines that have pages to read."""
    judge = [] if plan.judge is None else [(JUDGE, plan.judge)]
    engines = [(each.label, plan.engines[each.label]) for each in pages if each.pages]
    return [*engines, *plan.retrievers.items(), *plan.readers.items(), *judge]


def _names_of_prices(plugin: Plugin[Any]) -> str:
    fields = type(plugin.params).model_fields
    if "page_price" in fields:
        return "page_price, of a thousand pages"
    names = [name for name in ("prompt_price", "completion_price") if name in fields]
    return f"{' and '.join(names)}, per million tokens"


def _priced_parts(params: BaseModel) -> list[str]:
    """The names of the readers among a plug-in's parameters that may ask a server for money."""
    specs = [value for value in dict(params).values() if isinstance(value, PluginSpec)]
    return [
        spec.name
        for spec in specs
        if spec.name in registry.known("reader")
        and "prompt_price" in type(registry.create("reader", spec).params).model_fields
    ]
