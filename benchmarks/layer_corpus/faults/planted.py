"""What planting a fault says of the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pikepdf

from benchmarks.layer_corpus.layer import Change, change_fonts, change_spans
from benchmarks.layer_corpus.page import Page
from benchmarks.layer_corpus.words import split_words


@dataclass(frozen=True)
class Planted:
    """The words the layer gets wrong, those it adds, and what the page reads (None: as before)."""

    wrong: list[str]
    expect: str = "caught"
    extra: list[str] = field(default_factory=list)
    text: str | None = None


# Edits the document; None if the page has nothing that the fault could spoil.
Plant = Callable[[pikepdf.Pdf, Page], Planted | None]


def plant_change(
    document: pikepdf.Pdf, page: Page, change: Change, names: frozenset[str] | None = None
) -> Planted | None:
    """Change what glyphs stand for, letter by letter: the words with such letters are wrong."""
    wrong = [word for word in split_words(page.text) if change(word) != word]
    if not wrong or not change_fonts(document, change, names):
        return None
    change_spans(document, change)
    return Planted(wrong)
