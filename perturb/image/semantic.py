"""Semantic noise: the paper's mixture of the eight distortions (appendix III.2).

Its levels differ in kind: mild is one weak distortion per page, moderate one strong, severe two
random ones, each at the paper's setting (its ``paper_intensity``). Intensity i scales that of two
random ones: they act at i times the paper's setting, so that intensity 1 is the severe level.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

import numpy as np

from ohr.plugins import Level
from ohr.plugins.perturbation import PageParams
from perturb.image.mixture import Mixture, distortion

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


class Semantic(Mixture[SemanticParams]):
    """Distorts the page by one or two of the eight distortions, drawn for the page."""

    name = "semantic"
    order = ORDER
    levels = {  # noqa: RUF012  # the hook declares it as a class variable
        "mild": Level(1.0, {"draw": "weak"}),
        "moderate": Level(1.0, {"draw": "strong"}),
        "severe": Level(1.0, {"draw": "two"}),
    }

    def names(self) -> Iterable[str]:
        """The distortions of the parameters' class."""
        return DRAWS[self.params.draw][0]

    def draw(self, rng: np.random.Generator) -> Mapping[str, float]:
        """Draw one or two, each at the paper's setting."""
        names, count = DRAWS[self.params.draw]
        drawn = [names[i] for i in rng.permutation(len(names))[:count]]
        return {name: distortion(name).paper_intensity for name in drawn}
