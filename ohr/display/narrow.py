"""Tables and sentences that fit a width: no line is longer, no number is cut."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from rich.console import Console
from rich.measure import Measurement
from rich.table import Column, Table
from rich.text import Text

_PLAIN: dict[str, Any] = {"highlight": False, "markup": False, "emoji": False}
_GAP = 2
"""Spaces between columns."""
_LEAST = 8
"""Characters of a column whose words must be cut."""
_LABELS = 0.6
"""Of a table's width: columns that stand in each of its parts have at most so much."""
_WHOLE = re.compile(
    r"\[[^\[\]]*\d[^\[\]]*\]|\(?−?[\d.,]*\d(?: %)? to −?\d[\d.,]*(?: %)?\)?"
    r"|\d+ %|\bp [<\d][\d.]*|^\S*\d [a-z]{1,4}$"
)
"""An interval, a share, a p or a number with its letters: no line breaks inside."""
_SPACE = "\ue000"
"""Stands for a space inside these while lines are broken."""


def narrow_text(table: Table, width: int, console: Console | None = None) -> str:
    """A table's lines, of at most ``width`` characters.

    Cells are wrapped between words, never inside an interval. Numbers that do not fit beside the
    others stand in a further table below, with the same first columns; words that still do not fit
    are cut, which loses no character.
    """
    table = _keep_intervals_whole(table)
    measured = Console(**_PLAIN, width=width)
    sizes = [_size(measured, column) for column in table.columns]
    words = [size.minimum for size in sizes]
    n_labels = _repeated([column.justify == "right" for column in table.columns], words, width)
    least = _least_widths(words, n_labels, width)
    texts: list[str] = []
    for group in _groups(least, n_labels, width):
        part = copy(table)
        chosen = [replace(table.columns[place], _index=n) for n, place in enumerate(group)]
        part.columns = chosen
        part.title = table.title if not texts else None
        longest = [sizes[place].maximum for place in group]
        for column, cells in zip(chosen, group, strict=True):
            column._cells = table.columns[cells]._cells
        _set_widths(chosen, [least[place] for place in group], longest, width)
        texts.append(_printed(part, width, console))
    return "\n".join(texts)


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """The lines of a text, indented, wrapped between words; none for an empty one."""
    lines = _WHOLE.sub(_keep, text).splitlines()
    parts = [
        part
        for line in lines
        for part in textwrap.wrap(
            line,
            width,
            initial_indent=indent,
            subsequent_indent=indent,
            break_on_hyphens=False,
            break_long_words=False,
        )
        or [""]
    ]
    return [part.replace(_SPACE, " ") for part in parts]


def _keep(match: re.Match[str]) -> str:
    return match[0].replace(" ", _SPACE)


def _keep_intervals_whole(table: Table) -> Table:
    """A copy of a table, whose intervals have no space at which a line could break."""
    whole = copy(table)
    whole.columns = [
        replace(
            column,
            header=_whole(column.header),
            _cells=[_whole(cell) for cell in column.cells],
            overflow="fold",
        )
        for column in table.columns
    ]
    return whole


def _whole(cell: Any) -> Any:
    if isinstance(cell, str):
        return _WHOLE.sub(_keep, cell)
    if isinstance(cell, Text):
        cell = cell.copy()
        cell.plain = _WHOLE.sub(_keep, cell.plain)
    return cell


def _size(console: Console, column: Column) -> Measurement:
    """The widths of a column's longest word and of its longest line; where lines may not break,
    both are the latter's.
    """
    options = console.options.update(width=10_000)
    cells = (column.header, *column.cells)
    sizes = [Measurement.get(console, options, cell) for cell in cells]
    longest = max(size.maximum for size in sizes)
    return Measurement(longest if column.no_wrap else max(s.minimum for s in sizes), longest)


def _repeated(are_numbers: Sequence[bool], words: Sequence[int], width: int) -> int:
    """How many columns stand in each part of a table: the texts on the left, if they leave room.

    Without a number it is the first.
    """
    n_labels = next((n for n, is_number in enumerate(are_numbers) if is_number), 1)
    while n_labels > 1 and sum(words[:n_labels]) + _GAP * n_labels > _LABELS * width:
        n_labels -= 1
    return n_labels


def _least_widths(words: Sequence[int], n_labels: int, width: int) -> list[int]:
    """How narrow each column may get: its longest word, unless that leaves no room for the rest.

    The widest labels are made narrower first, so that the widest number stands beside them.
    """
    least = list(words)
    numbers = max(least[n_labels:], default=-_GAP)
    while sum(least[:n_labels]) + _GAP * n_labels + numbers > width:
        widest = max(range(n_labels), key=least.__getitem__, default=None)
        if widest is None or least[widest] <= _LEAST:
            break
        least[widest] -= 1
    room = max(_LEAST, width - sum(least[:n_labels]) - _GAP * n_labels)
    return [size if n < n_labels else min(size, room) for n, size in enumerate(least)]


def _groups(least: Sequence[int], n_labels: int, width: int) -> list[list[int]]:
    """The columns of each table: the labels, and as many of the others as fit."""
    labels = list(range(n_labels))
    groups = [list(labels)]
    for place in range(n_labels, len(least)):
        used = sum(least[each] + _GAP for each in groups[-1])
        if len(groups[-1]) > n_labels and used + least[place] > width:
            groups.append(list(labels))
        groups[-1].append(place)
    return groups


def _set_widths(
    columns: Sequence[Column], least: Sequence[int], longest: Sequence[int], width: int
) -> None:
    """Give each column its least width, and the rest of the room to those that have to wrap."""
    spare = width - sum(least) - _GAP * (len(columns) - 1)
    wanting = [max(0, most - few) for few, most in zip(least, longest, strict=True)]
    share = min(1.0, max(0, spare) / max(sum(wanting), 1))
    for column, few, more in zip(columns, least, wanting, strict=True):
        column.width = few + int(share * more)
        column.no_wrap = False


def _printed(table: Table, width: int, console: Console | None) -> str:
    """A table's lines, without spaces at their ends."""
    printer = console or Console(**_PLAIN, width=width, color_system=None)
    with printer.capture() as capture:
        printer.print(table, crop=False, width=width)
    lines = capture.get().replace(_SPACE, " ").splitlines()
    return "".join(f"{line.rstrip()}\n" for line in lines)
