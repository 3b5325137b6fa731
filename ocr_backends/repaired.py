"""Any engine for page images, with repairs of the image before and of the text after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import numpy as np
from pydantic import BeforeValidator, Field, field_validator

from ohr import plugins, registry
from ohr.errors import ConfigError
from ohr.plugins import CompositeEngine, ImageRepair, TextRepair
from ohr.plugins.engine import checked_image
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


class Repaired(CompositeEngine[RepairedParams]):
    """Repairs page images, reads them with another engine, and repairs the text.

    For photographs and old scans. A page that needs no repair is read as it is.
    """

    name = "repaired"
    version = "3"
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
    def _text_steps(self) -> list[tuple[str, TextRepair]]:
        return [(label, step) for label, step in self._steps if isinstance(step, TextRepair)]

    def read(self, image: np.ndarray) -> Outcome[str]:
        """Repair the image, read it, repair the text. Raises what these raise.

        A note names the steps that changed nothing.
        """
        repaired, idle = self.repaired(image)
        outcome = self.read_part(self.parts[0], repaired)
        if outcome.status not in FAILED:
            text = outcome.value or ""
            for label, step in self._text_steps:
                changed = step.repair(text)
                idle += [label] if changed == text else []
                text = changed
            outcome = Outcome.of_text(text, outcome.detail)
        notes = [outcome.detail] if outcome.detail else []
        notes += [f"not changed by {' and '.join(idle)}"] if idle else []
        return replace(outcome, detail="; ".join(notes))

    def repaired(self, image: np.ndarray) -> tuple[np.ndarray, list[str]]:
        """The image after all steps that repair images, and those that changed nothing."""
        image = checked_image(image)
        idle: list[str] = []
        for label, step in self._steps:
            if isinstance(step, ImageRepair):
                result = np.ascontiguousarray(step.repair(image))
                if np.array_equal(result, image):
                    idle.append(label)
                image = result
        return image, idle

    def identity(self) -> dict[str, object]:
        """Also the identities of the steps."""
        return super().identity() | {"steps": [step.identity() for _, step in self._steps]}
