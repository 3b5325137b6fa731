"""Scripts searched for by their signs against the plain patterns, which look at every character."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from ohr.markup.scripts import join_scripts, script_glyphs
from tests.examples import examples

LETTER, DIGITS = r"[^\W\d_]", r"\d{1,6}"
BRACED = rf"\{{\s?({DIGITS}[+\u2212-]?)\s?\}}"
SCRIPT = re.compile(
    rf"(?<={LETTER})(?P<dollar>\$)?(?P<mark>[_^])(?:{BRACED}|(?<=\^)({DIGITS}))(?(dollar)\$)"
    rf"|(?<!{LETTER})(?P<base>(?:[A-Z][a-z]?){{1,8}}|[a-z])(?P<other>\$)?_({DIGITS})(?(other)\$)"
)
POWER = re.compile(rf"(?<=\d)(?P<dollar>\$)?\^(?:{BRACED}|({DIGITS}))(?(dollar)\$)")
DELIMITED = re.compile(r"\$([^\W_]{1,12}(?:[_^](?:\d|\{\d{1,6}[+-]?\})[^\W_]{0,12}){1,6})\$")
ABOVE = str.maketrans("0123456789+-\u2212", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
PARTS = st.sampled_from(
    ["_", "^", "$", "{", "}", "2",
     "12", "1234567", "H", "O", "Ca", "x", "page", " ", "\n", "+", "-",
     "\u2212", "é", "中", "²", "a", "NaCl", "\\", "٣", "_2", "^{2}", "$_{2}$", "$^3$"]
)  # fmt: skip


def joined(match: re.Match[str]) -> str:
    base, script = match["base"] or "", match[3] or match[4] or match[7]
    text, (start, end) = match.string, match.span()
    after, before = text[end : end + 1], base or text[max(0, start - 2) : start]
    is_element = before[-1:].isupper() or before[-2:-1].isupper()
    apart = after.isalpha() and not (after.isupper() and is_element)
    return f"{base}{script}{' ' * apart}"


def glyphs(match: re.Match[str]) -> str:
    script = match[3] or match[4] or match[7]
    return script.translate(ABOVE) if match["mark"] == "^" else f"{match['base'] or ''}{script}"


@examples(1000)
@given(st.lists(PARTS, max_size=9).map("".join))
def test_scripts_are_those_of_the_plain_patterns(text):
    assert join_scripts(text) == SCRIPT.sub(joined, text)
    plain = SCRIPT.sub(glyphs, DELIMITED.sub(r"\1", text))
    powers = POWER.sub(lambda match: (match[2] or match[3]).translate(ABOVE), plain)
    assert script_glyphs(text) == powers
