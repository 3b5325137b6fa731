"""Pictures of glyphs, as a page shows them."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import pypdfium2

from ohr.documents.layers.characters import Characters
from ohr.documents.layers.shapes import Shape, shape

PIXELS = 40.0
"""Pixels of an em in pictures of glyphs."""
MOST_SCALE = 12.0
MOST_PIXELS = 16_000_000
MANY = 10
"""With more new glyphs than this, the whole page is drawn once, instead of each place."""
INK = 70
"""Least darkness, of 255, of ink."""

SHADOW = 0.5
"""Of text with shadows, ink is at least this share of the darkest."""


def touched_characters(characters: Characters) -> np.ndarray:
    """Whether the box of a character's neighbour reaches into its own: bool ``(n,)``."""
    touched = np.zeros(len(characters), bool)
    if len(characters) < 2:
        return touched
    first, second = characters.boxes[:-1], characters.boxes[1:]
    apart = (first[:, 2] <= second[:, 0]) | (second[:, 2] <= first[:, 0])
    apart |= (first[:, 3] <= second[:, 1]) | (second[:, 3] <= first[:, 1])
    apart |= characters.blank[:-1] | characters.blank[1:]
    touched[:-1] |= ~apart
    touched[1:] |= ~apart
    return touched


class Pictures:
    """Pictures of glyphs of one page."""

    def __init__(
        self,
        page: pypdfium2.PdfPage,
        characters: Characters,
        count: int,
        *,
        has_shadows: bool = False,
    ) -> None:
        self.page = page
        self.least_ink = SHADOW if has_shadows else 0.0
        self.characters = characters
        self.west, self.south, self.east, self.north = page.get_bbox()
        self.turned = page.get_rotation() != 0
        self.whole: np.ndarray | None = None
        self.scale = 0.0
        if count > MANY or self.turned:
            sizes = characters.sizes[characters.sizes > 0]
            usual = float(np.median(sizes)) if len(sizes) else 10.0
            area = max((self.east - self.west) * (self.north - self.south), 1.0)
            self.scale = min(PIXELS / max(usual, 1.0), MOST_SCALE, (MOST_PIXELS / area) ** 0.5)
            self.whole = self._drawn(self.scale, (0, 0, 0, 0))

    def _drawn(self, scale: float, crop: tuple[float, float, float, float]) -> np.ndarray:
        rotation = -self.page.get_rotation() % 360
        image: np.ndarray = self.page.render(
            scale=scale, crop=crop, grayscale=True, rotation=rotation
        ).to_numpy()
        return np.array(image.reshape(image.shape[0], image.shape[1], -1)[:, :, 0])

    def shape(self, group: Sequence[int]) -> Shape | None:
        """What is drawn at a glyph's place; None without ink, or for lines that are not level."""
        characters = self.characters
        first = group[0]
        size = float(characters.sizes[first])
        boxes = characters.boxes[list(group)]
        if (boxes[:, 2:] <= boxes[:, :2]).any(axis=1).all():
            return None  # the font draws nothing
        left_edge, bottom = boxes[:, 0].min(), boxes[:, 1].min()
        right, top = boxes[:, 2].max(), boxes[:, 3].max()
        base = float(characters.origins[first, 1])
        pad = 0.25 * size
        if self.whole is not None:
            scale, image = self.scale, self.whole
            x_off, y_off = self.west, self.north
        else:
            scale = min(PIXELS / max(size, 0.5), MOST_SCALE)
            crop = (
                max(left_edge - pad - self.west, 0.0),
                max(bottom - pad - self.south, 0.0),
                max(self.east - right - pad, 0.0),
                max(self.north - top - pad, 0.0),
            )
            width, height = self.east - self.west, self.north - self.south
            if crop[0] + crop[2] >= width or crop[1] + crop[3] >= height:
                return None
            image = self._drawn(scale, crop)
            x_off, y_off = self.west + crop[0], self.north - crop[3]
        x0, x1 = (left_edge - x_off) * scale, (right - x_off) * scale
        y0, y1 = (y_off - top) * scale, (y_off - bottom) * scale
        box = (x0, y0, x1, y1)
        return _cut(image, box, (y_off - base) * scale, size * scale, self.least_ink)


def _cut(
    image: np.ndarray,
    box: tuple[float, float, float, float],
    baseline: float,
    em: float,
    least_ink: float,
) -> Shape | None:
    """The shape of what is drawn in a box, without what reaches in from outside."""
    height, width = image.shape
    margin = 0.12 * em + 1
    x0, y0 = max(int(box[0] - margin), 0), max(int(box[1] - margin), 0)
    x1, y1 = min(int(box[2] + margin) + 1, width), min(int(box[3] + margin) + 1, height)
    if x1 - x0 < 1 or y1 - y0 < 1:
        return None
    part = image[y0:y1, x0:x1]
    paper = np.median(np.concatenate([part[0], part[-1], part[:, 0], part[:, -1]]))
    ink = cv2.absdiff(part, np.full_like(part, paper))
    dark = (ink > max(INK, least_ink * float(ink.max()))).astype(np.uint8)
    rules = dark.all(axis=1)  # underlines go on beyond the glyph
    if rules.any() and rules.sum() <= max(1, 0.12 * em):
        dark[rules] = 0
    if not dark.any():
        return None
    count, labels, stats, _ = cv2.connectedComponentsWithStats(dark, connectivity=8)
    inside = np.zeros_like(dark)
    top, left_edge = max(int(box[1]) - y0 - 1, 0), max(int(box[0]) - x0 - 1, 0)
    bottom, right = int(box[3]) - y0 + 2, int(box[2]) - x0 + 2
    inside[top:bottom, left_edge:right] = 1
    within = np.bincount(labels.ravel(), weights=inside.ravel(), minlength=count)
    areas = np.asarray(stats)[:, cv2.CC_STAT_AREA]
    keep = within * 2 >= areas
    keep[0] = False
    if not keep.any():
        keep = within > 0
        keep[0] = False
        if not keep.any():
            return None
    remaining = keep[labels] & inside.astype(bool)
    rows, columns = np.flatnonzero(remaining.any(axis=1)), np.flatnonzero(remaining.any(axis=0))
    cut = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
    near = cv2.dilate(remaining.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    clean = np.where(near, ink, 0).astype(np.float32)
    full = float(clean.max())
    picture = np.clip(clean * (255 / full), 0, 255).astype(np.uint8)
    return shape(picture[cut], baseline - y0 - rows[0], em)
