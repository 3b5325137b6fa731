"""Dirty rollers: streaks along rows or columns (appendix III.2, a strong distortion).

Every pixel row (or column) at 150 dpi starts a streak, 1 to 3 pixels wide, with probability
i x ``SEVERE_PROBABILITY``; intensity 1 is the paper's .05. Streaks are translucent, darker (dirt
on the glass) or lighter (toner that the roller took off), and fade in and out along the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, StrictInt

from ohr.plugins.perturbation import PageDistortion, PageParams, PageRecord

PAPER_PROBABILITY = 0.05
"""The paper's chance that a pixel row or column starts a streak."""
SEVERE_PROBABILITY = PAPER_PROBABILITY
"""That chance at intensity 1."""
WIDEST = 3
"""The paper's widest streak, in pixels at 150 dpi; each width is as likely."""

DARK_SHARE = 0.6
"""Share of streaks that darken."""
DARK_TONE, LIGHT_TONE = 40, 255
"""What streaks blend towards."""
DARK_OPACITY = (0.25, 0.75)
LIGHT_OPACITY = (0.4, 0.95)
"""Faintest and strongest streak; the paper gives none. Most are near the faint end."""
FAINTEST_EDGE = 0.3
"""Least opacity of a streak's edge, over its middle."""
FAINTEST_STRETCH = 0.3
"""Least opacity along a streak, over its greatest."""
STRETCH = 56.0
"""Distance over which a streak's opacity changes, in pixels at 150 dpi."""
STRETCHES = 64
"""Stretches before a streak's opacities repeat."""

LINES_AT_ONCE = 64
"""Streaked lines handled together, which bounds the memory."""


class DirtyRollersParams(PageParams):
    """The end of the scale: the chance that a line starts a streak at intensity 1."""

    probability: Annotated[float, Field(gt=0, le=0.5)] = SEVERE_PROBABILITY


class DirtyRollersRecord(PageRecord):
    """Which way the streaks run, the seed of their draws, and how many of them show."""

    direction: Literal["rows", "columns"]
    seed: Annotated[StrictInt, Field(ge=0, lt=2**53)]
    probability: Annotated[float, Field(ge=0, le=0.5, strict=True)]
    scale: Annotated[float, Field(ge=0.2, le=8, strict=True)]
    """Width of a line, in pixels."""


class DirtyRollers(PageDistortion[DirtyRollersRecord, DirtyRollersParams]):
    """Draws streaks over the page, all of them along its rows or all along its columns.

    Every line has its own uniform draw, and starts a streak where it is below the intensity's
    probability. Where streaks overlap, the one that appears first on the scale stays, so a streak
    looks the same at any higher intensity.
    """

    name = "dirty_rollers"
    paper_intensity = PAPER_PROBABILITY / SEVERE_PROBABILITY

    def plan(self, head: PageRecord, rng: np.random.Generator) -> DirtyRollersRecord:
        """Draw the direction and a seed."""
        seed = int(rng.integers(2**53))
        return DirtyRollersRecord(
            **head.model_dump(),
            direction="columns" if rng.integers(2) else "rows",
            seed=seed,
            probability=self.params.probability * head.intensity,
            scale=self.params.scale,
        )

    def render(self, page: np.ndarray, record: DirtyRollersRecord) -> np.ndarray:
        """Blend the streaked lines, a block at a time."""
        out = page.copy(order="C")
        # Both views have the lines across the streaks first.
        lines = out if record.direction == "rows" else out.swapaxes(0, 1)
        for index, dark, light in _streaked(lines.shape[0], lines.shape[1], record):
            old = lines[index].astype(np.float32)
            if old.ndim == 3:
                dark, light = dark[..., None], light[..., None]
            new = old + (DARK_TONE - old) * dark + (LIGHT_TONE - old) * light
            lines[index] = np.rint(new).astype(np.uint8)
        return out


def _streaked(
    count: int, length: int, record: DirtyRollersRecord
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Blocks of lines with streaks: their indices, and float32 opacities ``(n, length)``."""
    dark, light = (_pixel_means(map_, count, record.scale) for map_ in _opacities(count, record))
    streaked = np.nonzero((dark + light).any(axis=1))[0]
    place = (np.arange(length) + 0.5) / (STRETCH * record.scale)
    start = place.astype(np.intp)
    part = (place - start).astype(np.float32)
    start %= STRETCHES
    after = (start + 1) % STRETCHES
    for first in range(0, len(streaked), LINES_AT_ONCE):
        index = streaked[first : first + LINES_AT_ONCE]
        opacities = (map_[index].astype(np.float32) for map_ in (dark, light))
        darker, lighter = (
            map_[:, start] * (1 - part) + map_[:, after] * part for map_ in opacities
        )
        yield index, darker, lighter


def _opacities(count: int, record: DirtyRollersRecord) -> tuple[np.ndarray, np.ndarray]:
    """Opacities of dark and of light streaks on lines at 150 dpi: float64 ``(n, STRETCHES)``."""
    lines = int(np.ceil(count / record.scale))
    # The raw stream of a bit generator is what NumPy promises never to change (NEP 19).
    raw = np.random.PCG64(record.seed).random_raw(lines * (2 + STRETCHES // 8))
    raw = raw.reshape(lines, -1)
    chance = (raw[:, 0] >> np.uint64(11)) * 2.0**-53
    draws = raw[:, 1:].astype("<u8").view(np.uint8).reshape(lines, -1) / 255.0
    dark, light = np.zeros((2, lines, STRETCHES))
    starts = np.nonzero(chance < record.probability)[0]
    # Backwards on the scale: of two streaks on a line the last assigned stays.
    for line in starts[np.argsort(chance[starts], kind="stable")[::-1]]:
        kind, width, strength, edge, other_edge = draws[line, :5]
        streaks, low_high = (dark, DARK_OPACITY) if kind < DARK_SHARE else (light, LIGHT_OPACITY)
        profile = _profile(min(int(width * WIDEST), WIDEST - 1) + 1, edge, other_edge)
        along = FAINTEST_STRETCH + (1 - FAINTEST_STRETCH) * draws[line, 8:]
        across = slice(line, line + len(profile))
        opacity = low_high[0] + (low_high[1] - low_high[0]) * strength**2
        dark[across] = light[across] = 0
        streaks[across] = (opacity * profile[:, None] * along)[: lines - line]
    return dark, light


def _profile(width: int, edge: float, other_edge: float) -> np.ndarray:
    """Opacity across a streak, over its middle."""
    profile = np.ones(width)
    if width > 1:
        profile[-1] = FAINTEST_EDGE + (1 - FAINTEST_EDGE) * edge
    if width > 2:
        profile[0] = FAINTEST_EDGE + (1 - FAINTEST_EDGE) * other_edge
    return profile


def _pixel_means(opacities: np.ndarray, count: int, scale: float) -> np.ndarray:
    """Means over the part of each line at 150 dpi that a pixel covers."""
    if scale == 1:
        return opacities
    sums = np.zeros((len(opacities) + 1, opacities.shape[1]))
    np.cumsum(opacities, axis=0, out=sums[1:])
    edge = np.minimum(np.arange(count + 1) / scale, len(opacities))
    whole = np.minimum(edge.astype(np.intp), len(opacities) - 1)
    until = sums[whole] + (edge - whole)[:, None] * opacities[whole]
    means: np.ndarray = np.maximum(np.diff(until, axis=0) * scale, 0.0)
    return means
