"""The hook of metrics."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from ohr.plugins.base import Plugin


class Metric(Plugin, ABC):
    """A score in [0, 1] of a prediction against a reference."""

    missing: ClassVar[float]
    """The worst value: what a failed or empty prediction scores."""
    higher_is_better: ClassVar[bool] = True

    @abstractmethod
    def score(self, prediction: str, reference: str) -> float:
        """Score one pair."""
