"""What scripts do to letters: joined ones, words without blanks, and words of two scripts."""

from __future__ import annotations

import unicodedata
from collections import Counter
from functools import lru_cache
from itertools import groupby

_JOINED = ((0x0600, 0x08FF), (0x0900, 0x0DFF), (0x0F00, 0x109F), (0x1780, 0x17FF), (0xFB50, 0xFEFF))
"""Scripts whose letters change with their neighbours: Arabic, Indic, Tibetan, Burmese, Khmer."""


def is_joined(text: str) -> bool:
    """Whether a text has letters that change their shape with their neighbours."""
    return not text.isascii() and any(
        first <= ord(c) <= last for c in text for first, last in _JOINED
    )


_WITHOUT_BLANKS = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x2E80, 0x9FFF),
    (0xF900, 0xFAFF),
    (0xFF00, 0xFFEF),
    (0x20000, 0x323AF),
)
"""Thai, Lao, Burmese, Khmer, Chinese and Japanese, which write words without blanks."""
_APART = frozenset(
    "LATIN GREEK CYRILLIC ARMENIAN GEORGIAN CHEROKEE COPTIC HEBREW ARABIC DEVANAGARI BENGALI "
    "GURMUKHI GUJARATI ORIYA TAMIL TELUGU KANNADA MALAYALAM SINHALA ETHIOPIC".split()
)
"""Scripts whose letters do not stand beside those of another in one word."""
_OF_QUANTITIES = frozenset("\u00b5\u03bc\u03a9\u2126\u0394\u03b1\u03b2\u03b3\u03b4\u03c0\u03c3")
"""Greek letters that stand beside Latin ones in units and formulas."""


def is_without_blanks(text: str) -> bool:
    """Whether a text begins with a letter of a script without blanks between words."""
    code = ord(text[0])
    return code >= _WITHOUT_BLANKS[0][0] and any(lo <= code <= hi for lo, hi in _WITHOUT_BLANKS)


@lru_cache(maxsize=1 << 14)
def script_of(character: str) -> str:
    """The script of a letter by the first word of its Unicode name; empty for other characters."""
    if character.isascii():
        return "LATIN" if character.isalpha() else ""
    if not unicodedata.category(character).startswith(("L", "M")):
        return ""
    name = unicodedata.name(character, "").split(" ")[0]
    return name if name in _APART else ""


def is_mixed(text: str) -> bool:
    """Whether letters of two scripts stand beside one another in a word, as no language has it."""
    if text.isascii():
        return False
    for is_run, run in groupby(text, key=_is_letter_or_mark):
        if is_run and len({script_of(c) for c in run if c not in _OF_QUANTITIES} - {""}) > 1:
            return True
    return False


_INDIC = range(0x900, 0xE00)
_MALAYALAM = range(0xD00, 0xD80)


def is_malformed(text: str) -> bool:
    """Whether a word in an Indic script has vowel signs where no language has them.

    A vowel sign stands after a consonant: not at the beginning, and not after a vowel, another one
    or a sign of nasality. A sign that takes the vowel away does not stand after a vowel sign
    either, but for Malayalam.
    """
    if text.isascii():
        return False
    before = ""
    for character in unicodedata.normalize("NFC", text):
        if unicodedata.category(character) == "Cf":
            continue  # joiners
        if ord(character) not in _INDIC:
            before = character
            continue
        is_vowel = " VOWEL SIGN " in unicodedata.name(character, "")
        is_virama = unicodedata.combining(character) == 9 and ord(character) not in _MALAYALAM
        if (is_vowel or is_virama) and (not before or _ends_syllable(before)):
            return True
        if is_vowel and _is_vowel(before) and before + character not in _WITH_SIGN:
            return True
        before = character
    return False


def _ends_syllable(character: str) -> bool:
    """Whether a vowel sign cannot follow: a vowel sign, a sign of nasality, or no letter."""
    name = unicodedata.name(character, "")
    return " VOWEL SIGN " in name or name.endswith(_LAST) or not _is_letter_or_mark(character)


def _is_vowel(character: str) -> bool:
    """Whether a letter is a vowel that stands alone."""
    return unicodedata.name(character, "").partition(" LETTER ")[2] in _VOWELS


_VOWELS = frozenset(
    (*"A AA I II U UU E EE AI O OO AU".split(), "VOCALIC R", "SHORT E", "SHORT O", "CANDRA E")
)
_WITH_SIGN = frozenset(("\u0905\u0945", "\u0905\u0949"))
"""A vowel with a sign for a sound of English, as Marathi writes it."""
_LAST = (" SIGN ANUSVARA", " SIGN CANDRABINDU", " SIGN VISARGA")


def _is_letter_or_mark(character: str) -> bool:
    return unicodedata.category(character)[0] in "LM"


def is_right_to_left(text: str) -> bool:
    """Whether most of a text's letters are written from right to left."""
    return main_script(text) in ("ARABIC", "HEBREW", "SYRIAC", "THAANA", "NKO")


def main_script(text: str) -> str:
    """The script of most of a text's letters, by the first word of their Unicode names."""
    names = (unicodedata.name(c, "").split(" ")[0] for c in text if c.isalpha())
    counts = Counter(names).most_common(1)
    return counts[0][0] if counts else "LATIN"
