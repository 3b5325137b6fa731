r"""Alternative answers in one field, separated by bars: ``12 euros | EUR 12``.

A bar within a formula, ``$|x|$`` or ``\(|x|\)``, does not separate.
"""

from __future__ import annotations

import re
from itertools import pairwise

# As in Pandoc: no space after the opening dollar nor before the closing one, and no digit after
# it, so that "$5 | $6" is two prices.
_FORMULA = re.compile(
    r"\$\$[^$]+\$\$|(?<!\\)\$(?=\S)((?:[^$\\]|\\.)+)(?<=\S)(?<!\\)\$(?!\d)"
    r"|\\\((?:(?!\\\().)*?\\\)|\\\[(?:(?!\\\[).)*?\\\]",
    re.DOTALL,
)
_PRICE = re.compile(r"\$\s*[\d.,]*\d|\d\s*\$")


def alternatives(field: str) -> tuple[str, ...]:
    """The alternatives of a field, without empty ones."""
    return tuple(part for part in map(str.strip, _parts(field)) if part)


def doubt(field: str) -> str:
    """Why a field may mean something else than :func:`alternatives` returns; empty if it is clear.

    Reasons are a single dollar sign that is no price, a formula with a bar that may be two prices,
    and a text between two bars.
    """
    if "|" not in field:
        return ""
    bare = field.strip()
    if len(bare) > 2 and bare[0] == bare[-1] == "|" and len(alternatives(bare)) == 1:
        return "the bars round it are left out"
    if any(part.count("$") % 2 and not _PRICE.search(part) for part in _parts(field)):
        return "its dollar signs are not in pairs"
    if any("|" in match[0] and match[0][1:2].isdigit() for match in _formulas(field)):
        return "what is between its dollar signs is taken for a formula"
    return ""


def one_alternative(answer: str) -> str:
    """An answer as a field with it as the only alternative: bars become slashes if needed."""
    return answer if alternatives(answer) == (answer.strip(),) else answer.replace("|", "/")


def _formulas(field: str) -> list[re.Match[str]]:
    """The formulas of a field. With a bar at one edge only it is none: ``5$|6$`` is two prices."""
    return [
        match
        for match in _FORMULA.finditer(field)
        if not match[1] or match[1].startswith("|") == match[1].endswith("|")
    ]


def _parts(field: str) -> list[str]:
    """The field split at each bar outside its formulas."""
    signs = list(field)
    for match in _formulas(field):
        signs[match.start() : match.end()] = " " * (match.end() - match.start())
    edges = [-1, *(index for index, sign in enumerate(signs) if sign == "|"), len(field)]
    return [field[start + 1 : end] for start, end in pairwise(edges)]
