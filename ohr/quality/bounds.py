"""What two outputs of a page say of each other: they cannot both be nearer to the truth than their
own distance allows.

Outputs *a* and *b* of *m* and *n* characters differ by *D* edits. Edits obey the triangle
inequality, so a truth of *t* characters is *E* and *F* edits away with E + F >= D. The errors are
e = E / max(m, t) and f = F / max(n, t), and an edit changes the length by one at most: E >= |m - t|
and F >= |n - t|. So not every pair of errors is possible, whatever the truth is. Errors themselves,
each over its longer text, do **not** obey the triangle inequality: where the truth is longer than
both outputs, outputs of equal length that differ by d have errors of d / (2 + d), not of d / 2.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from ohr.metrics import default
from ohr.quality.texts import content

__all__ = [
    "BOUNDED",
    "MOST_CHARACTERS",
    "Apart",
    "apart",
    "possible_errors",
    "read_apart",
    "write_apart",
]

BOUNDED = ("edit_distance", "edit_distance_content")
"""The errors that are bounded. A share of passages obeys no such rule."""

MOST_CHARACTERS = 100_000
"""Longer outputs are not compared: it would take minutes."""
_LEAST = 0.005
"""A smaller prediction is raised as if it were this: a share of nothing is nothing."""
_STEPS = 40
_SLACK = 1e-9


@dataclass(frozen=True)
class Apart:
    """Two outputs of a page: their edits apart, and the characters of each; mark-up is removed."""

    edits: int
    first: int
    second: int

    def allows(self, first: float, second: float) -> bool:
        """Whether any truth gives the outputs these errors, both in [0, 1], or smaller ones."""
        longest = min(_longest(self.first, first), _longest(self.second, second))
        shortest = max(self.first * (1 - first), self.second * (1 - second))
        if longest < shortest - _SLACK:
            return False
        if longest == float("inf"):
            return True
        reach = first * max(self.first, longest) + second * max(self.second, longest)
        return reach >= self.edits - _SLACK * max(1, self.edits)

    @property
    def least(self) -> float:
        """The least that the larger of the two errors can be, in [0, 1]."""
        return _smallest(lambda error: self.allows(error, error))

    def least_first(self, second: float) -> float:
        """The least error of the first output if the second's is at most ``second``."""
        return _smallest(lambda error: self.allows(error, second))

    def swapped(self) -> Apart:
        """The same with the outputs exchanged."""
        return Apart(self.edits, self.second, self.first)


def _longest(length: int, error: float) -> float:
    """The longest truth with which an output of this length can have the error."""
    return length / (1 - error) if error < 1 else float("inf")


def _smallest(holds: Callable[[float], bool]) -> float:
    """The smallest error in [0, 1] for which something holds, if it holds for all larger ones."""
    if holds(0.0):
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def apart(first: str, second: str) -> dict[str, Apart]:
    """How far two outputs are apart, for each of :data:`BOUNDED`; empty for very long ones."""
    texts = {
        "edit_distance": (first, second),
        "edit_distance_content": (content(first), content(second)),
    }
    distances = {}
    for name, pair in texts.items():
        first_text, second_text = map(default.characters, pair)
        if max(len(first_text), len(second_text)) <= MOST_CHARACTERS:
            distances[name] = Apart(
                Levenshtein.distance(first_text, second_text), len(first_text), len(second_text)
            )
    return distances


def write_apart(of: Mapping[str, Mapping[str, Apart]]) -> str:
    """How far an output is from those of other engines, by engine, as text for a table."""
    rows = {
        engine: {name: [each.edits, each.first, each.second] for name, each in pair.items()}
        for engine, pair in of.items()
    }
    return json.dumps(rows, ensure_ascii=False, sort_keys=True) if rows else ""


def read_apart(text: object) -> dict[str, dict[str, Apart]]:
    """What :func:`write_apart` wrote; empty for anything else, such as NaN. Raises ValueError."""
    if not isinstance(text, str) or not text:
        return {}
    return {
        str(engine): {str(name): Apart(*map(int, counts)) for name, counts in pair.items()}
        for engine, pair in json.loads(text).items()
    }


def possible_errors(
    predicted: Mapping[str, float], pairs: Mapping[tuple[str, str], Apart]
) -> dict[str, float]:
    """Predicted errors by engine, raised until every two of them are possible together.

    Both errors of a pair that is not possible are multiplied by the same factor, the least that is
    enough: what predictions say of their ratio stays. The pair that is furthest from possible comes
    first. Nothing is lowered, and no error exceeds 1.
    """
    errors = dict(predicted)
    todo = {pair: each for pair, each in pairs.items() if set(pair) <= set(errors)}
    while todo:
        factors = {pair: _factor(errors[pair[0]], errors[pair[1]], todo[pair]) for pair in todo}
        # By name among equals, so that the order of the engines changes nothing.
        pair = max(sorted(factors), key=lambda each: factors[each])
        factor = factors[pair]
        if factor <= 1:
            break
        for engine in pair:
            errors[engine] = max(errors[engine], _raised(errors[engine], factor))
        del todo[pair]
    return errors


def _factor(first: float, second: float, pair: Apart) -> float:
    """The least factor that makes both errors possible together; 1 if they are."""
    if pair.allows(first, second):
        return 1.0
    most = 1 / max(min(first, second), _LEAST)
    share = _smallest(
        lambda step: pair.allows(*(_raised(each, most**step) for each in (first, second)))
    )
    return float(most**share)


def _raised(error: float, factor: float) -> float:
    return min(1.0, max(error, _LEAST) * factor)
