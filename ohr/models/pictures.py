"""Prepares pictures for models, not too large, and for servers, as lossless PNG."""

from __future__ import annotations

import base64
import io

import cv2
import numpy as np
from PIL import Image


def png(picture: Image.Image) -> bytes:
    """The picture as a PNG file, with fast compression."""
    stream = io.BytesIO()
    picture.save(stream, "PNG", compress_level=1)
    return stream.getvalue()


def data_url(picture: Image.Image) -> str:
    """The picture as a PNG in a ``data:`` address."""
    return "data:image/png;base64," + base64.b64encode(png(picture)).decode("ascii")


def shrink(image: np.ndarray, side: int | None) -> np.ndarray:
    """The picture, scaled down if its longer side has more than ``side`` pixels."""
    height, width = image.shape[:2]
    if side is None or max(height, width) <= side:
        return image
    scale = side / max(height, width)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return cv2.resize(image, size, interpolation=cv2.INTER_AREA)
