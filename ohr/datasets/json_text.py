"""Parses JSON from outside; texts in it can be written as UTF-8."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

from ohr.datasets.decoding import other_kind
from ohr.files.decoding import decoded

_ESCAPED = re.compile(r"\\u[dD][89a-fA-F]")
_HALF = re.compile("[\ud800-\udfff]")


def parse_json(data: bytes | str) -> Any:
    """The value of a JSON text; bytes are UTF-8, or UTF-16 or UTF-32 with or without a mark.

    Lone surrogates, which are possible in JSON but not in UTF-8, become U+FFFD. Raises ValueError,
    also for a repeated key in an object, UndecodableError for bytes that cannot be decoded, and
    RecursionError.
    """
    return _parsed(_text(data))


def parse_records(data: bytes | str) -> Any:
    """The value of a JSON text, or the list of values of JSON Lines.

    Raises ValueError, with the line for JSON Lines, and RecursionError.
    """
    text = _text(data)
    try:
        return _parsed(text)
    except json.JSONDecodeError as error:
        lines = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
        if len(lines) < 2 or not _is_object(lines[0][1]):
            raise
        records = []
        for number, line in lines:
            try:
                records.append(_parsed(line))
            except ValueError as broken:
                raise ValueError(f"line {number} of JSON Lines: {broken}") from error
        return records


def _is_object(line: str) -> bool:
    """Whether a line is a whole JSON object, as in JSON Lines."""
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _text(data: bytes | str) -> str:
    if isinstance(data, str):
        return data
    if kind := other_kind(data):
        raise ValueError(f"it is no JSON but {kind}")
    if (codec := json.detect_encoding(data)).endswith(("-le", "-be")):  # without a mark
        return data.decode(codec)
    return decoded(data)


def _parsed(text: str) -> Any:
    value = json.loads(text, object_pairs_hook=_each_key_once)
    if _ESCAPED.search(text):  # whole pairs became single characters when they were parsed
        value = json.loads(_HALF.sub("\ufffd", json.dumps(value, ensure_ascii=False)))
    return value


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"the key {twice!r} comes twice in one object")
    return mapping
