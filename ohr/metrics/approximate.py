"""Where a text occurs in another with at most some edits.

Myers, "A fast bit-vector algorithm for approximate string matching based on dynamic programming"
(1999): linear in the text for any length of the pattern, since Python's integers have no width.
"""

from __future__ import annotations


def match_starts(pattern: str, text: str, edits: int) -> list[int]:
    """Where substrings of ``text`` begin that are at most ``edits`` insertions, deletions and
    substitutions away from ``pattern``, in order.

    Of neighbouring starts, which a single occurrence gives, the one with the fewest edits counts,
    the first of several.
    """
    distances = _end_distances(pattern[::-1], text[::-1])[::-1]  # by start, in the text
    starts: list[int] = []
    run: list[int] = []
    for place, distance in enumerate([*distances, edits + 1]):
        if distance <= edits:
            run.append(place)
        elif run:
            starts.append(min(run, key=lambda start: distances[start]))
            run = []
    return starts


def _end_distances(pattern: str, text: str) -> list[int]:
    """The fewest edits between the pattern and any substring that ends with each character."""
    last, all_ones = 1 << len(pattern) >> 1, (1 << len(pattern)) - 1
    places: dict[str, int] = {}
    for index, character in enumerate(pattern):
        places[character] = places.get(character, 0) | 1 << index
    raised, lowered, distance = all_ones, 0, len(pattern)
    distances = []
    for character in text:
        equal = places.get(character, 0)
        diagonal = (((equal & raised) + raised) ^ raised) | equal | lowered
        up = lowered | ~(diagonal | raised) & all_ones
        down = raised & diagonal
        distance += bool(up & last) - bool(down & last)
        up, down = up << 1, down << 1
        raised = (down | ~(diagonal | up)) & all_ones
        lowered = up & diagonal & all_ones
        distances.append(distance)
    return distances
