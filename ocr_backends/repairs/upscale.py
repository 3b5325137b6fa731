"""Enlarges pages whose letters are too small for an OCR engine."""

from __future__ import annotations

import cv2
import numpy as np
from pydantic import Field

from ocr_backends.repairs.lines import grey_of, whiten
from ohr.plugins import ImageRepair, Params

LEAST = 1.2
"""Factors below this change nothing: they only blur."""
FEWEST = 30
"""Least number of letters from which their height is measured."""
LARGEST = 6000
"""Longest side in pixels of an enlarged page."""


class UpscaleParams(Params):
    """``letter_height``: the median height of letters to reach, in pixels; ``most``: the largest
    factor.
    """

    letter_height: float = Field(24.0, gt=0, le=200)
    most: float = Field(3.0, ge=1, le=8)


class Upscale(ImageRepair[UpscaleParams]):
    """Enlarges a page until its letters have the height at which engines read well."""

    name = "upscale"
    version = "2"

    def repair(self, image: np.ndarray) -> np.ndarray:
        height = letter_height(image)
        if not height:
            return image
        room = LARGEST / max(image.shape[:2])
        factor = min(self.params.letter_height / height, self.params.most, room)
        if factor < LEAST:
            return image
        return np.asarray(
            cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_CUBIC)
        )


def letter_height(image: np.ndarray) -> float:
    """The median height in pixels of what may be letters; 0 if there are hardly any."""
    grey = whiten(grey_of(image))
    _, ink = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY_INV + cv2.THRESH_OTSU)
    _, _, stats, _ = cv2.connectedComponentsWithStats(ink)
    heights = stats[1:, cv2.CC_STAT_HEIGHT]
    widths = stats[1:, cv2.CC_STAT_WIDTH]
    letters = (heights >= 5) & (heights < grey.shape[0] / 15) & (widths < 3 * heights)
    return float(np.median(heights[letters])) if letters.sum() >= FEWEST else 0.0
