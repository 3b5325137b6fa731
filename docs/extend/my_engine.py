"""Tesseract on pages that are turned black and white before."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np
import pytesseract

from ohr import Outcome
from ohr.plugins import OcrBackend


class BlackAndWhite(OcrBackend):
    """Otsu's threshold, then Tesseract."""

    name = "black_and_white"
    version = "1"
    languages = ("en",)
    install = "apt-get install tesseract-ocr"

    def transcribe(
        self, source: Path | Sequence[np.ndarray], page_nos: Sequence[int]
    ) -> Iterator[tuple[int, Outcome[str]]]:
        for image, page_no in zip(source, page_nos, strict=True):
            grey = image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
            _, page = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
            yield page_no, Outcome.of_text(pytesseract.image_to_string(page))

    def engine_version(self) -> str:
        return str(pytesseract.get_tesseract_version())
