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
        """The repaired page, which may have another size; the page itself if it needs no repair.

        Raises EngineError, which fails the page.

        Args:
            image: The page: uint8, ``(h, w)`` grey or ``(h, w, 3)`` RGB, as is the result.
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
        """The repaired text of a page; a text that needs no repair as it is.

        Args:
            text: The page text of an engine.
        """

    def reason(self, text: str) -> str:
        """Why this text is left as it is although it may need the repair; empty otherwise."""
        return ""


class TextFusion(Plugin[P], ABC, abstract=True):
    """Makes one page text of those of several engines; the method of the engine ``fused``."""

    @abstractmethod
    def fuse(self, texts: Sequence[str]) -> str:
        """The text of a page.

        Args:
            texts: The page's text by each engine, the main engine's first; one or more.
        """

    def note(self, texts: Sequence[str], fused: str) -> str:
        """What a reader of the page's text should know, which the page's outcome then says; empty
        by default.

        Args:
            texts: What :meth:`fuse` was given.
            fused: What it returned.
        """
        return ""


class RetrieverChange(Plugin[P], ABC, abstract=True):
    """Searches in another way."""

    @abstractmethod
    def retriever(self, name: str, params: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Name and parameters of the retriever to use instead of this one.

        Raises ConfigError for a retriever that it cannot change.

        Args:
            name: The retriever of the study, as it is registered.
            params: Its parameters.
        """
