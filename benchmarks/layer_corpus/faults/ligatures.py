"""Glyphs of several letters without letters of their own, and hyphens that count as hidden."""

from __future__ import annotations

from functools import partial

import pikepdf

from benchmarks.layer_corpus.faults.planted import Plant, Planted, plant_change
from benchmarks.layer_corpus.layer import change_fonts, fonts, mapping
from benchmarks.layer_corpus.page import Page
from benchmarks.layer_corpus.words import split_words


def _ligatures(document: pikepdf.Pdf) -> set[str]:
    """The letters of the ligatures that the page's fonts have."""
    matches = {text for font in fonts(document).values() for text in mapping(font)[0].values()}
    return {
        text
        for text in matches
        if (len(text) > 1 and text.isalpha() and text[0] == "f") or "\ufb00" <= text <= "\ufb06"
    }


def _plant(becomes: str | None, document: pikepdf.Pdf, page: Page) -> Planted | None:
    matches = _ligatures(document)
    wrong = [word for word in split_words(page.text) if any(text in word for text in matches)]
    if not wrong:
        return None
    change_fonts(document, lambda text: becomes if text in matches else text)
    return Planted(wrong)


def _soft(document: pikepdf.Pdf, page: Page) -> Planted | None:
    return plant_change(document, page, lambda text: text.replace("-", "\u00ad"))


VARIANTS: dict[str, Plant] = {
    "unmapped": partial(_plant, None),
    "blank": partial(_plant, " "),
    "rare": partial(_plant, "\u13b2"),
    "first": partial(_plant, "f"),
}
HYPHENS: dict[str, Plant] = {"hyphens": _soft}
