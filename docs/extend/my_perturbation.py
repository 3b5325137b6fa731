"""Ink spots: black discs, more of them the higher the intensity."""

from collections.abc import Mapping
from typing import Any

import cv2
import numpy as np
from pydantic import Field

from ohr.plugins import Applied, ImagePerturbation, Params


class InkSpotsParams(Params):
    """``spots``: how many there are at intensity 1; ``radius``: of the largest, in pixels."""

    spots: int = Field(default=200, ge=1)
    radius: int = Field(default=6, ge=1)


class InkSpots(ImagePerturbation):
    """Drops ink on the page."""

    name = "ink_spots"
    version = "1"
    Params = InkSpotsParams

    def apply(
        self, x: np.ndarray, *, intensity: float, rng: np.random.Generator
    ) -> Applied[np.ndarray]:
        # All that is random is drawn first, whatever the intensity; only then is it compared.
        # So the spots of 0.3 are among those of 0.6, and 0 is the clean page.
        threshold = rng.random(self.params.spots)
        where = rng.integers(0, x.shape[:2], size=(self.params.spots, 2))
        radius = rng.integers(1, self.params.radius, size=self.params.spots, endpoint=True)
        spots = np.column_stack([where, radius])[threshold < intensity].tolist()
        record = {"spots": spots}
        return Applied(self.replay(x, record), record)

    def replay(self, x: np.ndarray, record: Mapping[str, Any]) -> np.ndarray:
        page = x.copy()
        for row, column, radius in record["spots"]:
            cv2.circle(page, (column, row), radius, (0,) * 3, thickness=-1)
        return page

    def move(self, boxes: np.ndarray, record: Mapping[str, Any]) -> np.ndarray:
        return boxes  # nothing moves
