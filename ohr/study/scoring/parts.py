"""Scores a plan in several processes; each scores the pages and questions of some scopes.

A question searches only its scope (its domain, or its document), so scopes share nothing but
cached work on texts. Results are joined in the plan's order, so they do not depend on the number
of processes.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from ohr.plugins import Retriever
from ohr.scoring.answers import Answering
from ohr.store.artefacts import ArtefactStore
from ohr.study.plan import Plan, Variant
from ohr.study.scoring.conditions import Scorer
from ohr.study.scoring.measuring import Scores
from ohr.types import Hit, KnowledgeBase, PageRef
from ohr.workers.forked import GONE, PATIENCE_S, Copy, spare_cores

log = logging.getLogger("ohr.study")

OCR, RANKING, RETRIEVAL = "ocr", "ranking", "retrieval"
"""Kinds of steps."""
Ranking = list[list[Hit]]
Step = list[Scores] | Ranking
StepKey = tuple[str | int, ...]
"""What a step scores: its kind, then its chunker, retriever and number of hits, if it has any."""
_Place = tuple[PageRef, tuple[int, int], float]
"""A hit without its text, which the knowledge base has."""


def make_scorer(plan: Plan, store: ArtefactStore, answering: Answering) -> Scorer:
    """The scorer of a plan: one process, or several if there are cores and scopes for them."""
    parts = _parts(plan, 1 + spare_cores(plan.config.workers))
    if len(parts) > 1:
        try:
            return SharedScorer(plan, store, answering, parts)
        except OSError as error:
            log.warning("no further process to score in: %s", error)
    return Scorer(plan, store, answering)


def _parts(plan: Plan, most: int) -> list[Plan]:
    """The plan of each process: scopes with about the same number of characters."""
    if most < 2 or not plan.is_large or not _splits(plan):
        return [plan]
    sizes: dict[str, int] = dict.fromkeys(plan.units.scopes, 0)
    for ref in plan.reread:
        scope = plan.units.scope_of_document(ref.doc_id)
        sizes[scope] = sizes.get(scope, 0) + len(plan.dataset.pages[ref].text)
    scopes: list[set[str]] = [set() for _ in range(min(most, len(sizes)))]
    loads = [0] * len(scopes)
    for scope in sorted(sizes, key=lambda name: -sizes[name]):
        lightest = loads.index(min(loads))
        scopes[lightest].add(scope)
        loads[lightest] += sizes[scope] + 1  # so that scopes without text are spread too
    return [
        replace(
            plan,
            questions=tuple(q for q in plan.questions if plan.units.scope_of(q) in part),
            reread=tuple(
                ref for ref in plan.reread if plan.units.scope_of_document(ref.doc_id) in part
            ),
        )
        for part in scopes
        if part
    ]


def _splits(plan: Plan) -> bool:
    """Whether copies of the plan's plug-ins may each work on some of the scopes.

    Answers and their metrics stay in this process.
    """
    retrievers = plan.retrievers.values()
    metrics = (plugin for plugin in plan.metrics.values() if plugin.of != "answer")
    return all(isinstance(plugin, Retriever) and plugin.splits for plugin in retrievers) and all(
        plugin.splits and not plugin.takes_all and "judge" not in plugin.needs for plugin in metrics
    )


def steps(scorer: Scorer, variant: Variant, kb: KnowledgeBase) -> Iterator[tuple[StepKey, Step]]:
    """Everything that is scored for a variant except answers, each under its key."""
    yield (OCR,), scorer.ocr(variant, kb)
    for setting in product(scorer.plan.chunkers, scorer.plan.retrievers):
        ranking = scorer.retrieve(kb, *setting)
        yield (RANKING, *setting), ranking
        if "retrieval" in scorer.plan.config.stages:
            for k in scorer.plan.config.cutoffs:
                yield (RETRIEVAL, *setting, k), scorer.retrieval(variant, kb, setting, ranking, k)


class _Part(ABC):
    """Some scopes of a plan: gives each step by its key, whatever the order in which they come."""

    def begin(self, variant: Variant, kb: KnowledgeBase) -> None:
        """Start on a variant; what is left of the one before is dropped."""
        self._ready: dict[StepKey, Step] = {}
        self._taken: set[StepKey] = set()
        self._start(variant, kb)

    def take(self, key: StepKey) -> Step:
        """The step of a key, once. Raises RuntimeError for a key that the part does not score."""
        while key not in self._ready:
            try:
                next_key, step = self._next()
            except StopIteration:
                raise RuntimeError(f"nothing is scored under {key}") from None
            if next_key not in self._taken:  # a part that starts again gives the first ones twice
                self._ready[next_key] = step
        self._taken.add(key)
        return self._ready.pop(key)

    @abstractmethod
    def _start(self, variant: Variant, kb: KnowledgeBase) -> None:
        """Start on a variant."""

    @abstractmethod
    def _next(self) -> tuple[StepKey, Step]:
        """The next step. Raises StopIteration after the last."""


class _LocalPart(_Part):
    """A part that this process scores."""

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer

    def _start(self, variant: Variant, kb: KnowledgeBase) -> None:
        self._steps = steps(self._scorer, variant, kb)

    def _next(self) -> tuple[StepKey, Step]:
        return next(self._steps)


class _CopiedPart(_Part):
    """A part that a copy of this process scores, or this process if the copy fails."""

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer
        self._turn = 0
        self._is_lost = False
        self._steps: Iterator[tuple[StepKey, Step]] = iter(())
        """The steps that are scored here, once the copy is lost."""
        self._cpu_s = self._reported_s = 0.0
        self._copy = Copy(self._serve)

    def _serve(self, pipe: Connection) -> None:
        """Score what comes in. A thread sends the results, so that the next step need not wait."""
        results: queue.SimpleQueue[Any] = queue.SimpleQueue()
        sender = threading.Thread(target=lambda: _send_all(pipe, results), daemon=True)
        sender.start()
        spent = time.process_time()
        with contextlib.suppress(EOFError, OSError):
            while True:
                turn, variant, pages = pipe.recv()
                for key, step in steps(self._scorer, variant, KnowledgeBase(pages)):
                    now = time.process_time()
                    results.put((turn, key, _packed(step), now - spent))
                    spent = now

    def _start(self, variant: Variant, kb: KnowledgeBase) -> None:
        self._variant, self._kb = variant, kb
        self._turn += 1
        if self._is_lost:
            self._steps = steps(self._scorer, variant, kb)
            return
        pages = {ref: kb.pages[ref] for ref in self._pages(kb)}
        try:
            self._copy.send((self._turn, variant, pages))
        except OSError as error:
            self._take_over(error)

    def _pages(self, kb: KnowledgeBase) -> list[PageRef]:
        plan = self._scorer.plan
        scopes = {plan.units.scope_of_document(ref.doc_id) for ref in plan.reread}
        scopes |= set(plan.units.scopes)
        return [ref for ref in kb.pages if plan.units.scope_of_document(ref.doc_id) in scopes]

    def _next(self) -> tuple[StepKey, Step]:
        while not self._is_lost:
            try:
                turn, key, packed, cpu_s = self._copy.receive(PATIENCE_S)
            except GONE as error:
                self._take_over(error)
            else:
                self._cpu_s += cpu_s
                if turn == self._turn:  # else nobody took this step of an earlier variant
                    return key, _unpacked(packed, self._kb)
        return next(self._steps)

    def _take_over(self, error: Exception) -> None:
        """Do the copy's work here; an error of the data or of a plug-in then comes again."""
        log.warning(
            "a process that scored %s has ended (%r): scored here; fewer workers need less memory",
            ", ".join(self._scorer.plan.units.scopes[:3]),
            error,
        )
        self._copy.close()
        self._cpu_s = -self._reported_s  # all of it counts as this process's from now on
        self._is_lost = True
        self._steps = steps(self._scorer, self._variant, self._kb)

    def take_cpu_s(self) -> float:
        """CPU seconds of the copy since the last call."""
        spent, self._cpu_s = self._cpu_s, 0.0
        self._reported_s += spent
        return spent

    def close(self) -> None:
        self._copy.close()


def _send_all(pipe: Connection, results: queue.SimpleQueue[Any]) -> None:
    with contextlib.suppress(OSError):
        while True:
            pipe.send(results.get())


def _packed(step: Step) -> Any:
    if step and isinstance(step[0], Scores):
        return step
    return [[(hit.ref, hit.span, hit.score) for hit in hits] for hits in step]  # type: ignore[union-attr]


def _unpacked(packed: Any, kb: KnowledgeBase) -> Step:
    if packed and isinstance(packed[0], Scores):
        return list(packed)
    return [
        [
            Hit(ref, kb.text(ref)[span[0] : span[1]], score, rank, span)
            for rank, (ref, span, score) in enumerate(hits)
        ]
        for hits in packed
    ]


class SharedScorer(Scorer):
    """A scorer that shares OCR scores, rankings and their scores among several processes.

    Answers stay in this process.
    """

    def __init__(
        self, plan: Plan, store: ArtefactStore, answering: Answering, parts: Sequence[Plan]
    ) -> None:
        super().__init__(plan, store, answering)
        page_places = {ref: place for place, ref in enumerate(plan.reread)}
        question_places = {id(question): place for place, question in enumerate(plan.questions)}
        self._places = [
            {
                "page": np.array([page_places[ref] for ref in part.reread], np.int64),
                "question": np.array([question_places[id(q)] for q in part.questions], np.int64),
            }
            for part in parts
        ]
        first, *further = [Scorer(part, store, answering) for part in parts]
        self._copies: list[_CopiedPart] = []
        try:
            for scorer in further:
                self._copies.append(_CopiedPart(scorer))
        except OSError:
            self.close()
            raise
        self._scored: list[_LocalPart | _CopiedPart] = [_LocalPart(first), *self._copies]

    def ocr(self, variant: Variant, kb: KnowledgeBase) -> list[Scores]:
        for part in reversed(self._scored):  # start the other processes first
            part.begin(variant, kb)
        return self._joined_scores((OCR,))

    def retrieve(self, kb: KnowledgeBase, chunker: str, name: str) -> Ranking:
        parts: list[Any] = [part.take((RANKING, chunker, name)) for part in self._scored]
        ranking: Ranking = [[] for _ in self.plan.questions]
        for places, rankings in zip(self._places, parts, strict=True):
            for place, hits in zip(places["question"].tolist(), rankings, strict=True):
                ranking[place] = hits
        return ranking

    def retrieval(
        self,
        variant: Variant,
        kb: KnowledgeBase,
        setting: tuple[str, str],
        ranking: Sequence[Sequence[Hit]],
        k: int,
    ) -> list[Scores]:
        return self._joined_scores((RETRIEVAL, *setting, k))

    def _joined_scores(self, key: StepKey) -> list[Scores]:
        """The scores of one step over all parts, metric by metric."""
        parts: list[Any] = [part.take(key) for part in self._scored]
        by_metric = [{score.metric: score for score in part} for part in parts]
        return [self._joined([part[name] for part in by_metric]) for name in by_metric[0]]

    def _joined(self, parts: Sequence[Scores]) -> Scores:
        """The scores of one metric over all units of the plan."""
        first = parts[0]
        n = len(self.plan.reread if first.unit == "page" else self.plan.questions)
        values, statuses = np.empty(n), np.empty(n, object)
        for places, part in zip(self._places, parts, strict=True):
            values[places[first.unit]] = part.values
            statuses[places[first.unit]] = part.statuses
        return replace(first, values=values, statuses=tuple(statuses))

    def take_cpu_s(self) -> float:
        """CPU seconds of the other processes since the last call."""
        return sum(copy.take_cpu_s() for copy in self._copies)

    def close(self) -> None:
        for copy in self._copies:
            copy.close()
