"""Furniture: what is printed on a page beside its text: rules, a logo, a bar code.
Not in the paper.

Nobody transcribes it, and engines make words of it. It stands where the page is blank: between two
lines, or where a line or more is missing. Lengths are in heights of the page's capitals.

At intensity 1, uniform and independent:

==========  =====================================================================================
quantity    range
==========  =====================================================================================
rules       0 to 5 for each stretch of page as long as it is wide, spread along the page, each in
            the blank row that is next to its place; .6 to 1 of the text's width
pattern     solid .25, two lines .1, dashes .45, dots .2 (shares); .06 to .16 high, dashes .3 to
            .7 long, .25 to .5 apart
logo        with chance .5, in the upper part: 2.5 to 6 high, of 2 to 7 thick letters
bar code    with chance .3, in the lower part: 2.5 to 5 high, of 30 to 60 bars
==========  =====================================================================================

Plausible values, after a look at 48 scanned receipts. Where no row is blank there is none of it.
Intensity i shows the share i. A page has one set of draws, whatever the intensity.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, NamedTuple

import cv2
import numpy as np
from pydantic import Field, StrictInt

from ohr.plugins.perturbation import PageDistortion, PageRecord
from perturb.image.coarse import uniforms
from perturb.image.letters import capital_height, grey_of

RULES, MOST_RULES = 5.0, 64
"""For a stretch of page as long as it is wide; on any page."""
DRAWS = 8
"""Draws of a rule."""
LOGO, BAR_CODE = 0.5, 0.3
INK = 128
"""Pixels darker than this are ink, and their rows are not blank."""
GAP, WIDE_GAP = 0.4, 3.2
"""Heights of blank rows for a rule, and for a logo or a bar code, in capitals."""
BLACK = 30
LETTERS = "ABEGKMORSTW"


class FurnitureRecord(PageRecord):
    """The seed of what is printed, and pixels for each pixel at 150 dpi."""

    seed: Annotated[StrictInt, Field(ge=0, lt=2**53)]
    scale: Annotated[float, Field(ge=0.2, le=8, strict=True)]


class Furniture(PageDistortion[FurnitureRecord]):
    """Prints rules, a logo and a bar code where the page is blank."""

    name = "furniture"

    def plan(self, head: PageRecord, rng: np.random.Generator) -> FurnitureRecord:
        """Draw the seed."""
        seed = int(rng.integers(2**53))
        return FurnitureRecord(**head.model_dump(), seed=seed, scale=self.params.scale)

    def render(self, page: np.ndarray, record: FurnitureRecord) -> np.ndarray:
        """Find the letters' height and the blank rows, and print what shows."""
        grey = grey_of(page)
        capital = capital_height(grey, record.scale)
        gaps, columns = _blank_rows(grey), _inked_columns(grey)
        out = page.copy(order="C")
        height, width = page.shape[:2]
        draws = uniforms(record.seed, 16 + 2 * 64).tolist()
        count = min(MOST_RULES, round(draws[0] * RULES * height / width))
        rows = uniforms(record.seed + 1, DRAWS * MOST_RULES).reshape(MOST_RULES, DRAWS)
        for number, (shown, place, *others) in enumerate(rows[:count].tolist()):
            if shown < record.intensity:
                gap = _next_gap(gaps, (number + place) / count * height, GAP * capital)
                if gap is not None:
                    _draw_rule(out, gap.middle, columns, capital, iter(others))
        upper, lower = (0.3 * draws[1] * height, (0.6 + 0.4 * draws[2]) * height)
        for shown, place, draw in (
            (draws[3] / LOGO, upper, _draw_logo),
            (draws[4] / BAR_CODE, lower, _draw_bars),
        ):
            gap = _next_gap(gaps, place, WIDE_GAP * capital)
            if shown < record.intensity and gap is not None:
                draw(out, gap, columns, capital, iter(draws[5:]))
        return out


class Gap(NamedTuple):
    """Blank rows, from the first to the one after the last."""

    first: int
    end: int

    @property
    def middle(self) -> float:
        return (self.first + self.end) / 2

    @property
    def size(self) -> int:
        return self.end - self.first


def _blank_rows(grey: np.ndarray) -> list[Gap]:
    """Runs of rows without ink."""
    inked = (grey.min(axis=1) < INK).astype(np.int8)
    edges = np.flatnonzero(np.diff(np.concatenate([[1], inked, [1]])))
    return [Gap(int(first), int(end)) for first, end in edges.reshape(-1, 2)]


def _inked_columns(grey: np.ndarray) -> tuple[int, int]:
    """The first column with ink and the one after the last; those of a page without any."""
    inked = np.flatnonzero(grey.min(axis=0) < INK)
    width = grey.shape[1]
    return (int(inked[0]), int(inked[-1]) + 1) if len(inked) else (width // 10, width - width // 10)


def _next_gap(gaps: list[Gap], place: float, least: float) -> Gap | None:
    """The gap of at least this height whose rows are next to a place."""
    large = [gap for gap in gaps if gap.size >= least]
    return min(large, key=lambda gap: max(gap.first - place, place - gap.end, 0), default=None)


def _print(page: np.ndarray, rows: tuple[float, float], columns: tuple[float, float]) -> None:
    """Blacken a rectangle, in place; its edges are whole pixels, at least one apart."""
    top, start = max(0, round(rows[0])), max(0, round(columns[0]))
    bottom, end = max(top + 1, round(rows[1])), max(start + 1, round(columns[1]))
    part = page[top:bottom, start:end]
    np.minimum(part, BLACK, out=part)


def _draw_rule(
    page: np.ndarray, y: float, columns: tuple[int, int], capital: float, draws: Iterator[float]
) -> None:
    """Draw a rule about a row, in place."""
    extent = columns[1] - columns[0]
    length = extent * (0.6 + 0.4 * next(draws))
    start = columns[0] + (extent - length) / 2
    high = capital * (0.06 + 0.1 * next(draws))
    dash, apart = capital * (0.3 + 0.4 * next(draws)), capital * (0.25 + 0.25 * next(draws))
    pattern = next(draws)
    if pattern < 0.35:
        for shift in (0.0,) if pattern < 0.25 else (-1.5 * high, 1.5 * high):
            top = y + shift - high / 2
            _print(page, (top, top + high), (start, start + length))
        return
    if pattern >= 0.8:
        dash = high
    for x in np.arange(start, start + length, max(2.0, dash + apart)):
        _print(page, (y - high / 2, y + high / 2), (x, x + dash))


def _draw_logo(
    page: np.ndarray, gap: Gap, columns: tuple[int, int], capital: float, draws: Iterator[float]
) -> None:
    """Draw large letters in a gap, in place."""
    high = min(capital * (2.5 + 3.5 * next(draws)), 0.8 * gap.size)
    word = "".join(
        LETTERS[int(next(draws) * len(LETTERS))] for _ in range(2 + int(6 * next(draws)))
    )
    face, thick = cv2.FONT_HERSHEY_DUPLEX, max(1, round(high / 6))
    (_, own), _ = cv2.getTextSize(word, face, 1.0, 1)
    times = (high - thick) / own
    (wide, _), _ = cv2.getTextSize(word, face, times, thick)
    x = round(columns[0] + (columns[1] - columns[0] - wide) * next(draws))
    origin = (x, round(gap.middle + high / 2))
    cv2.putText(page, word, origin, face, times, (BLACK,) * 3, thick, cv2.LINE_AA)


def _draw_bars(
    page: np.ndarray, gap: Gap, columns: tuple[int, int], capital: float, draws: Iterator[float]
) -> None:
    """Draw a bar code in a gap, in place."""
    high = min(capital * (2.5 + 2.5 * next(draws)), 0.8 * gap.size)
    count, unit = 30 + int(30 * next(draws)), max(1.0, 0.09 * capital)
    x = columns[0] + (columns[1] - columns[0]) * 0.3 * next(draws)
    rows = (gap.middle - high / 2, gap.middle + high / 2)
    for _ in range(count):
        bar, space = (1 + int(3 * next(draws)) for _ in range(2))
        _print(page, rows, (x, x + bar * unit))
        x += (bar + space) * unit
