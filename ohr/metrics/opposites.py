"""Whether two texts say opposite things, by their negations, antonyms and signs.

By characters or embeddings, a text is similar to its own negation. So words that reverse a meaning
are compared first. ``opposites.json`` has the words: negations, and groups of words whose sides
exclude each other, English and some German; a star ends a stem.

Only words are compared: *buys* and *does not sell* count as opposed, *A before B* and *B before A*
do not.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import Any

from ohr.markup.symbols import COMMAND_TO_CHAR

_TABLE: dict[str, Any] = json.loads(
    files("ohr.metrics").joinpath("opposites.json").read_text("utf-8")
)


def _words(stems: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(stem).replace(r"\*", r"\w*") for stem in stems))


_NEGATION = _words(_TABLE["negations"])
_GROUPS = [
    *([_words(side) for side in group] for group in _TABLE["opposites"]),
    *([re.compile(re.escape(sign)) for sign in group] for group in _TABLE["signs"]),
]
_PREFIXES: tuple[str, ...] = tuple(_TABLE["prefixes"])
_STEM = 5
"""Least number of letters of a word that a prefix can negate: *valid*, not *form*."""
_WORD = re.compile(r"[^\W\d_]+")
_SIGN = re.compile("[" + re.escape("".join(sorted({s for g in _TABLE["signs"] for s in g}))) + "]")
_SHORT_NOT = re.compile(r"n?['\u2019]t\b")
_NUMBER_SIGN = re.compile(r"\b(?:no|nos)\.\s?(?=\d)")
_VERDICT = re.compile(r"^\W*(yes|no|ja|nein)\b(?=\s*(?:[,.;:!]|[-\u2013\u2014]\s|$))")
_FORMULA = re.compile(r"\\[a-zA-Z]|[=<>≤≥≠^∈∉∪∩⊂⊃∃∀]|_\{|[\w)]\s?\+\s?[\w(]")
_BOUNDS = (
    (re.compile(r"\b(?:no|not) more than\b"), "at most less"),
    (re.compile(r"\b(?:no|not) (?:less|fewer) than\b"), "at least more"),
)
"""Negations that only name a bound, and the words that they count as, to which *more than* is
opposed."""
_COMMAND = re.compile(r"\\([a-zA-Z]+)")
_AS_ONE = {"!=": "≠", "<=": "≤", ">=": "≥", "\u2212": "-", "\u2013": "-", "⩽": "≤", "⩾": "≥"}
_DENIED = {r"\not=": "≠", r"\not =": "≠", r"\not\in": "∉", r"\notin": "∉", r"\not\subset": "⊄"}
_SIGN_OF = {**COMMAND_TO_CHAR, "lt": "<", "gt": ">", "leqslant": "≤", "geqslant": "≥"}


def has_formula(text: str) -> bool:
    """Whether a text has signs or commands of a formula, where each sign counts."""
    return _FORMULA.search(text) is not None


def replace_signs(text: str) -> str:
    r"""Replace LaTeX commands and pairs of ASCII signs by the character that they stand for."""
    for denied, sign in _DENIED.items():
        text = text.replace(denied, f" {sign} ")
    text = _COMMAND.sub(lambda match: _SIGN_OF.get(match[1], match[0]), text)
    for pair, sign in _AS_ONE.items():
        text = text.replace(pair, sign)
    return text


def opposed(text: str, other_text: str) -> bool:
    """Whether one of two texts negates or inverts the other; symmetric, and false of equal ones.

    Two texts are opposed if

    - they begin with different verdicts (*yes*, *no*);
    - the rest of them has different numbers of negations;
    - one has more words of one side of a group, and fewer of another side;
    - a word of one is in the other only with a negating prefix (*valid*, *invalid*);
    - one has a formula, and their signs differ as words do, or the numbers of minus signs differ.

    Time is linear in the texts.
    """
    first, second = text.casefold(), other_text.casefold()
    verdicts = [_VERDICT.match(text) for text in (first, second)]
    if verdicts[0] and verdicts[1] and _is_yes(verdicts[0][1]) != _is_yes(verdicts[1][1]):
        return True
    first, second = (
        text[match.end() :] if match and text[match.end() :].strip(" .!") else text
        for text, match in zip((first, second), verdicts, strict=True)
    )
    a, b = _marks(first), _marks(second)
    if has_formula(text) or has_formula(other_text):
        signs = [_SIGN.findall(replace_signs(text)) for text in (first, second)]
        if signs[0].count("-") != signs[1].count("-"):
            return True
        a, b = a + signs[0], b + signs[1]
    if _negations(a) != _negations(b):
        return True
    more, fewer = Counter(a), Counter(b)
    more, fewer = more - fewer, fewer - more
    return _swapped(more, fewer) or _prefixed(more, fewer) or _prefixed(fewer, more)


def _is_yes(verdict: str) -> bool:
    return verdict in ("yes", "ja")


def _marks(text: str) -> list[str]:
    for denied, bound in _BOUNDS:
        text = denied.sub(bound, text)
    text = _NUMBER_SIGN.sub(" ", _SHORT_NOT.sub(" not", text)).replace("cannot", "can not")
    return _WORD.findall(_COMMAND.sub(" ", text))


def _negations(words: Sequence[str]) -> int:
    return sum(_NEGATION.fullmatch(word) is not None for word in words)


def _swapped(more: Counter[str], fewer: Counter[str]) -> bool:
    """Whether each text has additional words of a different side of some group."""
    for sides in _GROUPS:
        balance = [_count(side, more) - _count(side, fewer) for side in sides]
        if max(balance) > 0 > min(balance):
            return True
    return False


def _count(side: re.Pattern[str], words: Counter[str]) -> int:
    return sum(count for word, count in words.items() if side.fullmatch(word))


def _prefixed(words: Counter[str], plain: Counter[str]) -> bool:
    return any(
        word.startswith(prefix)
        and len(word) - len(prefix) >= _STEM
        and word[len(prefix) :] in plain
        for word in words
        for prefix in _PREFIXES
    )
