"""Places the names of levels on a curve: beside their marks, without covering anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.path import Path
    from matplotlib.text import Annotation
    from matplotlib.transforms import Bbox


_Side = Literal["left", "center", "right"]

_OFFSETS: tuple[tuple[float, float, _Side], ...] = (
    (4, 5, "left"), (4, -10, "left"), (-4, 5, "right"), (-4, -10, "right"),
    (0, 9, "center"), (0, -14, "center"), (6, 13, "left"), (6, -18, "left"),
    (-6, 13, "right"), (-6, -18, "right"), (0, 18, "center"), (0, -23, "center"),
)  # fmt: skip
"""Offsets from the mark in points, with alignment; the first free one is used."""
_ROOM = 2.0
"""Pixels of a hundredth of an inch between texts."""


def name_level(ax: Axes, name: str, at: tuple[float, float], colour: str) -> None:
    """Name a mark; :func:`place_names` moves the name later."""
    ax.annotate(
        name, at, xytext=(4, 5), textcoords="offset points", fontsize="small", color=colour
    ).set_in_layout(False)


def place_names(fig: Figure) -> None:
    """Move the names of each panel so that they cover no other name, and little else.

    A name without room inside its panel is left out: the order along a curve is that of the levels,
    and the figure of noise against the requested level has all names.
    """
    from matplotlib.text import Annotation

    fig.draw_without_rendering()
    for ax in fig.axes:
        marks = [mark for line in ax.lines for mark in _marks(ax, line)]
        paths = [_path(ax, line) for line in ax.lines if _marks(ax, line)]
        placed: list[Bbox] = []
        for name in [text for text in ax.texts if isinstance(text, Annotation)]:
            best = _best(ax, name, placed, marks, paths)
            if best is None:
                name.remove()
            else:
                placed.append(best)


def _best(
    ax: Axes, name: Annotation, placed: list[Bbox], marks: list[Bbox], paths: list[Path]
) -> Bbox | None:
    candidates: list[tuple[int, int, int, float, float, _Side]] = []
    for x, y, alignment in _OFFSETS:
        box = _moved(name, x, y, alignment)
        inside = ax.bbox.x0 <= box.x0 and box.x1 <= ax.bbox.x1
        inside = inside and ax.bbox.y0 <= box.y0 and box.y1 <= ax.bbox.y1
        if inside and not any(box.overlaps(other) for other in placed):
            covered = sum(box.overlaps(mark) for mark in marks)
            crossed = sum(path.intersects_bbox(box, filled=False) for path in paths)
            candidates.append((covered, crossed, len(candidates), x, y, alignment))
    if not candidates:
        return None
    *_, right, up, side = min(candidates)
    return _moved(name, right, up, side)


def _moved(name: Annotation, x: float, y: float, alignment: _Side) -> Bbox:
    name.set_horizontalalignment(alignment)
    name.xyann = (x, y)
    return name.get_window_extent().padded(_ROOM / 2)


def _marks(ax: Axes, line: Line2D) -> list[Bbox]:
    """The marks of a line, in pixels."""
    if line.get_marker() in ("None", None, "") or line.get_transform() != ax.transData:
        return []
    from matplotlib.transforms import Bbox

    reach = line.get_markersize() / 2 * _dpi(ax) / 72
    places = ax.transData.transform(line.get_xydata())
    return [Bbox.from_extents(x - reach, y - reach, x + reach, y + reach) for x, y in places]


def _path(ax: Axes, line: Line2D) -> Path:
    """A line in pixels."""
    from matplotlib.path import Path

    return Path(ax.transData.transform(line.get_xydata()))


def _dpi(ax: Axes) -> float:
    """Pixels per inch of the axes' figure."""
    fig = ax.get_figure(root=True)
    assert fig is not None
    return fig.dpi
