"""Rules that find garbage words in OCR output, and docling's published rules for a page.

The rules for words follow Taghva et al. (2001), *Automatic removal of garbage strings in OCR
text*. Docling's rules rate the text of a page (docling 2, ``parse_score``), reimplemented here:
they find traces of broken fonts, not misread letters.
"""

from __future__ import annotations

import re

LONGEST = 40
"""Most letters of a word."""
_SAME = re.compile(r"([^\d\W_])\1{3}|([^\w\s.\-_=*#·…])\2{3}")
_CONSONANTS = re.compile(r"[bcdfghjklmnpqrstvwxz]{7}", re.I)
_VOWELS = re.compile(r"[aeiou]{5}", re.I)
_MIXED_CASE = re.compile(r"[a-z]{2}[A-Z]+[a-z]*[A-Z]|^[a-z]+[A-Z]{2,}[a-z]")
_INSIDE = re.compile(r"(?<=[^\W\d_])[^\w\s.,'’\-/&@:%()\[\]]+(?=[^\W\d_])")
_DIGIT_WITHIN = re.compile(r"[^\W\d_]{2}\d[^\W\d_]{2}")
_SYMBOLS = re.compile(r"[^\w\s]+")
_LINE_ART = re.compile(r"[.\-_=*#·…|+•–—$%()\[\]&/,:;\"'“”‘’]+")


def garbage_share(text: str) -> float:
    """Share of the words for which :func:`is_garbage` holds, in [0, 1]; 0 without words."""
    words = text.split()
    return sum(map(is_garbage, words)) / len(words) if words else 0.0


def is_garbage(word: str) -> bool:
    """Whether a white-space separated string cannot be a word, number or sign of a clean page.

    It is longer than :data:`LONGEST`; repeats a character four times; has seven consonants or five
    vowels in a row; changes case inside; has a sign or digit among its letters; or has only signs
    other than rules, brackets and punctuation.
    """
    if len(word) > LONGEST and not _LINE_ART.fullmatch(word):
        return True
    if _SYMBOLS.fullmatch(word):
        return not _LINE_ART.fullmatch(word)
    rules = (_SAME, _CONSONANTS, _VOWELS, _MIXED_CASE, _INSIDE, _DIGIT_WITHIN)
    return any(rule.search(word) for rule in rules)


_GLYPH = re.compile(r"GLYPH<[0-9A-Fa-f]+>")
_FONT_CODES = re.compile(r"(?:/G\d+){2,}")
_SLASHED = re.compile(r"(?:/\w+\s*){2,}")
_FRAGMENT = re.compile(r"\b[A-Za-z](?:/[a-z]{1,3}\.[a-z]{1,3}){2,}\b")
_FEWEST_FRAGMENTS = 3
_A_FRAGMENT_COSTS = 0.1


def docling_score(text: str) -> float:
    """Docling's rating of a page's text, 1 for faultless down to 0."""
    if "\ufffd" in text or any(rule.search(text) for rule in (_GLYPH, _FONT_CODES)):
        return 0.0
    if _SLASHED.match(text):
        return 0.0
    fragments = len(_FRAGMENT.findall(text))
    return max(0.0, 1 - _A_FRAGMENT_COSTS * fragments) if fragments >= _FEWEST_FRAGMENTS else 1.0
