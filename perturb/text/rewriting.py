"""The base of perturbations that rewrite a text by edits, with a record that undoes them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from pydantic import BaseModel
from typing_extensions import TypeVar

from ohr.plugins import Applied, TextPerturbation
from ohr.plugins.perturbation import check_intensity
from ohr.store.identity import digest
from perturb.text.edits import Edit, TextRecord, read_record, rewrite, undone, write_record

P = TypeVar("P", bound=BaseModel, covariant=True, default=BaseModel)


class TextRewriting(TextPerturbation[P], abstract=True):
    """A perturbation of which you write :meth:`edits`."""

    @abstractmethod
    def edits(self, text: str, intensity: float, rng: np.random.Generator) -> Sequence[Edit]:
        """The edits of a text, sorted, without overlap; those of a lower intensity among them."""

    def apply(self, x: str, *, intensity: float, rng: np.random.Generator) -> Applied[str]:
        """Rewrite a page of Markdown with LaTeX, in a time linear in its length.

        Raises ValueError for an intensity outside [0, 1] or something other than a text.
        """
        text, rate = check_text(x), check_intensity(intensity)
        edits = self.edits(text, rate, rng)
        return Applied(
            rewrite(text, edits), write_record(self.name, self.version, rate, text, edits)
        )

    def replay(self, x: str, record: Mapping[str, Any]) -> str:
        """The text that :meth:`apply` returned. Raises ValueError if the record does not fit."""
        text, parsed = check_text(x), self._record(record)
        self._check_digest(text, parsed)
        return rewrite(text, parsed.edits)

    def undo(self, value: str, record: Mapping[str, Any]) -> str:
        """The clean text. Raises ValueError unless :meth:`apply` made ``value`` by this record."""
        parsed = self._record(record)
        text = undone(check_text(value), parsed.edits)
        self._check_digest(text, parsed)
        return text

    def _record(self, record: Mapping[str, Any]) -> TextRecord:
        return read_record(record, self.name, self.version)

    def _check_digest(self, text: str, record: TextRecord) -> None:
        if digest(text) != record.text:
            raise ValueError(f"record of {self.name!r} is for another text")


def check_text(x: str) -> str:
    """The text. Raises ValueError for anything else."""
    if not isinstance(x, str):
        raise ValueError(f"this noise rewrites a text, got {type(x).__name__}")
    return x
