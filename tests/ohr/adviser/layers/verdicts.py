"""Verdicts on text layers, made by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ohr.adviser.layers.pages import CheckedPdf, FoundPdf
from ohr.documents.layers import LayerVerdict, LayerWord
from ohr.types import Holes

BOX = (0.1, 0.2, 0.3, 0.25)
RIGHT = LayerVerdict(text="right words", words=2)
EMPTY = LayerVerdict(fault="it has no text")


def word(text: str, **changed: Any) -> LayerWord:
    """A word of a layer."""
    return LayerWord(**{"text": text, "line": 0, "box": BOX, "glyphs": (0,)} | changed)


def doubtful(*texts: str, fault: str = "", covered: float = 1.0, order: bool = True):
    """A verdict with doubtful words."""
    words = tuple(map(word, texts))
    note = "" if fault else f"{len(words)} words are doubtful"
    return LayerVerdict("", fault, note, Holes((), order, covered), words, 0, 10)


def checked(*verdicts: LayerVerdict, name: str = "report", first: int = 0) -> CheckedPdf:
    """A PDF with these verdicts on its pages."""
    numbers = range(first, first + len(verdicts))
    pdf = FoundPdf(f"documents/{name}", f"{name}.pdf", Path(f"{name}.pdf"), numbers)
    return CheckedPdf(pdf, verdicts)


def broken(name: str = "broken") -> CheckedPdf:
    """A PDF that cannot be opened."""
    pdf = FoundPdf(f"documents/{name}", f"{name}.pdf", Path(f"{name}.pdf"), (), "it is torn")
    return CheckedPdf(pdf, fault="it is torn")
