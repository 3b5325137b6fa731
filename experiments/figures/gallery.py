"""Parts of a page under each distortion."""

from __future__ import annotations

import numpy as np
from PIL import Image

from ohr.registry import PluginSpec
from ohr.study.noise import Noise, noises
from ohr.study.pages import distort
from ohr.study.pages.distort import image_perturbation
from ohr.types import PageRef

INTENSITIES = (0.25, 0.5, 1.0)
PART = (0.06, 0.05, 0.62, 0.36)
"""Left, top, right, bottom of the part shown, over the page's sides."""
QUALITY = 82


def points_of(names: list[str], dpi: int) -> list[Noise]:
    """Single distortions at three intensities; mixtures at their levels."""
    points = []
    for name in names:
        mixture = name == "semantic"
        points += noises(
            [PluginSpec.parse(name)], None if mixture else (), () if mixture else INTENSITIES, dpi
        )
    return points


def distorted(page: np.ndarray, noise: Noise, seed: int) -> np.ndarray:
    """A page image under one noise. Raises ConfigError if the noise is not for images."""
    assert noise.operator is not None
    operator = image_perturbation(noise.operator)
    ref = PageRef("gallery", 0)
    return distort.distorted(operator, page, intensity=noise.intensity, seed=seed, ref=ref).value


def part_of(page: np.ndarray, whole: bool) -> Image.Image:
    """The part of a page that is shown, or all of it."""
    image = Image.fromarray(page)
    if whole:
        return image
    left, top, right, bottom = PART
    width, height = image.size
    box = (round(left * width), round(top * height), round(right * width), round(bottom * height))
    return image.crop(box)
