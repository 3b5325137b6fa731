"""Whether an engine's predicted noise is within what a small loss of retrieval allows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ohr.adviser.recommend.verdicts import MeasureVerdict
from ohr.statistics.numbers import percent, prose

LOSE = 0.05
KEPT_UP_TO, BROKEN_AT = 0.194, 0.328
"""Content r_noise up to which at most :data:`LOSE` of the retrieval LCS is lost on further sets of
documents, and the next level, at which more may be: 408 questions on 204 documents of OHR-Bench,
errors like Tesseract's in perfect text (``docs/results/equal-noise.md``)."""
ON = "408 questions on 204 documents of OHR-Bench"

Standing = Literal["within", "above", "undecided"]


@dataclass(frozen=True)
class NoiseBudget:
    """An engine's predicted content r_noise with its 95 % interval, beside the budget."""

    engine: str
    r_noise: float
    low: float
    high: float

    @property
    def standing(self) -> Standing:
        """Whether the whole interval is within the budget, or beyond it."""
        if self.high <= KEPT_UP_TO:
            return "within"
        return "above" if self.low >= BROKEN_AT else "undecided"

    @property
    def sentence(self) -> str:
        """``Noise budget: rapidocr is within it: …``."""
        ends = f"content r_noise {prose(self.r_noise)} "
        if math.isfinite(self.low) and math.isfinite(self.high):
            ends += f"(95 % CI {prose(self.low)} to {prose(self.high)})"
        else:
            ends += "(no interval)"
        verdict = {
            "within": f"{self.engine} is within it",
            "above": f"{self.engine} is above it",
            "undecided": f"whether {self.engine} is within it cannot be said",
        }
        return (
            f"Noise budget: {verdict[self.standing]}: {ends}. At most {percent(LOSE)} of retrieval "
            f"LCS was lost up to {prose(KEPT_UP_TO)}, more may be from {prose(BROKEN_AT)} on "
            f"({ON}, not yours)."
        )

    def json_content(self) -> dict[str, Any]:
        """The part of ``recommendation.json``."""
        return {
            "engine": self.engine,
            "content_r_noise": self.r_noise,
            "low": self.low if math.isfinite(self.low) else None,
            "high": self.high if math.isfinite(self.high) else None,
            "lose": LOSE,
            "kept_up_to": KEPT_UP_TO,
            "broken_at": BROKEN_AT,
            "standing": self.standing,
            "sentence": self.sentence,
        }


def noise_budget(verdicts: Sequence[MeasureVerdict], engine: str) -> NoiseBudget | None:
    """The budget beside an engine's predicted content r_noise; None if it was not predicted."""
    for verdict in verdicts:
        if verdict.measure != "content_r_noise":
            continue
        for each in verdict.candidates:
            if each.engine == engine:
                return NoiseBudget(engine, each.mean, each.low, each.high)
    return None
