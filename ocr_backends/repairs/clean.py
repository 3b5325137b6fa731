"""Cleans a page: even light, black ink, white paper."""

from __future__ import annotations

import cv2
import numpy as np
from pydantic import Field

from ocr_backends.repairs.light import even_light
from ocr_backends.repairs.lines import grey_of, whiten
from ohr.plugins import ImageRepair, Params

SPREAD = 128.0
"""Largest standard deviation of grey values."""


class CleanParams(Params):
    """``binarise``: make each pixel black or white. ``window``: side of the window of its
    threshold, as a share of the page's shorter side. ``k``: how far below the window's mean a pixel
    must be to be ink.
    """

    binarise: bool = True
    window: float = Field(0.02, gt=0, le=0.5)
    k: float = Field(0.2, ge=0, le=1)


class Clean(ImageRepair[CleanParams]):
    """Evens out the light, removes specks, stretches the contrast and binarises.

    A dark page is inverted first.
    """

    name = "clean"
    version = "2"

    def repair(self, image: np.ndarray) -> np.ndarray:
        grey = whiten(grey_of(image))
        even = cv2.medianBlur(even_light(grey), 3)
        ink, paper = np.percentile(even, (0.5, 90))
        if paper - ink < 1:
            return image
        scale = 255 / (paper - ink)
        stretched = cv2.convertScaleAbs(
            np.maximum(even, round(ink)), alpha=scale, beta=-ink * scale
        )
        if not self.params.binarise:
            return np.asarray(stretched)
        return binarised(np.asarray(stretched), self.params.window, self.params.k)


def binarised(grey: np.ndarray, window: float, k: float) -> np.ndarray:
    """Black (0) and white (255), uint8 ``(h, w)``, by a threshold for each pixel.

    The threshold is the window's mean, lowered the more, the less the window varies. Source:
    Sauvola and Pietikäinen, Adaptive document image binarization, 2000.
    """
    side = 2 * max(3, round(window * min(grey.shape) / 2)) + 1
    values = grey.astype(np.float32)
    mean = cv2.boxFilter(values, -1, (side, side), borderType=cv2.BORDER_REPLICATE)
    squares = cv2.boxFilter(values * values, -1, (side, side), borderType=cv2.BORDER_REPLICATE)
    deviation = np.sqrt(np.maximum(squares - mean * mean, 0))
    threshold = mean * (1 + k * (deviation / SPREAD - 1))
    return np.where(values > threshold, 255, 0).astype(np.uint8)
