"""What the sample can be asked to be."""

from __future__ import annotations

from typing import Literal

ATTRIBUTES = ("dense", "scanned", "multilingual", "handwriting")
"""What documents can be asked to have."""
Difficulty = Literal["easy", "calibrated", "hard"]
"""How hard pages are to tell apart."""
DIFFICULTY: Difficulty = "calibrated"
