"""A part of a page under each distortion, at rising strength, in one picture.

``python -m experiments.gallery --out gallery.jpg``
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from PIL import Image

from experiments._command import CommandLine, with_errors
from experiments.contact_sheet import busiest_pages
from experiments.figures.sheets import contact_sheet
from ohr import registry
from ohr.errors import ConfigError
from ohr.pdf import load_image
from ohr.plugins import ImagePerturbation
from ohr.randomness import generator_for
from ohr.registry import PluginSpec
from ohr.store.atomic import write_bytes
from ohr.study.noise import Noise, noises
from ohr.types import PageRef
from perturb.image.semantic import STRONG, WEAK

INTENSITIES = (0.25, 0.5, 1.0)
PART = (0.06, 0.05, 0.62, 0.36)
"""Left, top, right, bottom of the part shown, over the page's sides."""
QUALITY = 82

main = CommandLine()


@main.command(help="Draw a part of a page under each distortion, at rising strength.")
def command(
    out: Annotated[Path, typer.Option(help="Picture to write: .jpg, .png or .webp.")],
    page: Annotated[
        Path | None, typer.Option(help="Page image; by default a page of the sample.")
    ] = None,
    noise: Annotated[
        list[str] | None, typer.Option(help="A distortion; by default the eight and semantic.")
    ] = None,
    dpi: Annotated[int, typer.Option(min=30, max=1200, help="Resolution of the page.")] = 150,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    width: Annotated[int, typer.Option(min=50, help="Pixels a part.")] = 360,
    whole: Annotated[bool, typer.Option("--whole", help="Show the whole page.")] = False,
    debug: Annotated[bool, typer.Option("--debug")] = False,
) -> None:
    """Write the picture."""

    def draw() -> int:
        if out.suffix.lower() not in Image.registered_extensions():
            raise ConfigError(f"cannot write a picture called {out.name}: use .jpg, .png or .webp")
        chosen = page or next(p.image for p in busiest_pages([], seed) if p.image)
        # In colour, since paper has one.
        clean = np.asarray(Image.fromarray(load_image(chosen)).convert("RGB"))
        points = _points(noise or [*WEAK, *STRONG, "semantic"], dpi)
        images = [_part(distorted(clean, point, seed), whole) for point in points]
        captions = [f"{point.name.replace('_', ' ')} {point.strength}" for point in points]
        sheet = contact_sheet(images, columns=len(INTENSITIES), width=width, captions=captions)
        sink = io.BytesIO()
        kind = Image.registered_extensions()[out.suffix.lower()]
        sheet.save(sink, kind, quality=QUALITY)
        write_bytes(out, sink.getvalue())
        print(f"{len(points)} pictures: {out}")
        return 0

    with_errors(draw, debug)


def _points(names: list[str], dpi: int) -> list[Noise]:
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
    operator = registry.create("perturbation", noise.operator)
    if not isinstance(operator, ImagePerturbation):
        raise ConfigError(f"noise {noise.name!r} rewrites text; it cannot distort images")
    rng = generator_for(seed, operator.name, PageRef("gallery", 0))
    return operator.apply(page, intensity=noise.intensity, rng=rng).value


def _part(page: np.ndarray, whole: bool) -> Image.Image:
    image = Image.fromarray(page)
    if whole:
        return image
    left, top, right, bottom = PART
    width, height = image.size
    box = (round(left * width), round(top * height), round(right * width), round(bottom * height))
    return image.crop(box)


if __name__ == "__main__":
    main()
