"""Charts drawn in Typst: axes, bars, lines and slices, every value printed beside its mark.

All geometry is computed here, in points from the chart's top left corner, and written as placed
shapes: the same chart gives the same source, and drawing it costs Typst a millisecond or two.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import pairwise

from ohr.sample.blocks import Chart

# Neighbours differ in lightness too: pages are read in grey.
_FILLS = ("#35506b", "#d9c98a", "#8a9fb5", "#5f7a52", "#e4dccb", "#94513b", "#b9b9b9", "#4a4a4a")
_SIZE = 7.4  # of all words, in points
_EM = 0.47 * _SIZE  # width of a letter, on average


def chart_source(chart: Chart, width: float) -> str:
    """Typst code (an expression) that draws the chart ``width`` points wide."""
    if chart.kind == "pie":
        height, marks = _pie(chart, width)
    else:
        height, marks = _axes(chart, width)
    body = "\n".join(marks)
    return (
        f"block(width: {width:.1f}pt, height: {height:.1f}pt, above: 0pt, below: 0pt, "
        f"{{set text(size: {_SIZE}pt); set par(justify: false, first-line-indent: 0pt, "
        f"leading: 0.35em); set align(left)\n{body}}})"
    )


def nice_ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers that span ``low`` to ``high``, at most ``most`` steps: 0, 20, 40, 60."""
    reach = (high - low) or 1.0
    power = 10.0 ** math.floor(math.log10(reach / most))
    step = next(power * m for m in (1, 2, 2.5, 5, 10, 20) if reach / (power * m) <= most)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(i * step, 10) for i in range(first, last + 1)]


def number(value: float) -> str:
    """A tick's label: no more digits than it needs, thousands parted."""
    return f"{value:,.10f}".rstrip("0").rstrip(".")


def _string(words: str) -> str:
    escaped = words.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _words(x: float, y: float, words: str, anchor: str = "center", width: float = 120) -> str:
    """Words whose top is at ``y``; ``anchor`` is the side of theirs that is at ``x``."""
    left_edge = x - {"left": 0.0, "center": width / 2, "right": width}[anchor]
    return (
        f"place(dx: {left_edge:.1f}pt, dy: {y:.1f}pt, "
        f"box(width: {width:.1f}pt, align({anchor}, {_string(words)})))"
    )


def _line(x0: float, y0: float, x1: float, y1: float, stroke: str) -> str:
    return (
        f"place(line(start: ({x0:.1f}pt, {y0:.1f}pt), end: ({x1:.1f}pt, {y1:.1f}pt), "
        f"stroke: {stroke}))"
    )


def _swatch(x: float, y: float, fill: str) -> str:
    return (
        f'place(dx: {x:.1f}pt, dy: {y:.1f}pt, rect(width: 7pt, height: 5.5pt, fill: rgb("{fill}")))'
    )


def _axes(chart: Chart, width: float) -> tuple[float, list[str]]:
    values = [value for series in chart.series for value in series.numbers]
    # Bars stand on zero; a line may start higher, where its values are.
    low, high = min(values), max(values)
    spread = (high - low) or abs(high) or 1.0
    low = low - 0.35 * spread if chart.kind == "line" and low > 0.5 * spread else min(low, 0.0)
    ticks = nice_ticks(max(low, 0.0) if min(values) >= 0 else low, high + 0.08 * spread)
    left_edge = 6 + _EM * max(len(number(tick)) for tick in ticks)
    top = 13.0 + (11.0 * len(_legend_rows(chart, width)) if len(chart.series) > 1 else 0.0)
    right, plot = width - 4.0, 0.36 * width + 18.0
    group = (right - left_edge) / len(chart.categories)
    lines = max(math.ceil(_EM * len(name) / (group - 2)) for name in chart.categories)
    bottom = top + plot

    def height(value: float) -> float:
        return bottom - plot * (value - ticks[0]) / (ticks[-1] - ticks[0])

    marks = list(_legend(chart, width))
    unit = f" ({chart.unit})" if chart.unit else ""
    named = chart.series[0].name + unit if len(chart.series) == 1 else chart.unit
    marks.append(_words(0, 0, named, "left", width))
    for tick in ticks:
        marks.append(_line(left_edge, height(tick), right, height(tick), "0.3pt + luma(205)"))
        marks.append(_words(left_edge - 3, height(tick) - 2.6, number(tick), "right", left_edge))
    draw = _bars if chart.kind == "bar" else _lines
    marks += draw(chart, left_edge, group, height, height(max(ticks[0], 0.0)))
    marks.append(
        _line(left_edge, height(max(ticks[0], 0.0)), right, height(max(ticks[0], 0.0)), "0.8pt")
    )
    longest = max(len(word) for name in chart.categories for word in name.split())
    fit = min(1.0, (group - 4) / (1.2 * _EM * longest))
    for i, category in enumerate(chart.categories):
        shown = _words(left_edge + (i + 0.5) * group, bottom + 5, category, "center", group - 2)
        marks.append(f"{{set text(size: {fit * _SIZE:.2f}pt); {shown}}}")
    below = bottom + 7 + lines * (_SIZE + 1.6)
    marks.append(_words((left_edge + right) / 2, below, chart.label, "center", right - left_edge))
    return below + _SIZE + 3, marks


def _bars(
    chart: Chart, left_edge: float, group: float, position: Callable[[float], float], base: float
) -> Iterator[str]:
    bar = min(group * 0.8 / len(chart.series), 34.0)
    for number_, series in enumerate(chart.series):
        fill = _FILLS[number_ % len(_FILLS)]
        for i, (value, shown) in enumerate(zip(series.numbers, series.values, strict=True)):
            x = left_edge + (i + 0.5) * group + (number_ - len(chart.series) / 2) * bar
            top, height = min(position(value), base), abs(position(value) - base)
            yield (
                f"place(dx: {x + 0.8:.1f}pt, dy: {top:.1f}pt, "
                f'rect(width: {bar - 1.6:.1f}pt, height: {height:.1f}pt, fill: rgb("{fill}")))'
            )
            above = top - 7.6 if value >= 0 else top + height + 2
            if _EM * len(shown) <= bar + 5:
                yield _words(x + bar / 2, above, shown, "center", bar + 20)
            else:  # too wide for its bar: it stands on it
                tall = 1.1 * _EM * len(shown) + 4
                yield (
                    f"place(dx: {x + bar / 2 - 4:.1f}pt, dy: {top - tall:.1f}pt, "
                    f"rotate(-90deg, reflow: true, box(width: {tall - 3:.1f}pt, "
                    f"align(left, {_string(shown)}))))"
                )


def _lines(
    chart: Chart, left_edge: float, group: float, position: Callable[[float], float], base: float
) -> Iterator[str]:
    for number_, series in enumerate(chart.series):
        fill = _FILLS[number_ % len(_FILLS)]
        points = [
            (left_edge + (i + 0.5) * group, position(value))
            for i, value in enumerate(series.numbers)
        ]
        dash = ("solid", "dashed", "dotted")[number_ % 3]
        stroke = f'(paint: rgb("{fill}"), thickness: 1.3pt, dash: "{dash}")'
        for (x0, y0), (x1, y1) in pairwise(points):
            yield _line(x0, y0, x1, y1, stroke)
        for i, (x, y) in enumerate(points):
            yield (
                f"place(dx: {x - 1.9:.1f}pt, dy: {y - 1.9:.1f}pt, "
                f'circle(radius: 1.9pt, fill: rgb("{fill}")))'
            )
            # Of two lines the upper one is labelled above its points, the lower one below; a
            # line alone below its valleys.
            near = series.numbers[max(i - 1, 0) : i] + series.numbers[i + 1 : i + 2]
            valley = len(chart.series) == 1 and min(near, default=0.0) > series.numbers[i]
            lower = valley or any(other.numbers[i] > series.numbers[i] for other in chart.series)
            lower = lower and y + 12 < base
            yield _words(x, y + 4 if lower else y - 9.4, series.values[i], "center", 60)


def _legend_rows(chart: Chart, width: float) -> list[list[int]]:
    rows: list[list[int]] = [[]]
    used = 0.0
    for number_, series in enumerate(chart.series):
        needed = 24 + 1.1 * _EM * len(series.name)
        if rows[-1] and used + needed > width:
            rows.append([])
            used = 0.0
        rows[-1].append(number_)
        used += needed
    return rows


def _legend(chart: Chart, width: float) -> Iterator[str]:
    if len(chart.series) == 1:
        return
    for row, members in enumerate(_legend_rows(chart, width)):
        x = 0.0
        for number_ in members:
            name = chart.series[number_].name
            yield _swatch(x, 11 + 11 * row, _FILLS[number_ % len(_FILLS)])
            yield _words(x + 11, 11 + 11 * row, name, "left", 1.4 * _EM * len(name) + 12)
            x += 24 + 1.1 * _EM * len(name)


def _pie(chart: Chart, width: float) -> tuple[float, list[str]]:
    (series,) = chart.series
    radius = min(0.19 * width + 12, 62.0)
    centre = (radius + 4, radius + 4)
    total = sum(series.numbers) or 1.0
    marks, angle = [], -90.0
    for i, value in enumerate(series.numbers):
        end = angle + 360 * value / total
        steps = max(2, math.ceil((end - angle) / 4))
        arc = [math.radians(angle + (end - angle) * step / steps) for step in range(steps + 1)]
        corners = [centre] + [
            (centre[0] + radius * math.cos(a), centre[1] + radius * math.sin(a)) for a in arc
        ]
        written = ", ".join(f"({x:.2f}pt, {y:.2f}pt)" for x, y in corners)
        fill = _FILLS[i % len(_FILLS)]
        marks.append(f'place(polygon(fill: rgb("{fill}"), stroke: 0.8pt + white, {written}))')
        angle = end
    unit = f" ({chart.unit})" if chart.unit else ""
    x, right = 2 * radius + 26, width - 4.0
    room = right - x - 13 - 1.25 * _EM * max(map(len, series.values)) - 6
    y = 2.0
    marks.append(_words(x + 13, y, chart.label, "left", room))
    heading = series.name + unit
    marks.append(_words(right, y, heading, "right", min(1.25 * _EM * len(heading), right - x - 60)))
    y += 6 + (_SIZE + 2.6) * math.ceil(1.25 * _EM * len(heading) / (right - x - 60))
    marks.append(_line(x, y - 3, right, y - 3, "0.4pt"))
    for i, category in enumerate(chart.categories):
        marks.append(_swatch(x, y, _FILLS[i % len(_FILLS)]))
        marks.append(_words(x + 13, y, category, "left", room))
        marks.append(_words(right, y, series.values[i], "right", 60))
        y += (_SIZE + 2.6) * math.ceil(1.1 * _EM * len(category) / room) + 1.5
    return max(2 * radius + 8, y), marks
