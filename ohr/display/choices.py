"""What a command's help names and an analysis works with, apart from the analysis.

So a command shows its help without the packages that the analysis needs.
"""

from __future__ import annotations

from typing import Literal

ASPECTS = (
    *("run", "knowledge_base", "engine", "chunker", "retriever", "reader", "top_k", "protocol"),
    *("seed", "system"),
)
"""What may be compared."""
AXES = ("r_noise", "r_noise_content", "r_noise_reference", "edit_distance")
"""What damage may be measured by. The published r_noise (``r_noise_reference`` under ``default``
scoring) and the edit distance see mark-up and misread words alike, so that formatting and image
noise can be compared; the others see mostly the latter."""
MARGIN = 0.05
"""How far measured noise may lie from what was wanted."""
ANSWER_STAGES = ("overall", "generation")
"""Whose answers may be analysed."""
RIGHT = 0.5
"""F1 from which an answer is right."""
TABLE_FORMATS = ("latex", "markdown", "html")
ImageFormat = Literal["png", "jpeg", "webp"]
TEXT_NOISE_OPTIONS = frozenset(
    "dataset engines noise levels intensities r_noise edit_distance calibration seed stages".split()
)
"""Options of a study that writing noisy text has a use for."""
