"""Any engine for page images, with repairs of the image before and of the text after.

A repair has to prove itself: the page is read as it is and repaired, and the repair is kept only if
the engine then reads clearly more, each word weighed by its confidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
from pydantic import BeforeValidator, Field, field_validator

from ocr_backends.repairs.proof import Evidence, confident_words, is_better, likely_words
from ohr import plugins, registry
from ohr.errors import ConfigError, MissingDependencyError, StoreError
from ohr.plugins import CompositeEngine, ImageRepair, TextRepair
from ohr.plugins.engine import checked_image, failed_page
from ohr.registry import PluginSpec
from ohr.types import FAILED, Outcome

Spec = Annotated[PluginSpec, BeforeValidator(PluginSpec.parse)]


class RepairedParams(plugins.Params):
    """``engine``: the engine that reads the repaired image, by name or with parameters.

    ``steps``: mitigations, in the order in which they are taken: first those of the image, such as
    ``flatten``, ``upright``, ``light``, ``clean`` and ``upscale``, then those of the text, such as
    ``correct``. ``ohr list plugins mitigation`` lists them.
    """

    engine: Spec = PluginSpec(name="tesseract")
    steps: tuple[Spec, ...] = Field(
        (PluginSpec(name="flatten"), PluginSpec(name="upright")), min_length=1, max_length=6
    )

    @field_validator("steps")
    @classmethod
    def _each_once(cls, steps: Sequence[PluginSpec]) -> Sequence[PluginSpec]:
        labels = [step.label for step in steps]
        if len(set(labels)) < len(labels):
            raise ValueError("name each step once")
        return steps


@dataclass(frozen=True)
class _Attempt:
    """What the engine reads on a page after some steps, and the evidence that it is read well."""

    labels: tuple[str, ...]
    outcome: Outcome[str]
    words: Evidence


class Repaired(CompositeEngine[RepairedParams]):
    """Repairs page images, reads them with another engine, and repairs the text.

    For photographs and old scans. The page is also read as it is, and a repair of the image is kept
    only if the engine then reads clearly more, each word weighed by its confidence; of an engine
    that gives no confidence, more words that look like words. So a page that a repair changes is
    read twice or more: with each step that changes it alone, and with all of them.
    """

    name = "repaired"
    version = "4"
    install = "what the engine and the steps need; upright: apt-get install tesseract-ocr-osd"

    def __init__(self, params: RepairedParams | None = None) -> None:
        super().__init__(params)
        self.use_parts([registry.create("engine", self.params.engine)])
        self._steps: list[tuple[str, ImageRepair | TextRepair]] = []
        for spec in self.params.steps:
            step = registry.create("mitigation", spec)
            if not isinstance(step, ImageRepair | TextRepair):
                raise ConfigError(f"repaired: {spec.label!r} repairs neither images nor texts")
            if isinstance(step, ImageRepair) and self._text_steps:
                raise ConfigError(
                    f"repaired: {spec.label!r} repairs the image, so it must come before "
                    f"{self._text_steps[0][0]!r}, which repairs the text"
                )
            self._steps.append((spec.label, step))

    @property
    def _image_steps(self) -> list[tuple[str, ImageRepair]]:
        return [(label, step) for label, step in self._steps if isinstance(step, ImageRepair)]

    @property
    def _text_steps(self) -> list[tuple[str, TextRepair]]:
        return [(label, step) for label, step in self._steps if isinstance(step, TextRepair)]

    def read(self, image: np.ndarray) -> Outcome[str]:
        """Repair the image, read it, repair the text. Raises what these raise.

        A note names the steps that changed nothing, those whose change did not help, and those with
        which the page could not be read.
        """
        image = checked_image(image)
        best, attempts = self._best_attempt(image)
        tried = {label for attempt in attempts for label in attempt.labels}
        was_read = {
            label
            for attempt in attempts
            if attempt.outcome.status not in FAILED
            for label in attempt.labels
        }
        dropped = [label for label, _ in self._image_steps if label in was_read - {*best.labels}]
        idle = [label for label, _ in self._image_steps if label not in tried]
        outcome, reasons = best.outcome, []
        if outcome.status not in FAILED:
            text = outcome.value or ""
            for label, step in self._text_steps:
                changed = step.repair(text)
                reason = step.reason(text)
                if reason:
                    reasons.append(f"{label}: {reason}")
                elif changed == text:
                    idle.append(label)
                text = changed
            outcome = Outcome.of_text(text, outcome.detail)
        notes = [outcome.detail] if outcome.detail else []
        notes += [f"not changed by {' and '.join(idle)}"] if idle else []
        notes += [f"no more words with {' and '.join(dropped)}: left out"] if dropped else []
        notes += [
            f"not read with {' and '.join(attempt.labels)}: {attempt.outcome.detail}"
            for attempt in attempts
            if attempt.outcome.status in FAILED
        ]
        return replace(outcome, detail="; ".join([*notes, *reasons]))

    def _best_attempt(self, image: np.ndarray) -> tuple[_Attempt, list[_Attempt]]:
        """What is read best, of the page as it is and repaired, and all that was read repaired."""
        candidates = self._candidates(image)
        if not candidates:  # nothing to compare, so no words are needed
            return _Attempt((), self.read_part(self.parts[0], image), Evidence()), []
        best = self._attempt((), image)
        attempts = [self._safe_attempt(labels, page) for labels, page in candidates]
        for attempt in attempts:
            if attempt.outcome.status in FAILED:
                continue
            if best.outcome.status in FAILED or is_better(best.words, attempt.words):
                best = attempt
        return best, attempts

    def _candidates(self, image: np.ndarray) -> list[tuple[tuple[str, ...], np.ndarray]]:
        """Repaired pages and the steps that made them: each step alone, then all together."""
        alone: list[tuple[tuple[str, ...], np.ndarray]] = []
        joint, labels = image, tuple[str, ...]()
        for label, step in self._image_steps:
            pages = step.proposals(image)
            alone += [((label,), np.ascontiguousarray(page)) for page in pages]
            if joint is not image:
                pages = step.proposals(joint)
            if pages:
                joint, labels = np.ascontiguousarray(pages[0]), (*labels, label)
        return alone if len(labels) < 2 else [*alone, (labels, joint)]

    def _safe_attempt(self, labels: tuple[str, ...], page: np.ndarray) -> _Attempt:
        """What is read of a repaired page; a failure does not fail the page."""
        try:
            return self._attempt(labels, page)
        except (ConfigError, MissingDependencyError, StoreError):
            raise
        except Exception as error:  # an engine may raise anything
            return _Attempt(labels, failed_page(self.parts[0].name, error), Evidence())

    def _attempt(self, labels: tuple[str, ...], page: np.ndarray) -> _Attempt:
        outcome, words = self.read_part_with_words(self.parts[0], page)
        if words is not None:
            return _Attempt(labels, outcome, confident_words(words))
        return _Attempt(labels, outcome, likely_words(outcome.value or ""))

    def identity(self) -> dict[str, object]:
        """Also the identities of the steps."""
        return super().identity() | {"steps": [step.identity() for _, step in self._steps]}
