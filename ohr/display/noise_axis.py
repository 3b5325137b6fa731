"""Which metric of damage is the axis of noise: the first that can still rise."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from ohr.display.choices import AXES
from ohr.display.labels import noise_title
from ohr.statistics.numbers import prose
from ohr.study.metrics import NO_ROOM

if TYPE_CHECKING:
    import pandas as pd


def blind_axes(cells: pd.DataFrame) -> dict[str, str]:
    """The metrics of damage that cannot be an axis -> why.

    They have no room above every engine's clean pages, or no noise raises them while it raises
    another.
    """
    import pandas as pd

    whole = cells[cells["group"] == "all"]
    clean, noisy = whole[whole["noise"] == "none"], whole[whole["noise"] != "none"]
    reasons: dict[str, str] = {}
    raised: list[str] = []
    for axis in AXES:
        values = clean.groupby("engine")[axis].max() if axis in clean else pd.Series(dtype=float)
        if values.isna().all():
            continue
        if (least := float(values.min())) >= NO_ROOM:
            reasons[axis] = f"is {prose(least)} on clean pages already and cannot rise"
        elif noisy.empty:
            continue
        elif (noisy[axis] > noisy["engine"].map(values) + 1e-9).any():
            raised.append(axis)
        else:
            reasons[axis] = "is not raised by this noise"
    return reasons if raised else {axis: why for axis, why in reasons.items() if "cannot" in why}


def default_axis(cells: pd.DataFrame, measured: Collection[str]) -> str:
    """The first of :data:`AXES` that was measured and is not blind; else the first measured."""
    blind = blind_axes(cells)
    names = [name for name in AXES if name in measured]
    return next((name for name in names if name not in blind), names[0] if names else "r_noise")


def axis_note(cells: pd.DataFrame, axis: str) -> str:
    """A sentence that says why an axis before ``axis`` was passed over; empty if none was."""
    before = AXES[: AXES.index(axis)] if axis in AXES else ()
    reasons = [
        f"the {noise_title(name, cells)} {why}"
        for name, why in blind_axes(cells).items()
        if name in before
    ]
    if not reasons:
        return ""
    return f"The axis of noise is {noise_title(axis, cells)}: {', and '.join(reasons)}."
