"""Mixtures: a page gets several distortions, drawn for it, one after the other."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, ClassVar, Generic

import numpy as np
from pydantic import Field, StrictStr
from typing_extensions import TypeVar

from ohr import registry
from ohr.plugins.perturbation import PageDistortion, PageParams, PageRecord

MOST_PARTS = 8


class MixtureRecord(PageRecord):
    """The records of the distortions, in the order in which they act."""

    parts: Annotated[tuple[dict[StrictStr, Any], ...], Field(min_length=1, max_length=MOST_PARTS)]


Q = TypeVar("Q", bound=PageParams, default=PageParams)


class Mixture(PageDistortion[MixtureRecord, Q], Generic[Q], abstract=True):
    """Distorts the page by some of its distortions; each has a generator of its own."""

    order: ClassVar[tuple[str, ...]]
    """The distortions, in the order in which they reach a page."""

    def identity(self) -> dict[str, object]:
        """Also the versions of the distortions that may be drawn."""
        versions = {name: distortion(name).version for name in self.names()}
        return super().identity() | {"parts": versions}

    def names(self) -> Iterable[str]:
        """The distortions that may be drawn."""
        return self.order

    @abstractmethod
    def draw(self, rng: np.random.Generator) -> Mapping[str, float]:
        """Draw distortions: their names, and of each its intensity at intensity 1."""

    def plan(self, head: PageRecord, rng: np.random.Generator) -> MixtureRecord:
        """Draw the distortions, and a generator of its own for each."""
        drawn = self.draw(rng)
        seeds = rng.integers(2**53, size=len(self.order)).tolist()
        shape: tuple[int, ...] = head.shape
        parts: list[dict[str, Any]] = []
        for name, seed in zip(self.order, seeds, strict=True):
            if name in drawn:
                part = distortion(name, dpi=self.params.dpi)
                own = {
                    "name": part.name,
                    "version": part.version,
                    "intensity": head.intensity * drawn[name],
                    "shape": shape,
                }
                planned = part.plan(head.model_copy(update=own), np.random.default_rng(seed))
                parts.append(planned.model_dump(mode="json"))
                shape = part.shape_after(shape, parts[-1])
        return MixtureRecord(**head.model_dump(), parts=tuple(parts))

    def render(self, page: np.ndarray, record: MixtureRecord) -> np.ndarray:
        """Let the parts act, one after the other."""
        for part in record.parts:
            page = distortion(part["name"]).replay(page, part)
        return page

    def place(self, boxes: np.ndarray, record: MixtureRecord) -> np.ndarray:
        """Hulls of hulls: they cover what they hold, if a little loosely after a rotation."""
        for part in record.parts:
            boxes = distortion(part["name"]).move(boxes, part)
        return boxes

    def frame(self, record: MixtureRecord) -> tuple[int, ...]:
        """The shape after all parts."""
        last = record.parts[-1]
        return distortion(last["name"]).shape_after(tuple(last["shape"]), last)

    def parse(self, record: Mapping[str, Any]) -> MixtureRecord:
        """The checked record, with its parts. Raises ValueError."""
        parsed = super().parse(record)
        shape: tuple[int, ...] = parsed.shape
        for part in parsed.parts:
            if part.get("name") not in self.order:
                raise ValueError(f"record has an unknown part {part.get('name')!r}")
            plugin = distortion(part["name"])
            if plugin.parse(part).shape != shape:
                raise ValueError(f"record has a part for another shape: {part['name']!r}")
            shape = plugin.shape_after(shape, part)
        return parsed


def distortion(name: str, **params: Any) -> PageDistortion[Any]:
    """A registered distortion. Raises TypeError if another kind of plug-in took its name."""
    plugin = registry.create("perturbation", {"name": name, "params": params})
    if not isinstance(plugin, PageDistortion):
        raise TypeError(f"{name!r} is registered as {type(plugin).__name__}, no page distortion")
    return plugin
