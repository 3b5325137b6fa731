"""Small drawn pages whose words, boxes and pixels are known, and engines that know them too."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from ohr.analysis.inventions.pages import SourcePage, read_boxes
from ohr.metrics.word_keys import word_key
from ohr.ocr.files import document_id
from ohr.ocr.sources import PageSource
from ohr.plugins import OcrBackend, Params
from ohr.store.identity import digest, pixel_digest
from ohr.types import Outcome, PageRef

TRUTH = "OHR_TEST_TRUTH"
"""The folder of the drawn pages, for engines."""
LOG = "OHR_TEST_READ_LOG"
_CONSONANTS, _VOWELS = "bdfgkmprstvz", "aeou"


def word(rng: np.random.Generator) -> str:
    """A pronounceable word of eight letters, far from nearly all others."""
    return "".join(rng.choice(list(_CONSONANTS)) + rng.choice(list(_VOWELS)) for _ in range(4))


def draw_words(words: list[list[str]], size: float = 0.45) -> tuple[np.ndarray, list[list]]:
    """A page of some lines, and its boxes ``[x, y, width, height, text]`` of letters' bodies."""
    pitch, advance = 24, 100
    width = 20 + advance * max(map(len, words))
    page = np.full((30 + pitch * len(words), width), 255, np.uint8)
    boxes = []
    for row, line in enumerate(words):
        for column, text in enumerate(line):
            place = (10 + advance * column, 30 + pitch * row)
            cv2.putText(page, text, place, cv2.FONT_HERSHEY_SIMPLEX, size, 0, 1, cv2.LINE_AA)
            (wide, high), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, 1)
            boxes.append([place[0], place[1] - high, wide, high, text])
    return page, boxes


def write_pages(folder: Path, pages: int = 3, lines: int = 30, columns: int = 8) -> None:
    """Write ``page0.png`` and so on, with ``boxes/page0.json``."""
    (folder / "boxes").mkdir(parents=True)
    (folder / "images").mkdir()
    for number in range(pages):
        rng = np.random.default_rng([5, number])
        image, boxes = draw_words([[word(rng) for _ in range(columns)] for _ in range(lines)])
        Image.fromarray(image).save(folder / "images" / f"page{number}.png")
        (folder / "boxes" / f"page{number}.json").write_text(json.dumps(boxes))


def load_pages(folder: Path) -> list[SourcePage]:
    """The pages of a folder as the command finds them."""
    pages = []
    for path in sorted((folder / "images").glob("*.png")):
        source = PageSource(path, path.stem, None, 150, None, path.name)
        ref = PageRef(document_id(source.name), 0)
        pages.append(
            SourcePage(source, ref, tuple(read_boxes(folder / "boxes" / f"{path.stem}.json")))
        )
    return pages


@cache
def _truth(folder: str) -> list[tuple[np.ndarray, list[list]]]:
    root = Path(folder)
    return [
        (
            np.asarray(Image.open(root / "images" / f"{path.stem}.png")),
            json.loads(path.read_text()),
        )
        for path in sorted((root / "boxes").glob("*.json"))
    ]


class InventorParams(Params):
    """``dump``: write every word of every page; ``chatty``: write a sentence on every page."""

    rate: float = 0.0
    dump: bool = False
    chatty: bool = False


class Inventor(OcrBackend[InventorParams]):
    """Reads drawn pages without an error, and writes a covered word with a known probability.

    It finds the page by its uncovered words. A page that it does not know has no text.
    """

    name = "inventor"

    def read(self, image: np.ndarray) -> Outcome[str]:
        if LOG in os.environ:
            with open(os.environ[LOG], "a") as log:
                log.write(pixel_digest(image) + "\n")
        grey = image if image.ndim == 2 else image[..., 0]
        truth = _truth(os.environ[TRUTH])
        said = "The harbour was sold to seven merchants. " * self.params.chatty
        if self.params.dump:
            return Outcome.of_text(said + " ".join(box[4] for _, boxes in truth for box in boxes))
        best: list[tuple[str, bool]] = []
        for clean, boxes in truth:
            if clean.shape == grey.shape:
                seen = [(box[4], _same(clean, grey, box)) for box in boxes]
                best = max(best, seen, key=lambda words: sum(right for _, right in words))
        if sum(right for _, right in best) < 0.2 * len(best):
            return Outcome.of_text(said)
        # Rounded probabilities from a drawn start: the words written are as many as expected.
        rate, step = self.params.rate, int(digest(pixel_digest(image))[:8], 16) / 16**8
        written = []
        for text, right in best:
            if not right:
                step += rate
            if right or step >= 1:
                written.append(text)
            step %= 1
        return Outcome.of_text(said + " ".join(written))


def _same(clean: np.ndarray, grey: np.ndarray, box: list) -> bool:
    x, y, width, height = box[:4]
    part = np.s_[y : y + height, x : x + width]
    return bool(np.abs(clean[part].astype(int) - grey[part]).mean() < 20)


def keys(texts: list[str]) -> set[str]:
    """The keys of some words."""
    return {word_key(text) for text in texts}
