"""A page as a model takes it: RGB, of limited size and shape."""

from __future__ import annotations

import math

import cv2
import numpy as np
from PIL import Image

from ohr.plugins.engine import checked_image


def page_image(image: np.ndarray, max_pixels: int, max_ratio: float = math.inf) -> Image.Image:
    """The page as an RGB image of at most ``max_pixels``, its sides within ``max_ratio``.

    Grey ``(h, w)`` or RGB ``(h, w, 3)``, uint8. Padding is white, on the right and below. Raises
    EngineError for any other array.
    """
    image = checked_image(image)
    if image.ndim == 2:
        image = np.repeat(image[:, :, None], 3, axis=2)
    height, width = image.shape[:2]
    below = max(0, math.ceil(width / max_ratio) - height)
    right = max(0, math.ceil(height / max_ratio) - width)
    if below or right:
        image = cv2.copyMakeBorder(
            image, 0, below, 0, right, cv2.BORDER_CONSTANT, value=(255, 255, 255)
        )
        height, width = image.shape[:2]
    if height * width > max_pixels:
        scale = math.sqrt(max_pixels / (height * width))
        size = max(1, int(width * scale)), max(1, int(height * scale))
        image = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    return Image.fromarray(image)
