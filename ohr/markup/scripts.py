r"""Unifies subscript and superscript digits, however they are written.

``H_2O``, ``H_{2}O``, ``H$_2$O``, ``$H_2O$``, ``H<sub>2</sub>O`` and ``H₂O`` are the same formula;
so are ``10^{5}``, ``10<sup>5</sup>`` and ``10⁵``, none of which is 105. This applies only to
digits, also with the sign of a charge (``Ca^{2+}``), right after a letter or digit; other scripts
stay unchanged. Each function is linear in the text, and returns a text without scripts unchanged.
"""

from __future__ import annotations

import re

__all__ = ["join_scripts", "script_glyphs"]

_LETTER = r"[^\W\d_]"
_DIGITS = r"\d{1,6}"
_TAG = re.compile(rf"<(su[bp])>\s?({_DIGITS}[+-]?)\s?</\1>", re.IGNORECASE)
_BRACED = rf"\{{\s?({_DIGITS}[+\u2212-]?)\s?\}}"
# The patterns begin with a character set, which is fast to search; lookbehinds come after it.
_SCRIPT = re.compile(
    # Braces, or a power, after any letter; the script may be in dollars alone.
    rf"[$_^](?:(?<=\$)(?<={_LETTER}.)[_^](?:{_BRACED}|(?<=\^)({_DIGITS}))\$"
    rf"|(?<!\$)(?<={_LETTER}.)(?:{_BRACED}|(?<=\^)({_DIGITS}))"
    # A bare subscript after a base.
    rf"|(?<=[a-zA-Z]\$)_(?P<formula>{_DIGITS})\$|(?<=[a-zA-Z]_)(?P<bare>{_DIGITS}))"
)
_BASE = re.compile(rf"(?<!{_LETTER})(?:(?:[A-Z][a-z]?){{1,8}}|[a-z])\Z")
"""A base: symbols of elements, or a single letter. ``page_2`` is a name."""
_LONGEST_BASE = 16
_POWER = re.compile(
    rf"[$^](?:(?<=\d\$)\^(?:{_BRACED}|({_DIGITS}))\$|(?<=\d\^)(?:{_BRACED}|({_DIGITS})))"
)
_DELIMITED = re.compile(r"\$([^\W_]{1,12}(?:[_^](?:\d|\{\d{1,6}[+-]?\})[^\W_]{0,12}){1,6})\$")
"""A formula that is one word with scripts."""
_ABOVE = str.maketrans("0123456789+-\u2212", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
_BELOW = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_BELOW_A_LETTER = re.compile(rf"[₀-₉](?<={_LETTER}.)[₀-₉]*")


def join_scripts(text: str) -> str:
    """Write scripts after letters as digits of their word: ``H2O``, ``m2``, ``Ca2+``.

    Letters after a script begin a new word, unless they are another element's symbol after an
    element. A power of a number is not joined to it.
    """
    text = _tags(text)
    if "_" not in text and "^" not in text:
        return text
    return _SCRIPT.sub(_joined, text)


def script_glyphs(text: str) -> str:
    """Write scripts as characters: powers as ``⁵``, subscripts of letters as plain digits.

    A formula of one word with scripts loses its dollars. Subscripts become plain digits, since the
    meaning is the same; ``x²`` and ``x2`` stay different.
    """
    text = _tags(text)
    if "_" in text or "^" in text:
        text = _DELIMITED.sub(r"\1", text)
        text = _SCRIPT.sub(_glyphs, text)
        text = _POWER.sub(lambda match: match[match.lastindex or 0].translate(_ABOVE), text)
    return text if text.isascii() else _BELOW_A_LETTER.sub(_plain, text)


def _tags(text: str) -> str:
    if "<su" not in text and "<SU" not in text:
        return text
    return _TAG.sub(lambda match: f"{'_^'[match[1][-1] in 'pP']}{{{match[2]}}}", text)


def _plain(match: re.Match[str]) -> str:
    return match[0].translate(_BELOW)


def _has_base(match: re.Match[str]) -> bool:
    if not (match["formula"] or match["bare"]):
        return True
    end = match.start()
    return _BASE.search(match.string, max(0, end - _LONGEST_BASE), end) is not None


def _joined(match: re.Match[str]) -> str:
    if not _has_base(match):
        return match[0]
    text, (start, end) = match.string, match.span()
    after = text[end : end + 1]
    before = text[max(0, start - 2) : start]
    is_element = before[-1:].isupper() or before[-2:-1].isupper()
    apart = after.isalpha() and not (after.isupper() and is_element)
    return f"{match[match.lastindex or 0]}{' ' * apart}"


def _glyphs(match: re.Match[str]) -> str:
    if not _has_base(match):
        return match[0]
    script = match[match.lastindex or 0]
    return script.translate(_ABOVE) if "^" in match[0][:2] else script
