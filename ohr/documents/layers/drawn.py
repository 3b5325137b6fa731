"""Which characters of a text layer the page shows.

A page is drawn as it is, and again without some of its text: where the two differ, that text is
seen. Text that lies over other text is taken away in separate passes, so that new text over a white
box does not stand for the old text under it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import pypdfium2
from pypdfium2 import raw

from ohr.documents.layers.characters import Characters

SCALE = 1.5
"""Pixels per point at which pages are compared: 108 dpi."""
MOST_PIXELS = 4_000_000
"""Larger pages are compared at a smaller scale."""
LEAST_CONTRAST = 16
"""A character is seen if one of its pixels differs by more than this (of 255) from the page without
it."""
SMALLEST_TYPE = 1.0
"""Size in points. Smaller type cannot be read, and counts as not drawn."""
LEAST_SIDE = 0.2
"""Sides in points up to which a glyph without a character is a blank."""
COPY = 0.2
"""Edges of a copy are this close to those of its character, in sizes of the type."""
FEWEST_COPIES = 3
MOST_PASSES = 4
OVERLAP = 0.2
"""Text lies over other text if they share this much of the smaller character's box."""


class Drawings:
    """A page with and without its text.

    ``whole`` and ``without`` are uint8 ``(h, w, 3)``; ``ink`` is 1 where text is seen: uint8
    ``(h, w)``. Text without characters in the layer stays on both.
    """

    def __init__(
        self,
        page: pypdfium2.PdfPage,
        characters: Characters,
        doubles: np.ndarray,
        copies: Sequence[Any] = (),
    ) -> None:
        self._copies = copies
        self.page = page
        self.characters = characters
        width, height = page.get_size()
        area = width * height
        self.scale = min(SCALE, (MOST_PIXELS / area) ** 0.5) if area > 0 else SCALE
        if min(round(width * self.scale), round(height * self.scale)) < 1:
            self.whole = self.without = np.zeros((1, 1, 3), np.uint8)  # it shows nothing
        else:
            self.whole = self._drawing()
            self.without = self.whole
        self.pixels = self.pixel_boxes(characters.boxes)
        self.seen = np.zeros(len(characters), bool)
        self.ink = np.zeros(self.whole.shape[:2], np.uint8)
        passes = self._passes(doubles)
        for chosen in passes:
            self._take_away(chosen, is_last=len(passes) == 1)
        if len(passes) > 1:
            everything = [*characters.objects, *copies]
            for text in everything:
                raw.FPDFPageObj_SetIsActive(text, False)
            self.without = self._drawing()
            for text in everything:
                raw.FPDFPageObj_SetIsActive(text, True)

    def _take_away(self, chosen: np.ndarray, *, is_last: bool) -> None:
        """Draw the page without some objects, bool ``(objects,)``, and note what is missing."""
        characters = self.characters
        hidden = [characters.objects[number] for number in np.flatnonzero(chosen).tolist()]
        hidden += self._copies
        for text in hidden:
            raw.FPDFPageObj_SetIsActive(text, False)
        without = self._drawing() if min(self.whole.shape[:2]) > 1 else self.whole
        for text in hidden:
            raw.FPDFPageObj_SetIsActive(text, True)
        differs = self._differs(without)
        self.ink |= differs
        sums = cv2.integral(differs)
        left_edge, top, right, bottom = self.pixels.T
        inside = (
            sums[bottom, right] - sums[top, right] - sums[bottom, left_edge] + sums[top, left_edge]
        )
        if len(characters):
            self.seen |= chosen[characters.owners] & (inside > 0)
        if is_last:
            self.without = without

    def _differs(self, without: np.ndarray) -> np.ndarray:
        blue, green, red = cv2.split(cv2.absdiff(self.whole, without))
        most = cv2.max(cv2.max(blue, green), red)
        return (most > LEAST_CONTRAST).astype(np.uint8)

    def _drawing(self) -> np.ndarray:
        image: np.ndarray = self.page.render(scale=self.scale).to_numpy()
        return np.array(np.atleast_3d(image)[:, :, :3])

    def _passes(self, doubles: np.ndarray) -> list[np.ndarray]:
        """The text objects to take away together: bool ``(objects,)`` each.

        Doubles are taken away with what they repeat.
        """
        count = len(self.characters.objects)
        if not count:
            return []
        single = self._single(doubles)
        over = self._overlaid(single)
        colours = np.zeros(count, np.int64)
        for number in sorted(over):
            taken = {int(colours[other]) for other in over[number] if other < number}
            free = next(colour for colour in range(len(taken) + 1) if colour not in taken)
            colours[number] = min(free, MOST_PASSES - 1)
        return [colours == colour for colour in range(int(colours.max()) + 1)]

    def _single(self, doubles: np.ndarray) -> np.ndarray:
        """Characters whose places count for overlaps: ink, within the page, and no doubles."""
        characters = self.characters
        x0, y0, x1, y1 = characters.boxes.T
        shown = characters.on_page & ~characters.blank & ~characters.no_ink & ~doubles
        single: np.ndarray = shown & (x1 > x0) & (y1 > y0)
        return single

    def _overlaid(self, single: np.ndarray) -> dict[int, set[int]]:
        """For each text object, the others that it shares places with."""
        left_edge, top, right, bottom = self.pixels.T
        # Boxes without their margin and a fifth of each side, so that neighbours do not touch.
        across, down = np.maximum((right - left_edge) // 5, 1), np.maximum((bottom - top) // 5, 1)
        x0, x1, y0, y1 = left_edge + across, right - across, top + down, bottom - down
        places = np.flatnonzero(single & (x1 > x0) & (y1 > y0))
        height, width = self.ink.shape
        counts = np.zeros((height + 1, width + 1), np.int16)
        np.add.at(counts, (y0[places], x0[places]), 1)
        np.add.at(counts, (y1[places], x1[places]), 1)
        np.add.at(counts, (y0[places], x1[places]), -1)
        np.add.at(counts, (y1[places], x0[places]), -1)
        layers = np.cumsum(np.cumsum(counts, axis=0, dtype=np.int16), axis=1, dtype=np.int16)
        if len(places) == 0 or layers.max() < 2:
            return {}
        crowded = cv2.integral((layers[:height, :width] > 1).astype(np.uint8))
        inside = (
            crowded[y1[places], x1[places]]
            - crowded[y0[places], x1[places]]
            - crowded[y1[places], x0[places]]
            + crowded[y0[places], x0[places]]
        )
        areas = (x1 - x0)[places] * (y1 - y0)[places]
        return self._pairs(places[inside >= OVERLAP * areas])

    def _pairs(self, places: np.ndarray) -> dict[int, set[int]]:
        pairs: dict[int, set[int]] = {}
        order = places[np.argsort(self.pixels[places, 0], kind="stable")].tolist()
        boxes = {place: self.pixels[place].tolist() for place in order}
        owners = self.characters.owners.tolist()
        active: list[int] = []
        for place in order:
            left_edge, top, right, bottom = boxes[place]
            active = [other for other in active if boxes[other][2] > left_edge]
            for other in active:
                a, b, c, d = boxes[other]
                shared = max(0, min(c, right) - left_edge) * max(0, min(d, bottom) - max(b, top))
                smaller = min((right - left_edge) * (bottom - top), (c - a) * (d - b))
                first, second = owners[place], owners[other]
                if first != second and shared >= OVERLAP * smaller:
                    pairs.setdefault(first, set()).add(second)
                    pairs.setdefault(second, set()).add(first)
            active.append(place)
        return pairs

    def pixel_boxes(self, boxes: np.ndarray) -> np.ndarray:
        """Boxes in pixels, one pixel wider on each side: int ``(n, 4)``.

        ``boxes``: left, bottom, right, top in points from the page's lower left; float ``(n, 4)``.
        """
        height, width = self.whole.shape[:2]
        matrix = self._matrix(width, height)
        ends = boxes.reshape(-1, 2, 2) @ matrix[:, :2].T + matrix[:, 2]
        limits = np.array([width, height])
        low = np.floor(ends.min(axis=1)).astype(np.int64) - 1
        high = np.ceil(ends.max(axis=1)).astype(np.int64) + 1
        return np.concatenate([np.clip(low, 0, limits), np.clip(high, 0, limits)], axis=1)

    def _matrix(self, width: int, height: int) -> np.ndarray:
        """The matrix that maps a place on the page, in points, to its pixel: float ``(2, 3)``."""

        def image_point(x: float, y: float) -> np.ndarray:
            across, down = ctypes.c_int(), ctypes.c_int()
            fine = width * 64, height * 64  # to a 64th of a pixel
            raw.FPDF_PageToDevice(
                self.page, 0, 0, *fine, 0, x, y, ctypes.byref(across), ctypes.byref(down)
            )
            return np.array([across.value, down.value]) / 64

        far = 1000.0
        origin = image_point(0, 0)
        return np.stack(
            [(image_point(far, 0) - origin) / far, (image_point(0, far) - origin) / far, origin],
            axis=1,
        )


@dataclass(frozen=True)
class Orphans:
    """Text that is drawn but has no characters in the layer.

    PDFium drops a letter that it takes for a repetition, and glyphs that are mapped to nothing.
    ``copies`` are the text objects that repeat a character at its place, as for fake bold;
    ``lost`` are the boxes of the others, in points: float ``(n, 4)``.
    """

    copies: list[Any]
    lost: np.ndarray


def find_orphans(page: pypdfium2.PdfPage, characters: Characters) -> Orphans:
    """The text objects of a page, not of forms, that have no characters."""
    known_values = {ctypes.addressof(text.contents) for text in characters.objects}
    handles: list[Any] = []
    boxes: list[tuple[float, float, float, float]] = []
    edges = [ctypes.c_float() for _ in range(4)]
    pointers = [ctypes.byref(edge) for edge in edges]
    for number in range(raw.FPDFPage_CountObjects(page.raw)):
        handle = raw.FPDFPage_GetObject(page.raw, number)
        if raw.FPDFPageObj_GetType(handle) != raw.FPDF_PAGEOBJ_TEXT:
            continue
        if ctypes.addressof(handle.contents) in known_values:
            continue
        if raw.FPDFPageObj_GetBounds(handle, *pointers):
            left_edge, bottom, right, top = (edge.value for edge in edges)
            if right - left_edge > LEAST_SIDE and top - bottom > LEAST_SIDE:  # no blank
                handles.append(handle)
                boxes.append((left_edge, bottom, right, top))
    places = np.array(boxes, float).reshape(-1, 4)
    copies = _are_copies(places, characters)
    return Orphans(
        [handle for handle, is_copy in zip(handles, copies.tolist(), strict=True) if is_copy],
        places[~copies],
    )


def _are_copies(boxes: np.ndarray, characters: Characters) -> np.ndarray:
    """Whether each box is about that of a character, or of several in a row: bool ``(n,)``."""
    copies = np.zeros(len(boxes), bool)
    shown = ~characters.blank & (characters.sizes > 0)
    own, sizes = characters.boxes[shown], characters.sizes[shown]
    for number, box in enumerate(boxes):
        near = COPY * sizes
        covers = (
            (own[:, 0] >= box[0] - near)
            & (own[:, 2] <= box[2] + near)
            & (own[:, 1] >= box[1] - near)
            & (own[:, 3] <= box[3] + near)
        )
        if covers.any():
            low, high = own[covers, :2].min(axis=0), own[covers, 2:].max(axis=0)
            size = float(np.median(sizes[covers]))
            apart = np.abs(np.concatenate([low, high]) - box).max()
            copies[number] = apart <= COPY * size
    # One alone is a letter that is doubled within its word.
    several = int(copies.sum()) >= FEWEST_COPIES
    return copies if several else np.zeros(len(boxes), bool)


def drawn_characters(characters: Characters, seen: np.ndarray) -> np.ndarray:
    """Whether each character's word is drawn: bool ``(n,)``.

    A word counts as drawn as a whole, if at least a quarter of its characters are seen. Not all
    need be: a full stop leaves too few pixels to see. And one is not enough: part of a word that is
    cut off may stick out.
    """
    drawn = np.zeros(len(characters), bool)
    seen = seen & characters.on_page & ~characters.no_ink
    so_far = np.concatenate([[0], np.cumsum(seen)]).tolist()
    for start, end in _words(characters):
        is_seen = (so_far[end] - so_far[start]) * 4 >= end - start
        if is_seen and _is_legible(characters, start, end):
            drawn[start:end] = True
    return drawn


def _words(characters: Characters) -> list[tuple[int, int]]:
    """Start and end of each run of characters on the page between blanks, on one baseline."""
    count = len(characters)
    if not count:
        return []
    starts = np.ones(count, bool)
    step = characters.origins[1:] - characters.ends[:-1]
    size = np.maximum(np.minimum(characters.sizes[1:], characters.sizes[:-1]), 1e-6)
    starts[1:] = np.abs(step).max(axis=1) > 0.5 * size
    inside = characters.on_page & ~characters.blank
    runs: list[tuple[int, int]] = []
    edges = np.flatnonzero(starts | ~inside | ~np.concatenate([[False], inside[:-1]])).tolist()
    for start, end in zip(edges, [*edges[1:], count], strict=True):
        if inside[start]:
            runs.append((start, end))
    return runs


def _is_legible(characters: Characters, start: int, end: int) -> bool:
    """Whether the type is large enough, by the line's height and not by single letters."""
    part = slice(start, end)
    boxes = characters.boxes[part]
    sides = (boxes[:, 2:] - boxes[:, :2]).min(axis=1)
    return bool(max(sides.max(), characters.heights[part].max()) >= SMALLEST_TYPE)
