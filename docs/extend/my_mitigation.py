"""A mitigation: specks are removed before the page is read."""

import cv2
import numpy as np

import ohr


class Specks(ohr.plugins.ImageRepair):
    """Replaces each pixel by the median of its neighbourhood."""

    name = "specks"
    version = "1"

    def repair(self, image: np.ndarray) -> np.ndarray:
        return np.asarray(cv2.medianBlur(image, 3))
