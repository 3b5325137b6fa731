"""Mixtures by how pages were captured: ``phone`` and ``office``. Not in the paper.

Each lists its distortions in the order in which they reach a page, with the chance that a page gets
one and its intensity at the mixture's intensity 1. A page draws its distortions once, whatever the
intensity; intensity i multiplies theirs. The chances and intensities are plausible, not measured:
only ``camera`` was compared with real pages, and of ``office`` nothing was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from perturb.image.mixture import Mixture


@dataclass(frozen=True, slots=True)
class Part:
    """A distortion of a mixture."""

    name: str
    chance: float
    """That a page gets it."""
    intensity: float
    """At the mixture's intensity 1."""


class Capture(Mixture, abstract=True):
    """A mixture whose parts are drawn independently, but for those that exclude each other."""

    parts: ClassVar[tuple[Part, ...]]
    exclusive: ClassVar[frozenset[str]] = frozenset()
    """At most one of these acts on a page, so that their chances add up."""

    def draw(self, rng: np.random.Generator) -> Mapping[str, float]:
        """Draw a uniform for each part, and one for those that exclude each other."""
        shared, below, drawn = float(rng.random()), 0.0, {}
        for part, own in zip(self.parts, rng.random(len(self.parts)).tolist(), strict=True):
            if part.name in self.exclusive:
                happens = below <= shared < below + part.chance
                below += part.chance
            else:
                happens = own < part.chance
            if happens:
                drawn[part.name] = part.intensity
        return drawn


def _order(parts: tuple[Part, ...]) -> tuple[str, ...]:
    return tuple(part.name for part in parts)


class Phone(Capture):
    """Pages photographed with a phone: ``camera``, sometimes a deep shadow, rarely turned.

    A tenth of the photographs is turned at intensity 1, as when the phone did not know how it was
    held.
    """

    name = "phone"
    parts = (
        Part("shadow", 0.2, 0.5),
        Part("camera", 1.0, 1.0),
        Part("turned", 1.0, 0.1),
    )
    order = _order(parts)


class Office(Capture):
    """Pages that went through a scanner, a copier or a fax machine.

    Every page is scanned a little askew (within 1.5 degrees at intensity 1). Before that, .4 of the
    pages were copied and .2 were faxed. The print may be poor (.25), the scanner dirty (.15) or
    its image full of specks (.2). One page in 20 is turned at intensity 1.
    """

    name = "office"
    parts = (
        Part("binarization", 0.25, 0.5),
        Part("photocopy", 0.4, 0.7),
        Part("fax", 0.2, 0.7),
        Part("rotation", 1.0, 0.25),
        Part("dirty_rollers", 0.15, 0.4),
        Part("salt_and_pepper", 0.2, 0.4),
        Part("turned", 1.0, 0.05),
    )
    order = _order(parts)
    exclusive = frozenset({"photocopy", "fax"})
