"""Marks of points: filled where a change is significant, hollow where it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HOLLOW = "hollow: not significant"
"""What hollow marks mean, for captions."""
GROUND = "white"
"""Of a hollow mark; in an SVG it follows the page."""


def draw_marks(
    ax: Axes, x: Any, y: Any, is_shown: Any, colour: str, marker: str = "o", **style: Any
) -> None:
    """Draw points, float ``(n,)`` or single ones: filled where ``is_shown``, otherwise hollow.

    ``style`` is Matplotlib's, as ``markersize``. Marks are above lines and bands.
    """
    x, y = np.atleast_1d(np.asarray(x, float)), np.atleast_1d(np.asarray(y, float))
    filled = np.broadcast_to(np.asarray(is_shown, bool), x.shape)
    options = {"zorder": 3, "linestyle": "none", "color": colour, "marker": marker, **style}
    for part, face in ((~filled, GROUND), (filled, colour)):
        if part.any():
            ax.plot(x[part], y[part], markerfacecolor=face, **options)
