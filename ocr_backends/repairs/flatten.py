"""Cuts a page out of a photograph, and straightens perspective and bent edges.

The page is the largest bright region. Its four corners give a homography, as if the page were seen
from straight above. What is left are its edges, which bend with the paper: the inside follows them,
in proportion to how near it is to each.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np

from ocr_backends.repairs.lines import is_dark, letter_lines
from ohr.plugins import ImageRepair, Params

SEARCHED = 800
"""Longer side in pixels of the picture in which the page is searched."""
CUT = 256
"""Longer side of the picture that is cut by its colours."""
NARROWEST = 40
"""Least shorter side of that picture in which a page is searched."""
LEAST = 0.3
"""Least share of the picture that a page takes."""
MARGIN = 0.012
"""A page that comes so near to three sides of the picture, over the side, is a scan: it has no
surroundings."""
OFFSETS = (0, -40, -20, 20, 40)
"""Thresholds that are tried, relative to Otsu's, in grey values."""
SAME, RIM = 25.0, 0.9
"""Grey values from the paper's within which the rim of a scan is, and the share of it that is."""
SHAPES = (1.2, 1.65)
"""Longer over shorter side of a page: letters have 1.29, A4 1.41, legal 1.65."""
FULL = 0.9
"""Least share of the quadrangle of its corners that a page fills."""
BENT = 0.12
"""Most that an edge may deviate from straight, over its length: more is no edge of the page."""
NODES = 65
"""Points along an edge."""
OUTSIDE = 0.02
"""Most of the letters in lines that may be outside the page: a panel of a cover or slide has the
title outside. A photograph shows next to nothing but the page that one can read."""


@dataclass(frozen=True)
class Outline:
    """The corners of a page (top left first, clockwise) and its outline, ``(n, 2)`` in pixels."""

    corners: np.ndarray
    outline: np.ndarray


class Flatten(ImageRepair[Params]):
    """Cuts the page out of a photograph, and straightens perspective and bent edges."""

    name = "flatten"
    version = "2"

    def repair(self, image: np.ndarray) -> np.ndarray:
        return flatten(image)


def flatten(image: np.ndarray) -> np.ndarray:
    """The page alone, as if seen from above; ``image`` itself if no page is found on it.

    ``image`` is uint8, ``(h, w)`` grey or ``(h, w, 3)`` RGB; the result may have another size. A
    page with light letters on a dark ground is searched inverted. What would cut off lines of
    letters is no page.
    """
    page = find_page(cv2.bitwise_not(image) if is_dark(image) else image)
    if page is None or _cuts_letters(image, page):
        return image
    return _straightened(image, page)


def _cuts_letters(image: np.ndarray, page: Outline) -> bool:
    """Whether lines of letters are outside the outline of a page, or cross it."""
    outline = page.outline.astype(np.float32).reshape(-1, 1, 2)
    total = outside = 0
    for line in letter_lines(image):
        middles = (line.boxes[:, :2] + line.boxes[:, 2:]) / 2
        total += len(middles)
        outside += sum(
            cv2.pointPolygonTest(outline, (float(x), float(y)), measureDist=False) < 0
            for x, y in middles
        )
    return outside > OUTSIDE * total


def find_page(image: np.ndarray) -> Outline | None:
    """The page of a photograph; None without surroundings, or without a page."""
    height, width = image.shape[:2]
    scale = min(1.0, SEARCHED / max(height, width))
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    if min(small.shape[:2]) < NARROWEST or _is_scan(small):
        return None
    best: tuple[float, Outline] | None = None
    planes = _planes(small)
    slope = np.max([np.hypot(*np.gradient(plane.astype(np.float32))) for plane in planes], axis=0)
    colours = list(_coloured_outlines(small))
    for plane in planes:
        for outline in (*_bright_outlines(plane), *colours):
            area = cv2.contourArea(outline)
            corners = _corners(outline)
            full = area / max(1.0, cv2.contourArea(corners))
            if area < LEAST * plane.size or not FULL <= full <= 1 / FULL:
                continue
            if _sides_touched(outline, plane.shape) >= 3:
                continue
            shorter, longer = sorted(_size(corners))
            if not SHAPES[0] <= longer / max(1, shorter) <= SHAPES[1]:
                continue
            # A part of a page, or of a table that the light fades out on, has no sharp outline.
            columns, rows = outline.reshape(-1, 2).T
            score = area * float(np.median(slope[rows, columns])) * min(full, 1 / full) ** 2
            if best is None or score > best[0]:
                points = outline.reshape(-1, 2) / scale
                best = score, Outline(corners.astype(np.float64) / scale, points)
    return None if best is None else best[1]


def _is_scan(small: np.ndarray) -> bool:
    """Whether the rim of the picture is even and as bright as the paper: it has no surroundings."""
    plane = _planes(small)[0]
    ring = max(2, round(MARGIN * min(plane.shape)))
    parts = (plane[:ring], plane[-ring:], plane[:, :ring], plane[:, -ring:])
    rim = np.concatenate([part.ravel() for part in parts])
    paper = float(np.percentile(plane, 90))
    return float(np.mean(np.abs(rim - paper) < SAME)) > RIM


def _sides_touched(outline: np.ndarray, shape: tuple[int, ...]) -> int:
    """The number of sides of the picture that an outline comes near to."""
    x, y, width, height = cv2.boundingRect(outline)
    room = (x / shape[1], y / shape[0], 1 - (x + width) / shape[1], 1 - (y + height) / shape[0])
    return sum(share < MARGIN for share in room)


def _planes(small: np.ndarray) -> list[np.ndarray]:
    """Pictures in which paper is bright: brightness and, with colours, what is bright and pale."""
    if small.ndim == 2:
        return [cv2.GaussianBlur(small, (7, 7), 0)]
    _, saturation, value = cv2.split(cv2.cvtColor(small, cv2.COLOR_RGB2HSV))
    pale = cv2.multiply(value, 255 - saturation, scale=1 / 255)
    return [cv2.GaussianBlur(plane, (7, 7), 0) for plane in (value, pale)]


def _bright_outlines(plane: np.ndarray) -> Iterator[np.ndarray]:
    """The outline of the largest region that is brighter than each of some thresholds."""
    # Text and figures are dark: they are closed first.
    closed = cv2.morphologyEx(plane, cv2.MORPH_CLOSE, np.ones((15, 15), np.uint8))
    otsu, _ = cv2.threshold(closed, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    for offset in OFFSETS:
        _, mask = cv2.threshold(closed, otsu + offset, 255, cv2.THRESH_BINARY)
        # Bright things that touch the page are cut off.
        mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((21, 21), np.uint8))
        outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        if outlines:
            yield max(outlines, key=cv2.contourArea)


def _coloured_outlines(small: np.ndarray) -> Iterator[np.ndarray]:
    """The outline of what differs in colour from the rim of the picture (GrabCut)."""
    scale = CUT / max(small.shape[:2])
    picture = cv2.resize(small, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    if picture.ndim == 2:
        picture = cv2.cvtColor(picture, cv2.COLOR_GRAY2RGB)
    picture = cv2.morphologyEx(picture, cv2.MORPH_CLOSE, np.ones((7, 7), np.uint8))
    height, width = picture.shape[:2]
    for room in (0.03, 0.1):
        mask = np.full((height, width), cv2.GC_PR_FGD, np.uint8)
        rim_x, rim_y = max(1, round(room * width)), max(1, round(room * height))
        mask[:rim_y] = mask[-rim_y:] = cv2.GC_PR_BGD
        mask[:, :rim_x] = mask[:, -rim_x:] = cv2.GC_PR_BGD
        mask[[0, -1]] = cv2.GC_BGD
        mask[:, [0, -1]] = cv2.GC_BGD
        cv2.setRNGSeed(0)
        cv2.grabCut(
            picture,
            mask,
            (0, 0, 1, 1),
            np.zeros((1, 65)),
            np.zeros((1, 65)),
            3,
            cv2.GC_INIT_WITH_MASK,
        )
        inside = ((mask == cv2.GC_FGD) | (mask == cv2.GC_PR_FGD)).astype(np.uint8) * 255
        inside = cv2.resize(inside, small.shape[1::-1], interpolation=cv2.INTER_LINEAR)
        inside = cv2.GaussianBlur(inside, (9, 9), 0)
        inside = cv2.morphologyEx(
            (inside > 127).astype(np.uint8), cv2.MORPH_OPEN, np.ones((21, 21), np.uint8)
        )
        outlines, _ = cv2.findContours(inside, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        if outlines:
            yield max(outlines, key=cv2.contourArea)


def _corners(outline: np.ndarray) -> np.ndarray:
    """Four corners of an outline, top left first, clockwise: int32 ``(4, 2)``."""
    hull = cv2.convexHull(outline)
    length = cv2.arcLength(hull, closed=True)
    quad = cv2.boxPoints(cv2.minAreaRect(hull))
    for share in np.arange(0.01, 0.12, 0.005):
        some = cv2.approxPolyDP(hull, share * length, closed=True).reshape(-1, 2)
        if len(some) == 4:
            quad = some
            break
    middle = quad.mean(axis=0)
    around = sorted(quad, key=lambda point: np.arctan2(*(point - middle)[::-1]))
    first = min(range(4), key=lambda i: float(around[i].sum()))
    return np.array([around[(first + i) % 4] for i in range(4)], dtype=np.int32)


def _size(corners: np.ndarray) -> tuple[int, int]:
    """Width and height of a flat page: the longer of opposite sides."""
    sides = [
        float(np.hypot(*(corners[a] - corners[b]))) for a, b in ((0, 1), (2, 3), (1, 2), (3, 0))
    ]
    return round(max(sides[:2])), round(max(sides[2:]))


def _straightened(image: np.ndarray, page: Outline) -> np.ndarray:
    corners = page.corners
    width, height = _size(corners)
    square = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    to_square = cv2.getPerspectiveTransform(corners.astype(np.float32), square)
    outline = cv2.perspectiveTransform(page.outline.reshape(1, -1, 2), to_square)[0]
    top, right, bottom, left_edge = _edges(outline, square.astype(np.float64))
    u, v = np.meshgrid(np.linspace(0, 1, NODES), np.linspace(0, 1, NODES))
    x = u * width + (1 - u) * left_edge[:, None] + u * right[:, None]
    y = v * height + (1 - v) * top[None, :] + v * bottom[None, :]
    points = np.stack([x, y], axis=-1).reshape(1, -1, 2)
    back = cv2.perspectiveTransform(points, np.linalg.inv(to_square))[0].reshape(NODES, NODES, 2)
    map_x, map_y = (
        cv2.resize(
            back[..., axis].astype(np.float32), (width, height), interpolation=cv2.INTER_LINEAR
        )
        for axis in (0, 1)
    )
    flat: np.ndarray = cv2.remap(
        image, map_x, map_y, cv2.INTER_CUBIC, borderMode=cv2.BORDER_CONSTANT, borderValue=(255,) * 3
    )
    return flat


def _edges(outline: np.ndarray, square: np.ndarray) -> list[np.ndarray]:
    """How far each edge is from straight, at :data:`NODES` points along it.

    Top and bottom from left to right, right and left from top to bottom, each positive rightward or
    downward; 0 for an edge that bends too much to be one.
    """
    nearest = [int(np.argmin(((outline - corner) ** 2).sum(axis=1))) for corner in square]
    edges = []
    for number, (start, end) in enumerate(itertools.pairwise([*nearest, nearest[0]])):
        part = _outline_part(outline, start, end, square[number], square[(number + 1) % 4])
        along, across = (0, 1) if number % 2 == 0 else (1, 0)
        length = float(square[:, along].max())
        base = square[number, across]
        order = np.argsort(part[:, along], kind="stable")
        places = np.linspace(0, length, NODES)
        off = np.interp(places, part[order, along], part[order, across] - base)
        off = np.convolve(np.pad(off, 3, mode="edge"), np.ones(7) / 7, mode="valid")
        off[[0, -1]] = 0
        edges.append(off if np.abs(off).max() <= BENT * length else np.zeros(NODES))
    return edges


def _outline_part(
    outline: np.ndarray, start: int, end: int, first: np.ndarray, last: np.ndarray
) -> np.ndarray:
    """The points of a closed outline from one to another: of both ways the nearer to the chord."""
    ahead = outline[np.arange(start, end + (len(outline) if end < start else 0) + 1) % len(outline)]
    behind = outline[
        np.arange(end, start + (len(outline) if start < end else 0) + 1) % len(outline)
    ]
    chord = last - first
    normal = np.array([-chord[1], chord[0]]) / max(1e-9, float(np.hypot(*chord)))

    def distance(points: np.ndarray) -> float:
        return float(np.abs((points - first) @ normal).max())

    return min((ahead, behind), key=distance)
