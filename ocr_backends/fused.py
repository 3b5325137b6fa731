"""Several engines for page images, whose texts become one."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import BeforeValidator, Field

from ohr import plugins, registry
from ohr.errors import ConfigError
from ohr.plugins import CompositeEngine, TextFusion
from ohr.registry import PluginSpec
from ohr.types import FAILED, Outcome, Status

Spec = Annotated[PluginSpec, BeforeValidator(PluginSpec.parse)]


class FusedParams(plugins.Params):
    """``engines``: the engines that read each page, the main one first. ``method``: the mitigation
    that makes one text of theirs, ``vote`` or ``add_words``.
    """

    engines: tuple[Spec, ...] = Field(
        (PluginSpec(name="tesseract"), PluginSpec(name="rapidocr")), min_length=2, max_length=8
    )
    method: Spec = PluginSpec(name="vote")


class Fused(CompositeEngine[FusedParams]):
    """Reads each page with several engines, and makes one text of theirs, word by word."""

    name = "fused"
    install = "what the engines need"

    def __init__(self, params: FusedParams | None = None) -> None:
        super().__init__(params)
        self.use_parts(registry.create("engine", spec) for spec in self.params.engines)
        method = registry.create("mitigation", self.params.method)
        if not isinstance(method, TextFusion):
            raise ConfigError(f"fused: {self.params.method.label!r} fuses no texts")
        self._method = method

    def read(self, image: np.ndarray) -> Outcome[str]:
        """Read with each engine, then fuse. Raises what the engines raise.

        A page on which an engine fails is a failed page. A note names the engines that read
        nothing, and has what the method says: ``add_words`` counts the words that it adds.
        """
        texts, notes = [], []
        for spec, part in zip(self.params.engines, self.parts, strict=True):
            outcome = self.read_part(part, image)
            if outcome.status in FAILED:
                return Outcome(None, outcome.status, f"{spec.label}: {outcome.detail}")
            texts.append(outcome.value or "")
            notes += [f"{spec.label} read nothing"] if outcome.status is Status.EMPTY else []
            notes += [outcome.detail] if outcome.detail else []
        fused = self._method.fuse(texts)
        note = self._method.note(texts, fused)
        notes += [f"{self.params.method.label}: {note}"] if note else []
        return Outcome.of_text(fused, "; ".join(dict.fromkeys(notes)))

    def identity(self) -> dict[str, object]:
        """Also the identity of the method."""
        return super().identity() | {"fuses_with": self._method.identity()}
