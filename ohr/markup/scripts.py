r"""Digits below and above the line, as one however they are written.

``H_2O``, ``H_{2}O``, ``H$_2$O``, ``$H_2O$``, ``H<sub>2</sub>O`` and ``H₂O`` are the same formula;
so are ``10^{5}``, ``10<sup>5</sup>`` and ``10⁵``, none of which is 105. Only digits, with the sign
of a charge (``Ca^{2+}``), and only right after a letter or digit: other scripts of formulas stay as
they are. Each function is linear in the text; a text without marks of scripts comes back as it is.
"""

from __future__ import annotations

import re

__all__ = ["join_scripts", "script_glyphs"]

_LETTER = r"[^\W\d_]"
_DIGITS = r"\d{1,6}"
_TAG = re.compile(rf"<(su[bp])>\s?({_DIGITS}[+-]?)\s?</\1>", re.IGNORECASE)
_BRACED = rf"\{{\s?({_DIGITS}[+\u2212-]?)\s?\}}"
_SCRIPT = re.compile(
    # Braces, or a power, after any letter; the mark may be a formula of its own.
    rf"(?<={_LETTER})(?P<dollar>\$)?(?P<mark>[_^])(?:{_BRACED}|(?<=\^)({_DIGITS}))(?(dollar)\$)"
    # A bare subscript after symbols of elements or a single letter: page_2 is a name.
    rf"|(?<!{_LETTER})(?P<base>(?:[A-Z][a-z]?){{1,8}}|[a-z])(?P<other>\$)?_({_DIGITS})(?(other)\$)"
)
_POWER = re.compile(rf"(?<=\d)(?P<dollar>\$)?\^(?:{_BRACED}|({_DIGITS}))(?(dollar)\$)")
_DELIMITED = re.compile(r"\$([^\W_]{1,12}(?:[_^](?:\d|\{\d{1,6}[+-]?\})[^\W_]{0,12}){1,6})\$")
"""A formula that is one word with scripts."""
_ABOVE = str.maketrans("0123456789+-\u2212", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
_BELOW = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_BELOW_A_LETTER = re.compile(rf"(?<={_LETTER})[₀-₉]+")


def join_scripts(text: str) -> str:
    """A text whose scripts after letters are digits of their word: ``H2O``, ``m2``, ``Ca2+``.

    What follows a script is another word, unless that is a symbol of an element after another. A
    power of a number stays apart from it.
    """
    text = _tags(text)
    if "_" not in text and "^" not in text:
        return text
    return _SCRIPT.sub(_joined, text)


def script_glyphs(text: str) -> str:
    """A text whose scripts are characters: powers ``⁵``, digits below a letter plain ones.

    A formula that is one word with scripts loses its dollars. Subscripts are plain digits, since a
    formula says the same with either; ``x²`` and ``x2`` stay different.
    """
    text = _tags(text)
    if "_" in text or "^" in text:
        text = _DELIMITED.sub(r"\1", text)
        text = _SCRIPT.sub(_glyphs, text)
        text = _POWER.sub(lambda match: (match[2] or match[3]).translate(_ABOVE), text)
    return text if text.isascii() else _BELOW_A_LETTER.sub(_plain, text)


def _tags(text: str) -> str:
    if "<su" not in text and "<SU" not in text:
        return text
    return _TAG.sub(lambda match: f"{'_^'[match[1][-1] in 'pP']}{{{match[2]}}}", text)


def _plain(match: re.Match[str]) -> str:
    return match[0].translate(_BELOW)


def _joined(match: re.Match[str]) -> str:
    base, script = match["base"] or "", match[3] or match[4] or match[7]
    text, (start, end) = match.string, match.span()
    after = text[end : end + 1]
    before = base or text[max(0, start - 2) : start]
    is_element = before[-1:].isupper() or before[-2:-1].isupper()
    apart = after.isalpha() and not (after.isupper() and is_element)
    return f"{base}{script}{' ' * apart}"


def _glyphs(match: re.Match[str]) -> str:
    script = match[3] or match[4] or match[7]
    if match["mark"] == "^":
        return script.translate(_ABOVE)
    return f"{match['base'] or ''}{script}"
