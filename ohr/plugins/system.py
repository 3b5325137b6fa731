"""The hook of whole published systems."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from ohr.plugins.base import P, Plugin
from ohr.types import Answer, Document, Outcome


class System(Plugin[P], ABC, abstract=True):
    """A whole published system: documents in, answer out."""

    @abstractmethod
    def answer(self, question: str, documents: Sequence[Document]) -> Outcome[Answer]:
        """Answer a question over documents."""
