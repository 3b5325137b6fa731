"""Glyphs with ink that stand for nothing or a blank, and glyphs without that stand for letters."""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import replace
from functools import partial

import pikepdf

from benchmarks.layer_corpus.drawing import Drawing
from benchmarks.layer_corpus.faults.order import SHAPED
from benchmarks.layer_corpus.faults.planted import Plant, Planted, plant_change
from benchmarks.layer_corpus.layer import fonts, mapping, write_mapping
from benchmarks.layer_corpus.lines import lines, words
from benchmarks.layer_corpus.page import Page
from benchmarks.layer_corpus.words import split_words

ALONE = ("chinese", "japanese")


def _common(page: Page, kind: str) -> str:
    """The most frequent letter (L) or digit (N) of a page, in small letters where it has them."""
    counts = Counter(page.text)
    matches = [
        char
        for char in counts
        if unicodedata.category(char)[0] == kind and char not in "fijlt" and char == char.lower()
    ]
    return max(matches, key=lambda char: (counts[char], char), default="")


def _remove_letter(kind: str, instead: str, document: pikepdf.Pdf, page: Page) -> Planted | None:
    """One letter's glyph stands for nothing, or for a blank."""
    letter = _common(page, kind)
    if not letter:
        return None

    def change(text: str) -> str | None:
        return text.replace(letter, instead) or None

    return plant_change(document, page, change)


def _no_mapping(document: pikepdf.Pdf, page: Page) -> Planted | None:
    """No font says what its glyphs stand for."""
    if page.script in SHAPED:
        return None
    for font in fonts(document).values():
        if "/ToUnicode" in font:
            del font["/ToUnicode"]
    return Planted(split_words(page.text))


def _inkless(document: pikepdf.Pdf, page: Page) -> Planted | None:
    """A blank within every third long word stands for a letter that the page does not show."""
    letter = _common(page, "L")
    if page.script in (*SHAPED, *ALONE) or not letter:
        return None
    drawing = Drawing(document)
    blanks = {glyph.font: glyph for glyph in drawing.glyphs if glyph.text == " "}
    wrong, extra, groups, count = [], [], [], 0
    for line in lines(drawing.glyphs):
        for word in words(line):
            text = "".join(glyph.text for glyph in word).strip()
            blank, position = blanks.get(word[0].font), len(word) // 3
            if len(text) < 5 or blank is None or not text.isalpha():
                groups.append(word)
                continue
            count += 1
            if count % 3:
                groups.append(word)
                continue
            inked = [replace(glyph, font=f"{glyph.font}x") for glyph in word if glyph.text != " "]
            added = replace(
                inked[position],
                code=blank.code,
                width=blank.width * inked[position].size / blank.size,
            )
            groups.append([*inked[:position], added, *inked[position:]])
            groups.append([glyph for glyph in word if glyph.text == " "])
            wrong.append(text)
            before = "".join(glyph.text for glyph in word[:position])
            extra.append(before + letter + text[len(before) :])
    if not wrong:
        return None
    table = document.pages[0].resources.Font
    for name, blank in blanks.items():
        copy = document.make_indirect(pikepdf.Dictionary(dict(table[name].items())))
        known_values, width = mapping(copy)
        code = int.from_bytes(blank.code, "big")
        write_mapping(document, copy, {**known_values, code: letter}, width)
        table[f"{name}x"] = copy
    drawing.write(groups)
    return Planted(wrong, extra=extra)


VARIANTS: dict[str, Plant] = {
    "letter_unmapped": partial(_remove_letter, "L", ""),
    "letter_blank": partial(_remove_letter, "L", " "),
    "digit_unmapped": partial(_remove_letter, "N", ""),
    "digit_blank": partial(_remove_letter, "N", " "),
    "no_mapping": _no_mapping,
    "inkless_letters": _inkless,
}
