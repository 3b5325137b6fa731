"""Letters that stand for other letters, as after a font was made smaller without its names."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable
from functools import partial

import pikepdf

from benchmarks.layer_corpus.faults.planted import Plant, Planted, plant_change
from benchmarks.layer_corpus.layer import heading_fonts
from benchmarks.layer_corpus.page import Page

Table = dict[int, int]
VOWELS = {
    "latin": "aeiouy",
    "greek": "αεηιουωάέήίόύώ",
    "cyrillic": "аеиоуыэюя",
    "armenian": "աեէըիոու",
    "georgian": "აეიოუ",
    "hebrew": "אוי",
    "arabic": "اوي",
    "japanese": "あいうえおのをはが",
    "korean": "",
    "chinese": "",
}
GREEK, CYRILLIC = "αβγδεζηθικλμνξοπρστυφχψω", "абвгдежзиклмнопрстуфхцчшщыэюя"
OTHERS = {"latin": GREEK, "greek": CYRILLIC, "cyrillic": GREEK}
ASCII = "abcdefghijklmnopqrstuvwxyz"
PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[]^_{|}~0123456789"
LOOK_ALIKE = {
    "latin": tuple(zip("aceopxyABCEHKMOPTX", "асеорхуАВСЕНКМОРТХ", strict=True)),
    "cyrillic": tuple(zip("асеорхуАВСЕНКМОРТХ", "aceopxyABCEHKMOPTX", strict=True)),
    "greek": tuple(zip("ονΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ovABEZHIKMNOPTYX", strict=True)),
    "armenian": tuple(zip("օսհոցգ", "ouhngq", strict=True)),
}


def _letters(page: Page, kinds: str = "L") -> str:
    """The page's letters in lower case, the frequent ones first."""
    counts = Counter(page.text.lower())
    matches = [char for char in counts if unicodedata.category(char)[0] in kinds]
    return "".join(sorted(matches, key=lambda char: (-counts[char], char)))


def table(source: str, target: str) -> Table:
    """From each letter to another, in both cases."""
    matches = dict(zip(map(ord, source), map(ord, target), strict=True))
    for lower, upper in zip(source, source.upper(), strict=len(source) == len(source.upper())):
        if upper != lower and len(source) == len(source.upper()):
            new = chr(matches[ord(lower)]).upper()
            matches[ord(upper)] = ord(new) if len(new) == 1 else matches[ord(lower)]
    return matches


def _turned(letters: str, by: int) -> Table:
    return table(letters, letters[by:] + letters[:by])


def _rotation(page: Page) -> Table:
    letters = "".join(sorted(_letters(page)))
    return _turned(letters, min(11, len(letters) // 2))


def _vowels(page: Page) -> Table:
    vowels = VOWELS.get(page.script)
    if vowels is None:  # signs above, below or beside letters
        vowels = "".join(sorted(char for char in _letters(page, "M") if char not in "्்"))
    return _turned("".join(dict.fromkeys(vowels)), 1)


def _other_script(page: Page) -> Table:
    letters, other = _letters(page), OTHERS.get(page.script, ASCII)
    return table(letters, (other * (len(letters) // len(other) + 1))[: len(letters)])


def _punctuation(page: Page) -> Table:
    letters = _letters(page)
    signs = PUNCTUATION * (len(letters) // len(PUNCTUATION) + 1)
    return table(letters, signs[: len(letters)])


def _pair(page: Page) -> Table:
    """Two common letters change places."""
    letters = [char for char in _letters(page) if char not in VOWELS.get(page.script, "")]
    return table("".join(letters[:2]), letters[1] + letters[0]) if len(letters) > 1 else {}


def _accents(page: Page) -> Table:
    """Letters lose their accents and dots."""
    parts = {char: unicodedata.normalize("NFD", char) for char in set(page.text)}
    return {
        ord(char): ord(apart[0])
        for char, apart in parts.items()
        if len(apart) > 1 and all(unicodedata.category(sign) == "Mn" for sign in apart[1:])
    }


def _case(page: Page) -> Table:
    """Capitals stand for small letters."""
    lower = {char: char.lower() for char in set(page.text) if char.lower() != char}
    return {ord(char): ord(small) for char, small in lower.items() if len(small) == 1}


def _look_alike(page: Page) -> Table:
    """Letters stand for those of another script that look the same."""
    return {ord(char): ord(other) for char, other in LOOK_ALIKE.get(page.script, ())}


def _plant(make: Callable[[Page], Table], document: pikepdf.Pdf, page: Page) -> Planted | None:
    outputs = make(page)
    return plant_change(document, page, lambda text: text.translate(outputs))


def _title(document: pikepdf.Pdf, page: Page) -> Planted | None:
    """Only the heading is in cipher; what follows it is right."""
    names, heading = heading_fonts(document), page.blocks[0]
    if not names or heading.kind != "heading" or page.styles:
        return None
    outputs = _rotation(page)
    only = Page(page.script, page.name, page.language, (heading,))
    return plant_change(document, only, lambda text: text.translate(outputs), names)


def _digits(order: str, document: pikepdf.Pdf, page: Page) -> Planted | None:
    outputs = str.maketrans("0123456789", order)
    return plant_change(document, page, lambda text: text.translate(outputs))


VARIANTS: dict[str, Plant] = {
    "rotation": partial(_plant, _rotation),
    "vowels": partial(_plant, _vowels),
    "other_script": partial(_plant, _other_script),
    "punctuation": partial(_plant, _punctuation),
    "pair": partial(_plant, _pair),
    "accents": partial(_plant, _accents),
    "case": partial(_plant, _case),
    "look_alike": partial(_plant, _look_alike),
    "title": _title,
}
DIGITS: dict[str, Plant] = {
    "rotation": partial(_digits, "3456789012"),
    "six_nine": partial(_digits, "0123459786"),
    "one_seven": partial(_digits, "0723456189"),
}
