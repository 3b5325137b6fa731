"""Which axis noise has: the first metric of damage that it raises, else its intensity."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from ohr.display.choices import AXES, DAMAGE, INTENSITY
from ohr.display.labels import noise_title
from ohr.display.wording import listed
from ohr.statistics.numbers import prose
from ohr.study.metrics import NO_ROOM

if TYPE_CHECKING:
    import pandas as pd


LEAST_RISE = 0.05
"""A metric of damage that no noise raises by as much shows no curve."""


_NOT_RAISED = f"not raised by {prose(LEAST_RISE)} by this noise"


def blind_axes(cells: pd.DataFrame) -> dict[str, str]:
    """The metrics of damage that cannot be an axis -> why.

    They have no room above every engine's clean pages, or no noise raises them by
    :data:`LEAST_RISE`.
    """
    import pandas as pd

    whole = cells[cells["group"] == "all"]
    clean, noisy = whole[whole["noise"] == "none"], whole[whole["noise"] != "none"]
    reasons: dict[str, str] = {}
    for axis in DAMAGE:
        values = clean.groupby("engine")[axis].max() if axis in clean else pd.Series(dtype=float)
        if values.isna().all():
            continue
        if (least := float(values.min())) >= NO_ROOM:
            reasons[axis] = f"{prose(least)} on clean pages already and cannot rise"
        elif noisy.empty:
            continue
        elif (noisy[axis] - noisy["engine"].map(values)).max() < LEAST_RISE:
            reasons[axis] = _NOT_RAISED
    return reasons


def default_axis(cells: pd.DataFrame, measured: Collection[str]) -> str:
    """The first metric of damage that was measured and is not blind; else the intensity.

    Without noise, the first measured.
    """
    blind = blind_axes(cells)
    names = [name for name in DAMAGE if name in measured]
    if not names or (cells["noise"] == "none").all():
        return names[0] if names else "r_noise"
    return next((name for name in names if name not in blind), INTENSITY)


def axis_note(cells: pd.DataFrame, axis: str) -> str:
    """A sentence that says why an axis before ``axis`` was passed over; empty if none was."""
    before = AXES[: AXES.index(axis)] if axis in AXES else ()
    blind = {name: why for name, why in blind_axes(cells).items() if name in before}
    if not blind:
        return ""
    reasons = []
    for why in dict.fromkeys(blind.values()):
        titles = [f"the {noise_title(name, cells)}" for name in blind if blind[name] == why]
        reasons.append(f"{listed(titles)} {'is' if len(titles) == 1 else 'are'} {why}")
    shown = "its intensity" if axis == INTENSITY else f"the {noise_title(axis, cells)}"
    return f"The axis of noise is {shown}: {', and '.join(reasons)}."
