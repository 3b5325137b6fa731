"""Where the characters of one text stand in another."""

from __future__ import annotations

from rapidfuzz.distance import Levenshtein


def character_places(expected: str, read: str) -> tuple[list[int], list[int]]:
    """Where each character of the truth begins in the output, and how many before it are equal."""
    places = [0] * (len(expected) + 1)
    equal = [0] * (len(expected) + 1)
    count = 0
    for code in Levenshtein.opcodes(expected, read):
        length, other = code.src_end - code.src_start, code.dest_end - code.dest_start
        for step in range(length):
            position = code.src_start + step
            places[position] = code.dest_start + (step if other else 0)
            equal[position] = count
            if code.tag == "equal" and expected[position] != " ":
                count += 1
        if not length:
            continue
        places[code.src_end] = code.dest_end
        equal[code.src_end] = count
    return places, equal
