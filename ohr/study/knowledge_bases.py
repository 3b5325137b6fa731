"""Builds the knowledge base of every variant from OCR output, which is stored or made now."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ohr import registry
from ohr.collection import Dataset
from ohr.documents.opening import FileFacts, file_facts
from ohr.errors import StoreError
from ohr.ocr.dose import Dose, measure_doses
from ohr.ocr.key import page_key, pdf_page_key, recipe, source_digest
from ohr.ocr.outputs import EngineOutputs
from ohr.ocr.pools import Runners
from ohr.ocr.rewriting import PageRewriter
from ohr.ocr.shards import Pending, ShardEnded, Work, name_of, shard_of_process
from ohr.ocr.sharing import Sharing
from ohr.ocr.store import stored_cost, sum_costs
from ohr.ocr.worker import PageTask, stored_form
from ohr.plugins import KnowledgeBaseSource, OcrBackend
from ohr.plugins.shipped import Condition, ShippedEngine
from ohr.registry import PluginSpec
from ohr.scoring.budget import Budget
from ohr.scoring.overlay import overlay
from ohr.store.artefacts import ArtefactStore
from ohr.study.plan import Plan, Variant
from ohr.types import KnowledgeBase, Outcome, PageImage, PageRef
from ohr.workers import Limits

Progress = Callable[[str, int, int], None]
"""Called with (what, done, total) as pages finish."""


@dataclass
class KnowledgeBases:
    """The OCR output of a plan's pages: finds what is stored, and makes the rest."""

    plan: Plan
    store: ArtefactStore
    pictures: Callable[[Variant], Mapping[PageRef, PageImage]] = lambda _: {}
    """The page images of a variant, if retrievers or readers look at any."""
    budget: Budget = field(default_factory=Budget)
    """What reading pages may cost."""
    _digests: dict[Path, str] = field(default_factory=dict, repr=False)
    _rewriter: PageRewriter | None = field(default=None, repr=False)

    def tasks(self, variant: Variant) -> Iterator[PageTask]:
        """A task for each page that the variant re-reads."""
        return map(self._maker(variant), self.plan.reread)

    def _maker(self, variant: Variant) -> Callable[[PageRef], PageTask]:
        """The function that makes the variant's task for a page."""
        dpi, operator = self.plan.config.dpi, variant.noise.operator
        noise = (
            registry.create("perturbation", operator).identity() if operator is not None else None
        )
        backend = self.plan.engines[variant.engine.label]
        engine = backend.identity()
        as_pdf = isinstance(backend, OcrBackend) and "image" not in backend.accepts

        def task(ref: PageRef) -> PageTask:
            source = self._source(ref)
            of_file, by = self._digest(source), self._facts[source].drawn_by
            if as_pdf:
                key = pdf_page_key(of_file, ref.page_no, engine)
            else:
                rendered = (ref.page_no, dpi) if source.suffix.lower() == ".pdf" else None
                drawn = None
                if noise is not None:
                    drawn = recipe(noise, variant.noise, variant.seed, ref)
                key = page_key(of_file, rendered, by, engine, drawn)
            intensity = variant.noise.intensity
            return PageTask(ref, source, dpi, operator, intensity, variant.seed, key, as_pdf)

        return task

    def work(self, variants: Sequence[Variant], retry: bool) -> Work[PageTask]:
        """The pages of some variants of one engine."""
        reread = self.plan.reread
        makers = [self._maker(variant) for variant in variants]

        def task(number: int) -> PageTask:
            variant, page = divmod(number, len(reread))
            return makers[variant](reread[page])

        def name(number: int) -> str:
            variant, page = divmod(number, len(reread))
            noise = variants[variant].noise
            drawn = (noise.name, noise.level, noise.intensity, variants[variant].seed)
            return name_of(reread[page], *(drawn if noise.operator is not None else ()))

        outputs = self._outputs(variants[0].engine, retry)
        return outputs.page_work(len(makers) * len(reread), name, task)

    def _outputs(self, spec: PluginSpec, retry: bool = False) -> EngineOutputs:
        """An engine's output of pages."""
        config = self.plan.config
        return EngineOutputs(
            spec,
            self.plan.engines[spec.label].identity(),
            self.store,
            self.limits,
            Runners(config.workers, config.runner, config.worker_gpus),
            config.stop_after_failures,
            retry,
        )

    def _source(self, ref: PageRef) -> Path:
        source = source_of(self.plan.dataset, ref)
        assert source is not None  # the plan has checked it
        return source

    @cached_property
    def _facts(self) -> dict[Path, FileFacts]:
        """Facts of each file that is read."""
        return file_facts(map(self._source, self.plan.reread))

    def _digest(self, source: Path) -> str:
        """Digest of a file, computed once; never for files of other shards."""
        if source not in self._digests:
            self._digests[source] = source_digest(source)
        return self._digests[source]

    @property
    def limits(self) -> Limits:
        """The time limits of a page."""
        return Limits(self.plan.config.page_cpu_s, self.plan.config.page_wall_s)

    def pending(self, variant: Variant) -> int:
        """The number of the variant's pages to read: not stored yet, or to be tried again."""
        engine = self.plan.engines[variant.engine.label]
        if not isinstance(engine, OcrBackend) or isinstance(engine, ShippedEngine):
            return 0
        work = self.work([variant], self.plan.config.retry_failed)
        return len(work.pending())

    def make(
        self,
        progress: Progress,
        run: Path | None = None,
        say: Callable[[str], None] = lambda line: None,
    ) -> None:
        """Read every page that is not stored, engine by engine, and store failures.

        ``run`` is the folder of results, which holds the progress file. In a process that reads a
        shard (:func:`ohr.ocr.shards.use_shard`), raises ShardEnded once its pages are read, and
        those of other shards if it steals.
        """
        shard = shard_of_process()
        sharing = Sharing(self.store.root, run, shard)
        self._store_shipped()
        for turn, owns in enumerate(sharing.rounds()):
            # Pages that failed in one shard are not tried again by those that take over.
            retry = self.plan.config.retry_failed and not turn
            works = {
                label: self.work([v for v in self.plan.variants if v.engine.label == label], retry)
                for label, engine in self.plan.engines.items()
                if isinstance(engine, OcrBackend)
            }
            pending = {label: engine_work.pending(owns) for label, engine_work in works.items()}
            unread = (works[label].task(n).ref for label in works for n in pending[label].numbers)
            for line in sharing.unread(unread, sum(map(len, pending.values()))):
                say(line)
            with sharing.hold(pending.values()):
                for label, engine_work in works.items():
                    if pending[label]:
                        self._read(label, engine_work, pending[label], sharing, progress)
        if shard is not None:
            raise ShardEnded("\n".join(sharing.summary()))

    def _store_shipped(self) -> None:
        """Store the output that is at hand, as if they had been made now."""
        for variant in self.plan.variants:
            engine = self.plan.engines[variant.engine.label]
            if not isinstance(engine, ShippedEngine):
                continue
            condition = condition_of_page(self.plan, variant)
            outputs = self._outputs(variant.engine)
            for task in self.tasks(variant):
                outcome = engine.reading(self.plan.dataset.pages[task.ref], condition)
                if not outputs.is_final_under(task.key):
                    self.store.put("reading", task.key, stored_form(outcome))

    def _read(
        self,
        label: str,
        work: Work[PageTask],
        pending: Pending,
        sharing: Sharing,
        progress: Progress,
    ) -> None:
        backend = self.plan.engines[label]
        assert isinstance(backend, OcrBackend)  # no other has pages to read
        done = itertools.count(1)
        progress(label, 0, len(pending))
        spec = next(v.engine for v in self.plan.variants if v.engine.label == label)
        together = backend.pages_together() if "image" in backend.accepts else 1
        at_once = self.plan.config.workers * together
        self.budget.expect(label, backend.page_cost() or 0.0, at_once)
        identity, pages = backend.identity(), f"pages of {label!r}"
        unpaid = itertools.count(len(pending) - 1, -1)
        self.budget.check(label, len(pending), pages)

        def pay(task: PageTask) -> None:
            cost = stored_cost(self.store, task.key, identity) or {}
            if self.budget.add(label, cost, next(unpaid)):
                self.budget.stop(pages)

        self._outputs(spec).read_pages(
            backend,
            work,
            pending,
            sharing,
            lambda: progress(label, next(done), len(pending)),
            has_read=len(pending) < pending.of,
            paid=pay,
        )

    def outcomes(self, variant: Variant) -> dict[PageRef, Outcome[str]]:
        """The OCR output of each page that the variant reads.

        Raises StoreError if a page is not stored: it must not be scored.
        """
        outputs = self._outputs(variant.engine)
        outcomes: dict[PageRef, Outcome[str]] = {}
        for task in self.tasks(variant):
            output = outputs.stored_under(task.key)
            if output is None:
                raise StoreError(
                    f"{variant.engine.label}'s output of {task.ref.doc_id} page "
                    f"{task.ref.page_no} is not in the cache {self.store.root}: run the study's "
                    "command again, in the same folder as before"
                )
            outcomes[task.ref] = output.outcome
        return outcomes

    def cost(self, variant: Variant) -> dict[str, float]:
        """The cost of reading the variant's pages, from :func:`~ohr.ocr.store.sum_costs`."""
        engine = self.plan.engines[variant.engine.label]
        if not isinstance(engine, OcrBackend):
            return {}
        identity = engine.identity()
        pages = [stored_cost(self.store, task.key, identity) for task in self.tasks(variant)]
        return sum_costs(pages)

    def knowledge_base(self, variant: Variant) -> KnowledgeBase:
        """The ground truth, with the variant's OCR output for the pages that it reads."""
        engine = self.plan.engines[variant.engine.label]
        if isinstance(engine, KnowledgeBaseSource):
            outcomes: Mapping[PageRef, Outcome[str]] = engine.knowledge_base(
                self.plan.dataset
            ).pages
            if variant.noise.operator is not None:
                if self._rewriter is None:  # the ground truth is the only text with noise
                    workers = self.plan.config.workers if self.plan.is_large else 1
                    self._rewriter = PageRewriter(outcomes, self.plan.reread, workers)
                outcomes = self._rewriter.rewrite(variant.noise, variant.seed)
        else:
            outcomes = self.outcomes(variant)
        return KnowledgeBase(
            overlay(self.plan.units, outcomes),
            {"engine": variant.engine.label, "noise": variant.noise.name},
            self.pictures(variant),
        )

    def doses(self, variant: Variant, kb: KnowledgeBase) -> dict[str, Dose]:
        """What noise in text changed, by writing system; empty for other variants."""
        engine = self.plan.engines[variant.engine.label]
        if not isinstance(engine, KnowledgeBaseSource) or not variant.noise.intensity:
            return {}
        clean = engine.knowledge_base(self.plan.dataset)
        return measure_doses((clean.text(ref), kb.text(ref)) for ref in self.plan.reread)

    def close(self) -> None:
        """End the processes that make noise in text."""
        if self._rewriter is not None:
            self._rewriter.close()


def source_of(dataset: Dataset, ref: PageRef) -> Path | None:
    """The PDF or image file of a page; None if there is none."""
    return dataset.documents[ref.doc_id].source or dataset.pages[ref].image


def condition_of_page(plan: Plan, variant: Variant) -> Condition:
    """How the variant's page images are made."""
    operator, dpi = variant.noise.operator, plan.config.dpi
    if operator is None:
        return Condition(dpi)
    params = registry.create("perturbation", operator).params.model_dump(mode="json")
    return Condition(dpi, operator.name, params, variant.noise.intensity, variant.seed)
