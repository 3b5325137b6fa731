"""How to reproduce a noisy page: lines of Python, and the record of its distortion."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ohr import registry
from ohr.errors import OhrError
from ohr.ocr.noise import Noise, choose_level, distorts_images, set_dpi
from ohr.ocr.worker import PageTask
from ohr.registry import PluginSpec
from ohr.study.knowledge_bases import source_of
from ohr.study.questions import pages_to_reread, select_questions
from ohr.study.results import StudyRun
from ohr.types import PageRef

LONGEST = 6_000
"""Longest part of a record that a report shows, in characters."""


@dataclass(frozen=True)
class _Base:
    """A knowledge base of a run: whose page texts, and under which draw of which noise."""

    engine: str
    noise: Noise
    seed: int


class Recipes:
    """The tasks and code that made each page of a run.

    Only noise is loaded: neither engines nor anything else that the run names. There are none if
    the run's data is missing, or for noise that is code which only the run names.
    """

    def __init__(self, run: StudyRun) -> None:
        self._run = run
        self.missing = ""
        """Why there are none, or not all; set after the first use."""

    @cached_property
    def _reread(self) -> frozenset[PageRef]:
        """The pages that engines read; none if the run's data is missing."""
        try:
            dataset, config = self._run.dataset, self._run.config
            return frozenset(pages_to_reread(config, dataset, select_questions(config, dataset)))
        except OhrError as error:
            self.missing = str(error)
            return frozenset()

    @cached_property
    def _bases(self) -> dict[str, _Base]:
        """The knowledge bases by name."""
        if not self._reread:
            return {}
        columns = ["engine", "perturbation", "level", "intensity", "draw"]
        bases = {}
        for engine, label, level, intensity, draw in (
            self._run.drawn[columns].drop_duplicates().itertuples(index=False, name=None)
        ):
            noise = self._noise(label, level, intensity)
            if noise is not None:
                name = self._run.name_in_cases(engine, label, level, intensity, draw)
                bases[name] = _Base(engine, noise, int(draw))
        return bases

    def _noise(self, label: str, level: str, intensity: float) -> Noise | None:
        """A point of the run's noise; None if its code may not be loaded."""
        if label == "none":
            return Noise()
        try:
            with self._run.loading():
                spec = set_dpi(self._operators[label], self._run.config.dpi)
                noise = choose_level(spec, level) if level else Noise(spec, "", intensity)
                registry.create("perturbation", spec)
        except (OhrError, KeyError) as error:
            self.missing = self.missing or str(error)
            return None
        return noise

    @cached_property
    def _operators(self) -> dict[str, PluginSpec]:
        return {spec.label: spec for spec in self._run.config.noise}

    def task(self, base: str, ref: PageRef) -> PageTask | None:
        """The task by which an engine read a page of a knowledge base; None without one."""
        knowledge_base = self._bases.get(base)
        if (
            knowledge_base is None
            or knowledge_base.engine
            not in self._run.manifest.get("engines", {})  # it reads no page
            or ref not in self._reread
        ):
            return None
        source = source_of(self._run.dataset, ref)
        if source is None:
            return None
        noise = knowledge_base.noise
        operator = noise.operator
        if operator is not None and not distorts_images(operator):
            operator = None
        dpi = self._run.config.dpi
        return PageTask(ref, source, dpi, operator, noise.intensity, knowledge_base.seed, key={})

    def python(self, base: str, ref: PageRef) -> str:
        """Code that makes the same noisy page image or page text, to the byte; "" without noise.

        ``base`` is the knowledge base's name in ``cases.zip``.
        """
        knowledge_base = self._bases.get(base)
        if knowledge_base is None or knowledge_base.noise.operator is None:
            return ""
        operator = knowledge_base.noise.operator
        arguments = ", ".join(
            [repr(operator.name), *(f"{name}={value!r}" for name, value in operator.params.items())]
        )
        keywords = (
            f"intensity={knowledge_base.noise.intensity!r}, seed={knowledge_base.seed}, "
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
