"""Graded noise: one of several distortions for each page, at the intensity of a severity.

A suite uses it: the intensities are set beforehand so that each distortion does about as much
damage as the others at the same severity. Source of five severities: Hendrycks and Dietterich,
Benchmarking Neural Network Robustness to Common Corruptions, ICLR 2019, section 4.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated

import numpy as np
from pydantic import Field

from ohr.plugins import Level
from ohr.plugins.perturbation import PageParams
from perturb.image.mixture import Mixture, distortion
from perturb.image.semantic import ORDER

SEVERITIES = 5
Share = Annotated[float, Field(ge=0, le=1)]
Grades = tuple[Share, Share, Share, Share, Share]
"""The intensities of a distortion at severities 1 to 5."""


def _default_grades() -> dict[str, Grades]:
    steps = [step / SEVERITIES for step in range(1, SEVERITIES + 1)]
    return {
        name: tuple(step * distortion(name).paper_intensity for step in steps)  # type: ignore[misc]
        for name in ORDER
    }


class GradedParams(PageParams):
    """``grades``: distortion -> its intensities at severities 1 to 5, by default a fifth of the
    paper's setting to the whole of it. ``severity``: which of them acts at intensity 1."""

    grades: Annotated[dict[str, Grades], Field(min_length=1)] = Field(
        default_factory=_default_grades
    )
    severity: Annotated[int, Field(ge=1, le=SEVERITIES)] = SEVERITIES


class Graded(Mixture[GradedParams]):
    """Distorts the page by one of several distortions, drawn for the page, at a severity."""

    name = "graded"
    order = (
        *("binarization", "printer", "furniture", "pen", "fax", "photocopy", "background"),
        *("warping", "shadow", "rotation", "psf_blur", "dirty_rollers", "scanner", "camera"),
        "salt_and_pepper",
    )
    levels = {  # noqa: RUF012  # the hook declares it as a class variable
        f"s{severity}": Level(1.0, {"severity": severity}) for severity in range(1, SEVERITIES + 1)
    }

    def __init__(self, params: GradedParams | None = None) -> None:
        super().__init__(params)
        if unknown := sorted(self.params.grades.keys() - set(self.order)):
            raise ValueError(
                f"'graded' cannot draw {unknown[0]!r}; it can draw {', '.join(self.order)}"
            )

    def names(self) -> Iterable[str]:
        """The distortions that have grades."""
        return self.params.grades

    def draw(self, rng: np.random.Generator) -> Mapping[str, float]:
        """Draw one distortion; the same one whatever the severity."""
        names = sorted(self.params.grades)  # whatever their order in a configuration
        name = names[int(rng.integers(len(names)))]
        return {name: self.params.grades[name][self.params.severity - 1]}
