"""Patterns for the start of a line: headings and list marks."""

from __future__ import annotations

import re

HEADING = re.compile(r"^ {0,3}#{1,6}(?=[ \t]|$)[ \t]*", re.MULTILINE)
"""A Markdown heading's mark, with the space after it."""
LIST_MARKS = r"(?:(?:[-+*>•◦▪●■□–]|\d{1,9}[.)]|\(?[a-zA-Z]{1,3}[.)]|\(\d{1,3}\))[ \t]+)++"
"""One or more marks of list items or quotations, such as ``- ``, ``1. ``, ``(iv) ``, ``> ``."""
LIST_MARK = re.compile(rf"^[ \t]*{LIST_MARKS}", re.MULTILINE)
"""The same at the start of a line."""
