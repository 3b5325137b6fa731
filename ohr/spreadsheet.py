"""Texts in CSV files that spreadsheets open.

What one would take for a formula begins with an apostrophe: texts come from documents, file names
and models. Numbers stay numbers.
"""

from __future__ import annotations

import re

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]inf")


def no_formula(text: str) -> str:
    """Text that no spreadsheet evaluates; :func:`as_it_was` undoes it."""
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def as_it_was(text: str) -> str:
    """Text as it was before :func:`no_formula`."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text
