"""Baselines: the knowledge base that each other one is compared with."""

from __future__ import annotations

from collections.abc import Container, Sequence

import pandas as pd

from ohr.collection import GROUND_TRUTH
from ohr.study.results import knowledge_base_name

ENGINE = "engine on clean pages"
"""The loss of an engine's output of clean pages, compared with the ground truth."""
NOISE = "noise on top"
"""The further loss by noise, compared with the same engine's output of clean pages."""
FIRST = "against the first engine"
"""Without ground truth: the loss on an engine's clean pages, compared with the first engine's."""
BOTH = "engine and noise"
"""Where the engine's clean pages were not measured: the two parts together."""


_TRUTH = "gt, clean"


def clean_of(kb: pd.Series, names: Container[str]) -> str | None:
    """The name of the clean knowledge base that ``kb`` is compared with; None if not in ``names``.

    For noise, it is the same engine's output of the clean pages; for that, the ground truth.
    """
    clean = f"{kb['engine']}, clean" if kb["noise"] != "none" else _TRUTH
    return clean if clean in names and clean != knowledge_base_name(kb) else None


def own_baseline(kb: pd.Series, names: Sequence[str]) -> tuple[str, str] | None:
    """The baseline of a knowledge base, among ``names``, and the part of the loss that it shows.

    It is that of :func:`clean_of`. For noise without its engine's clean pages it is the ground
    truth; without ground truth, the first of ``names``. None for the knowledge base that the
    others are compared with.
    """
    clean = clean_of(kb, names)
    if clean is not None:
        return clean, ENGINE if kb["noise"] == "none" else NOISE
    if _TRUTH in names:
        return (_TRUTH, BOTH) if kb["noise"] != "none" else None
    first = names[0]
    if first == knowledge_base_name(kb):
        return None
    return first, FIRST if kb["noise"] == "none" else BOTH


def baselines_line(parts: Container[str], truth: str = GROUND_TRUTH) -> str:
    """A line that names the baseline of each part of the loss in ``parts``."""
    counted = {
        ENGINE: f"the {truth}",
        FIRST: "the first engine's clean pages",
        NOISE: "the same engine's clean pages",
        BOTH: f"the {truth}",
    }
    lines = [f"{part}: change from {clean}" for part, clean in counted.items() if part in parts]
    return "; ".join(lines)
