"""Parts of a page under each distortion."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from experiments.noisy.sheets import busiest_pages, contact_sheet
from ohr import registry
from ohr.documents.images import image_dpi, load_image
from ohr.documents.pdf import render
from ohr.errors import ConfigError
from ohr.ocr import distort
from ohr.ocr.noise import Noise, noises
from ohr.registry import PluginSpec
from ohr.types import PageRef
from perturb.image.semantic import STRONG, WEAK

INTENSITIES = (0.25, 0.5, 1.0)
PART = (0.06, 0.05, 0.62, 0.36)
"""Left, top, right, bottom of the part shown, over the page's sides."""
QUALITY = 82


def picture_kind(path: Path) -> str:
    """Pillow's name of an image format, by the file's name. Raises ConfigError."""
    kind = Image.registered_extensions().get(path.suffix.lower())
    if kind is None:
        raise ConfigError(f"cannot write the picture {path.name}: use .jpg, .png or .webp")
    return kind


def draw_gallery(
    page: Path | None,
    names: Sequence[str],
    dpi: int,
    seed: int,
    width: int,
    whole: bool,
    kind: str,
) -> tuple[int, bytes]:
    """Draw part of a page under distortions; returns their number and the picture's bytes.

    Without names: the single distortions and their mixture. ``page`` is an image, at its stored
    resolution, or a PDF, whose first page is used; by default a page of the sample. Raises
    ConfigError.
    """
    chosen = page or next(p.image for p in busiest_pages([], seed).values() if p.image)
    if chosen.suffix.lower() == ".pdf":
        pixels = render(chosen, 0, dpi)
    else:
        pixels, dpi = load_image(chosen), image_dpi(chosen) or dpi
    clean = np.asarray(Image.fromarray(pixels).convert("RGB"))  # in colour, since paper has one
    points = points_of(names or [*WEAK, *STRONG, "semantic"], dpi)
    images = [part_of(distorted(clean, point, seed), whole) for point in points]
    captions = [f"{point.name.replace('_', ' ')} {point.strength}" for point in points]
    sheet = contact_sheet(images, columns=len(INTENSITIES), width=width, captions=captions)
    sink = io.BytesIO()
    sheet.save(sink, kind, quality=QUALITY)
    return len(points), sink.getvalue()


def points_of(names: Sequence[str], dpi: int) -> list[Noise]:
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
    operator = registry.image_perturbation(noise.operator)
    ref = PageRef("gallery", 0)
    return distort.distort_image(
        operator, page, intensity=noise.intensity, seed=seed, ref=ref
    ).value


def part_of(page: np.ndarray, whole: bool) -> Image.Image:
    """The displayed part of a page, or the whole page."""
    image = Image.fromarray(page)
    if whole:
        return image
    left_edge, top, right, bottom = PART
    width, height = image.size
    box = (
        round(left_edge * width),
        round(top * height),
        round(right * width),
        round(bottom * height),
    )
    return image.crop(box)
