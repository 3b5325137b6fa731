"""The page images of every variant, for retrievers and readers that look at pages.

They equal, to the pixel, the images that the variant's OCR engine reads. For an engine that reads
no images, and for pages that no engine reads, they are the clean images.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from ohr import registry
from ohr.documents.opening import file_facts
from ohr.ocr.failures import stop_if_not_the_page
from ohr.ocr.key import image_key, recipe, source_digest
from ohr.ocr.worker import PageTask, distort, page_image
from ohr.plugins import ImagePerturbation, check_unedited
from ohr.store.identity import digest
from ohr.study.knowledge_bases import source_of
from ohr.study.plan import Plan, Variant
from ohr.types import FAILED, Outcome, PageImage, PageRef
from ohr.workers import Limits, WorkerPool

CACHED_IMAGES = 8
"""Images kept in memory: questions in a row are often about the same pages."""


@dataclass
class Pictures:
    """Draws the pages of one plan in worker processes, which end with its ``with`` block."""

    plan: Plan
    _stack: ExitStack = field(default_factory=ExitStack)
    _images: OrderedDict[str, np.ndarray] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __enter__(self) -> Pictures:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def images_of(self, variant: Variant) -> dict[PageRef, PageImage]:
        """The image of each page that questions are asked of, in index order.

        Empty if no plug-in looks at images.
        """
        if not self.plan.vision_plugins:
            return {}
        source = _Drawing(self, {task.ref: task for task in self._tasks(variant)})
        return {ref: PageImage(ref, digest(task.key), source) for ref, task in source.tasks.items()}

    def draw(self, tasks: Sequence[PageTask]) -> list[Outcome[np.ndarray]]:
        """The images of some pages, uint8 RGB. Raises OhrError for an error that no page caused."""
        with self._lock:
            drawn: dict[str, Outcome[np.ndarray]] = {}
            keys = [digest(task.key) for task in tasks]
            for key in keys:
                if key in self._images:
                    self._images.move_to_end(key)
                    drawn[key] = Outcome(self._images[key])
            missing = {key: task for key, task in zip(keys, tasks, strict=True) if key not in drawn}
            if missing:
                drawn |= self._drawn(missing)
            return [drawn[key] for key in keys]

    def _drawn(self, tasks: dict[str, PageTask]) -> dict[str, Outcome[np.ndarray]]:
        keys, drawn = list(tasks), {}
        for index, outcome in self._pool.run(list(tasks.values())):
            if outcome.status in FAILED or outcome.value is None:
                stop_if_not_the_page(outcome.detail)
                drawn[keys[index]] = outcome
                continue
            image = rgb(outcome.value)
            drawn[keys[index]] = Outcome(image)
            self._images[keys[index]] = image
            if len(self._images) > CACHED_IMAGES:
                self._images.popitem(last=False)
        return drawn

    @cached_property
    def _pool(self) -> WorkerPool[np.ndarray]:
        config = self.plan.config
        limits = Limits(config.page_cpu_s, config.page_wall_s)
        pool = WorkerPool[np.ndarray](draw_page, workers=config.workers, limits=limits)
        return self._stack.enter_context(pool)

    def _tasks(self, variant: Variant) -> list[PageTask]:
        dpi, noise, seed = self.plan.config.dpi, variant.noise, variant.seed
        reread = set(self.plan.reread)
        operator = noise.operator if noise.intensity > 0 else None
        perturbation = registry.create("perturbation", operator) if operator is not None else None
        if not isinstance(perturbation, ImagePerturbation):  # formatting noise changes no image
            operator = perturbation = None
        identity = perturbation.identity() if perturbation is not None else {}
        tasks = []
        for ref in self._pages:
            path = source_of(self.plan.dataset, ref)
            assert path is not None  # the plan has checked it
            by_content, by = self._made_of[path]
            rendered = (ref.page_no, dpi) if path.suffix.lower() == ".pdf" else None
            applied = operator if ref in reread else None
            drawn = recipe(identity, noise, seed, ref) if applied is not None else None
            key = image_key(by_content, rendered, by, drawn)
            tasks.append(PageTask(ref, path, dpi, applied, noise.intensity, seed, key))
        return tasks

    @cached_property
    def _pages(self) -> list[PageRef]:
        return self.plan.pages_in_scope

    @cached_property
    def _made_of(self) -> dict[Path, tuple[str, str | None]]:
        """The digest of each file, and what renders its pages."""
        paths = (source_of(self.plan.dataset, ref) for ref in self._pages)
        facts = file_facts(path for path in paths if path is not None)
        return {path: (source_digest(path), file.drawn_by) for path, file in facts.items()}


@dataclass(frozen=True)
class _Drawing:
    """Draws the page images of one variant."""

    pictures: Pictures
    tasks: dict[PageRef, PageTask]

    def draw(self, refs: Sequence[PageRef]) -> list[Outcome[np.ndarray]]:
        return self.pictures.draw([self.tasks[ref] for ref in refs])


def rgb(image: np.ndarray) -> np.ndarray:
    """A page image, grey ``(h, w)`` or RGB ``(h, w, 3)``, as RGB."""
    return np.repeat(image[:, :, None], 3, axis=2) if image.ndim == 2 else image


def draw_page(task: PageTask) -> np.ndarray:
    """The image of a page under a variant; runs in a worker process."""
    import cv2

    cv2.setNumThreads(1)  # the workers share the cores already
    if task.operator is not None:
        noise: list[Any] = task.key["noise"]
        check_unedited(registry.plugin_class("perturbation", task.operator.name), noise[0])
    image, _ = distort(task, page_image(task))
    return image
