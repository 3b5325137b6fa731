"""Ink spots: black discs, more of them the higher the intensity."""

import cv2
import numpy as np
from pydantic import Field

import ohr


class InkSpotsParams(ohr.plugins.PageParams):
    """``spots``: their number at intensity 1; ``radius``: of the largest spot, in pixels."""

    spots: int = Field(default=200, ge=1)
    radius: int = Field(default=6, ge=1)


class InkSpotsRecord(ohr.plugins.PageRecord):
    """For each spot: the intensity above which it appears, row, column and radius."""

    spots: tuple[tuple[float, int, int, int], ...]


class InkSpots(ohr.plugins.Distortion[InkSpotsRecord, InkSpotsParams]):
    """Drops ink on the page."""

    name = "ink_spots"

    def plan(self, head: ohr.plugins.PageRecord, rng: np.random.Generator) -> InkSpotsRecord:
        # All random numbers are drawn here, whatever the intensity; render compares them with it.
        # So the spots of 0.3 are among those of 0.6, and 0 is the clean page.
        n, (height, width) = self.params.spots, head.shape[:2]
        columns = (
            rng.random(n),
            rng.integers(0, height, n),
            rng.integers(0, width, n),
            rng.integers(1, self.params.radius, n, endpoint=True),
        )
        spots = zip(*(column.tolist() for column in columns), strict=True)
        return InkSpotsRecord(**head.model_dump(), spots=tuple(spots))

    def render(self, page: np.ndarray, record: InkSpotsRecord) -> np.ndarray:
        inked = page.copy()
        for threshold, row, column, radius in record.spots:
            if threshold < record.intensity:
                cv2.circle(inked, (column, row), radius, (0,) * 3, thickness=-1)
        return inked
