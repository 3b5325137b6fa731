"""Semantic noise: the paper's mixture of the eight distortions (appendix III.2).

Its levels differ in kind: mild is one weak distortion per page, moderate one strong, severe two
random ones, each at the paper's setting (its ``paper_intensity``). Intensity i scales that of two
random ones: they act at i times the paper's setting, so that intensity 1 is the severe level.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, StrictStr

from ohr import registry
from ohr.plugins import Level
from ohr.plugins.perturbation import PageDistortion, PageParams, PageRecord

WEAK = ("background", "binarization", "rotation", "psf_blur")
STRONG = ("salt_and_pepper", "dirty_rollers", "warping", "shadow")
"""The paper's classes: those that preserve the clarity of text, and those that do not."""

ORDER = (
    *("binarization", "background", "warping", "shadow"),
    *("rotation", "psf_blur", "dirty_rollers", "salt_and_pepper"),
)
"""In the order in which they reach a page: print, paper, camera or scanner, its sensor."""

DRAWS = {"weak": (WEAK, 1), "strong": (STRONG, 1), "two": (ORDER, 2)}
"""What is drawn -> (of which distortions, how many)."""


class SemanticParams(PageParams):
    """Which distortions a page may get."""

    draw: Literal["weak", "strong", "two"] = "two"


class SemanticRecord(PageRecord):
    """The records of the distortions, in the order in which they act."""

    parts: Annotated[tuple[dict[StrictStr, Any], ...], Field(min_length=1, max_length=len(ORDER))]


class Semantic(PageDistortion[SemanticRecord, SemanticParams]):
    """Distorts the page by one or two of the eight distortions, drawn for the page."""

    name = "semantic"
    levels = {  # noqa: RUF012  # the hook declares it as a class variable
        "mild": Level(1.0, {"draw": "weak"}),
        "moderate": Level(1.0, {"draw": "strong"}),
        "severe": Level(1.0, {"draw": "two"}),
    }

    def identity(self) -> dict[str, object]:
        """Also the versions of the distortions that may be drawn."""
        names, _ = DRAWS[self.params.draw]
        return super().identity() | {"parts": {name: _distortion(name).version for name in names}}

    def plan(self, head: PageRecord, rng: np.random.Generator) -> SemanticRecord:
        """Draw the distortions, and a generator of its own for each."""
        names, count = DRAWS[self.params.draw]
        drawn = {names[i] for i in rng.permutation(len(names))[:count]}
        seeds = dict(zip(ORDER, rng.integers(2**53, size=len(ORDER)).tolist(), strict=True))
        parts = []
        for name in ORDER:
            if name in drawn:
                part = _distortion(name, dpi=self.params.dpi)
                own = {
                    "name": part.name,
                    "version": part.version,
                    "intensity": head.intensity * part.paper_intensity,
                }
                planned = part.plan(head.model_copy(update=own), np.random.default_rng(seeds[name]))
                parts.append(planned.model_dump(mode="json"))
        return SemanticRecord(**head.model_dump(), parts=tuple(parts))

    def render(self, page: np.ndarray, record: SemanticRecord) -> np.ndarray:
        """Let the parts act, one after the other."""
        for part in record.parts:
            page = _distortion(part["name"]).replay(page, part)
        return page

    def place(self, boxes: np.ndarray, record: SemanticRecord) -> np.ndarray:
        """Hulls of hulls: they cover what they hold, if a little loosely after a rotation."""
        for part in record.parts:
            boxes = _distortion(part["name"]).move(boxes, part)
        return boxes

    def parse(self, record: Mapping[str, Any]) -> SemanticRecord:
        """The checked record, with its parts. Raises ValueError."""
        parsed = super().parse(record)
        for part in parsed.parts:
            if part.get("name") not in ORDER:
                raise ValueError(f"record has an unknown part {part.get('name')!r}")
            if _distortion(part["name"]).parse(part).shape != parsed.shape:
                raise ValueError(f"record has a part for another shape: {part['name']!r}")
        return parsed


def _distortion(name: str, **params: Any) -> PageDistortion[Any]:
    """A registered distortion. Raises TypeError if another kind of plug-in took its name."""
    distortion = registry.create("perturbation", {"name": name, "params": params})
    if not isinstance(distortion, PageDistortion):
        raise TypeError(
            f"{name!r} is registered as {type(distortion).__name__}, no page distortion"
        )
    return distortion
