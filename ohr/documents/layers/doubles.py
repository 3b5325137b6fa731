"""Text that is drawn twice, as a shadow or for fake bold: it is read once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from ohr.documents.layers.characters import SAME_PLACE, Characters

OVER = 0.6
"""A character lies over the one before it if it begins within this share of its width."""
LEVEL = 0.03
"""... or this far above or below, in sizes of the type."""
DOUBLE = 0.25
"""The same glyph again within this distance, in sizes of the type, is a shadow or fake bold."""


def drop_doubles(characters: Characters, chosen: np.ndarray) -> np.ndarray:
    """The chosen characters without those drawn twice: bool ``(n,)``.

    A character is a double if the same one, in the same size, is within :data:`DOUBLE`; a whole
    word must be, since letters repeat (``ll``). The one that is drawn last stays: it lies on top.
    """
    remaining = chosen.copy()
    places = np.flatnonzero(chosen & ~characters.blank)
    if len(places) < 2:
        return remaining
    near = DOUBLE * float(np.median(characters.sizes[places]))
    if near <= 0:
        return remaining
    origins = characters.origins
    twins = _twins(characters, places, near)
    shifts = {place: origins[place] - origins[twin] for place, twin in twins.items()}
    all_shifts = np.array(list(shifts.values())).reshape(-1, 2)
    for run in _runs_of(twins, characters, shifts, 0.1 * near):
        # A single letter may stand beside its like by chance; drawn at the same place, it does not,
        # nor off its line, where others are shifted alike or it lies on its like.
        shift = np.abs(shifts[run[0]])
        is_alike = np.abs(all_shifts - shifts[run[0]]).max(axis=1) <= 0.1 * near
        is_off_line = shift.min() > LEVEL * characters.sizes[run[0]]
        is_shadow = is_off_line and (is_alike.sum() >= 3 or _lies_on(characters, run[0], shift))
        if len(run) >= 3 or is_shadow or shift.max() <= 0.1 * near:
            remaining[run] = False
    return remaining


def _lies_on(characters: Characters, place: int, shift: np.ndarray) -> bool:
    """Whether a letter that is shifted so covers most of its like."""
    left_edge, bottom, right, top = characters.boxes[place].tolist()
    size = np.array([right - left_edge, top - bottom])
    return characters.texts[place].isalnum() and bool((shift < 0.25 * size).all())


def _twins(characters: Characters, places: np.ndarray, near: float) -> dict[int, int]:
    """For characters that are drawn again nearby, the one that is drawn next."""
    from scipy.spatial import cKDTree

    texts = {text: number for number, text in enumerate(dict.fromkeys(characters.texts))}
    kinds = np.array([texts[characters.texts[place]] for place in places.tolist()])
    apart = 10 * near
    spots = np.column_stack([characters.origins[places], kinds * apart])
    pairs = cKDTree(spots).query_pairs(near, p=np.inf, output_type="ndarray")
    sizes, origins = characters.sizes, characters.origins
    doubles = [
        (first, second)
        for first, second in np.sort(places[pairs], axis=1).tolist()
        if abs(sizes[first] - sizes[second]) <= 0.05 * sizes[first]
        and (second - first > 1 or _is_over(characters, first, second))
        and not _is_one_glyph(characters, first, second)
    ]
    if not doubles:
        return {}
    # Of several, the one that is shifted as most are.
    shifts = np.array([origins[second] - origins[first] for first, second in doubles])
    rounded = np.round(shifts / (0.2 * near)).astype(int)
    [(usual, _)] = Counter(map(tuple, rounded.tolist())).most_common(1)
    distances = np.abs(rounded - np.array(usual)).max(axis=1).tolist()
    twins: dict[int, tuple[int, int]] = {}
    for (first, second), distance in zip(doubles, distances, strict=True):
        twins[first] = min((distance, second), twins.get(first, (distance, second)))
    return {first: second for first, (_, second) in twins.items()}


def _is_over(characters: Characters, first: int, second: int) -> bool:
    """Whether a character lies over another, and not beside it as a letter that repeats."""
    shift = np.abs(characters.origins[second] - characters.origins[first])
    advance = np.abs(characters.ends[first] - characters.origins[first]).max()
    is_off_line = shift.min() > LEVEL * characters.sizes[first]
    return bool(shift.max() > 0 and (is_off_line or shift.max() < OVER * advance))


def _is_one_glyph(characters: Characters, first: int, last: int) -> bool:
    """Whether characters belong to one glyph, as a syllable that has a letter twice."""
    run = slice(first, last + 1)
    step = np.abs(characters.origins[run] - characters.origins[first]).max()
    is_near = step <= SAME_PLACE * characters.sizes[first]
    return bool(is_near and (characters.owners[run] == characters.owners[first]).all())


def _runs_of(
    twins: Mapping[int, int],
    characters: Characters,
    shifts: Mapping[int, np.ndarray],
    most: float,
) -> list[list[int]]:
    """Runs of characters with twins that follow one another in the file, shifted alike.

    Shifts of a run are at most ``most`` from that of its first. Blanks between them do not count,
    and neither do the twins: a line may be drawn twice letter by letter.
    """
    drawn_next = set(twins.values()) - twins.keys()
    runs: list[list[int]] = []
    for place in sorted(twins):
        before = place - 1
        while before >= 0 and (characters.blank[before] or before in drawn_next):
            before -= 1
        is_alike = runs and np.abs(shifts[place] - shifts[runs[-1][0]]).max() <= most
        if is_alike and runs[-1][-1] == before:
            runs[-1].append(place)
        else:
            runs.append([place])
    return runs
