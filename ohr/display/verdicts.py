"""Sentences with a conclusion, which say no more than the interval and the test behind them."""

from __future__ import annotations

import math

from ohr.display.wording import counted, is_shown
from ohr.statistics import too_few
from ohr.statistics.numbers import prose, prose_bound, prose_interval, prose_p

MOST_NAMED = 4
"""Conditions with figures in a sentence; the table has them all."""


def effect_text(value: float, low: float, high: float, p: float, documents: int) -> str:
    """A tested change: ``0.18 (95 % CI 0.02 to 0.29, p 0.031)`` if it is shown.

    Else ``0.03 (not significant, p 0.375; a change above 0.12 is ruled out)``, or why nothing can
    be shown. ``p`` is the corrected one.
    """
    if reason := too_few(int(documents)):
        return f"{prose(value)} (nothing can be shown: {reason})"
    if math.isnan(p):
        return f"{prose(value)} (not tested)"
    if is_shown(p):
        return f"{prose(value)} (95 % CI {prose_interval(low, high)}, {prose_p(p)})"
    bound = max(abs(low), abs(high))
    ruled_out = f"; a change above {prose_bound(bound)} is ruled out" if bound < 1 else ""
    return f"{prose(value)} (not significant, {prose_p(p)}{ruled_out})"


def estimate_text(value: float, low: float, high: float) -> str:
    """A mean with its interval: ``0.20 (95 % CI 0.11 to 0.30)``; without one, that it has none."""
    return f"{prose(value)} ({'' if math.isnan(low) else '95 % CI '}{prose_interval(low, high)})"


def size_text(questions: int, documents: int) -> str:
    """``24 questions on 8 documents.``: what the figures before it rest on."""
    return f"{counted(questions, 'question')} on {counted(documents, 'document')}."
