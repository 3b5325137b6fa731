"""How a noisy page is made again: lines of Python, and the record of its distortion."""

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
"""Characters of a record that are shown."""


class Recipes:
    """What one run did to each page, from its plan; nothing where its data is not there."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.missing = ""
        """Why there are none; known once one was asked for."""

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
        readings = KnowledgeBases(plan, ArtefactStore(plan.config.cache))
        return {
            (label, task.ref): task
            for label, variant in self._variants.items()
            if isinstance(plan.engines[variant.engine.label], OcrBackend)
            for task in readings.tasks(variant)
        }

    def task(self, base: str, ref: PageRef) -> PageTask | None:
        """How an engine was given a page of a knowledge base; None where it was given none."""
        return self._tasks.get((base, ref))

    def python(self, base: str, ref: PageRef) -> str:
        """Lines that distort the page, or rewrite its text, to the same bytes; "" if nothing did.

        ``base`` is what ``cases.zip`` calls a knowledge base.
        """
        variant = self._variants.get(base)
        if variant is None or variant.noise.operator is None:
            return ""
        operator = variant.noise.operator
        made = ", ".join(
            [repr(operator.name), *(f"{name}={value!r}" for name, value in operator.params.items())]
        )
        how = (
            f"intensity={variant.noise.intensity!r}, seed={variant.seed}, "
            f"ref=ohr.PageRef({ref.doc_id!r}, {ref.page_no})"
        )
        task = self.task(base, ref)
        if task is not None and task.operator is not None:
            page = f"ohr.page_image({task.source.name!r}, {task.ref.page_no}, dpi={task.dpi})"
        else:
            page = "…  # the page's text, as the engine reads it without noise"
        return f"import ohr\n\npage = {page}\nnoisy = ohr.perturbation({made})(page, {how}).value\n"


def shown_record(record: Mapping[str, Any]) -> str:
    """A record as JSON, the end of a long one cut off and counted."""
    text = json.dumps(record, ensure_ascii=False)
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]} … {len(text) - LONGEST:,} characters more"
