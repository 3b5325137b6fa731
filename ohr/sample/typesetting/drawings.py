"""Figures drawn in Typst: a chain of boxes, an apparatus with its parts named, a landscape."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator

import numpy as np

from ohr.sample.blocks import Figure
from ohr.sample.typesetting.charts import _line, _string, _words

_SIZE = 7.8


def figure_source(figure: Figure, width: float) -> str:
    """Typst code (an expression) that draws the figure ``width`` points wide.

    A figure is drawn from its own words alone, so the same figure always looks the same.
    """
    rng = np.random.default_rng(zlib.crc32(repr(figure).encode()))
    draw = {"flow": _flow, "device": _device, "photo": _photo}[figure.kind]
    height, marks = draw(figure, width, rng)
    body = "\n".join(marks)
    return (
        f"block(width: {width:.1f}pt, height: {height:.1f}pt, clip: true, above: 0pt, below: 0pt, "
        f"{{set text(size: {_SIZE}pt); set par(justify: false, first-line-indent: 0pt, "
        f"leading: 0.35em); set align(left)\n{body}}})"
    )


def _flow(figure: Figure, width: float, rng: np.random.Generator) -> tuple[float, list[str]]:
    """Boxes in rows of up to four, joined by arrows, in reading order."""
    per_row = min(len(figure.labels), max(2, int(width // 80)))
    step = width / per_row
    box, tall = step - 20, 30.0
    marks = []
    for i, label in enumerate(figure.labels):
        row, place = divmod(i, per_row)
        x, y = place * step + 10, row * (tall + 22) + 2
        marks.append(
            f"place(dx: {x:.1f}pt, dy: {y:.1f}pt, rect(width: {box:.1f}pt, height: {tall}pt, "
            f"radius: 3pt, stroke: 0.7pt, fill: luma(242), inset: 2pt, "
            f"align(center + horizon, {_string(label)})))"
        )
        if i + 1 == len(figure.labels):
            continue
        if place + 1 < per_row:
            marks += _arrow(x + box, y + tall / 2, x + box + 20, y + tall / 2)
        else:
            middle = y + tall + 11
            marks.append(_line(x + box / 2, y + tall, x + box / 2, middle, "0.7pt"))
            marks.append(_line(x + box / 2, middle, 10 + box / 2, middle, "0.7pt"))
            marks += _arrow(10 + box / 2, middle, 10 + box / 2, y + tall + 22)
    rows = math.ceil(len(figure.labels) / per_row)
    return rows * (tall + 22) - 16, marks


def _arrow(x0: float, y0: float, x1: float, y1: float) -> Iterator[str]:
    yield _line(x0, y0, x1, y1, "0.7pt")
    length = math.hypot(x1 - x0, y1 - y0) or 1.0
    ux, uy = (x1 - x0) / length, (y1 - y0) / length
    tips = [
        (x1, y1),
        (x1 - 5 * ux - 2.4 * uy, y1 - 5 * uy + 2.4 * ux),
        (x1 - 5 * ux + 2.4 * uy, y1 - 5 * uy - 2.4 * ux),
    ]
    written = ", ".join(f"({x:.1f}pt, {y:.1f}pt)" for x, y in tips)
    yield f"place(polygon(fill: black, {written}))"


def _device(figure: Figure, width: float, rng: np.random.Generator) -> tuple[float, list[str]]:
    """A housing with a part for each label; a thin line leads from the part to its name."""
    count = len(figure.labels)
    height = max(96.0, 15.0 * count + 24)
    left_edge, body = 0.08 * width, 0.42 * width
    marks = [
        f"place(dx: {left_edge:.1f}pt, dy: 6pt, rect(width: {body:.1f}pt, "
        f"height: {height - 14:.1f}pt, "
        "radius: 8pt, stroke: 1pt, fill: luma(246)))",
        f"place(dx: {left_edge + 6:.1f}pt, dy: {height - 8:.1f}pt, "
        f"rect(width: {body - 12:.1f}pt, height: 5pt, stroke: 0.8pt))",
    ]
    for i, label in enumerate(figure.labels):
        y = 16 + (height - 34) * (i + 0.5) / count
        x = left_edge + body * float(rng.uniform(0.2, 0.75))
        size = float(rng.uniform(5, 9))
        shape = (
            f"circle(radius: {size:.1f}pt, stroke: 0.8pt, fill: luma(215))",
            f"rect(width: {2.6 * size:.1f}pt, height: {1.4 * size:.1f}pt, "
            "stroke: 0.8pt, fill: luma(225))",
            f"ellipse(width: {2.8 * size:.1f}pt, height: {1.5 * size:.1f}pt, "
            "stroke: 0.8pt, fill: luma(235))",
        )[int(rng.integers(3))]
        marks.append(f"place(dx: {x - size:.1f}pt, dy: {y - size * 0.8:.1f}pt, {shape})")
        marks.append(_line(x + size, y, left_edge + body + 26, y, "0.5pt"))
        room = width - left_edge - body - 32
        marks.append(_words(left_edge + body + 30, y - 3.4, label, "left", room))
    return height, marks


def _photo(figure: Figure, width: float, rng: np.random.Generator) -> tuple[float, list[str]]:
    """Hills under a pale sky, a sun, and a row of houses."""
    height = 0.58 * width
    marks = [
        f"place(rect(width: {width:.1f}pt, height: {height:.1f}pt, "
        "fill: gradient.linear(luma(168), luma(232), angle: 90deg)))",
        f"place(dx: {float(rng.uniform(0.1, 0.8)) * width:.1f}pt, dy: {0.1 * height:.1f}pt, "
        f"circle(radius: {0.05 * width:.1f}pt, fill: luma(246)))",
    ]
    for layer, shade in enumerate((150, 120, 88)):
        base = height * (0.45 + 0.14 * layer)
        heights = [base + height * 0.11 * float(value) for value in rng.uniform(-1, 1, 9)]
        points = [(width * i / 8, y) for i, y in enumerate(heights)]
        points += [(width, height), (0.0, height)]
        written = ", ".join(f"({x:.1f}pt, {y:.1f}pt)" for x, y in points)
        marks.append(f"place(polygon(fill: luma({shade}), {written}))")
    x = float(rng.uniform(0.05, 0.3)) * width
    for _ in range(int(rng.integers(4, 8))):
        wide, tall = (float(value) * width for value in rng.uniform((0.04, 0.06), (0.1, 0.16)))
        y = height * 0.94 - tall
        marks.append(
            f"place(dx: {x:.1f}pt, dy: {y:.1f}pt, rect(width: {wide:.1f}pt, "
            f"height: {tall:.1f}pt, fill: luma({int(rng.integers(40, 75))})))"
        )
        marks.append(
            f"place(polygon(fill: luma(50), ({x - 2:.1f}pt, {y:.1f}pt), "
            f"({x + wide / 2:.1f}pt, {y - 0.4 * wide:.1f}pt), ({x + wide + 2:.1f}pt, {y:.1f}pt)))"
        )
        x += wide + float(rng.uniform(1, 8))
    return height, marks
