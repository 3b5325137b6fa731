"""A page's OCR output as edits of its truth, each of one kind, any of which can be repaired.

Both texts are cut into the same segments: words with what stands in their place, and what stands
between words. Segments that differ belong to an edit. With no edit repaired the segments give the
output, with all of them the truth, byte by byte. A passage in another order is an edit, too: its
segments move.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property

from ohr.ocr_errors.error_kinds import ErrorKind

NO_EDIT = -1
Place = tuple[int, int]


@dataclass(slots=True)
class Edit:
    """An error: its kind, how many characters are wrong, and where in the truth it is."""

    kind: ErrorKind
    characters: int = 0
    """Edits of characters, white space collapsed; for a moved passage, the characters moved."""
    start: int = 0
    end: int = 0
    """Offsets in the truth; equal for text added."""


@dataclass(slots=True)
class Segment:
    """A piece of the truth and what stands for it in the output.

    ``place`` orders segments in the output; ``move`` is the edit that moved it.
    """

    truth: str
    output: str
    edit: int
    place: Place
    move: int = NO_EDIT


@dataclass
class PageDifference:
    """The edits of a page, and the segments that they change, in the truth's order."""

    edits: list[Edit] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)

    def merged(self) -> PageDifference:
        """The same edits; equal segments that follow each other in both texts are one."""
        ranks = {number: rank for rank, number in enumerate(self._group_outputs)}
        segments: list[Segment] = []
        last = -1
        for number, each in enumerate(self.segments):
            before = segments[-1] if segments else None
            if (
                before is not None
                and before.edit == each.edit == NO_EDIT
                and before.move == each.move
                and ranks[number] == ranks[last] + 1
            ):
                text = before.truth + each.truth
                segments[-1] = Segment(text, text, NO_EDIT, before.place, before.move)
            else:
                segments.append(each)
            last = number
        return PageDifference(self.edits, segments)

    def text(self, repaired: Collection[int]) -> str:
        """The page with these edits (places in :attr:`edits`) repaired: the truth in their place.

        A space is put between two words that neither text has next to each other.
        """
        fixed = set(repaired)
        order = self._order(fixed)
        neighbours = self._neighbours
        pieces: list[str] = []
        last, end = -1, ""
        for number in order:
            segment = self.segments[number]
            is_true = segment.edit == NO_EDIT or segment.edit in fixed
            piece = segment.truth if is_true else segment.output
            if not piece:
                continue
            is_glued = end and not end.isspace() and not piece[0].isspace()
            if is_glued and last not in (neighbours[0][number], neighbours[1][number]):
                pieces.append(" ")
            pieces.append(piece)
            last, end = number, piece[-1]
        return "".join(pieces)

    def _order(self, fixed: Collection[int]) -> list[int]:
        """The segments in order: that of the output, with repaired passages put back."""
        segments = self.segments
        moved = [i for i, each in enumerate(segments) if each.move in fixed]
        ordered = [i for i in self._group_outputs if segments[i].move not in fixed]
        if not moved:
            return ordered
        # Each follows the segment before it in the truth that stays, or was put back before.
        following: dict[int, list[int]] = {}
        anchor = -1
        for i, each in enumerate(segments):
            if each.move == NO_EDIT:
                anchor = i
            elif each.move in fixed:
                following.setdefault(anchor, []).append(i)
        result = list(following.get(-1, ()))
        for i in ordered:
            result.append(i)
            if segments[i].move == NO_EDIT:
                result += following.get(i, ())
        return result

    @cached_property
    def _group_outputs(self) -> list[int]:
        return sorted(range(len(self.segments)), key=lambda i: (self.segments[i].place, i))

    @cached_property
    def _neighbours(self) -> tuple[dict[int, int], dict[int, int]]:
        """The segment before each one that is not empty, in the truth and in the output."""
        in_truth, in_output = {}, {}
        last = -1
        for i, each in enumerate(self.segments):
            in_truth[i] = last
            last = i if each.truth else last
        last = -1
        for i in self._group_outputs:
            in_output[i] = last
            last = i if self.segments[i].output else last
        return in_truth, in_output
