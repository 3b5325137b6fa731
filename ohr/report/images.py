"""Page images: clean and as the engine's input, with boxes around the evidence."""

from __future__ import annotations

import hashlib
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from rapidfuzz.distance import LCSseq

from ohr import registry
from ohr.documents.pdf import words_of_page
from ohr.errors import ConfigError, OhrError
from ohr.ocr.worker import PageTask, distort, page_image
from ohr.report.again import Recipes, shown_record
from ohr.store.atomic import write_bytes
from ohr.store.identity import pixel_digest
from ohr.types import PageRef

FOLDER = "images"
LEAST_RUN = 3
LEAST_FOUND = 0.5
"""Share of an evidence line's words that a page must have, for boxes around them."""

Size = tuple[int, int]
"""Height and width in pixels."""


@dataclass(frozen=True)
class ImageSpec:
    """``webp:1024:60``: longest side in pixels, and quality, 1 to 100."""

    side: int = 1024
    quality: int = 60

    @classmethod
    def parse(cls, text: str) -> ImageSpec | None:
        """The specification in a text; None for ``none``. Raises ConfigError."""
        if text == "none":
            return None
        kind, *numbers = text.split(":")
        try:
            side, quality = (int(number) for number in numbers)
        except ValueError:
            side = quality = 0
        if kind != "webp" or not (100 <= side <= 4096 and 1 <= quality <= 100):
            raise ConfigError(
                f"images: {text!r} is not webp:SIDE:QUALITY, such as webp:1024:60, or none"
            )
        return cls(side, quality)


class PageImages:
    """Writes the page images of one run, each image once, named by its digest."""

    def __init__(self, recipes: Recipes, out: Path, spec: ImageSpec, budget: Budget) -> None:
        self._recipes, self._out, self._spec, self._budget = recipes, out, spec, budget
        self._drawn: dict[tuple[str, PageRef], tuple[dict[str, Any] | None, Size, Size]] = {}
        self._files: dict[str, str] = {}
        self._last: tuple[tuple[Path, int, int], np.ndarray] | None = None
        self.undrawn: dict[PageRef, str] = {}
        """Pages whose image could not be made, and why."""
        self.unmarked: dict[PageRef, str] = {}
        """Pages on which the evidence could not be marked, and why."""

    def draw(self, base: str, ref: PageRef) -> dict[str, Any] | None:
        """File names of the ``clean`` page and of the one that was ``read``; None without images.

        A distorted page also has the ``record`` of its distortion.
        """
        task = self._recipes.task(base, ref)
        if task is None:
            return None
        try:
            image = self._page(task)
            clean = self._file(image)
            noisy, record = distort(task, image)
            read = clean if record is None else self._file(noisy)
        except (OhrError, ValueError, OSError) as error:
            self.undrawn[ref] = str(error)
            return None
        self._drawn[base, ref] = (record, _size(image), _size(noisy))
        if clean is None or read is None:
            return None
        extra = {} if record is None else {"record": shown_record(record)}
        return {"clean": clean, "read": read, **extra}

    def boxes(self, base: str, ref: PageRef, evidence: str) -> list[list[float]]:
        """Boxes of the evidence on the page that was read: left, top, right, bottom, as shares.

        Empty for pages that :meth:`of` has not drawn.
        """
        task, drawn = self._recipes.task(base, ref), self._drawn.get((base, ref))
        if task is None or drawn is None:
            return []
        record, size, (height, width) = drawn
        try:
            boxes = evidence_boxes(task, evidence, size)
        except OhrError as error:
            self.unmarked[ref] = str(error)
            return []
        if len(boxes) and record is not None and task.operator is not None:
            boxes = registry.image_perturbation(task.operator).move(boxes, record)
        shares: list[list[float]] = np.round(boxes / [width, height, width, height], 4).tolist()
        return shares

    def missing(self) -> Iterator[str]:
        """What could not be made, and the first reason."""
        for pages, what in (
            (self.undrawn, "have no image"),
            (self.unmarked, "have no boxes around the evidence"),
        ):
            if pages:
                ref, why = next(iter(pages.items()))
                page = f"page {ref.page_no + 1} of {ref.doc_id}"
                yield f"{len(pages):,} pages that were read {what}, such as {page}: {why}"

    def _page(self, task: PageTask) -> np.ndarray:
        """The clean page; the last one is kept for the next condition."""
        key = task.source, task.ref.page_no, task.dpi
        if self._last is None or self._last[0] != key:
            self._last = key, page_image(task)
        return self._last[1]

    def _file(self, pixels: np.ndarray) -> str | None:
        """The file name of an image, written if it is new; None beyond the budget."""
        key = pixel_digest(pixels)
        if key in self._files:  # several engines read the same page
            return self._files[key]
        picture = Image.fromarray(pixels)
        picture.thumbnail((self._spec.side, self._spec.side), Image.Resampling.LANCZOS)
        sink = io.BytesIO()
        picture.save(sink, "WEBP", quality=self._spec.quality, method=4)
        content = sink.getvalue()
        name = f"{hashlib.blake2b(content, digest_size=12).hexdigest()}.webp"
        if name not in self._budget.names:
            if not self._budget.take(name, len(content)):
                return None
            write_bytes(self._out / FOLDER / name, content)
        self._files[key] = name
        return name


class Budget:
    """The bytes left for images; counts refused images."""

    def __init__(self, most: int) -> None:
        self.most, self.used, self.refused = most, 0, 0
        self.names: set[str] = set()

    def tidy(self, out: Path) -> None:
        """Remove images of earlier reports."""
        for path in (out / FOLDER).glob("*.webp"):
            if path.name not in self.names:
                path.unlink()

    def take(self, name: str, size: int) -> bool:
        """Reserve room for a file; False if there is too little."""
        if self.used + size > self.most:
            self.refused += 1
            return False
        self.used += size
        self.names.add(name)
        return True


def _size(image: np.ndarray) -> Size:
    height, width = image.shape[:2]
    return height, width


def evidence_boxes(task: PageTask, evidence: str, shape: Size) -> np.ndarray:
    """The boxes of the evidence's words on the clean page, by the PDF's text layer, one per line.

    Float ``(n, 4)`` in pixels. There are none without a text layer, and none for an evidence line
    of which more than half the words are missing. ``shape`` is the page's height and width.
    """
    if task.source.suffix.lower() != ".pdf":
        return np.zeros((0, 4))
    page_words = [
        (name, np.array(box, dtype=float))
        for word, box in words_of_page(task.source, task.ref.page_no, task.dpi)
        if (name := _normal(word))
    ]
    names = [name for name, _ in page_words]
    boxes: list[np.ndarray] = []
    for line in evidence.splitlines():
        last = -2
        for position in _find_words(
            [name for word in line.split() if (name := _normal(word))], names
        ):
            box = page_words[position][1]
            if boxes and 0 < position - last <= 2 and _same_line(boxes[-1], box):
                left_edge = boxes[-1]
                boxes[-1] = np.append(
                    np.minimum(left_edge[:2], box[:2]), np.maximum(left_edge[2:], box[2:])
                )
            else:
                boxes.append(box)
            last = position
    height, width = shape
    clipped: np.ndarray = np.clip(np.array(boxes).reshape(-1, 4), 0, [width, height, width, height])
    return clipped


def _find_words(words: Sequence[str], page: Sequence[str]) -> list[int]:
    """Places of the words on a page, within the part of the page that has most of them."""
    if not words:
        return []
    width = 2 * len(words) + LEAST_RUN
    counts, best, start, end = Counter(words), 0, 0, 0
    inside: Counter[str] = Counter()
    matches = 0
    for index, word in enumerate(page):
        inside[word] += 1
        matches += inside[word] <= counts[word]
        if index >= width:
            gone = page[index - width]
            matches -= inside[gone] <= counts[gone]
            inside[gone] -= 1
        if matches > best:
            best, start, end = matches, max(0, index - width + 1), index + 1
    # Surplus words at its start would be matched in place of later, equal words.
    inside = Counter(page[start:end])
    while start < end and inside[page[start]] > counts[page[start]]:
        inside[page[start]] -= 1
        start += 1
    window = page[start:end]
    blocks = [b for b in LCSseq.opcodes(words, window) if b.tag == "equal"]
    runs = [range(start + b.dest_start, start + b.dest_end) for b in blocks]
    if sum(map(len, runs)) < LEAST_FOUND * len(words):
        return []
    # Short runs are matches by chance.
    runs = [run for run in runs if len(run) >= LEAST_RUN] or runs
    return [index for run in runs for index in run]


def _normal(word: str) -> str:
    return "".join(c for c in word.lower() if c.isalnum())


def _same_line(left_side: np.ndarray, right: np.ndarray) -> bool:
    middle = (right[1] + right[3]) / 2
    return bool(left_side[1] <= middle <= left_side[3])
