"""The grey of a page image: one for all that look at its ink."""

from __future__ import annotations

import cv2
import numpy as np


def grey_of(image: np.ndarray) -> np.ndarray:
    """The grey of an image, uint8 ``(h, w)``, by luma (ITU-R BT.601); grey images stay as they are.

    ``image`` is uint8, grey ``(h, w)`` or RGB ``(h, w, 3)``.
    """
    return image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
