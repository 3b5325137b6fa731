"""The effects of appendix III.2 for which the paper used Augraphy, by Augraphy itself.

Alternatives to our own distortions: slower, larger, tied to one version of one library. Intensity 1
is Augraphy's default, which ``paper_intensity`` takes for the paper's setting; below it folds are
shallower and other effects are blended with the clean page. Nothing here imports Augraphy; see
:mod:`perturb.image.augraphy_library` for what it does to a process.

Calibration: 21 pages with evidence (45 questions) of a filing at 150 dpi, seed 0, Tesseract 5.3.
Edit distance to the ground truth, then r_noise on the words as written:

==========================  ==========  ==========  ==========
effect                      0.25        0.5         1
==========================  ==========  ==========  ==========
clean                       .188  .178
augraphy_letterpress        .233  .400  .269  .511  .284  .778
augraphy_ink_bleed          .198  .178  .190  .267  .304  .556
augraphy_dirty_rollers      .188  .156  .201  .156  .201  .222
augraphy_folding            .198  .222  .290  .689  .491  .800
augraphy_shadow_cast        .217  .267  .276  .378  .374  .556
augraphy_lighting_gradient  .189  .200  .271  .356  .373  .578
==========================  ==========  ==========  ==========
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import cv2
import numpy as np
from pydantic import Field, StrictInt, StrictStr

from ohr.plugins.perturbation import PageDistortion, PageParams, PageRecord
from perturb.image.augraphy_library import installed_version, seeded
from perturb.image.coarse import uniforms

LARGEST_SIDE = 4000
"""A4 at 340 dpi. LightingGradient needs 1.7 GB for such a page, and four times as much beyond."""
USUAL_SIDE = 1754
"""The long side of A4 at 150 dpi, for which Augraphy's numbers of blobs are meant."""

FOLDS = 2
FOLD_WIDTHS, FOLD_DEPTHS = (0.05, 0.1), (0.01, 0.02)
"""Augraphy's defaults: a fold's half-width over the page's width, its depth over the height."""
FOLD_NOISE = 0.01
"""Augraphy's default: share of black pixels on the fold, times two."""


class AugraphyRecord(PageRecord):
    """The seed of Augraphy's generators, Augraphy's version, and pixels for each pixel at 150
    dpi."""

    seed: Annotated[StrictInt, Field(ge=0, lt=2**32)]
    augraphy: Annotated[StrictStr, Field(max_length=40)]
    scale: Annotated[float, Field(ge=0.2, le=8, strict=True)]


class AugraphyDistortion(PageDistortion[AugraphyRecord], abstract=True):
    """Runs an effect of Augraphy's on the page in BGR. Making one raises MissingDependencyError."""

    paper_intensity: ClassVar[float] = 1.0

    def __init__(self, params: PageParams | None = None) -> None:
        super().__init__(params)
        self._augraphy = installed_version()

    def identity(self) -> dict[str, object]:
        return super().identity() | {"augraphy": self._augraphy}

    def plan(self, head: PageRecord, rng: np.random.Generator) -> AugraphyRecord:
        """Draw the seed. Raises ValueError for a page that needs too much memory."""
        seed = int(rng.integers(2**32))
        _check_size(head)
        return AugraphyRecord(
            **head.model_dump(), seed=seed, augraphy=self._augraphy, scale=self.params.scale
        )

    def parse(self, record: Mapping[str, Any]) -> AugraphyRecord:
        parsed = super().parse(record)
        if parsed.augraphy != self._augraphy:
            raise ValueError(
                f"record was made with Augraphy {parsed.augraphy!r}, installed is "
                f"{self._augraphy!r}: pip install --no-deps augraphy=={parsed.augraphy}"
            )
        _check_size(parsed)
        return parsed

    def render(self, page: np.ndarray, record: AugraphyRecord) -> np.ndarray:
        """The effect on the page; Augraphy gets a grey page in three channels."""
        grey = page.ndim == 2
        image = cv2.cvtColor(page, cv2.COLOR_GRAY2BGR if grey else cv2.COLOR_RGB2BGR)
        with seeded(record.seed) as augraphy:
            seen = self.run(augraphy, image, record)
        if seen.shape != image.shape or seen.dtype != np.uint8:
            raise ValueError(f"Augraphy made {seen.dtype} {seen.shape} of a page {image.shape}")
        out: np.ndarray = cv2.cvtColor(seen, cv2.COLOR_BGR2GRAY if grey else cv2.COLOR_BGR2RGB)
        return out

    @abstractmethod
    def run(self, augraphy: Any, image: np.ndarray, record: AugraphyRecord) -> np.ndarray:
        """The effect on an image of our own, uint8 ``(h, w, 3)`` BGR."""


class BlendedAugraphy(AugraphyDistortion, abstract=True):
    """An effect that leaves everything in its place: blended with the clean page."""

    def render(self, page: np.ndarray, record: AugraphyRecord) -> np.ndarray:
        """Intensity i: i parts of the effect, 1 - i parts of the clean page."""
        full, share = super().render(page, record), record.intensity
        blended: np.ndarray = cv2.addWeighted(full, share, page, 1 - share, 0)
        return blended

    def run(self, augraphy: Any, image: np.ndarray, record: AugraphyRecord) -> np.ndarray:
        seen: np.ndarray = self.effect(augraphy, record)(image, force=True)
        return seen

    @abstractmethod
    def effect(self, augraphy: Any, record: AugraphyRecord) -> Any:
        """Augraphy's augmentation, its defaults brought to the page's resolution."""


class AugraphyLetterpress(BlendedAugraphy):
    """Binarization: ink pressed unevenly onto the paper."""

    name = "augraphy_letterpress"

    def effect(self, augraphy: Any, record: AugraphyRecord) -> Any:
        # Augraphy puts the same number of blobs on any page: keep their density for small pages.
        share = (max(record.shape[:2]) / USUAL_SIDE) ** 2
        return augraphy.Letterpress(
            n_clusters=(max(1, round(300 * share)), max(1, round(800 * share))),
            std_range=(round(1500 * record.scale), round(5000 * record.scale)),
        )


class AugraphyInkBleed(BlendedAugraphy):
    """Binarization: ink that runs at its edges."""

    name = "augraphy_ink_bleed"

    def effect(self, augraphy: Any, record: AugraphyRecord) -> Any:
        side = 2 * max(1, round(2 * record.scale)) + 1
        return augraphy.InkBleed(kernel_size=(side, side))


class AugraphyDirtyRollers(BlendedAugraphy):
    """Dirty rollers: bands of shade down or across the page."""

    name = "augraphy_dirty_rollers"

    def effect(self, augraphy: Any, record: AugraphyRecord) -> Any:
        widths = (max(2, round(8 * record.scale)), max(2, round(12 * record.scale)))
        return augraphy.DirtyRollers(line_width_range=widths)


class AugraphyShadowCast(BlendedAugraphy):
    """Shadow: a soft shape that enters from an edge."""

    name = "augraphy_shadow_cast"

    def effect(self, augraphy: Any, record: AugraphyRecord) -> Any:
        kernels = (max(3, round(101 * record.scale)), max(3, round(301 * record.scale)))
        return augraphy.ShadowCast(shadow_blur_kernel_range=kernels)


class AugraphyLightingGradient(BlendedAugraphy):
    """Shadow: light that falls off from a strip."""

    name = "augraphy_lighting_gradient"

    def effect(self, augraphy: Any, record: AugraphyRecord) -> Any:
        return augraphy.LightingGradient()


class AugraphyFolding(AugraphyDistortion):
    """Warping: folds down the page, between which everything sinks; the intensity is the depth."""

    name = "augraphy_folding"

    def run(self, augraphy: Any, image: np.ndarray, record: AugraphyRecord) -> np.ndarray:
        effect, noise = augraphy.Folding(), FOLD_NOISE * record.intensity
        height, width = record.shape[:2]
        for middle, side, depth in folds(record):
            if depth:
                image = effect.apply_folding(
                    image, None, None, height, width, middle, side, depth, noise, 0
                )
        return image

    def place(self, boxes: np.ndarray, record: AugraphyRecord) -> np.ndarray:
        """Exact hulls: a fold moves a column down, and all of it alike."""
        x0, y0, x1, y1 = boxes.T
        kinks = [
            position
            for middle, side, _ in folds(record)
            for position in (middle - side, middle, middle + side)
        ]
        columns = np.stack([x0, x1, *(np.clip(kink, x0, x1) for kink in kinks)], axis=1)
        sunk = np.zeros_like(columns)
        for middle, side, depth in folds(record):
            sunk += depth * np.clip(1 - np.abs(columns - middle) / side, 0, 1)
        return np.stack([x0, y0 + sunk.min(axis=1), x1, y1 + sunk.max(axis=1)], axis=1)


def folds(record: AugraphyRecord) -> list[tuple[int, int, int]]:
    """Each fold's middle, half-width and depth in pixels, as Augraphy would draw them."""
    height, width = record.shape[:2]
    places = []
    for position, wide, deep in uniforms(record.seed, 3 * FOLDS).reshape(FOLDS, 3):
        side = max(1, round(width * _interpolate(FOLD_WIDTHS, wide)))
        middle = side + 1 + int(position * (width - 2 * side - 2))
        depth = round(height * _interpolate(FOLD_DEPTHS, deep) * record.intensity)
        places.append((middle, side, depth))
    return places


def _interpolate(ends: tuple[float, float], share: float) -> float:
    return ends[0] + (ends[1] - ends[0]) * share


def _check_size(record: PageRecord) -> None:
    if max(record.shape[:2]) > LARGEST_SIDE:
        raise ValueError(
            f"Augraphy's effects take pages up to {LARGEST_SIDE} pixels a side, this page has "
            f"shape {record.shape}: render it at a lower resolution"
        )
