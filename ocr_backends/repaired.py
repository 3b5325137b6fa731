"""Any engine for page images, after repairs of the image."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator, Field

from ocr_backends.repairs.flatten import flatten
from ocr_backends.repairs.light import even_light
from ocr_backends.repairs.upright import upright
from ohr import plugins, registry
from ohr.errors import ConfigError
from ohr.plugins import OcrBackend
from ohr.plugins.engine import checked_image
from ohr.registry import PluginSpec
from ohr.types import Outcome

Step = Literal["flatten", "upright", "light"]
STEPS: dict[Step, Callable[[np.ndarray], np.ndarray]] = {
    "flatten": flatten,
    "upright": upright,
    "light": even_light,
}


class RepairedParams(plugins.Params):
    """``engine``: the engine that reads the repaired image, by name or with parameters.

    ``steps``, in this order: ``flatten`` cuts the page out of a photograph and straightens
    perspective and bent edges; ``upright`` turns it by quarter turns and by its skew (needs
    Tesseract with ``osd``); ``light`` evens out shadows. An image without surroundings is not
    changed by ``flatten``, nor a level one by ``upright``.
    """

    engine: Annotated[PluginSpec, BeforeValidator(PluginSpec.parse)] = PluginSpec(name="tesseract")
    steps: tuple[Step, ...] = Field(("flatten", "upright"), min_length=1, max_length=6)


class Repaired(OcrBackend[RepairedParams]):
    """Flattens photographs and turns pages upright, then reads them with another engine."""

    name = "repaired"
    version = "2"
    install = "what the engine needs; for upright: apt-get install tesseract-ocr-osd"

    def __init__(self, params: RepairedParams | None = None) -> None:
        super().__init__(params)
        engine = registry.create("engine", self.params.engine)
        if not isinstance(engine, OcrBackend) or "image" not in engine.accepts:
            raise ConfigError(
                f"engine {self.params.engine.label!r} reads no page images, so nothing is repaired"
            )
        self._engine: OcrBackend[Any] = engine
        self.generative = engine.generative

    def read(self, image: np.ndarray) -> Outcome[str]:
        """Repair the image, then read it. Raises what the engine raises.

        A note names the steps that left the image as it is.
        """
        repaired, idle = self.repaired(image)
        text = self._engine.read(repaired)
        outcome = text if isinstance(text, Outcome) else Outcome.of_text(text)
        notes = [outcome.detail] if outcome.detail else []
        notes += [f"not changed by {' and '.join(idle)}"] if idle else []
        return replace(outcome, detail="; ".join(notes))

    def repaired(self, image: np.ndarray) -> tuple[np.ndarray, list[Step]]:
        """The image after all steps, and the steps that changed nothing."""
        image = checked_image(image)
        idle: list[Step] = []
        for step in self.params.steps:
            result = np.ascontiguousarray(STEPS[step](image))
            if np.array_equal(result, image):
                idle.append(step)
            image = result
        return image, idle

    def reads(self) -> tuple[str, ...]:
        return self._engine.reads()

    def check_languages(self, languages: Iterable[str]) -> None:
        self._engine.check_languages(languages)

    def usage(self) -> dict[str, float]:
        return self._engine.usage()

    def engine_version(self) -> str:
        """The version of the engine that reads."""
        return self._engine.engine_version()

    def identity(self) -> dict[str, object]:
        """Also the identity of the engine that reads."""
        return super().identity() | {"reads_with": self._engine.identity()}
