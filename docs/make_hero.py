"""Makes the first picture of the README: what scanning costs, from page to answer.

``python docs/make_hero.py RUNS`` draws it from kept runs; with ``--data D --model M.gguf`` those
that are not there are made first (OCR takes half a CPU hour, the language model's answers an
hour). Nothing is typed in: the title, too, is written from the figures. A real receipt may not be
shown, so the example is the invented one of ``docs/make_scan_pictures.py``.
"""

from __future__ import annotations

import argparse
import difflib
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from claims import some_receipts
from hero_measures import (
    CONDITIONS,
    CROP,
    ENGINES,
    SHOP,
    STUDIES,
    Bar,
    Example,
    Point,
    answers_in_text,
    bars_of,
    curves_of,
    example_of,
    title_of,
    write_invented,
)
from make_scan_pictures import RECEIPT

from ohr.figures.style import figure
from ohr.study.results import open_run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PICTURES = Path(__file__).resolve().parent / "pictures"


@dataclass(frozen=True)
class Look:
    """Colours on a light or on a dark ground; the ground itself is transparent."""

    name: str
    ink: str
    quiet: str
    line: str
    remaining: str
    lost_clean: str
    engines: Mapping[str, str]


LIGHT = Look(
    *("hero", "#1f2328", "#59636e", "#d1d9e0", "#0072B2", "#a8b1bb"),
    {"tesseract": "#C84E00", "rapidocr": "#00805E"},
)
DARK = Look(
    *("hero_dark", "#f0f6fc", "#9da7b3", "#3d444d", "#3391cf", "#636c76"),
    {"tesseract": "#ff8a3d", "rapidocr": "#3fc79a"},
)
CENTRED: Mapping[str, Any] = {"ha": "center", "va": "center"}
NARROW = 12.0
"""Per cent: a narrower part of a bar has no label."""
WIDTH, HEIGHT = 6.9, 5.95
"""Inches; at the 830 pixels of a README an inch has 120 pixels, on a phone 58."""
SMALL, MEDIUM, LARGE = 10.0, 11.0, 15.5
"""Sizes of type: at 400 pixels small print is 8 pixels high."""


NAMES = {"tesseract": (2.45, 22.0), "rapidocr": (4.35, 62.0)}
"""Where the right ends of the engines' names are, in the panel's units: beside their lines."""


def draw(
    look: Look,
    curves: Mapping[str, Sequence[Point]],
    bars: Sequence[Bar],
    example: Example,
    sizes: tuple[int, int],
) -> Path:
    """Draw the picture on one ground. ``sizes``: receipts and questions."""
    with figure(WIDTH, HEIGHT) as fig:
        fig.set_layout_engine("none")
        title = "\n".join(textwrap.wrap(title_of(curves), 42))
        _text(fig, 0, 5.95, title, look.ink, LARGE, weight="bold", linespacing=1.15)
        text = f"{sizes[0]} receipts, {sizes[1]} questions, one page retrieved for each"
        _text(fig, 0, 5.31, text, look.quiet, MEDIUM)
        _draw_example(fig, look, example)
        _draw_bars(fig, look, bars)
        _draw_curves(fig, look, curves)
        text = (
            "Lines: 95 % intervals. * simulated. A 0.5 B language model answers.\n"
            "Top row: an invented receipt whose answer the scan changes."
        )
        _text(fig, 0, 0.37, text, look.quiet, SMALL, linespacing=1.25)
        path = PICTURES / f"{look.name}.png"
        fig.savefig(path, dpi=240, transparent=True)
    return path


def _text(fig: Figure, x: float, y: float, text: str, colour: str, size: float, **how: Any) -> None:
    """A text with its upper left corner there, in inches."""
    options = {"color": colour, "fontsize": size, "va": "top"} | how
    fig.text(x / WIDTH, y / HEIGHT, text, **options)


def _axes(fig: Figure, x: float, y: float, width: float, height: float) -> Axes:
    """A panel with its lower left corner there, in inches."""
    return fig.add_axes((x / WIDTH, y / HEIGHT, width / WIDTH, height / HEIGHT))


def _draw_example(fig: Figure, look: Look, example: Example) -> None:
    """The strip: the scan, what the engine writes, and the answers."""
    x0, y0, x1, y1 = CROP
    step, width, y = 2.6, 2.45, 3.74
    height = width * (y1 - y0) / (x1 - x0)
    for place, head in enumerate(("A scan", "Tesseract's output", "The answer")):
        _text(fig, place * step, 4.96, head, look.ink, MEDIUM, weight="bold")
    panels = [_axes(fig, place * step, y, width, height) for place in range(2)]
    for ax in panels:
        _frame(ax, look)
    scan = example.images[1]
    shown = scan if scan.ndim == 3 else np.stack([scan] * 3, axis=-1)
    panels[0].imshow(shown[y0:y1, x0:x1], aspect="auto", interpolation="lanczos")
    for row_y, words in _rows_of_crop(example):
        _words(panels[1], 0.03, 1 - (row_y - y0) / (y1 - y0), words, look)
    question = "\n".join(textwrap.wrap(example.question.replace(f" on {SHOP}", ""), 17))
    _text(fig, 2 * step, 4.7, question, look.ink, SMALL, style="italic")
    before, _, after = example.answers
    answers = (("clean", before, look.remaining), ("scan", after, look.engines["tesseract"]))
    for place, (name, answer, colour) in enumerate(answers):
        x = 2 * step + place * 0.85
        _text(fig, x, y + 0.18, answer, colour, LARGE, va="bottom", weight="bold")
        _text(fig, x, y + 0.17, name, look.quiet, SMALL)


def _frame(ax: Axes, look: Look) -> None:
    ax.set_xticks([])
    ax.set_yticks([])
    ax.grid(visible=False)
    for spine in ax.spines.values():
        spine.set_visible(True)
        spine.set_color(look.line)


def _rows_of_crop(example: Example) -> list[tuple[float, list[tuple[str, bool]]]]:
    """The engine's rows of the part that is shown: middle in pixels, words, each right or wrong."""
    top, bottom = CROP[1], CROP[3]
    shown: dict[float, list[str]] = {}
    for _, y, _, height, text in RECEIPT:
        if top <= y and y + height <= bottom:
            shown.setdefault(y + height / 2, []).append(text)
    written = [row for row in example.read.splitlines() if row.strip()]
    rows = []
    for middle, texts in shown.items():
        true = " ".join(texts)
        best = max(written, key=lambda row: difflib.SequenceMatcher(None, true, row).ratio())
        rows.append((middle, [(word, word in true.split()) for word in best.split()]))
    return rows


def _words(ax: Axes, x: float, y: float, words: Sequence[tuple[str, bool]], look: Look) -> None:
    """A row of words in type of one width; wrong ones in the engine's colour."""
    column = 0
    for word, is_right in words:
        ax.text(
            x + column * 0.0465,
            y,
            word,
            transform=ax.transAxes,
            va="center",
            family="DejaVu Sans Mono",
            fontsize=MEDIUM - 0.4,
            color=look.ink if is_right else look.engines["tesseract"],
            weight="normal" if is_right else "bold",
        )
        column += len(word) + 1


def _draw_bars(fig: Figure, look: Look, bars: Sequence[Bar]) -> None:
    """What is left of each score under a real scan."""
    scanned = look.engines["tesseract"]
    _text(fig, 0, 3.4, "Tesseract's scores on scans", look.ink, MEDIUM, weight="bold")
    ax = _axes(fig, 0, 0.5, 2.75, 2.62)
    for place, bar in enumerate(bars):
        start = 0.0
        parts = (
            (bar.remaining, look.remaining),
            (bar.lost_scan, scanned),
            (bar.lost_clean, look.lost_clean),
        )
        for part, colour in parts:
            ax.barh(-place, part, left=start, height=0.34, color=colour)
            if part >= NARROW:
                text = f"{part:.0f} %" if start == 0 else f"−{part:.0f}"
                how = {"weight": "bold", "fontsize": MEDIUM}
                ax.text(start + part / 2, -place, text, color="white", **how, **CENTRED)
            start += part
        ax.plot([bar.low, bar.high], [-place - 0.25] * 2, color=look.ink, linewidth=1.4)
        ax.plot([bar.remaining] * 2, [-place - 0.3, -place - 0.2], color=look.ink, linewidth=1.4)
        label = bar.label.replace("\n", " ")
        ax.text(0, 1 / 3 - place, label, va="center", color=look.ink, fontsize=SMALL)
    labels = (
        (0, "left", "left", look.remaining),
        (50, "lost to scan", "center", scanned),
        (100, "on clean", "right", look.quiet),
    )
    for x, text, side, colour in labels:
        ax.text(x, 0.63, text, color=colour, fontsize=SMALL, weight="bold", ha=side)
    ax.set_xlim(0, 101)
    ax.set_ylim(-2.35, 0.85)
    ax.axis("off")


def _draw_curves(fig: Figure, look: Look, curves: Mapping[str, Sequence[Point]]) -> None:
    """The answers that are in the retrieved text, by condition and engine."""
    head = "Answers in the retrieved text, %"
    _text(fig, 3.2, 3.4, head, look.ink, MEDIUM, weight="bold")
    ax = _axes(fig, 3.55, 0.95, 3.35, 2.17)
    x = np.arange(len(CONDITIONS))
    for number, (engine, points) in enumerate(curves.items()):
        colour = look.engines[engine]
        values = [point.value for point in points]
        ends = [point.low for point in points], [point.high for point in points]
        ax.vlines(x, *ends, color=colour, alpha=0.5, linewidth=2.5)
        ax.plot(x, values, color=colour, marker="o", linewidth=2.4, markersize=6)
        below = number == 0
        for place in range(1, len(values)):
            y = ends[0][place] - 3 if below else ends[1][place] + 2
            ax.text(
                *(place, y, f"{values[place]:.0f}"),
                **{"color": colour, "fontsize": SMALL, "ha": "center"},
                va="top" if below else "bottom",
            )
        side = NAMES[engine]
        ax.text(*side, ENGINES[engine], color=colour, weight="bold", fontsize=MEDIUM, ha="right")
    ax.text(0, ends[1][0] + 2, f"{values[0]:.0f}", color=look.ink, fontsize=SMALL, ha="center")
    ax.set_xticks(x, [label for label, *_ in CONDITIONS], fontsize=SMALL)
    ax.set_xlim(-0.4, len(CONDITIONS) - 0.6)
    ax.set_ylim(0, 108)
    ax.set_yticks([0, 50, 100], ["0", "50", "100"], fontsize=SMALL)
    ax.tick_params(colors=look.quiet, length=0)
    ax.grid(visible=True, axis="y", color=look.line)
    ax.grid(visible=False, axis="x")
    for name, spine in ax.spines.items():
        spine.set_visible(name == "bottom")
        spine.set_color(look.line)


def main() -> None:
    """Make the runs that are not there, where that is asked for, and draw the picture."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("runs", type=Path, help="the folder of the runs")
    parser.add_argument("--data", type=Path, help="the folder $D: make the runs that are not there")
    parser.add_argument("--model", type=Path, help="the language model, a GGUF file")
    parser.add_argument("--cache", type=Path, default=Path(".ohr-cache"))
    given = parser.parse_args()
    invented = write_invented(given.runs / "hero_invented")
    if given.data is not None:
        make_runs(given.data.resolve(), given.model.resolve(), given.cache.resolve(), given.runs)
    runs = {
        study.name.removeprefix("hero_"): open_run(given.runs / study.name) for study in STUDIES
    }
    in_text = {name: answers_in_text(runs[name]) for name in ("scans", "twins")}
    curves, bars = curves_of(in_text), bars_of(runs)
    example = example_of(runs["example"], invented)
    receipts = in_text["scans"]
    for look in (LIGHT, DARK):
        print(
            draw(
                look,
                curves,
                bars,
                example,
                (receipts["doc_id"].nunique(), receipts["qid"].nunique()),
            )
        )
    print(title_of(curves))
    for bar in bars:
        print(bar)
    for engine, points in curves.items():
        print(engine, points)


def make_runs(data: Path, model: Path, cache: Path, runs: Path) -> None:
    """Make the runs that are not there. The twins are those of ``make claims-runs``."""
    names = some_receipts(data)
    folders = {
        "D": data,
        "T": (runs / "receipts_twins").resolve(),
        "N": names,
        "I": (runs / "hero_invented").resolve(),
        "M": model,
    }
    for study in STUDIES:
        study.run(folders, cache, runs)


if __name__ == "__main__":
    main()
