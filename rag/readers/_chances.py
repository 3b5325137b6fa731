"""How sure a model of transformers is of what it writes: the probability of each token."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any


class Chances:
    """A logits processor that changes nothing and records the chance of the likeliest token.

    Under greedy decoding that is the token that is written. It comes last, after a mask.
    """

    def __init__(self) -> None:
        self._steps: list[list[float]] = []

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """``scores`` are ``(rows, vocabulary)``; they are returned as they are."""
        self._steps.append(scores.float().log_softmax(-1).amax(-1).tolist())
        return scores

    def row_chances(self, row: int) -> list[float]:
        """The log probability of each token of a row of the batch, padding included."""
        return [step[row] for step in self._steps]


def confidence_of(log_chances: Sequence[float]) -> float | None:
    """The geometric mean of the tokens' probabilities, in [0, 1], to four digits; None without."""
    if not log_chances:
        return None
    return round(math.exp(math.fsum(log_chances) / len(log_chances)), 4)
