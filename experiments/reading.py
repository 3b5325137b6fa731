"""Builds the knowledge base of every variant: from readings, stored or made now."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from experiments.page_worker import PageReader, PageTask, ocr_key, read_page
from experiments.plan import Plan, Variant
from experiments.rewriting import rewritten
from ohr import registry
from ohr.errors import MissingDependencyError, StoreError
from ohr.identity import file_digest
from ohr.pdf import RENDERER
from ohr.plugins import KnowledgeBaseSource, OcrBackend
from ohr.store import ArtefactStore
from ohr.types import KnowledgeBase, Outcome, PageRef, Status
from ohr.workers import Limits, WorkerPool

_DRAWN_BY = {name: version(name) for name in ("numpy", "opencv-python-headless")}
"""Packages whose versions can change a distorted page's pixels."""

Progress = Callable[[str, int, int], None]
"""Called with (what, done, total) as pages finish."""


@dataclass
class Readings:
    """The page readings of a plan: which are stored, which are still to be made."""

    plan: Plan
    store: ArtefactStore
    _sources: dict[Path, str] = field(default_factory=dict)

    def tasks(self, variant: Variant) -> Iterator[PageTask]:
        """A task for each page that the variant re-reads."""
        config, dataset = self.plan.config, self.plan.dataset
        operator = variant.noise.operator
        noise = (
            registry.create("perturbation", operator).identity() if operator is not None else None
        )
        backend = self.plan.engines[variant.engine.label]
        engine = backend.identity()
        as_pdf = isinstance(backend, OcrBackend) and "image" not in backend.accepts
        for ref in self.plan.reread:
            source = dataset.documents[ref.doc_id].source or dataset.pages[ref].image
            assert source is not None  # the plan has checked it
            rendered = source.suffix.lower() == ".pdf"
            key: dict[str, Any] = {
                "source": self._digest(source),
                "render": [ref.page_no, config.dpi, RENDERER] if rendered else None,
                "noise": None,
                "engine": engine,
            }
            if operator is not None:
                key["noise"] = [noise, variant.noise.intensity, config.seed, ref, _DRAWN_BY]
            if as_pdf:
                key = {"source": key["source"], "engine": engine, "pdf_page": ref.page_no}
            yield PageTask(
                ref, source, config.dpi, operator, variant.noise.intensity, config.seed, key, as_pdf
            )

    def _digest(self, source: Path) -> str:
        if source not in self._sources:
            self._sources[source] = file_digest(source)
        return self._sources[source]

    def pending(self, variant: Variant) -> list[PageTask]:
        """The variant's tasks whose reading is not stored."""
        if not isinstance(self.plan.engines[variant.engine.label], OcrBackend):
            return []
        return [task for task in self.tasks(variant) if not self.store.has("reading", task.key)]

    def make(self, progress: Progress) -> None:
        """Read every page that is not stored, engine by engine, and journal what failed."""
        for label, engine in self.plan.engines.items():
            variants = [v for v in self.plan.variants if v.engine.label == label]
            tasks = [task for variant in variants for task in self.pending(variant)]
            if not tasks or not isinstance(engine, OcrBackend):
                continue
            reader = PageReader(variants[0].engine, engine.identity(), self.store)
            config = self.plan.config
            progress(label, 0, len(tasks))
            with WorkerPool[None](
                read_page,
                setup=reader,
                workers=config.workers,
                limits=Limits(config.page_cpu_s, config.page_wall_s),
            ) as pool:
                for done, (index, outcome) in enumerate(pool.run(tasks), start=1):
                    if outcome.status in (Status.ERROR, Status.TIMEOUT):
                        stop_if_not_the_page(outcome.detail)
                        failure = {"status": str(outcome.status), "detail": outcome.detail}
                        self.store.put("reading", tasks[index].key, failure)
                    progress(label, done, len(tasks))

    def outcomes(self, variant: Variant) -> dict[PageRef, Outcome[str]]:
        """What the engine made of each page that the variant re-reads."""
        engine = self.plan.engines[variant.engine.label].identity()
        found: dict[PageRef, Outcome[str]] = {}
        for task in self.tasks(variant):
            reading = self.store.get("reading", task.key)
            text = reading if reading is not None and "text" in reading else None
            if reading is not None and "pixels" in reading:
                text = self.store.get("ocr", ocr_key(reading["pixels"], engine))
            if text is not None:
                found[task.ref] = Outcome(text["text"], Status(text["status"]), text["detail"])
            elif reading is not None and "status" in reading:
                found[task.ref] = Outcome(None, Status(reading["status"]), reading["detail"])
            else:
                found[task.ref] = Outcome.error("the reading is missing from the cache")
        return found

    def knowledge_base(self, variant: Variant) -> KnowledgeBase:
        """The ground truth with the variant's reading laid over the pages it re-reads."""
        engine = self.plan.engines[variant.engine.label]
        if isinstance(engine, KnowledgeBaseSource):
            read: Mapping[PageRef, Outcome[str]] = engine.knowledge_base(self.plan.dataset).pages
            if variant.noise.operator is not None:
                read = rewritten(read, self.plan.reread, variant.noise, self.plan.config.seed)
        else:
            read = self.outcomes(variant)
        return KnowledgeBase(
            overlay(self.plan, read),
            {"engine": variant.engine.label, "noise": variant.noise.name},
        )


def stop_if_not_the_page(detail: str) -> None:
    """Raise for what ails the machine, not the page: it must not be journalled as an outcome."""
    for error in (StoreError, MissingDependencyError):
        if detail.startswith(f"{error.__name__}: "):
            raise error(detail.partition(": ")[2])


def overlay(plan: Plan, read: Mapping[PageRef, Outcome[str]]) -> dict[PageRef, Outcome[str]]:
    """Pages in index order: those to be re-read as ``read`` has them, the others as they are.

    A document of which every page is re-read comes over whole: in the engine's page order,
    with pages that the ground truth does not have.
    """
    reread = set(plan.reread)
    by_document: dict[str, list[PageRef]] = {}
    for ref in read:
        by_document.setdefault(ref.doc_id, []).append(ref)
    pages: dict[PageRef, Outcome[str]] = {}
    for document in plan.dataset.documents.values():
        refs = [page.ref for page in document.pages]
        if all(ref in reread for ref in refs):
            extra = by_document.get(document.doc_id, [])
            pages.update((ref, read[ref]) for ref in extra)
            refs = [ref for ref in refs if ref not in pages]
        for ref in refs:
            if ref in reread:
                pages[ref] = read.get(ref, Outcome.error("page missing"))
            else:
                pages[ref] = Outcome.of_text(plan.dataset.pages[ref].text)
    return pages
