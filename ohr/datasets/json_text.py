"""Parses JSON from outside into text that can be written again as UTF-8."""

from __future__ import annotations

import json
import re
from typing import Any

_ESCAPED = re.compile(r"\\u[dD][89a-fA-F]")
_HALF = re.compile("[\ud800-\udfff]")


def parse_json(data: bytes | str) -> Any:
    """The value of a JSON text, bytes being UTF-8 with or without a mark of byte order.

    What is no UTF-8 is U+FFFD, and so is half a surrogate pair, which JSON can hold and UTF-8
    cannot. Raises ValueError and RecursionError.
    """
    text = data if isinstance(data, str) else data.decode("utf-8-sig", "replace")
    value = json.loads(text)
    if _ESCAPED.search(text):  # perhaps whole pairs: those are one character when they are parsed
        value = json.loads(_HALF.sub("\ufffd", json.dumps(value, ensure_ascii=False)))
    return value
