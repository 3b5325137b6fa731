"""Pictures of pages: clean and as an engine saw them, with the evidence boxed."""

from __future__ import annotations

import hashlib
import io
from collections import Counter
from collections.abc import Sequence
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
"""Share of a line of the evidence that must be found on a page for boxes around its words."""


@dataclass(frozen=True)
class ImageSpec:
    """``webp:1024:60``: longest side in pixels, and quality, 1 to 100."""

    side: int = 1024
    quality: int = 60

    @classmethod
    def parse(cls, text: str) -> ImageSpec | None:
        """The pictures that are asked for; None for ``none``. Raises ConfigError."""
        if text == "none":
            return None
        kind, *numbers = text.split(":")
        try:
            side, quality = (int(number) for number in numbers)
        except ValueError:
            side = quality = 0
        if kind != "webp" or not (100 <= side <= 4096 and 1 <= quality <= 100):
            raise ConfigError(
                f"images: {text!r} is not webp:SIDE:QUALITY, as webp:1024:60, or none"
            )
        return cls(side, quality)


class PageImages:
    """Draws pages of one run, each picture once, named by its digest."""

    def __init__(self, recipes: Recipes, out: Path, spec: ImageSpec, budget: Budget) -> None:
        self._recipes, self._out, self._spec, self._budget = recipes, out, spec, budget
        self._drawn: dict[tuple[str, PageRef], tuple[dict[str, Any] | None, tuple[int, int]]] = {}
        self._files: dict[str, str] = {}
        self._last: tuple[tuple[Path, int, int], np.ndarray] | None = None

    def of(self, base: str, ref: PageRef) -> dict[str, Any] | None:
        """Files of the page ``clean`` and as it was ``read``; None where there is no picture.

        With the ``record`` of its distortion, if there was any.
        """
        task = self._recipes.task(base, ref)
        if task is None:
            return None
        try:
            image = self._page(task)
            clean = self._file(image)
            seen, record = distort(task, image)
            read = clean if record is None else self._file(seen)
        except (OhrError, ValueError, OSError):
            return None
        height, width = image.shape[:2]
        self._drawn[base, ref] = (record, (height, width))
        if clean is None or read is None:
            return None
        again = {} if record is None else {"record": shown_record(record)}
        return {"clean": clean, "read": read, **again}

    def boxes(self, base: str, ref: PageRef, evidence: str) -> list[list[float]]:
        """Left, top, right, bottom of the evidence as shares of the page as it was read.

        Of pages that :meth:`of` has drawn.
        """
        task, drawn = self._recipes.task(base, ref), self._drawn.get((base, ref))
        if task is None or drawn is None:
            return []
        record, (height, width) = drawn
        try:
            boxes = evidence_boxes(task, evidence, (height, width))
        except OhrError:
            return []
        if len(boxes) and record is not None and task.operator is not None:
            boxes = registry.image_perturbation(task.operator).move(boxes, record)
        shares: list[list[float]] = np.round(boxes / [width, height, width, height], 4).tolist()
        return shares

    def _page(self, task: PageTask) -> np.ndarray:
        """The clean page, drawn once for conditions that follow one another."""
        key = task.source, task.ref.page_no, task.dpi
        if self._last is None or self._last[0] != key:
            self._last = key, page_image(task)
        return self._last[1]

    def _file(self, pixels: np.ndarray) -> str | None:
        """The name of a picture's file, made and written if it is new; None beyond the budget."""
        key = pixel_digest(pixels)
        if key in self._files:  # engines are shown the same page
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
    """Bytes that pictures may take in all; what is refused is counted."""

    def __init__(self, most: int) -> None:
        self.most, self.used, self.refused = most, 0, 0
        self.names: set[str] = set()

    def tidy(self, out: Path) -> None:
        """Remove pictures that this report does not show."""
        for path in (out / FOLDER).glob("*.webp"):
            if path.name not in self.names:
                path.unlink()

    def take(self, name: str, size: int) -> bool:
        """Whether there was room."""
        if self.used + size > self.most:
            self.refused += 1
            return False
        self.used += size
        self.names.add(name)
        return True


def evidence_boxes(task: PageTask, evidence: str, shape: tuple[int, int]) -> np.ndarray:
    """Where the evidence's words stand on the clean page, by the PDF's text layer: a box a line.

    Float ``(n, 4)`` in pixels; none without a text layer, nor for a line of the evidence half of
    whose words are missing. ``shape`` is the page's height and width.
    """
    if task.source.suffix.lower() != ".pdf":
        return np.zeros((0, 4))
    there = [
        (name, np.array(box, dtype=float))
        for word, box in words_of_page(task.source, task.ref.page_no, task.dpi)
        if (name := _normal(word))
    ]
    names = [name for name, _ in there]
    boxes: list[np.ndarray] = []
    for line in evidence.splitlines():
        last = -2
        for at in _found([name for word in line.split() if (name := _normal(word))], names):
            box = there[at][1]
            if boxes and 0 < at - last <= 2 and _same_line(boxes[-1], box):
                one = boxes[-1]
                boxes[-1] = np.append(np.minimum(one[:2], box[:2]), np.maximum(one[2:], box[2:]))
            else:
                boxes.append(box)
            last = at
    height, width = shape
    clipped: np.ndarray = np.clip(np.array(boxes).reshape(-1, 4), 0, [width, height, width, height])
    return clipped


def _found(wanted: Sequence[str], page: Sequence[str]) -> list[int]:
    """Places of the wanted words on a page, in the stretch of it that has most of them."""
    if not wanted:
        return []
    width = 2 * len(wanted) + LEAST_RUN
    counts, best, start, end = Counter(wanted), 0, 0, 0
    inside: Counter[str] = Counter()
    found = 0
    for at, word in enumerate(page):
        inside[word] += 1
        found += inside[word] <= counts[word]
        if at >= width:
            gone = page[at - width]
            found -= inside[gone] <= counts[gone]
            inside[gone] -= 1
        if found > best:
            best, start, end = found, max(0, at - width + 1), at + 1
    # Words before it that add nothing would be found in place of their like.
    inside = Counter(page[start:end])
    while start < end and inside[page[start]] > counts[page[start]]:
        inside[page[start]] -= 1
        start += 1
    window = page[start:end]
    blocks = [b for b in LCSseq.opcodes(wanted, window) if b.tag == "equal"]
    runs = [range(start + b.dest_start, start + b.dest_end) for b in blocks]
    if sum(map(len, runs)) < LEAST_FOUND * len(wanted):
        return []
    # A word that stands alone is there by chance.
    runs = [run for run in runs if len(run) >= LEAST_RUN] or runs
    return [at for run in runs for at in run]


def _normal(word: str) -> str:
    return "".join(c for c in word.lower() if c.isalnum())


def _same_line(one: np.ndarray, other: np.ndarray) -> bool:
    middle = (other[1] + other[3]) / 2
    return bool(one[1] <= middle <= one[3])
