r"""Folds equivalent code points into one form, before every comparison.

There are two depths, each linear in the text; ASCII text is returned unchanged.

- :func:`fold_glyphs` folds what looks the same. Accents are composed (NFC). Ligatures, full and
  half width, Arabic presentation forms, letters of mathematical fonts, special spaces and hyphens
  become plain characters. Invisible characters are dropped. No person could see a difference on
  the page, so an edit distance sees none either.
- :func:`fold` also folds what means the same. Superscript digits, fractions and numbers in circles
  become plain digits, **separated** from digits next to them (``1½`` is ``1 1/2``, ``45.3¹`` is
  ``45.3 1``, ``10⁵`` is ``10 5``; ``m²`` is ``m2``). The rest of NFKC is applied, and Arabic
  stretching is dropped. Words and search terms use this.

Invisible characters (soft hyphen, zero-width space and joiners, byte-order mark, marks of
direction: general category Cf; and variation selectors) are ignored in comparisons, as in the
Unicode collation algorithm. Four kinds have a meaning and stay: the zero-width non-joiner between
Arabic or Mongolian letters, a boundary in Persian words; the Mongolian vowel separator; Arabic
number signs, which are visible; and the joiner of a Malayalam chillu, which becomes the chillu's
own letter. Joiners of Indic scripts only change how letters are drawn, and are dropped.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["fold", "fold_amounts", "fold_glyphs", "fold_quotation"]

_SCRIPT_DIGITS = "\u00b2\u00b3\u00b9\u2070\u2074-\u207e\u2080-\u208e"
"""Superscript and subscript digits and signs; letters such as ``ⁿ`` belong to their word."""
_NUMBER_SIGNS = (
    "\u00bc-\u00be\u2150-\u215e\u2189"  # fractions
    "\u2460-\u249b\u24ea\u3251-\u325f\u32b1-\u32bf\U0001f100-\U0001f10a"  # in circles, with stops
    "\u32c0-\u32cb\u3358-\u3370\u33e0-\u33fe"  # months, hours and days of telegrams
)
"""Other single characters that stand for a number."""
_SUPERSCRIPTS, _SUBSCRIPTS = "\u00b2\u00b3\u00b9\u2070\u2074-\u207e", "\u2080-\u208e"
_LETTER_SIGNS = "\u2116\u2120-\u2122\u213b"
"""Signs that become letters, separate from the word next to them: № ℠ ℡ ™ ℻."""
_APART = re.compile(
    # Before: a digit, or a mark that would make a decimal of both ("in 1945.¹").
    rf"(?<=[\d.,{_NUMBER_SIGNS}{_SCRIPT_DIGITS}])(?=[{_NUMBER_SIGNS}])"
    rf"|(?<=[\d.,{_NUMBER_SIGNS}])(?=[{_SCRIPT_DIGITS}])"
    rf"|(?<=[{_SUPERSCRIPTS}])(?=[{_SUBSCRIPTS}])|(?<=[{_SUBSCRIPTS}])(?=[{_SUPERSCRIPTS}])"
    rf"|(?<=[{_SCRIPT_DIGITS}{_NUMBER_SIGNS}])(?=[.,]?\d)"
    rf"|(?<=\w)(?=[{_LETTER_SIGNS}])|(?<=[{_LETTER_SIGNS}])(?=\w)"
)
_TO_PART = re.compile(f"[{_SCRIPT_DIGITS}{_NUMBER_SIGNS}{_LETTER_SIGNS}]")
_NOTE_MARK = re.compile(r"(?<=\d)(?<!(?<![\d.,])10)[\u00b2\u00b3\u00b9\u2070\u2074-\u2079]+")
"""Superscript digits after a number, unless that is a power of ten."""

_JOINED = "\u0620-\u074f\u0750-\u07ff\u0870-\u08ff\u1820-\u18aa"
"""Letters that join to their neighbours, so that a non-joiner between two of them is visible."""
_INVISIBLE = (
    "\u00ad\u034f\u061c\u200b\u200d-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff"
    "\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f"
    "\U000e0100-\U000e01ef"
)
_DROPPED = re.compile(rf"[{_INVISIBLE}]|(?<![{_JOINED}])\u200c|\u200c(?![{_JOINED}])")
# Consonant, virama and joiner, as chillus were written before they had code points.
_CHILLUS = dict(zip("ണനരലളക", "ൺൻർൽൾൿ", strict=True))
_CHILLU = re.compile("([{}])\u0d4d\u200d".format("".join(_CHILLUS)))
_SAME_GLYPH = {
    **{"\u2010": "-", "\u2011": "-", "\ufe63": "-", "\uff0d": "-"},
    **{"\u2044": "/", "\u2215": "/", "\u02bc": "\u2019", "\u02bb": "\u2018"},
}
_ODD = re.compile(f"[{_INVISIBLE}\u200c{''.join(_SAME_GLYPH)}]")
"""Characters that NFKC does not change but folding does."""
_NOT_ASCII = re.compile("[^\x00-\x7f]+")
_TATWEEL = "\u0640"
_KEPT_TAGS = ("<super>", "<sub>", "<fraction>", "<circle>", "<square>", "<vertical>")
"""Compatibility forms that look different from the plain form."""
_LONG_S = "ſ"

_QUOTATION = str.maketrans(
    dict.fromkeys("‘’‚‛′`´‹›", "'") | dict.fromkeys("“”„‟″«»", '"') | dict.fromkeys("‒–—―−", "-")
)


class _Memo(dict[int, str]):
    """A table for :meth:`str.translate` that computes each entry on first use."""

    def __init__(self, seen_apart: bool) -> None:
        super().__init__({ord(char): plain for char, plain in _SAME_GLYPH.items()})
        self._seen_apart = seen_apart
        if not seen_apart:
            self[ord(_TATWEEL)] = ""

    def __missing__(self, code: int) -> str:
        self[code] = plain = self._plain(chr(code))
        return plain

    def _plain(self, char: str) -> str:
        if self._seen_apart and (
            char == _LONG_S or unicodedata.decomposition(char).startswith(_KEPT_TAGS)
        ):
            return char
        plain = unicodedata.normalize("NFKC", char)
        # An accent alone must not become a space with an accent on it.
        if plain == char or (len(plain) > 1 and plain[0] == " "):
            return char
        return "".join(self[ord(part)] for part in plain)


_GLYPHS, _WORDS = _Memo(seen_apart=True), _Memo(seen_apart=False)


def fold_glyphs(text: str) -> str:
    """Fold characters that look the same; case, punctuation and white space stay.

    Superscripts, fractions and numbers in circles stay too: ``x²`` read as ``x2`` is an error. A
    second call changes nothing.
    """
    return text if text.isascii() else _folded(text, _GLYPHS)


def fold(text: str) -> str:
    """Fold a text for comparing words: :func:`fold_glyphs`, and all numbers in plain digits,
    separated from digits next to them. Case, punctuation and white space stay.
    """
    return text if text.isascii() else _folded(text, _WORDS)


def _folded(text: str, memo: _Memo) -> str:
    if _ODD.search(text):
        if "\u200d" in text:
            text = _CHILLU.sub(lambda match: _CHILLUS[match[1]], text)
        text = _DROPPED.sub("", text)
    elif unicodedata.is_normalized("NFKC", text) and (memo is _GLYPHS or _TATWEEL not in text):
        return text
    # After invisible characters are removed, and before digits become plain.
    if memo is _WORDS and _TO_PART.search(text):
        text = _APART.sub(" ", text)
    text = _NOT_ASCII.sub(lambda match: match[0].translate(memo), text)
    return unicodedata.normalize("NFC", text)


def fold_amounts(text: str) -> str:
    """:func:`fold` for numbers: note marks on them are removed (``45.3¹`` is 45.3), and the
    special spaces between thousands stay.
    """
    if text.isascii():
        return text
    text = _NOTE_MARK.sub("", text)
    return "".join(
        part if part in "\u00a0\u202f" else fold(part)
        for part in re.split("([\u00a0\u202f])", text)
    )


def fold_quotation(text: str) -> str:
    """:func:`fold` with straight quotation marks and apostrophes, and a hyphen for every dash, so
    that typesetting does not change a quote.
    """
    return text if text.isascii() else fold(text).translate(_QUOTATION)
