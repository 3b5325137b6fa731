"""The same page again, changed so little that a reader would not notice."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import cv2
import numpy as np

QUALITY = 75
"""Quality of the JPEG, Pillow's and most scanners' default."""
SCALE = 0.98


def recompressed(image: np.ndarray) -> np.ndarray:
    """Saved as a JPEG of quality 75, and opened."""
    rgb = image.ndim == 3
    pixels = cv2.cvtColor(image, cv2.COLOR_RGB2BGR) if rgb else image
    _, encoded = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    opened = cv2.imdecode(encoded, cv2.IMREAD_COLOR if rgb else cv2.IMREAD_GRAYSCALE)
    pixels = np.asarray(opened, np.uint8)
    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2RGB), np.uint8) if rgb else pixels


def moved(image: np.ndarray) -> np.ndarray:
    """A pixel further right and down; the first row and column are doubled, the last are cut."""
    wider = cv2.copyMakeBorder(image, 1, 0, 1, 0, cv2.BORDER_REPLICATE)
    return np.ascontiguousarray(wider[: image.shape[0], : image.shape[1]])


def scaled(image: np.ndarray) -> np.ndarray:
    """Scaled by .98."""
    return np.asarray(cv2.resize(image, None, fx=SCALE, fy=SCALE, interpolation=cv2.INTER_AREA))


CHANGES: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {
    "jpeg": recompressed,
    "moved": moved,
    "scaled": scaled,
}
"""Changes of a page image, uint8 ``(h, w)`` or ``(h, w, 3)``; the dtype stays."""
