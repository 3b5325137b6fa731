"""Reads values in data from outside as text, as lists of texts and as page numbers.

Every dataset reader uses these. A value of another type raises ValueError, which the reader turns
into a line of its report. Converted to text, a dictionary, ``True`` or ``NaN`` would be a gold
answer that no engine can give.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

MOST_PAGES = 1_000_000
_SHOWN = 40
_WHOLE = re.compile(r"\s*(\d{1,9})(?:\.0*)?\s*")
_SQUAD = frozenset({"text", "answer_start", "answer_end", "answer_id"})
"""Keys of an answer in the form of SQuAD; only ``text`` is needed."""


def text_of(value: Any, field: str) -> str:
    """A string unchanged, a number as people write it (900.0 is ``900``), null as empty text.

    ``field`` names the value in the error. Raises ValueError for anything else, also for booleans,
    NaN and infinity.
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, float) and math.isfinite(value):
        return str(int(value)) if value.is_integer() else repr(value)
    raise ValueError(f"{field} is {described(value)}; give a string or a number")


def texts_of(value: Any, field: str) -> tuple[str, ...]:
    """One text, or a flat list of texts in order; null is one empty text.

    SQuAD's form is read too: ``{"text": […], "answer_start": […]}``, or a list of
    ``{"text": …, "answer_start": …}``; repeated texts, which annotators often give, are dropped
    there. Raises ValueError for anything else, also for a list within a list.
    """
    if _is_squad(value):
        return tuple(dict.fromkeys(texts_of(value["text"], field)))
    if not isinstance(value, list | tuple):
        return (text_of(value, field),)
    if value and all(map(_is_squad, value)):
        return tuple(dict.fromkeys(text for item in value for text in texts_of(item, field)))
    return tuple(text_of(item, f"{field}[{place}]") for place, item in enumerate(value))


def name_of(value: Any, field: str) -> str:
    """A text that names something, such as an ID. Raises ValueError, also for an empty text."""
    name = text_of(value, field)
    if not name.strip():
        raise ValueError(f"{field} is empty")
    return name


def page_number_of(value: Any, field: str) -> int:
    """A page number from 0 on: a whole number, also as 3.0 or ``"3"``.

    Raises ValueError for anything else, also for a fraction, a boolean, and a number below 0 or
    above a million.
    """
    written = value if isinstance(value, str) else text_of(value, field)
    whole = _WHOLE.fullmatch(written)
    if whole is None or int(whole[1]) > MOST_PAGES:
        raise ValueError(
            f"{field} is {described(value)}; a page number is whole, 0 or more, and at most a "
            "million"
        )
    return int(whole[1])


def grade_of(value: Any, field: str) -> float:
    """A finite number, also as text. Raises ValueError for anything else."""
    text = text_of(value, field)
    try:
        grade = float(text)
    except ValueError:
        raise ValueError(f"{field} is {described(value)}; give a number") from None
    if not math.isfinite(grade):
        raise ValueError(f"{field} is {described(value)}; give a number")
    return grade


def page_numbers_of(value: Any, field: str) -> list[int]:
    """One page number, or a flat list of them, as a list. Raises ValueError."""
    return [page_number_of(number, field) for number in listed(value)]


def listed(value: Any) -> Sequence[Any]:
    """A list unchanged, and anything else as a list of one."""
    return value if isinstance(value, list | tuple) else [value]


def rows_of(value: Any) -> list[Any]:
    """Rows from a list of rows, or from columns as in tables of the Hub.

    ``{"a": [1, 2], "b": [3, 4]}`` is ``[{"a": 1, "b": 3}, {"a": 2, "b": 4}]``, and so is the form
    of pandas, ``{"a": {"0": 1, "1": 2}, …}``. Null is no rows. Raises ValueError for columns of
    unequal length, and for anything else.
    """
    if value is None:
        return []
    if isinstance(value, list | tuple):
        return list(value)
    if not isinstance(value, Mapping):
        raise ValueError(f"{described(value)} where rows are expected")
    columns = {
        name: list(column.values()) if isinstance(column, Mapping) else column
        for name, column in value.items()
    }
    for name, column in columns.items():
        if not isinstance(column, list | tuple):
            raise ValueError(f"{name} is {described(column)} where a column is expected")
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"columns of unequal length: {lengths}")
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _is_squad(value: Any) -> bool:
    return isinstance(value, Mapping) and "text" in value and value.keys() <= _SQUAD


def described(value: Any) -> str:
    """The type and the beginning of a value: ``the boolean true``, ``the list ['a']``."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"the boolean {str(value).lower()}"
    if isinstance(value, float) and not math.isfinite(value):
        return f"no number ({value})"
    kinds = {dict: "dictionary", list: "list", str: "text", int: "number", float: "number"}
    text = repr(value)
    short = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    return f"the {kinds.get(type(value), type(value).__name__)} {short}"


def reason_of(error: Exception) -> str:
    """The reason of an error for a report; a KeyError becomes the name of the missing field."""
    return f"no {error}" if isinstance(error, KeyError) else str(error)
