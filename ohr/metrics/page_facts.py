"""Facts about a page that are true or false of its text, as olmOCR-Bench states them.

A fact is a JSON object with a ``type``: ``present`` and ``absent`` (``text``), ``order``
(``before``, ``after``), ``table`` (``cell`` and what is ``up``, ``down``, ``left`` or ``right`` of
it, or its ``top_heading`` and ``left_heading``), ``math`` (``math``, LaTeX). ``max_diffs``: the
characters that may differ. Poznanski et al. 2025, arXiv 2502.18443; this is code of our own, and
formulas are compared by canonical LaTeX where theirs are rendered.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from rapidfuzz import fuzz

from ohr.markup.page import read_page
from ohr.markup.strip import strip_markup
from ohr.markup.tables import Cell, ParsedTable
from ohr.metrics.approximate import match_starts
from ohr.metrics.formulas import find_formulas, formula_tokens

NEIGHBOURS = ("up", "down", "left", "right", "top_heading", "left_heading")
FIELDS: dict[str, tuple[str, ...]] = {
    "present": ("text",),
    "absent": ("text",),
    "order": ("before", "after"),
    "table": ("cell",),
    "math": ("math",),
}
"""Type of fact -> the texts that it needs."""
LEAST_ALIKE = 0.5
"""A cell that is less like a text is another cell, however many characters may differ."""
_OPTIONAL = ("max_diffs", "case_sensitive", "first_n", "last_n", *NEIGHBOURS)
_SPACES = re.compile(r"\s+")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_STYLE_TAG = re.compile(r"</?(?:b|i|strong|em)>", re.IGNORECASE)
_STYLED = re.compile(r"(\*\*|__|\*|_)(?=\S)(.+?)(?<=\S)\1")
_SIGNS = str.maketrans(
    dict.fromkeys("‘’‚", "'") | dict.fromkeys("“”„", '"') | dict.fromkeys("‐‑‒–—−", "-")
    | {"＿": "_", "µ": "μ"}
)  # fmt: skip


def make_fact(values: Mapping[str, Any]) -> str:
    """A fact as canonical JSON, with what it needs and nothing else. Raises ValueError."""
    if not isinstance(values, Mapping):
        raise ValueError("a fact is an object with a type")
    kind = values.get("type")
    if not isinstance(kind, str) or kind not in FIELDS:
        raise ValueError(f"type is {kind!r}; known: {', '.join(FIELDS)}")
    fact: dict[str, Any] = {"type": kind}
    for name in (*FIELDS[kind], *_OPTIONAL):
        value = values.get(name)
        if value in (None, ""):
            continue
        expected = bool if name == "case_sensitive" else int if name in _OPTIONAL[:4] else str
        if type(value) is not expected or (isinstance(value, int) and value < 0):
            raise ValueError(f"{name} is {value!r:.60}; give {_EXPECTED[expected]}")
        fact[name] = value
    for name in FIELDS[kind]:
        if not plain_text(str(fact.get(name, ""))).strip():
            raise ValueError(f"a fact of the type {kind} needs {name}")
    if kind == "table" and not any(name in fact for name in NEIGHBOURS):
        raise ValueError(f"a fact of the type table needs one of {', '.join(NEIGHBOURS)}")
    return json.dumps(fact, ensure_ascii=False, sort_keys=True)


_EXPECTED: dict[type, str] = {bool: "true or false", int: "a number from 0", str: "a text"}


def kind_of(fact: str) -> str:
    """The type of a fact."""
    return str(_read(fact)["type"])


def is_true(fact: str, page: str) -> bool:
    """Whether a fact is true of a page text (Markdown with LaTeX)."""
    values = _read(fact)
    return _CHECKS[values["type"]](values, page)


@lru_cache(maxsize=4096)
def _read(fact: str) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(fact)
    return values


def plain_text(text: str) -> str:
    """A text as facts compare it: without bold and italic marks, in one line, with ASCII's quotes
    and hyphens.
    """
    text = _STYLE_TAG.sub("", _BREAK.sub(" ", text))
    for _ in range(2):  # bold within italic
        text = _STYLED.sub(r"\2", text)
    return _SPACES.sub(" ", unicodedata.normalize("NFC", text)).translate(_SIGNS)


@lru_cache(maxsize=8)
def _plain_page(page: str) -> str:
    return plain_text(page)


def _is_present(fact: Mapping[str, Any], page: str) -> bool:
    sought, text = plain_text(fact["text"]).strip(), _plain_page(page)
    if not fact.get("case_sensitive", True):
        sought, text = sought.lower(), text.lower()
    first, last = fact.get("first_n", 0), fact.get("last_n", 0)
    if first or last:
        text = text[:first] + (text[-last:] if last else "")
    edits = fact.get("max_diffs", 0)
    if len(text) < len(sought) - edits:  # the score is of the shorter of two texts
        return False
    least = 100 * (1 - edits / len(sought))
    return bool(fuzz.partial_ratio(sought, text) >= least - 1e-9)


def _is_absent(fact: Mapping[str, Any], page: str) -> bool:
    return not _is_present(fact, page)


def _is_in_order(fact: Mapping[str, Any], page: str) -> bool:
    edits, text = fact.get("max_diffs", 0), _plain_page(page)
    before, after = (
        match_starts(plain_text(fact[name]).strip(), text, edits) for name in ("before", "after")
    )
    return bool(before and after) and before[0] < after[-1]


def _has_cells(fact: Mapping[str, Any], page: str) -> bool:
    sides = [(name, fact[name]) for name in NEIGHBOURS if name in fact]
    return any(
        _is_alike(fact["cell"], cell, fact)
        and all(
            any(_is_alike(text, other, fact) for other in _neighbours(table, cell, side))
            for side, text in sides
        )
        for table in _tables(page)
        for cell in table.cells
    )


@lru_cache(maxsize=8)
def _tables(page: str) -> tuple[ParsedTable, ...]:
    return tuple(read_page(page).tables)


@lru_cache(maxsize=4096)
def _cell_text(content: str) -> str:
    return plain_text(strip_markup(content)).strip()


def _is_alike(text: str, cell: Cell, fact: Mapping[str, Any]) -> bool:
    sought = plain_text(text).strip()
    least = max(LEAST_ALIKE, 1 - fact.get("max_diffs", 0) / max(len(sought), 1))
    # As it is written, or without its mark-up: a fact may have a formula in its cell.
    forms = {plain_text(cell.content).strip(), _cell_text(cell.content)}
    return any(fuzz.ratio(sought, form) >= 100 * least - 1e-9 for form in forms)


def _neighbours(table: ParsedTable, cell: Cell, side: str) -> list[Cell]:
    """The cells next to a cell on one side; of headings, all that can be its heading: the first
    cell with text of its column or row, and cells marked as headings.
    """
    across = side in ("left", "right", "left_heading")
    start, end = _extent(cell, across=across)
    lane = [
        other
        for other in table.cells
        if other is not cell and _overlap(_extent(other, across=not across), cell, across=across)
    ]
    if side in ("down", "right"):
        return [other for other in lane if _extent(other, across=across)[0] == end]
    if side in ("up", "left"):
        return [other for other in lane if _extent(other, across=across)[1] == start]
    earlier = [other for other in lane if _extent(other, across=across)[1] <= start]
    with_text = [other for other in earlier if other.content.strip()]
    return with_text[:1] + [other for other in with_text[1:] if other.header]


def _extent(cell: Cell, *, across: bool) -> tuple[int, int]:
    """The columns (``across``) or rows that a cell covers, the end excluded."""
    if across:
        return cell.column, cell.column + cell.colspan
    return cell.row, cell.row + cell.rowspan


def _overlap(extent: tuple[int, int], cell: Cell, *, across: bool) -> bool:
    start, end = _extent(cell, across=not across)
    return extent[0] < end and start < extent[1]


def _has_formula(fact: Mapping[str, Any], page: str) -> bool:
    sought = formula_tokens(fact["math"])
    return any(_contains(tokens, sought) for tokens in _page_tokens(page))


@lru_cache(maxsize=8)
def _page_tokens(page: str) -> tuple[list[str], ...]:
    return tuple(formula_tokens(formula.latex) for formula in find_formulas(page))


def _contains(tokens: list[str], sought: list[str]) -> bool:
    size = len(sought)
    return any(tokens[i : i + size] == sought for i in range(len(tokens) - size + 1))


_CHECKS: dict[str, Callable[[Mapping[str, Any], str], bool]] = {
    "present": _is_present,
    "absent": _is_absent,
    "order": _is_in_order,
    "table": _has_cells,
    "math": _has_formula,
}
