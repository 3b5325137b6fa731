"""An engine that does what a page's first pixel says: most pages are fine, some are not."""

from __future__ import annotations

import os
import time

import numpy as np

from ocr_backends.normalise import Normalise, finished
from ohr.plugins import OcrBackend
from ohr.types import Outcome

FINE, HANG, CRASH, LOOP, EAT, EMPTY, FLOOD = range(0, 70, 10)
MEGABYTE = 1_000_000


class PixelEngine(OcrBackend):
    name = "pixel"
    generative = True

    def read(self, image: np.ndarray) -> Outcome[str]:
        return finished(text_of(image), Normalise(), generative=self.generative)


class BatchingEngine(PixelEngine):
    """Takes eight pages at a time; one that crashes takes its company with it."""

    name = "batching"

    def pages_together(self) -> int:
        return 8


def text_of(image: np.ndarray) -> str:
    kind = int(image.flat[0])
    if kind == HANG:
        time.sleep(1000)
    while kind == FLOOD:
        print("And so on and on. " * 1000)
    if kind == CRASH:
        os._exit(11)
    if kind == EAT:
        eaten = [np.ones(20 * MEGABYTE, np.uint8) for _ in range(20)]
        time.sleep(1000)
        del eaten
    if kind == LOOP:
        return "A page that begins well. " + "And so on and on. " * 2000
    return "" if kind == EMPTY else f"The sum of the page is {int(image.sum())}."
