"""The wording of results: what a comparison shows, or what it excludes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from ohr.statistics import Ties
from ohr.statistics.inference import unseen_share
from ohr.statistics.letters import ONE_CONDITION
from ohr.statistics.numbers import prose_bound

ALPHA = 0.05
"""A difference is shown if its p, corrected over its family, is at most this."""


def is_shown(p: float) -> bool:
    """Whether a corrected p is at most :data:`ALPHA`; False for NaN (no test)."""
    return bool(p <= ALPHA)


def excluded(low: float, high: float) -> str:
    """``no difference larger than 0.09``: what a 95 % interval of a difference excludes.

    ``nothing is excluded`` without an interval, and if it holds every possible difference.
    """
    bound = max(abs(low), abs(high))
    if math.isnan(bound):
        return "nothing is excluded"
    if bound >= 1:
        return "nothing is excluded"
    return f"no difference larger than {prose_bound(bound)}"


def not_shown(low: float, high: float) -> str:
    """``do not differ significantly (no difference larger than 0.09)``."""
    return f"do not differ significantly ({excluded(low, high)})"


MANY_DOCUMENTS = 60
"""With fewer, losses of a few whole documents may be missed (``docs/reference/intervals.md``)."""


def rare_losses(documents: int) -> str:
    """A warning of what so few documents may not show; empty if there are enough."""
    if documents >= MANY_DOCUMENTS:
        return ""
    share = 100 * unseen_share(documents)
    return (
        f"{documents} documents: a loss that hits fewer than {share:.0f} % of documents may not be "
        "among them, and no interval knows of it"
    )


def counted(count: int, noun: str) -> str:
    """``1 page``, ``1,200 pages``."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


def add_article(name: str) -> str:
    """``a retrieval LCS``, ``an answer F1``."""
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def pages_of(count: int) -> str:
    """``1 page``, ``1,200 pages``."""
    return counted(count, "page")


def listed(parts: Sequence[str]) -> str:
    """``a``; ``a and b``; ``a, b and c``; empty without any."""
    *first, last = parts or ("",)
    return f"{', '.join(first)} and {last}" if first else last


def family(n: int, of: str = "of this table") -> str:
    """``p and intervals: the 12 comparisons of this table together``: the family of a test."""
    many = f"the {n} comparisons {of} together" if n != 1 else f"one comparison {of}"
    return f"p and intervals: {many}"


LETTERS = "Conditions that share a letter do not differ significantly (sign flips of documents)."


def letters_line(results: Iterable[Ties]) -> str:
    """The caption of letters for ties or, if no condition has one, why; empty without results."""
    every = list(results)
    if any(each.are_tested for each in every):
        return LETTERS
    return f"No letters for ties: {every[0].reason}." if every else ""


def printed_letters(results: Iterable[Ties]) -> str:
    """:func:`letters_line` for a terminal: nothing where only one condition could have a letter."""
    every = list(results)
    return "" if all(each.reason == ONE_CONDITION for each in every) else letters_line(every)


def letters_part(results: Iterable[Ties]) -> str:
    """:func:`letters_line` as one of several parts of a caption."""
    line = letters_line(results)
    return line[:1].lower() + line[1:].removesuffix(".")


def add_letters(text: str, letters: object) -> str:
    """A number, with its letters behind it if it has any: ``0.761 ab``."""
    return f"{text} {letters}" if isinstance(letters, str) and letters else text


def rounded_up(number: float) -> str:
    """To two significant digits, upwards: ``1,700`` for 1,613."""
    unit = 10 ** max(0, math.floor(math.log10(number)) - 1)
    return f"{math.ceil(number / unit - 1e-9) * unit:,}"
