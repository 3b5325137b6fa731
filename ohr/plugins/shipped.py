"""The hook of engines whose output of some pages is at hand, so that no page is read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ohr.errors import ConfigError
from ohr.plugins.base import P
from ohr.plugins.engine import OcrBackend
from ohr.types import Outcome, Page


@dataclass(frozen=True)
class Condition:
    """How a page image was made: its resolution and noise; no ``noise`` means the clean page."""

    dpi: int
    noise: str = ""
    params: dict[str, Any] = field(default_factory=dict)
    intensity: float = 0.0
    seed: int = 0

    def __str__(self) -> str:
        if not self.noise:
            return f"clean pages at {self.dpi} dpi"
        settings = ", ".join(f"{name}={value}" for name, value in sorted(self.params.items()))
        about = f" ({settings})" if settings else ""
        return f"{self.noise} {self.intensity:g}{about}, draw {self.seed}, at {self.dpi} dpi"


class ShippedEngine(OcrBackend[P], ABC, abstract=True):
    """An engine whose output of some pages is at hand. It reads no image."""

    @abstractmethod
    def reading(self, page: Page, condition: Condition) -> Outcome[str]:
        """What the engine read from the page under a condition.

        Raises ConfigError for a page or condition of which it has nothing. The page's text only
        tells whether it is the page that was read.
        """

    @abstractmethod
    def read_by(self) -> str:
        """The engine that read, its version and the resolution."""

    def read(self, image: np.ndarray) -> Outcome[str]:
        raise ConfigError(
            f"{self.name} reads no pages: it has what an engine read from certain pages"
        )
