"""An HTML page with texts before and after formatting noise, and the edits marked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jinja2
from rapidfuzz.distance import Levenshtein

from ohr.files.safe_text import plain

_TEMPLATES = jinja2.Environment(
    loader=jinja2.PackageLoader("experiments.noisy"), autoescape=True, trim_blocks=True
)


@dataclass(frozen=True)
class Piece:
    """A piece of text, and whether it differs from the other side."""

    text: str
    changed: bool


@dataclass(frozen=True)
class Comparison:
    """A page under one noise: its pieces before and after, and the number of edits."""

    noise: str
    before: tuple[Piece, ...]
    after: tuple[Piece, ...]
    edits: int


@dataclass(frozen=True)
class ShownPage:
    """A page under every noise."""

    title: str
    comparisons: tuple[Comparison, ...]


def compare(noise: str, before: str, after: str, record: Mapping[str, Any]) -> Comparison:
    """Cut both texts at the edits of the record, or at their differences without any."""
    edits = list(_recorded_edits(before, after, record) or _differences(before, after))
    left_side, right = [], []
    position, to = 0, 0
    for start, removed, inserted in edits:
        left_side += [Piece(before[position:start], False), Piece(removed, True)]
        right += [Piece(after[to : to + start - position], False), Piece(inserted, True)]
        to += start - position + len(inserted)
        position = start + len(removed)
    left_side.append(Piece(before[position:], False))
    right.append(Piece(after[to:], False))
    return Comparison(noise, _shown(left_side), _shown(right), len(edits))


def _shown(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """The pieces that are not empty, with changed line breaks made visible."""
    return tuple(
        Piece(piece.text.replace("\n", "↵\n") if piece.changed else piece.text, piece.changed)
        for piece in pieces
        if piece.text
    )


Edits = list[tuple[int, str, str]]


def _recorded_edits(before: str, after: str, record: Mapping[str, Any]) -> Edits:
    """The edits of a record that lists them as ``[at, removed, inserted]``, if they fit."""
    edits = [(int(position), str(old), str(new)) for position, old, new in record.get("edits", ())]
    pieces, end = [], 0
    for position, old, new in edits:
        if before[position : position + len(old)] != old:
            return []
        pieces += [before[end:position], new]
        end = position + len(old)
    return edits if "".join([*pieces, before[end:]]) == after else []


def _differences(before: str, after: str) -> Iterator[tuple[int, str, str]]:
    for change in Levenshtein.opcodes(before, after):
        if change.tag != "equal":
            yield (
                change.src_start,
                before[change.src_start : change.src_end],
                after[change.dest_start : change.dest_end],
            )


def render_comparison(title: str, noises: Sequence[str], pages: Sequence[ShownPage]) -> str:
    """The whole page as HTML, with all texts escaped and nothing loaded from elsewhere."""
    html: str = _TEMPLATES.get_template("before_after.html").render(
        title=plain(title), noises=[plain(noise) for noise in noises], pages=pages
    )
    return html
