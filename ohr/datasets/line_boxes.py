"""Reads files of transcribed lines with their boxes, and joins lines to rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rapidfuzz import fuzz

from ohr.datasets.json_text import parse_json
from ohr.datasets.values import described
from ohr.documents.page_layout import box_of
from ohr.files.decoding import decoded
from ohr.types import Line

CORNERS = 8
"""Numbers before the text of a line of SROIE: x and y of four corners, clockwise."""
SHARE = 0.5
"""Two lines stand in one row if they share this much of the height of the lower one."""
SAME_PLACE = 0.6
"""Two boxes that share this much of the smaller one's width and height are at the same place ..."""
ALIKE = 60.0
"""... and lines there with at least this similarity, of 100 (rapidfuzz's partial ratio), are one
line that was transcribed twice."""


def lines_of(data: bytes, suffix: str) -> list[Line]:
    """The lines of a file, in its order.

    ``.json``: a list of ``[x, y, width, height, text]`` in pixels. Otherwise SROIE's form, a line
    ``x1,y1,x2,y2,x3,y3,x4,y4,text`` for each. Lines without a letter, digit or sign are left out.
    Raises ValueError, which names the first entry that is no line.
    """
    entries = _json_entries(data) if suffix == ".json" else _csv_entries(data)
    return [line for line in entries if line.text]


def _json_entries(data: bytes) -> Iterator[Line]:
    content = parse_json(data)
    if not isinstance(content, list):
        raise ValueError(f"{described(content)} where a list of lines is expected")
    for number, entry in enumerate(content):
        match entry:
            case [int() | float() as x, int() | float() as y, int() | float() as width,
                  int() | float() as height, str() as text]:  # fmt: skip
                yield _line(text, [(x, y), (x + width, y + height)], f"entry {number}")
            case _:
                raise ValueError(
                    f"entry {number} is {described(entry)}, not [x, y, width, height, text]"
                )


def _csv_entries(data: bytes) -> Iterator[Line]:
    for number, written in enumerate(decoded(data).splitlines(), 1):
        if not written.strip():
            continue
        parts = written.split(",", CORNERS)
        try:
            values = [float(part) for part in parts[:CORNERS]]
        except ValueError:
            values = []
        if len(values) < CORNERS or len(parts) <= CORNERS:
            raise ValueError(f"line {number} does not have {CORNERS} numbers and a text")
        corners = list(zip(values[::2], values[1::2], strict=True))
        yield _line(parts[CORNERS], corners, f"line {number}")


def _line(text: str, corners: list[tuple[float, float]], where: str) -> Line:
    box = box_of(corners)
    if box is None:
        raise ValueError(f"{where} has a box without an area")
    return Line(" ".join(text.split()), box)


def drop_repeated(lines: Sequence[Line]) -> list[Line]:
    """The lines without those that transcribe a line, or a part of it, again at the same place."""
    return [
        line
        for place, line in enumerate(lines)
        if not any(
            _is_again(line, other)
            and (len(line.text) < len(other.text) or (len(line.text) == len(other.text) and first))
            for first, other in _rest(lines, place)
        )
    ]


def _rest(lines: Sequence[Line], place: int) -> Iterator[tuple[bool, Line]]:
    """The other lines, and whether each comes first."""
    for number, other in enumerate(lines):
        if number != place:
            yield number < place, other


def _is_again(line: Line, other: Line) -> bool:
    return (
        _shared(line, other, 0) >= SAME_PLACE
        and _shared(line, other, 1) >= SAME_PLACE
        and fuzz.partial_ratio(line.text, other.text) >= ALIKE
    )


def rows_of(lines: Sequence[Line]) -> list[list[Line]]:
    """The rows of a page from top to bottom, each from left to right.

    A line joins the row above it if it shares the height of that row's lowest line by
    :data:`SHARE`, and stands under none of the row's lines.
    """
    rows: list[list[Line]] = []
    for line in sorted(lines, key=_middle):
        if (
            rows
            and _shared(line, rows[-1][-1], 1) >= SHARE
            and all(_shared(line, other, 0) < SHARE for other in rows[-1])
        ):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.box[0]) for row in rows]


def text_of_rows(lines: Sequence[Line]) -> str:
    """The page's text: a space between the lines of a row, a line break between rows."""
    return "\n".join(" ".join(line.text for line in row) for row in rows_of(lines))


def _middle(line: Line) -> float:
    return (line.box[1] + line.box[3]) / 2


def _shared(line: Line, other: Line, axis: int) -> float:
    """What two lines share across (0) or down (1) the page, of the shorter of the two."""
    first, second = line.box, other.box
    both = min(first[axis + 2], second[axis + 2]) - max(first[axis], second[axis])
    return both / min(box[axis + 2] - box[axis] for box in (first, second))
