"""Named levels of one distortion or rule alone."""

from __future__ import annotations

LEVELS = {"mild": 0.25, "moderate": 0.5, "severe": 1.0}
"""Level -> intensity."""
