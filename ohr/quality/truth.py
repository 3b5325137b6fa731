"""The errors of a page that are predicted: three distances to the truth."""

from __future__ import annotations

from collections.abc import Mapping

from ohr.metrics.default import edit_distance
from ohr.quality.texts import character_distance, page_r_noise

TARGETS: Mapping[str, str] = {
    "edit_distance": "edit distance",
    "edit_distance_content": "edit distance, mark-up removed",
    "r_noise_content": "content r_noise",
}
DECISIVE = "edit_distance_content"
"""The error by which engines are compared: missing mark-up does not count."""


def targets(text: str, truth: str) -> dict[str, float]:
    """The errors of :data:`TARGETS` of a page's text, each in [0, 1]."""
    return {
        "edit_distance": edit_distance(text, truth),
        "edit_distance_content": character_distance(text, truth),
        "r_noise_content": page_r_noise(text, truth),
    }
