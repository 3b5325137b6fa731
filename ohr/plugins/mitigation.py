"""The hooks of mitigations: what may help against noise, around OCR or in retrieval."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ohr.plugins.base import P, Plugin


class ImageRepair(Plugin[P], ABC, abstract=True):
    """Changes a page image before it is read; a step of the engine ``repaired``.

    ``repaired`` keeps the change only if its engine then reads more words.
    """

    @abstractmethod
    def repair(self, image: np.ndarray) -> np.ndarray:
        """The repaired page, which may have another size.

        ``image`` and the result are uint8, ``(h, w)`` grey or ``(h, w, 3)`` RGB. An image that
        needs no repair is returned as it is. Raises EngineError, which fails the page.
        """

    def proposals(self, image: np.ndarray) -> Sequence[np.ndarray]:
        """Pages to try, the likeliest first; empty if the page needs no repair.

        By default the repaired page. A repair that cannot be sure proposes what an engine can
        decide by reading. Raises what :meth:`repair` does.
        """
        repaired = self.repair(image)
        return [] if np.array_equal(repaired, image) else [repaired]


class TextRepair(Plugin[P], ABC, abstract=True):
    """Changes a page's text after it was read; a step of the engine ``repaired``."""

    @abstractmethod
    def repair(self, text: str) -> str:
        """The repaired text of a page; a text that needs no repair as it is."""

    def reason(self, text: str) -> str:
        """Why this text is left as it is although it may need the repair; empty otherwise."""
        return ""


class TextFusion(Plugin[P], ABC, abstract=True):
    """Makes one page text of those of several engines; the method of the engine ``fused``."""

    @abstractmethod
    def fuse(self, texts: Sequence[str]) -> str:
        """The text of a page, from each engine's, the main engine's first."""


class RetrieverChange(Plugin[P], ABC, abstract=True):
    """Searches in another way."""

    @abstractmethod
    def retriever(self, name: str, params: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Name and parameters of the retriever to use instead of this one.

        Raises ConfigError for a retriever that it cannot change.
        """
