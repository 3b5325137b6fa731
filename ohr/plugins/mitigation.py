"""The hooks of mitigations: what may help against noise, around OCR or in retrieval."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ohr.plugins.base import P, Plugin


class ImageRepair(Plugin[P], ABC, abstract=True):
    """Changes a page image before it is read; a step of the engine ``repaired``."""

    @abstractmethod
    def repair(self, image: np.ndarray) -> np.ndarray:
        """The repaired page, which may have another size.

        ``image`` and the result are uint8, ``(h, w)`` grey or ``(h, w, 3)`` RGB. An image that
        needs no repair is returned as it is. Raises EngineError, which fails the page.
        """


class TextRepair(Plugin[P], ABC, abstract=True):
    """Changes a page's text after it was read; a step of the engine ``repaired``."""

    @abstractmethod
    def repair(self, text: str) -> str:
        """The repaired text of a page; a text that needs no repair as it is."""


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
