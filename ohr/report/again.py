"""How to reproduce a noisy page: lines of Python, and the record of its distortion."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from ohr.errors import OhrError
from ohr.ocr.worker import PageTask
from ohr.plugins import OcrBackend
from ohr.store.artefacts import ArtefactStore
from ohr.study.knowledge_bases import KnowledgeBases
from ohr.study.plan import Variant
from ohr.study.results import Run
from ohr.types import PageRef

LONGEST = 6_000
"""Longest part of a record that a report shows, in characters."""


class Recipes:
    """The tasks and code that made each page of a run; none if the run's data is missing."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.missing = ""
        """Why there are none; set after the first use."""

    @cached_property
    def _variants(self) -> dict[str, Variant]:
        try:
            plan = self._run.plan
        except OhrError as error:
            self.missing = str(error)
            return {}
        return {plan.label(variant): variant for variant in plan.variants}

    @cached_property
    def _tasks(self) -> dict[tuple[str, PageRef], PageTask]:
        if not self._variants:
            return {}
        plan = self._run.plan
        knowledge_bases = KnowledgeBases(plan, ArtefactStore(plan.config.cache))
        return {
            (label, task.ref): task
            for label, variant in self._variants.items()
            if isinstance(plan.engines[variant.engine.label], OcrBackend)
            for task in knowledge_bases.tasks(variant)
        }

    def task(self, base: str, ref: PageRef) -> PageTask | None:
        """The task by which an engine read a page of a knowledge base; None without one."""
        return self._tasks.get((base, ref))

    def python(self, base: str, ref: PageRef) -> str:
        """Code that makes the same noisy page image or page text, to the byte; "" without noise.

        ``base`` is the knowledge base's name in ``cases.zip``.
        """
        variant = self._variants.get(base)
        if variant is None or variant.noise.operator is None:
            return ""
        operator = variant.noise.operator
        arguments = ", ".join(
            [repr(operator.name), *(f"{name}={value!r}" for name, value in operator.params.items())]
        )
        keywords = (
            f"intensity={variant.noise.intensity!r}, seed={variant.seed}, "
            f"ref=ohr.PageRef({ref.doc_id!r}, {ref.page_no})"
        )
        task = self.task(base, ref)
        if task is not None and task.operator is not None:
            page = f"ohr.page_image({task.source.name!r}, {task.ref.page_no}, dpi={task.dpi})"
        else:
            page = "…  # the page text without noise"
        noisy = f"ohr.perturbation({arguments})(page, {keywords}).value"
        return f"import ohr\n\npage = {page}\nnoisy = {noisy}\n"


def shown_record(record: Mapping[str, Any]) -> str:
    """A record as JSON; the end of a long one is cut off, and its length stated."""
    text = json.dumps(record, ensure_ascii=False)
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]} … {len(text) - LONGEST:,} more characters"
