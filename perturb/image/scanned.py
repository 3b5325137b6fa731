"""Mixtures fitted to real scans: ``scan`` (receipts) and ``archive`` (typewritten pages).
Not in the paper.

A page is printed cheaply, written upon, and scanned. How strong each part is, is drawn once for
each page: from ``low`` to ``high``, u ** ``power`` of the way for a uniform u. So every page is
damaged a little, and some pages much. Intensity i multiplies the strengths.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from pydantic import AfterValidator, Field

from ohr.plugins.perturbation import PageParams
from perturb.image.mixture import Mixture

Share = Annotated[float, Field(ge=0, le=1)]


class Strength(NamedTuple):
    """How strong a distortion is on a page, at the mixture's intensity 1."""

    low: Share
    high: Share
    power: Annotated[float, Field(ge=0.1, le=10)] = 1.0
    """Above 1, most pages are near ``low``."""


def _in_order(strength: Strength) -> Strength:
    if strength.low > strength.high:
        raise ValueError(f"a strength goes from low to high, not {strength.low} to {strength.high}")
    return strength


class ScannedParams(PageParams):
    """``strengths``: of distortions that are to be stronger or weaker than fitted: name -> low,
    high and power. ``{pen: [0, 0]}`` leaves the pen out."""

    strengths: Mapping[str, Annotated[Strength, AfterValidator(_in_order)]] = Field(
        default_factory=dict
    )


class Scanned(Mixture[ScannedParams], abstract=True):
    """A mixture of all of its distortions, each as strong as drawn for the page."""

    fitted: ClassVar[Mapping[str, Strength]]
    """In the order in which they reach a page."""

    def __init__(self, params: ScannedParams | None = None) -> None:
        super().__init__(params)
        if unknown := sorted(self.params.strengths.keys() - self.fitted.keys()):
            known_values = ", ".join(self.fitted)
            raise ValueError(
                f"unknown strength {unknown[0]!r} of {self.name!r}; known: {known_values}"
            )

    def names(self) -> Iterable[str]:
        """All of its distortions."""
        return self.order

    def draw(self, rng: np.random.Generator) -> Mapping[str, float]:
        """Draw the strength of each."""
        strengths = {**self.fitted, **self.params.strengths}
        draws = rng.random(len(self.order)).tolist()
        return {
            name: low + (high - low) * u**power
            for (name, (low, high, power)), u in zip(strengths.items(), draws, strict=True)
        }


class Scan(Scanned):
    """A receipt as it is scanned: rules, cheap print, marks of a pen, a flatbed."""

    name = "scan"
    fitted = MappingProxyType(
        {
            "furniture": Strength(0.5, 1.0),
            "printer": Strength(0.25, 0.85),
            "pen": Strength(0.0, 0.95),
            "rotation": Strength(0.0, 0.2),
            "scanner": Strength(0.3, 0.95),
        }
    )
    order = tuple(fitted)


class Archive(Scanned):
    """A typewritten page as an archive scans it: poor type, notes, old paper, a flatbed."""

    name = "archive"
    fitted = MappingProxyType(
        {
            "binarization": Strength(0.2, 0.9),
            "pen": Strength(0.0, 0.6, 3.0),
            "background": Strength(0.0, 0.6),
            "rotation": Strength(0.0, 0.15),
            "scanner": Strength(0.3, 1.0),
        }
    )
    order = tuple(fitted)
