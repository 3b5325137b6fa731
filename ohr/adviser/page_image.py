"""The image of a page that is judged, and what recognisers read in its boxes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from ohr.documents.grey import grey_of
from ohr.documents.images import load_image
from ohr.documents.pdf import render
from ohr.errors import OhrError
from ohr.ocr.sources import PageSource
from ohr.quality.page_ink import Box
from ohr.quality.witness import ReadBoxes


class PageImage:
    """A page's image, drawn once when it is first needed, of which no box is read twice."""

    def __init__(self, source: PageSource, reader: ReadBoxes) -> None:
        self._source, self._reader = source, reader
        self._texts: dict[tuple[Box, str], Mapping[str, str]] = {}

    def read(self, page: np.ndarray, boxes: Sequence[tuple[Box, str]]) -> list[Mapping[str, str]]:
        """What the recognisers read in boxes of the page."""
        # Outputs of a page have much the same lines in doubt.
        new = [each for each in dict.fromkeys(boxes) if each not in self._texts]
        if new:
            self._texts.update(zip(new, self._reader(page, new), strict=True))
        return [self._texts[each] for each in boxes]

    def grey(self) -> np.ndarray | None:
        """The page, uint8 grey; None if it cannot be drawn. It is the same array every time."""
        return self._grey

    @cached_property
    def _grey(self) -> np.ndarray | None:
        source = self._source
        try:
            if source.is_pdf:
                return grey_of(render(source.path, source.page_no or 0, source.dpi))
            return grey_of(load_image(source.path, source.frame))
        except OhrError:  # the engines' outcomes name it
            return None
