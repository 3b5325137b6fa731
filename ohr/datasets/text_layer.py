"""Whether a PDF's text layer matches the page, so that it can be used as truth."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ohr.documents.layers import FontLetters, TextLayer, text_layers
from ohr.types import Outcome

MOST_GARBAGE = 0.2
MOST_HIDDEN = 0.5
SCANNED_IMAGE = 0.5
FEWEST_CHARACTERS = 100
"""On a page with an image of more than :data:`SCANNED_IMAGE` of it, fewer are only a stamp."""
MOST_MISSING = 0.2
"""Most of the letters on the page, as a share, that may be missing from the layer."""
FEWEST_VOWELS = 0.32
"""Least share of vowels among the letters a to z in a font. Among 68 fonts with 60 letters or more
in ten English filings, the lowest shares are .29 (62 letters) and .33 (174 letters), the others .33
to .44; a French, a German, an Indonesian and a Vietnamese page have .375 to .448."""
FEWEST_LETTERS = 60
MOST_CIPHERED = 0.05
"""Most of a page's letters, as a share, that may be in fonts with too few vowels."""

_GARBAGE = frozenset({"Cc", "Cn", "Co", "Cs"})
_REPLACEMENT = "\ufffd"
_SYMBOLS = re.compile(r"(?i)dingbat|wingding|webding|^(?:[A-Z]{6}\+)?symbol")


@dataclass(frozen=True, slots=True)
class LayerCheck:
    """The problems of a page's text layer.

    ``fault`` says why the layer cannot be used as truth; it is empty if it can. ``note`` says what
    was left out of a layer that is used.
    """

    fault: str = ""
    note: str = ""


def check_layers(layers: Sequence[Outcome[TextLayer]]) -> list[LayerCheck]:
    """Check all pages of one document, in order.

    A layer is refused for one of these reasons, checked in this order:

    - it has no text;
    - more than half of its characters are not drawn: without ink, as in OCR text over a scan, under
      an image, in the paper's colour, clipped, on a layer that is switched off, or smaller than a
      point;
    - more than a fifth of them are garbage, as from fonts without a mapping: private use,
      unassigned, control and replacement characters, letters of symbol fonts;
    - more than .05 of its letters are in fonts with too few vowels for any language;
    - an image covers more than half of the page, and the layer has fewer than 100 characters;
    - more than a fifth of the marks on the page that look like letters are not in it.

    Words that are not drawn are left out of every layer.
    """
    fonts = _of_document(layer.value for layer in layers if layer.value is not None)
    return [
        LayerCheck(layer.detail or "it cannot be read")
        if layer.value is None
        else _check(layer.value, fonts)
        for layer in layers
    ]


def layer_fault(path: Path, page_no: int) -> str:
    """Why the layer of one page (0-based) cannot be used as truth; empty if it can.

    Fonts are judged by this page alone. Raises EngineError.
    """
    [layer] = text_layers(path, [page_no])
    [check] = check_layers([Outcome(layer)])
    return check.fault


def _check(layer: TextLayer, document: Mapping[str, FontLetters]) -> LayerCheck:
    characters = [character for character in layer.text if not character.isspace()]
    fault = (
        _hidden_fault(layer, characters)
        or _garbage_fault(layer, characters)
        or _cipher_fault(layer, document)
        or _missing_fault(layer, characters)
    )
    if fault or not layer.hidden:
        return LayerCheck(fault)
    return LayerCheck(note=f"{layer.hidden:.1%} of its characters are not drawn, and are left out")


def _hidden_fault(layer: TextLayer, characters: Sequence[str]) -> str:
    if layer.hidden <= MOST_HIDDEN:
        return "" if characters else "it has no text"
    if layer.invisible * 2 > layer.hidden:
        return "its text is invisible, as OCR programs lay it over a scan"
    if layer.images > SCANNED_IMAGE:
        return "its text lies under an image"
    return f"{layer.hidden:.0%} of its characters are not drawn"


def _garbage_fault(layer: TextLayer, characters: Sequence[str]) -> str:
    symbols = sum(letters.letters for name, letters in layer.fonts.items() if _SYMBOLS.search(name))
    garbage = (sum(map(_is_garbage, characters)) + symbols) / max(1, len(characters))
    return (
        f"{min(1.0, garbage):.0%} of its characters are garbage" if garbage > MOST_GARBAGE else ""
    )


def _is_garbage(character: str) -> bool:
    return character == _REPLACEMENT or unicodedata.category(character) in _GARBAGE


def _of_document(layers: Iterable[TextLayer]) -> dict[str, FontLetters]:
    """The counts of a document's fonts, over all its pages."""
    totals: dict[str, list[int]] = {}
    for layer in layers:
        for name, font in layer.fonts.items():
            total = totals.setdefault(name, [0, 0, 0])
            total[0] += font.characters
            total[1] += font.letters
            total[2] += font.vowels
    return {name: FontLetters(*total) for name, total in totals.items()}


def _is_ciphered(font: FontLetters) -> bool:
    """Whether a font has too few vowels, with an allowance of two standard errors."""
    if font.letters < FEWEST_LETTERS:
        return False
    share = font.vowels / font.letters
    return share + 2 * math.sqrt(share * (1 - share) / font.letters) < FEWEST_VOWELS


def _may_be_read(font: FontLetters) -> bool:
    return font.letters >= FEWEST_LETTERS and font.vowels >= FEWEST_VOWELS * font.letters


def _cipher_fault(layer: TextLayer, document: Mapping[str, FontLetters]) -> str:
    """The fault of fonts with too few vowels, on the page or else in the document."""
    total = sum(font.letters for font in layer.fonts.values())
    ciphered = {
        name: font
        for name, font in layer.fonts.items()
        if _is_ciphered(font) or (_is_ciphered(document[name]) and not _may_be_read(font))
    }
    if sum(font.letters for font in ciphered.values()) <= MOST_CIPHERED * total:
        return ""
    name = max(ciphered, key=lambda name: ciphered[name].letters)
    font = max(document[name], ciphered[name], key=_is_ciphered)
    share = f"{font.vowels / font.letters:.0%} of those in the font {name} are vowels"
    return f"its letters are no language's: {share}"


def _missing_fault(layer: TextLayer, characters: Sequence[str]) -> str:
    if layer.images > SCANNED_IMAGE and len(characters) < FEWEST_CHARACTERS:
        return (
            f"only a stamp: an image covers the page, and its text is {len(characters)} characters"
        )
    if layer.marks <= MOST_MISSING * (layer.marks + len(characters)):
        return ""
    stamp = "only a stamp: " if layer.images > SCANNED_IMAGE else ""
    return (
        f"{stamp}the page shows about {layer.marks} letters that it lacks, and it has "
        f"{len(characters)} characters"
    )
