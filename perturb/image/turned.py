"""Turned: the page lies on its side or upside down. Not in the paper.

Intensity i is the share of pages that are turned, so severe (1) turns every page. A page is turned
as a whole or not at all, by a multiple of 90 degrees; no pixel changes, only its place. The width
and height of a page on its side change places.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from ohr.plugins.perturbation import Fraction, PageDistortion, PageParams, PageRecord

Degrees = Literal[90, 180, 270]


class TurnedParams(PageParams):
    """``degrees``, anticlockwise, of the turns; a turned page gets each of them alike."""

    degrees: Annotated[tuple[Degrees, ...], Field(min_length=1, max_length=3)] = (90, 180, 270)


class TurnedRecord(PageRecord):
    """The page's uniform draw in [0, 1) and its turn; it is turned if the intensity exceeds the
    draw."""

    draw: Fraction
    degrees: Degrees


class Turned(PageDistortion[TurnedRecord, TurnedParams]):
    """Turns a share of the pages by 90, 180 or 270 degrees."""

    name = "turned"

    def plan(self, head: PageRecord, rng: np.random.Generator) -> TurnedRecord:
        """Draw the uniform and the turn."""
        draw, turns = float(rng.random()), self.params.degrees
        turn = turns[int(rng.integers(len(turns)))]
        return TurnedRecord(**head.model_dump(), draw=draw, degrees=turn)

    def render(self, page: np.ndarray, record: TurnedRecord) -> np.ndarray:
        """Turn the page, or copy it."""
        return np.rot90(page, _quarters(record)).copy(order="C")

    def place(self, boxes: np.ndarray, record: TurnedRecord) -> np.ndarray:
        """The turned boxes, exactly."""
        height, width = record.shape[:2]
        x0, y0, x1, y1 = boxes.T
        sides = {
            0: (x0, y0, x1, y1),
            1: (y0, width - x1, y1, width - x0),
            2: (width - x1, height - y1, width - x0, height - y0),
            3: (height - y1, x0, height - y0, x1),
        }
        return np.stack(sides[_quarters(record)], axis=1)

    def frame(self, record: TurnedRecord) -> tuple[int, ...]:
        """Height and width change places on a page that lies on its side."""
        height, width, *channels = record.shape
        return (width, height, *channels) if _quarters(record) % 2 else record.shape


def _quarters(record: TurnedRecord) -> int:
    """How many quarter turns the page makes, anticlockwise."""
    return record.degrees // 90 if record.draw < record.intensity else 0
