"""What the sample can be asked to be."""

from __future__ import annotations

from typing import Literal

ATTRIBUTES = ("dense", "scanned", "multilingual", "handwriting")
"""What documents can be asked to have."""
Difficulty = Literal["easy", "calibrated", "hard"]
"""How hard pages are to tell apart."""
DIFFICULTY: Difficulty = "calibrated"
PAGES_PER_DOCUMENT = 3
"""As many pages as its author writes; a dense document has them on one."""
