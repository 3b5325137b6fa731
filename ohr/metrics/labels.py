"""What measures are called: in tables, figures, sentences, reports.

Two names for two quantities: *r_noise* is the published share of questions whose evidence is
damaged, *content r_noise* the same without mark-up. Answers have two scores: with the *right pages
given*, and of the *whole system*. Columns of files keep the names of metrics and stages.
"""

from __future__ import annotations

R_NOISE = "r_noise"
"""By the tokens of the published evaluation: ``r_noise_reference`` under ``default`` scoring,
``r_noise`` under ``reference``."""
CONTENT_R_NOISE = "content r_noise"
DEFAULT_R_NOISE = "r_noise (default tokens)"
"""``r_noise`` under ``default`` scoring: a third way to count, for where the others are blind."""
R_NOISE_MEANING = (
    "r_noise: share of questions whose evidence is damaged, as published (mark-up counts)"
)
"""Said once per output."""
ANSWER_F1 = "answer F1"
GIVEN = {"generation": "right pages given", "overall": "whole system"}
"""Stage of answers -> what the reader is given."""
CLOSED_BOOK = "without context"


def stage_label(stage: str, title: str) -> str:
    """A metric's title with its stage: ``retrieval LCS``, ``answer F1, whole system``.

    Closed-book answers were given nothing, which their title says.
    """
    if stage not in GIVEN:
        return f"{stage} {title}"
    name = title.replace("F1", ANSWER_F1, 1) if title.startswith("F1") else title
    return name if title.endswith(CLOSED_BOOK) else f"{name}, {GIVEN[stage]}"


def heading(label: str) -> str:
    """A label as a title: ``Answer F1, whole system``; r_noise stays as it is."""
    return label if label.startswith(R_NOISE) else f"{label[:1].upper()}{label[1:]}"
