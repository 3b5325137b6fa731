"""Intensities, of images' and texts' noise alike."""

from __future__ import annotations

from numbers import Real
from typing import Annotated

from pydantic import Field

Fraction = Annotated[float, Field(ge=0, le=1, strict=True, allow_inf_nan=False)]
"""A share in a record: records are read back from disk, so the type is strict."""


def check_intensity(intensity: float) -> float:
    """The intensity as a float. Raises ValueError outside [0, 1]."""
    if not isinstance(intensity, Real) or not 0.0 <= float(intensity) <= 1.0:
        raise ValueError(f"intensity must be a number in [0, 1], got {intensity!r}")
    return float(intensity)
