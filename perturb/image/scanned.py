"""Mixtures that stand for real scans: ``scan`` (receipts) and ``archive`` (typewritten pages).
Not in the paper.

Every part acts on every page. How strong it is, is drawn once for the page: from ``low`` to
``high``, u ** ``power`` of the way for a uniform u. So every page is damaged a little, and some
pages much. Intensity i multiplies the strengths.

``scan``: the strengths of ``printer``, ``pen`` and ``scanner`` were fitted to the page errors of
Tesseract and RapidOCR on 60 of 239 scanned receipts, those of ``furniture`` and ``rotation`` set by
eye (``benchmarks/scan_fit.py``). It has more marks than the receipts: 20 of 48 had any. They also
stand for what else makes Tesseract add text and lose lines. On 60 other receipts, page errors at
intensity 1 and those of the scans (10th, 25th, 50th, 75th and 90th percentile; Kolmogorov-Smirnov
distance D; rank correlation over documents with its interval):

===============  =============================  =============================  ===  ===============
engine           scans                          ``scan`` 1                      D   rank corr.
===============  =============================  =============================  ===  ===============
Tesseract        .060 .081 .116 .180 .320       .056 .071 .104 .187 .269       .10  .26 (-.01, .48)
RapidOCR (tiny)  .028 .038 .052 .066 .097       .027 .038 .055 .084 .134       .23  .01 (-.27, .30)
===============  =============================  =============================  ===  ===============

So it stands for the distribution of damage, a little too strong for RapidOCR, and not for which
document is damaged: that is drawn.

The strengths of ``archive``, but for ``rotation``, were fitted in the same way on 26 of 52 French
typewritten pages with five draws; how its parts look was chosen beside eight of all pages. On the
other 26, at intensity 1:

===============  =============================  =============================  ===  ===============
engine           scans                          ``archive`` 1                  D    rank corr.
===============  =============================  =============================  ===  ===============
Tesseract (fra)  .025 .033 .049 .313 .653       .014 .021 .048 .119 .700       .27  .79 (.49, .94)
RapidOCR (tiny)  .015 .020 .035 .118 .688       .005 .009 .018 .030 .618       .35  .61 (.24, .85)
===============  =============================  =============================  ===  ===============

It is about as strong as the scans for Tesseract, and too weak for RapidOCR: no strengths of these
parts fit both. Which page is hard to read is mostly its layout, which twins share with scans.
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


def _checked_order(strength: Strength) -> Strength:
    if strength.low > strength.high:
        raise ValueError(f"a strength goes from low to high, not {strength.low} to {strength.high}")
    return strength


class ScannedParams(PageParams):
    """``strengths``: of distortions that are to be stronger or weaker than usual: name -> low,
    high and power. ``{pen: [0, 0]}`` leaves the pen out."""

    strengths: Mapping[str, Annotated[Strength, AfterValidator(_checked_order)]] = Field(
        default_factory=dict
    )


class Scanned(Mixture[ScannedParams], abstract=True):
    """A mixture of all of its distortions, each as strong as drawn for the page."""

    usual: ClassVar[Mapping[str, Strength]]
    """In the order in which they reach a page."""

    def __init__(self, params: ScannedParams | None = None) -> None:
        super().__init__(params)
        if unknown := sorted(self.params.strengths.keys() - self.usual.keys()):
            known_values = ", ".join(self.usual)
            raise ValueError(
                f"unknown strength {unknown[0]!r} of {self.name!r}; known: {known_values}"
            )

    def names(self) -> Iterable[str]:
        """All of its distortions."""
        return self.order

    def draw(self, rng: np.random.Generator) -> Mapping[str, float]:
        """Draw the strength of each."""
        strengths = {**self.usual, **self.params.strengths}
        draws = rng.random(len(self.order)).tolist()
        return {
            name: low + (high - low) * u**power
            for (name, (low, high, power)), u in zip(strengths.items(), draws, strict=True)
        }


class Scan(Scanned):
    """A receipt as it is scanned: rules, cheap print, marks of a pen, a flatbed."""

    name = "scan"
    usual = MappingProxyType(
        {
            "furniture": Strength(0.5, 1.0),
            "printer": Strength(0.25, 0.85),
            "pen": Strength(0.0, 0.95),
            "rotation": Strength(0.0, 0.2),
            "scanner": Strength(0.3, 0.95),
        }
    )
    order = tuple(usual)


class Archive(Scanned):
    """A typewritten page as an archive scans it: poor type, notes, old paper, a flatbed."""

    name = "archive"
    version = "2"
    usual = MappingProxyType(
        {
            "binarization": Strength(0.05, 0.8),
            "pen": Strength(0.0, 0.75),
            "background": Strength(0.0, 0.8),
            "rotation": Strength(0.0, 0.15),
            "scanner": Strength(0.3, 0.95),
        }
    )
    order = tuple(usual)
