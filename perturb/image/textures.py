"""Paper textures of our own making: recipes that need a seed and a size, no image.

A recipe returns a uint8 plane of shades; its palette turns shades into colours. Sizes are in
pixels at 150 dpi (a millimetre is 5.9).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from perturb.image.fields import LARGEST, Fields, ramp, relief, stroke, wave

MM = 150 / 25.4


@dataclass(frozen=True)
class Texture:
    """How a kind of paper is made."""

    shades: Callable[[Fields], np.ndarray]
    palette: str
    """Shades and their colours, ``shade:rrggbb``; between them colours are mixed."""

    def paper(self, seed: int, height: int, width: int, *, colour: bool) -> np.ndarray:
        """A sheet: uint8, ``(h, w, 3)`` RGB or its luma ``(h, w)``."""
        shades = self.shades(Fields(seed, height, width))
        table = self._table()
        if colour:
            return cv2.applyColorMap(shades, table)
        return cv2.LUT(shades, cv2.cvtColor(table, cv2.COLOR_RGB2GRAY))

    def _table(self) -> np.ndarray:
        """The colour of every shade: uint8 ``(256, 1, 3)``."""
        stops = [stop.split(":") for stop in self.palette.split()]
        start = [int(shade) for shade, _ in stops]
        channels = np.array([list(bytes.fromhex(colour)) for _, colour in stops]).T
        table = [np.interp(np.arange(256), start, channel) for channel in channels]
        colours: np.ndarray = np.rint(np.stack(table, axis=1)).astype(np.uint8)[:, None]
        return colours


def _added(*planes: np.ndarray) -> np.ndarray:
    """The sum of fresh planes, each pixel at most 255."""
    total: np.ndarray = planes[0]
    for plane in planes[1:]:
        total = cv2.add(total, plane)
    return total


def _specks(fields: Fields, tall: int, wide: int, share: float, top: int) -> np.ndarray:
    """Blobs of about a cell's size on a share of the lattice's points, soft at the edges."""
    noise = fields.smooth(tall, wide)
    start = 255 * (1 - share)
    return cv2.LUT(noise, ramp([(start, 0), (min(start + 24, 255), top)]))


def _laid(f: Fields) -> np.ndarray:
    mould = f.lines(0, 1.15 * MM, wave(26), wander=f.cloud(96, 110))
    period = 26 * MM
    chains = f.lines(1, period, stroke(6, period, 22, 5), offset=f.offset(period))
    return _added(mould, chains, f.cloud(14, 40), f.grain(20))


def _wove(f: Fields) -> np.ndarray:
    down = f.lines(0, 4.2, wave(14), wander=f.cloud(40, 120))
    across = f.lines(1, 4.2, wave(14), wander=f.cloud(40, 120))
    return _added(down, across, f.cloud(16, 70), f.grain(24))


def _linen(f: Fields) -> np.ndarray:
    weft, warp = f.smooth(3, 48, top=80), f.smooth(48, 3, top=80)
    return _added(weft, warp, f.smooth(2, 16, top=30), f.smooth(16, 2, top=30), f.grain(16))


def _aged(f: Fields) -> np.ndarray:
    return _added(f.cloud(320, 190, 5), f.cloud(12, 30), f.grain(18))


def _stained(f: Fields) -> np.ndarray:
    paper = _added(f.cloud(24, 24), f.grain(14))
    rim = [(0, 90), (84, 60), (99, 46), (104, 120), (108, 16), (125, 0)]
    for _ in range(2):
        # The edge of a dried stain is its darkest part.
        paper = cv2.add(paper, cv2.LUT(f.cloud(288, 255, 5), ramp(rim)))
    return paper


def _coffee(f: Fields) -> np.ndarray:
    paper = _added(f.cloud(32, 26), f.grain(14))
    return cv2.add(paper, _rings(f, cell=620, radius=(150, 240)))


def _recycled(f: Fields) -> np.ndarray:
    dark = _added(
        _specks(f, 2, 2, 0.09, 120), _specks(f, 2, 10, 0.06, 90), _specks(f, 10, 2, 0.06, 90)
    )
    return _added(f.cloud(12, 60, 4), f.grain(30), dark)


def _ruled(f: Fields) -> np.ndarray:
    paper = _added(f.cloud(20, 40), f.grain(20))
    period, margin = 7.1 * MM, round(32 * MM)
    rules = f.lines(0, period, _shade_table(64, stroke(1.6, period, 90)), offset=f.offset(period))
    rules[:, margin : margin + 2] = 255
    return cv2.max(paper, rules)


def _graph(f: Fields) -> np.ndarray:
    paper = _added(f.cloud(20, 40), f.grain(20))
    for axis in (0, 1):
        # Every fifth line is bold.
        offset = f.offset(25 * MM)
        for period, width, top in ((5 * MM, 1.3, 90), (25 * MM, 2.4, 170)):
            lines = _shade_table(64, stroke(width, period, top))
            paper = cv2.max(paper, f.lines(axis, period, lines, offset=offset - period / 2))
    return paper


def _shade_table(paper: int, table: np.ndarray) -> np.ndarray:
    """A stroke's shades above those of the paper."""
    return cv2.add(table, np.where(table > 0, paper, 0).astype(np.uint8)).reshape(256)


def _parchment(f: Fields) -> np.ndarray:
    veins = cv2.LUT(f.cloud(90, 255, 3), ramp([(112, 0), (126, 46), (130, 46), (144, 0)]))
    pores = _specks(f, 3, 3, 0.05, 50)
    return _added(f.cloud(200, 100, 5), veins, cv2.min(pores, f.cloud(120, 80)), f.grain(16))


def _kraft(f: Fields) -> np.ndarray:
    fibres = _added(f.smooth(2, 24, top=46), f.smooth(1, 9, top=40), f.smooth(3, 80, top=30))
    return _added(fibres, f.cloud(40, 40), _specks(f, 2, 12, 0.05, 60), f.grain(20))


def _blueprint(f: Fields) -> np.ndarray:
    ground = _added(f.cloud(260, 70, 4), f.smooth(400, 6, top=24), f.grain(26))
    ground = cv2.convertScaleAbs(ground, beta=110)
    for axis in (0, 1):
        offset = f.offset(50 * MM)
        for period, width in ((10 * MM, 1.4), (50 * MM, 2.2)):
            lines = f.lines(axis, period, stroke(width, period, 70), offset=offset - period / 2)
            ground = cv2.subtract(ground, lines)
    return ground


def _newsprint(f: Fields) -> np.ndarray:
    return _added(f.cloud(10, 70), f.smooth(1, 6, top=36), _specks(f, 2, 4, 0.05, 70), f.grain(30))


def _show_through(f: Fields) -> np.ndarray:
    paper = _added(f.cloud(16, 30), f.grain(16))
    return cv2.add(paper, _reverse_side(f, pitch=13, height=7, ink=76))


def _foxed(f: Fields) -> np.ndarray:
    spots = _added(_specks(f, 40, 40, 0.16, 90), _specks(f, 16, 16, 0.1, 80))
    spots = cv2.min(spots, f.cloud(160, 200, 4))
    ragged = cv2.subtract(spots, f.cloud(7, 40))
    return _added(ragged, _specks(f, 4, 4, 0.02, 70), f.cloud(200, 60), f.grain(16))


def _crumpled(f: Fields) -> np.ndarray:
    coarse = f.coarser(4)
    facets = cv2.addWeighted(_facets(coarse, 36), 0.6, _facets(coarse, 14), 0.4, 0)
    return _added(f.fitted(facets, 4), f.grain(14))


def _watercolour(f: Fields) -> np.ndarray:
    bumps = relief(_added(f.smooth(7, top=150), f.smooth(4, top=70)), 2, 0.8)
    return _added(bumps, f.grain(16))


def _marbled(f: Fields) -> np.ndarray:
    coarse = f.coarser(2)
    # The bands are the contour lines of a stirred field; bytes wrap around from one to the next.
    stirred = (coarse.cloud(152, 255, 4) + coarse.cloud(24, 24)) * np.uint8(5)
    bands = cv2.LUT(stirred, wave(130))
    return _added(f.fitted(bands, 2), f.cloud(64, 60), f.grain(14))


def _washi(f: Fields) -> np.ndarray:
    paper = _added(f.cloud(18, 60), f.grain(18))
    for curl, length in ((40, 12), (24, 32)):
        # Contour lines of a field, broken up by another one.
        thread = cv2.LUT(f.cloud(curl, 255, 2), ramp([(120, 0), (126, 70), (130, 70), (136, 0)]))
        broken = cv2.LUT(f.smooth(length), ramp([(110, 0), (190, 255)]))
        paper = cv2.add(paper, cv2.min(thread, broken))
    return paper


def _security(f: Fields) -> np.ndarray:
    period = 1.9 * MM
    fine = stroke(1.5, period, 90)
    swing, other = f.lines(1, 34 * MM, wave(255)), f.lines(1, 21 * MM, wave(170))
    crossing = cv2.add(
        f.lines(0, period, fine, wander=swing + other),
        f.lines(0, period, fine, wander=other - swing),
    )
    return _added(crossing, f.cloud(24, 30), f.grain(16))


def _rings(f: Fields, cell: int, radius: tuple[int, int]) -> np.ndarray:
    """Marks of cups, at most one in each square cell."""
    times = 4
    coarse = f.coarser(times)
    plane: np.ndarray = np.zeros((coarse.height, coarse.width), np.uint8)
    # One more each way: a mark reaches over the edge of its cell.
    rows, columns = -(-f.height // cell) + 1, -(-f.width // cell) + 1
    places = f.draws(rows, 4 * columns, 4 * (LARGEST // cell + 2)).reshape(rows, columns, 4)
    for row, column in np.argwhere(places[..., 3] > 110):
        y, x, size = places[row, column, :3] / 255.0
        centre = np.array([column + 0.2 + 0.6 * x, row + 0.2 + 0.6 * y]) * (cell / times)
        away = (radius[0] + (radius[1] - radius[0]) * size) / times
        for inset, thick, ink in ((0, 1, 110), (1.5, 3, 45), (5, 1, 50)):
            ring = np.zeros_like(plane)
            position = (round(centre[0] * 16), round(centre[1] * 16))
            cv2.circle(ring, position, round((away - inset) * 16), ink, thick, cv2.LINE_AA, 4)
            plane = cv2.add(plane, ring)
    worn = cv2.LUT(coarse.cloud(24, 255), ramp([(70, 40), (170, 255)]))
    return f.fitted(cv2.multiply(plane, worn, scale=1 / 255), times)


def _facets(f: Fields, cell: int) -> np.ndarray:
    """Flat pieces of a crumpled sheet, each lit by its own slope.

    A piece is what lies nearest to one of a lattice of scattered points.
    """
    rows, columns = -(-f.height // cell) + 4, -(-f.width // cell) + 4
    draws = f.draws(rows, 5 * columns, 5 * (LARGEST // cell + 5)).reshape(-1, 5) / 256.0
    points = np.indices((rows, columns)).reshape(2, -1).T + draws[:, :2]
    y, x = (points * cell).astype(np.intp).T
    away = np.ones((rows * cell, columns * cell), np.uint8)
    away[y, x] = 0
    _, nearest = cv2.distanceTransformWithLabels(
        away, cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL
    )
    # Two cells of border: the nearest point of what is left does not depend on the size.
    inside = np.s_[2 * cell : 2 * cell + f.height, 2 * cell : 2 * cell + f.width]
    point = np.empty(len(y) + 1, np.intp)
    point[nearest[y, x]] = np.arange(len(y))
    piece = point[nearest[inside]]
    shade, down, across = draws[:, 2:].astype(np.float32).T
    rows_, columns_ = np.ogrid[inside]
    slope = (rows_ - y[piece]) * (down[piece] - 0.5) + (columns_ - x[piece]) * (across[piece] - 0.5)
    lit = 60 + 120 * shade[piece] + (90 / cell) * slope
    bounded: np.ndarray = np.clip(lit, 0, 255).astype(np.uint8)
    return bounded


def _reverse_side(f: Fields, pitch: int, height: int, ink: int) -> np.ndarray:
    """Lines of print on the other side of the sheet: words of strokes, blurred."""
    times, letter = 2, 4
    coarse = f.coarser(times)
    rows, columns = -(-coarse.height // pitch), -(-coarse.width // letter)
    words = coarse.draws(rows, columns + 1, LARGEST // letter + 2)
    printed = (words[:, 1:] > 50) & (words[:, :1] > 30)
    letters: np.ndarray = np.where(printed, ink, 0).astype(np.uint8)
    size = (columns * letter, rows * pitch)
    letters = cv2.resize(letters, size, interpolation=cv2.INTER_NEAREST)
    letters.reshape(rows, pitch, -1)[:, height:] = 0
    strokes = cv2.LUT(coarse.smooth(3, 2), ramp([(105, 0), (135, 255)]))
    lines = cv2.min(letters[: coarse.height, : coarse.width], strokes)
    return f.fitted(cv2.GaussianBlur(lines, (3, 3), 0), times)


TEXTURES = {
    "aged": Texture(_aged, "0:faf3de 110:f0e0bc 240:cdac78"),
    "blueprint": Texture(_blueprint, "0:fafcff 110:ccdcf0 255:a0bce2"),
    "coffee": Texture(_coffee, "0:fcfaf4 60:f4eee2 150:c4a070 255:8c6034"),
    "crumpled": Texture(_crumpled, "0:cdcbc6 130:f4f3ef 255:fffffe"),
    "foxed": Texture(_foxed, "0:f9f3e2 80:f0e6ce 140:cea874 255:966234"),
    "graph": Texture(_graph, "0:fcfcf6 60:f4f5ee 154:b0d6be 255:6eac8c"),
    "kraft": Texture(_kraft, "0:e2c498 100:c8a476 255:8c6842"),
    "laid": Texture(_laid, "0:fefbf2 100:e2dbc8"),
    "linen": Texture(_linen, "0:fefdfa 210:cecbc2"),
    "marbled": Texture(_marbled, "0:f6eee2 80:c4d6d6 130:e2beaa 200:96acbe"),
    "newsprint": Texture(_newsprint, "0:eeeae0 80:dcd7ca 220:a09a8e"),
    "parchment": Texture(_parchment, "0:fcf0d4 120:e8d0a4 240:b08a58"),
    "recycled": Texture(_recycled, "0:eceae2 80:d6d3ca 255:606062"),
    "ruled": Texture(_ruled, "0:fefdf6 64:f5f3e8 154:96b8e0 254:96b8e0 255:e27878"),
    "security": Texture(_security, "0:f8fcf6 40:eef4ea 130:a0ceb8 230:96b0ce"),
    "show_through": Texture(_show_through, "0:fcfbf6 46:f0eee6 140:bebbb4"),
    "stained": Texture(_stained, "0:faf6e8 40:f0e8d2 130:d4b888 255:967040"),
    "washi": Texture(_washi, "0:f4eede 50:f8f4e8 150:cec0a2"),
    "watercolour": Texture(_watercolour, "60:c8c6be 140:f6f5f0 210:fffffd"),
    "wove": Texture(_wove, "0:fefdf8 120:dedace"),
}
"""Every texture by its name."""
