"""Text boxes into lines, lines into a page."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

SHARE = 0.5
"""Two boxes stand on one line if they share this much of the height of the lower one."""
TALL = 3.0
"""A box so many times as tall as the median (a vertical stamp) is a line of its own."""


def page_text(boxes: np.ndarray, texts: Sequence[str]) -> str:
    """The text of a page: a space between boxes of a line, a line break between lines.

    ``boxes``: ``(n, 4, 2)`` corners in pixels, from top left clockwise; ``texts``: n strings.
    Follows the page's skew. Columns are not told apart: their lines come interleaved.
    """
    if len(texts) == 0:
        return ""
    left, right, top, bottom = _extents(boxes)
    height = bottom - top
    tall = height > TALL * np.median(height)
    lines: list[list[int]] = []
    for box in np.argsort(left, kind="stable"):
        best, most = None, SHARE
        for line in lines:
            last = line[-1]
            lower = max(min(height[box], height[last]), 1e-6)
            shared = (min(bottom[box], bottom[last]) - max(top[box], top[last])) / lower
            follows = left[box] >= right[last] - SHARE * lower
            if follows and shared >= most and not (tall[box] or tall[last]):
                best, most = line, shared
        if best is None:
            lines.append([int(box)])
        else:
            best.append(int(box))
    centre = (top + bottom) / 2
    lines.sort(key=lambda line: float(np.mean(centre[line])))
    return "\n".join(" ".join(texts[box] for box in line) for line in lines)


def _extents(boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Left, right, top and bottom of the boxes on the page set straight."""
    x, y = boxes[:, :, 0].astype(float), boxes[:, :, 1].astype(float)
    run, rise = x[:, 1] - x[:, 0], y[:, 1] - y[:, 0]
    # Only a box much wider than tall tells the slope of its line.
    wide = run > 2 * (y.max(axis=1) - y.min(axis=1))
    slope = float(np.median(rise[wide] / run[wide])) if wide.any() else 0.0
    y = y - slope * x
    return x.min(axis=1), x.max(axis=1), y.min(axis=1), y.max(axis=1)
