"""The style of all figures: safe for colour-blind readers, with markers and lines for grey."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ohr.display.labels import mathless
from ohr.files.safe_text import plain
from ohr.store.atomic import write_bytes

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure

# Okabe and Ito's palette, without its yellow, which is too light on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINES = ("-", "--", "-.", ":")

WIDTH = 6.9
"""Inches across two columns of a paper, the widest figure; one column is 3.4."""
Look = Literal["paper", "slides"]
GRID_COLOUR = "#dddddd"
GREY = "#444444"
"""Of the line above a figure."""
_KNOWN = {"gt": 0, "tesseract": 1, "rapidocr": 2, "rapidocr-tiny": 3, "tiny": 3, "MinerU": 5}
"""Engines with a colour of their own: the same in every figure, also if what they read is shipped
or was read before."""


def series_numbers(names: Sequence[str]) -> list[int]:
    """The number of each name's colour, mark and line: one thing has one colour in every figure.

    Known engines have fixed numbers; the others take what is free, in their order.
    """
    if len(set(names)) < len(names):
        return list(range(len(names)))
    own = {name: name.rpartition(":")[2] for name in names}
    fixed = {name: _KNOWN[own[name]] for name in names if own[name] in _KNOWN}
    if len(set(fixed.values())) < len(fixed):  # two curves of one engine
        fixed = {}
    free = (number for number in range(2 * len(names)) if number not in fixed.values())
    return [fixed[name] if name in fixed else next(free) for name in names]


_STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.titlesize": "medium",
    "axes.labelsize": "medium",
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": GRID_COLOUR,
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "lines.linewidth": 1.3,
    "lines.markersize": 4.5,
    "svg.hashsalt": "ohr",
    "svg.fonttype": "none",
    "savefig.dpi": 200,
}
_SLIDES: Any = {
    "font.size": 15,
    "xtick.labelsize": 13,
    "ytick.labelsize": 13,
    "legend.fontsize": 13,
    "grid.linewidth": 1.0,
    "lines.linewidth": 2.4,
    "lines.markersize": 8,
    "savefig.dpi": 120,
}
_ENLARGED = 1.75
"""How much wider and higher a figure for slides is."""
_LOOK: ContextVar[Look] = ContextVar("_LOOK", default="paper")


@contextmanager
def drawn_for(look: Look) -> Iterator[None]:
    """Inside, figures are drawn for a paper's columns or for slides."""
    token = _LOOK.set(look)
    try:
        yield
    finally:
        _LOOK.reset(token)


@contextmanager
def figure(width: float, height: float) -> Iterator[Figure]:
    """A figure in the common style, in inches on paper, without changing global settings.

    It is at most :data:`WIDTH` wide.
    """
    import matplotlib as mpl  # takes half a second: import only if needed

    from ohr.figures.saved_figure import SavedFigure

    slides = _LOOK.get() == "slides"
    scale = _ENLARGED if slides else 1.0
    with mpl.rc_context(_STYLE | _SLIDES if slides else _STYLE):
        yield SavedFigure(figsize=(scale * min(width, WIDTH), scale * height), layout="constrained")


def describe(fig: Figure, parts: Sequence[str]) -> list[str]:
    """Write as many leading parts above a figure as fit on one line.

    Returns a note with all parts, for the file beside the figure (see :func:`save`).
    """
    parts = [part for part in parts if part]
    trial = fig.text(0, 0, "", fontsize="small")
    line = ""
    for count in range(1, len(parts) + 1):
        trial.set_text(mathless("; ".join(parts[:count])))
        if trial.get_window_extent().width > 0.98 * fig.bbox.width:
            break
        line = trial.get_text()
    trial.remove()
    if line:
        fig.suptitle(line, fontsize="small", color=GREY)
    return [f"{'; '.join(parts)}."] if parts else []


def legend_below(
    fig: Figure, handles: Sequence[Artist], labels: Sequence[str], columns: int
) -> None:
    """Draw a legend below the panels, with fewer columns if it would be too wide."""
    for ncols in range(min(columns, len(labels)) or 1, 0, -1):
        legend = fig.legend(handles, labels, loc="outside lower center", ncols=ncols)
        if ncols == 1 or legend.get_window_extent().width <= fig.bbox.width:
            return
        legend.remove()


def series_handles(names: Sequence[str]) -> tuple[list[Artist], list[str]]:
    """Handles and labels of a legend of curves, with each one's colour, mark and line."""
    from matplotlib.lines import Line2D

    lines: Any = LINES
    handles: list[Artist] = [
        Line2D(
            [], [], color=COLOURS[number % len(COLOURS)], marker=MARKERS[number % len(MARKERS)],
            linestyle=lines[number % len(LINES)],
        )
        for number in series_numbers(names)
    ]  # fmt: skip
    return handles, [mathless(name) for name in names]


def columns_for(count: int, most: int) -> int:
    """Columns of ``count`` panels, at most ``most``, in as equal rows as possible."""
    rows = -(-count // most)
    return -(-count // rows)


def panel_grid(
    fig: Figure, count: int, columns: int, heights: Sequence[float] = (1.0,)
) -> np.ndarray:
    """Panels in rows of ``columns``, on common axes: ``(count, len(heights))``.

    Each place has as many panels, one below another, as there are relative ``heights``; those of
    the same height share both axes. Places left over in the last row stay empty.
    """
    rows, blocks = -(-count // columns), len(heights)
    ratios = [*heights] * rows
    grid = fig.subplots(
        rows * blocks, columns, squeeze=False, gridspec_kw={"height_ratios": ratios}
    )
    panels = np.empty((count, blocks), dtype=object)
    for place in range(rows * columns):
        for block in range(blocks):
            ax = grid[place // columns * blocks + block, place % columns]
            if place >= count:
                ax.remove()
                continue
            panels[place, block] = ax
            if place:
                ax.sharex(panels[0, block])
                ax.sharey(panels[0, block])
            ax.tick_params(labelleft=place % columns == 0)
            if blocks == 1:
                ax.tick_params(labelbottom=place + columns >= count)
    return panels


_METADATA: dict[str, dict[str, None]] = {
    "png": {"Software": None},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}


_ONLY: ContextVar[frozenset[str]] = ContextVar("_ONLY", default=frozenset(_METADATA))


@contextmanager
def only(*formats: str) -> Iterator[None]:
    """Inside, figures are saved in these formats alone: ``png``, ``svg``, ``pdf``."""
    token = _ONLY.set(frozenset(formats))
    try:
        yield
    finally:
        _ONLY.reset(token)


def save(
    fig: Figure, folder: Path, name: str, *, pdf: bool = False, notes: Sequence[str] = ()
) -> list[Path]:
    """Write PNG, SVG and optionally PDF, without dates, so that equal figures are equal files.

    ``notes`` are what the figure cannot say: they go into ``<name>.txt`` and into the SVG.
    """
    notes = [plain(note) for note in notes]
    paths = []
    for suffix in ("png", "svg", *(["pdf"] if pdf else [])):
        if suffix not in _ONLY.get():
            _lay_out(fig)
            continue
        metadata: Any = dict(_METADATA[suffix])
        if notes and suffix == "svg":
            metadata["Description"] = " ".join(notes)
        sink = io.BytesIO()
        fig.savefig(sink, format=suffix, metadata=metadata, transparent=suffix == "svg")
        path = folder / f"{name}.{suffix}"
        image = sink.getvalue()
        write_bytes(path, follow_page(image) if suffix == "svg" else image)
        paths.append(path)
    if notes:
        path = folder / f"{name}.txt"
        write_bytes(path, ("\n".join(notes) + "\n").encode("utf-8", "replace"))
        paths.append(path)
    return paths


_PAGE = {
    "#000000": "currentColor",
    "#ffffff": "#ffffff; {}: Canvas",
    **{
        f"#{2 * digit}{2 * digit}{2 * digit}": f"#{6 * digit}; {{}}: color-mix(in srgb, "
        f"currentColor {round(100 * (15 - int(digit, 16)) / 15)}%, Canvas)"
        for digit in "23456789abcde"
    },
}
"""Black, white or grey of a figure -> that of the page that shows it, with as much contrast. The
colour before the semicolon is for programs that know no page."""
_COLOUR = re.compile(r"\b(fill|stroke): (#[0-9a-f]{6})(?=[;\"])")
_FONT = re.compile(r"(font-family: )'DejaVu Sans'(?=[;\"])")
_SHEET = (
    "*{stroke-linejoin: round; stroke-linecap: butt}",
    "*{stroke-linejoin: round; stroke-linecap: butt} "
    ":root{color-scheme: light dark; color: #000000; color: CanvasText; fill: currentColor}",
)


def follow_page(svg: bytes) -> bytes:
    """An SVG of Matplotlib without ground, whose black and white are those of the page around it.

    So a figure is dark in a dark page. Coloured curves stay as they are: the palette has enough
    contrast with both.
    """

    def page_colour(colour: re.Match[str]) -> str:
        written = _PAGE.get(colour[2])
        return colour[0] if written is None else f"{colour[1]}: {written.format(colour[1])}"

    text = _FONT.sub(r"\1'DejaVu Sans', Verdana, sans-serif", svg.decode())
    return _COLOUR.sub(page_colour, text).replace(*_SHEET, 1).encode()


def _lay_out(fig: Figure) -> None:
    """Repeat the effect of saving an image: each layout moves the panels in the last digit."""
    import matplotlib as mpl

    before = fig.dpi
    fig.dpi = mpl.rcParams["savefig.dpi"]
    fig.draw_without_rendering()
    fig.dpi = before
