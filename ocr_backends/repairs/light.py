"""Evens out the light on a page: shadows and dark corners go, paper becomes white."""

from __future__ import annotations

import cv2
import numpy as np

from ocr_backends.repairs.lines import whiten
from ohr.plugins import ImageRepair, Params

STROKE = 31
"""Longer than the strokes of text, in pixels of the searched picture, so that ink is closed."""
SEARCHED = 1000


class Light(ImageRepair[Params]):
    """Evens out shadows and dark corners; paper becomes white. A dark page is inverted first."""

    name = "light"
    version = "2"

    def repair(self, image: np.ndarray) -> np.ndarray:
        return even_light(whiten(image))


def even_light(image: np.ndarray) -> np.ndarray:
    """The page divided by its background, grey or RGB as before."""
    height, width = image.shape[:2]
    scale = min(1.0, SEARCHED / max(height, width))
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    closed = cv2.morphologyEx(small, cv2.MORPH_CLOSE, np.ones((STROKE, STROKE), np.uint8))
    background = cv2.medianBlur(closed, STROKE)
    large = cv2.resize(background, (width, height), interpolation=cv2.INTER_LINEAR)
    even: np.ndarray = cv2.divide(image, np.maximum(large, 1), scale=255)
    return even
