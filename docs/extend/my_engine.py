"""Tesseract on pages that are first converted to black and white."""

import cv2
import numpy as np
import pytesseract

import ohr


class BlackAndWhite(ohr.plugins.Engine):
    """Otsu's threshold, then Tesseract."""

    name = "black_and_white"
    languages = ("en",)
    install = "apt-get install tesseract-ocr"

    def read(self, image: np.ndarray) -> str:
        grey = image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
        _, page = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
        return str(pytesseract.image_to_string(page))

    def engine_version(self) -> str:
        return str(pytesseract.get_tesseract_version())
