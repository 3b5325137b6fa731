"""Whether a PDF's text layer can stand for what is on the page."""

from __future__ import annotations

import unicodedata

from ohr.pdf import TextLayer

MOST_GARBAGE = 0.2
MOST_INVISIBLE = 0.5
SCANNED_IMAGE = 0.5
FEWEST_CHARACTERS = 100

_GARBAGE = frozenset({"Cc", "Cn", "Co", "Cs"})
_REPLACEMENT = "\ufffd"


def unusable(layer: TextLayer) -> str:
    """Why nothing can be measured against a text layer; empty if it can.

    In this order: it has no text; more than half of its characters are drawn without ink, as an
    OCR program lays its own reading over a scan; more than a fifth of them are garbage (private
    use, unassigned, control and replacement characters), as fonts without a mapping give; an
    image covers more than half of the page and the layer has fewer than 100 characters, such as
    a stamp on a scan.
    """
    characters = [character for character in layer.text if not character.isspace()]
    if not characters:
        return "it has no text"
    if layer.invisible > MOST_INVISIBLE:
        return "its text is invisible, as OCR programs lay it over a scan"
    garbage = sum(map(_is_garbage, characters)) / len(characters)
    if garbage > MOST_GARBAGE:
        return f"{garbage:.0%} of its characters are garbage"
    if layer.image > SCANNED_IMAGE and len(characters) < FEWEST_CHARACTERS:
        return f"an image covers it, and its text is {len(characters)} characters"
    return ""


def _is_garbage(character: str) -> bool:
    return character == _REPLACEMENT or unicodedata.category(character) in _GARBAGE
