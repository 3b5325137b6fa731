"""Where the lines of a transcribed page stand on its image."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from ohr.types import Line

Box = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels."""


@dataclass(frozen=True, slots=True)
class PageLayout:
    """The lines of a page, and the image on whose pixels they stand.

    ``image`` is the file's name as the transcription gives it, and ``size`` width and height in
    pixels; empty and 0 where it does not say.
    """

    image: str
    size: tuple[int, int]
    lines: tuple[Line, ...]

    def on(self, size: tuple[int, int]) -> tuple[Line, ...]:
        """The lines on an image of another size, width and height in pixels."""
        if not all(self.size) or self.size == size:
            return self.lines
        across, down = size[0] / self.size[0], size[1] / self.size[1]
        return tuple(Line(line.text, _scaled(line.box, across, down)) for line in self.lines)


def _scaled(box: Box, across: float, down: float) -> Box:
    left_edge, top, right, bottom = box
    return round(left_edge * across), round(top * down), round(right * across), round(bottom * down)


def box_of(points: Iterable[tuple[float, float]]) -> Box | None:
    """The upright box of some points ``(x, y)``; None if it has no area or no finite end."""
    pairs = list(points)
    if not pairs or not all(math.isfinite(value) for pair in pairs for value in pair):
        return None
    xs, ys = zip(*pairs, strict=True)
    box = (math.floor(min(xs)), math.floor(min(ys)), math.ceil(max(xs)), math.ceil(max(ys)))
    return box if box[0] < box[2] and box[1] < box[3] else None
