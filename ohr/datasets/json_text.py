"""Parses JSON from outside into text that can be written again as UTF-8."""

from __future__ import annotations

import json
import re
from typing import Any

from ohr.decoding import decoded

_ESCAPED = re.compile(r"\\u[dD][89a-fA-F]")
_HALF = re.compile("[\ud800-\udfff]")


def parse_json(data: bytes | str) -> Any:
    """The value of a JSON text, bytes being UTF-8, or what their byte-order mark says.

    Half a surrogate pair, which JSON can hold and UTF-8 cannot, is U+FFFD. Raises ValueError, for
    bytes that are no text UndecodableError, and RecursionError.
    """
    text = data if isinstance(data, str) else decoded(data)
    value = json.loads(text)
    if _ESCAPED.search(text):  # perhaps whole pairs: those are one character when they are parsed
        value = json.loads(_HALF.sub("\ufffd", json.dumps(value, ensure_ascii=False)))
    return value
