"""Choices and defaults of commands, apart from the analyses that use them.

So a command can show its help without loading the packages of the analysis.
"""

from __future__ import annotations

from typing import Literal

ASPECTS = (
    *("run", "knowledge_base", "engine", "chunker", "retriever", "reader", "top_k", "protocol"),
    *("seed", "system"),
)
"""What ``compare --by`` accepts."""
DAMAGE = ("r_noise_reference", "r_noise", "r_noise_content", "edit_distance")
"""Metrics of damage. The published r_noise (``r_noise_reference`` under ``default`` scoring) and
the edit distance count both mark-up and misread words, so they can compare formatting with image
noise; the others count mostly misread words."""
INTENSITY = "intensity"
AXES = (*DAMAGE, INTENSITY)
"""Axes of noise: the damage, or the intensity where no metric sees the noise."""
MEASURES = ("r_noise_reference", "r_noise", "r_noise_content")
"""Those of :data:`DAMAGE` that say of each question whether its evidence was misread."""
MARGIN = 0.05
"""Largest accepted distance of measured from wanted noise."""
ANSWER_STAGES = ("overall", "generation")
"""Stages whose answers can be analysed."""
RIGHT = 0.5
"""F1 from which an answer is right."""
TABLE_FORMATS = ("latex", "markdown", "html")
ImageFormat = Literal["png", "jpeg", "webp"]
TEXT_NOISE_OPTIONS = frozenset(
    "dataset engines noise levels intensities r_noise edit_distance calibration seed stages".split()
)
"""Options of a study that ``perturb text`` uses."""
