"""The hook of metrics."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from ohr.plugins.base import P, Plugin


class Metric(Plugin[P], ABC, abstract=True):
    """A score in [0, 1] of a prediction against a reference."""

    missing: ClassVar[float]
    """The worst value, which a failed or empty prediction scores; 0 or 1 unless it is given."""
    higher_is_better: ClassVar[bool] = True

    def __init_subclass__(cls, *, abstract: bool = False, **options: Any) -> None:
        super().__init_subclass__(abstract=abstract, **options)
        if not hasattr(cls, "missing"):
            cls.missing = 0.0 if cls.higher_is_better else 1.0

    @abstractmethod
    def score(self, prediction: str, reference: str) -> float:
        """Score one pair."""

    def __call__(self, prediction: str, reference: str) -> float:
        """:meth:`score`."""
        return self.score(prediction, reference)
