"""Errors that servers report inside an HTTP 200 answer, and short quotes of answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

QUOTED_CHARS = 200
"""Most characters of an answer that a message quotes."""
PASSING_KINDS = {
    "overloaded_error": 529,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "server_error": 500,
    "internal_server_error": 500,
    "service_unavailable": 503,
}
"""Names of errors that servers use instead of a number -> HTTP status."""

_KEYS: set[str] = set()
_OWN_WORDS = ("message", "detail", "msg", "error", "type", "code")


@dataclass(frozen=True)
class ErrorWithin:
    """An error that an answer reports. ``code``: its HTTP status, 0 if none is given."""

    code: int
    words: str


def hide(key: str) -> None:
    """Never quote this API key."""
    if key:
        _KEYS.add(key)


def quoted(answer: object) -> str:
    """At most :data:`QUOTED_CHARS` characters of an answer on one line, without API keys.

    Bytes and texts are quoted unchanged, anything else as JSON.
    """
    if isinstance(answer, bytes):
        text = answer.decode("utf-8", "replace")
    elif isinstance(answer, str):
        text = answer
    else:
        try:
            text = json.dumps(answer, ensure_ascii=False)
        except (TypeError, ValueError, RecursionError):
            text = f"a {type(answer).__name__}"
    text = text.encode("utf-8", "replace").decode()
    for key in sorted(_KEYS, key=len, reverse=True):  # a server may quote what it was sent
        text = text.replace(key, "[key]")
    return " ".join(text[: 64 * QUOTED_CHARS].split())[:QUOTED_CHARS]


def words_of(body: bytes) -> str:
    """The server's message in the body of an error, or the body itself."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return quoted(body)
    content = answer.get("error", answer) if isinstance(answer, Mapping) else answer
    return _words(content) or quoted(body)


def error_within(answer: object) -> ErrorWithin | None:
    """The error that the JSON of an answer reports, or None.

    ``{"error": …}``, ``{"object": "error", …}``, an ``error`` of the first choice, or a first
    choice that ended with ``finish_reason: error``.
    """
    if not isinstance(answer, Mapping):
        return None
    if answer.get("error"):
        return _within(answer["error"], answer)
    if answer.get("object") == "error":
        return _within(answer, answer)
    choices = answer.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, Mapping):
        return None
    if choice.get("error"):
        return _within(choice["error"], choice)
    if choice.get("finish_reason") == "error":
        return ErrorWithin(0, "finish_reason error")
    return None


def _within(content: object, around: Mapping[str, Any]) -> ErrorWithin:
    places = [content, around] if isinstance(content, Mapping) else [around]
    names = ("code", "status", "status_code", "type")
    codes = (_status(place.get(name)) for place in places for name in names)
    return ErrorWithin(next(filter(None, codes), 0), _words(content) or quoted(content))


def _words(content: object) -> str:
    """The first text that describes the error; empty without one."""
    if isinstance(content, str):
        return quoted(content)
    if isinstance(content, Mapping):
        for name in _OWN_WORDS:
            if isinstance(content.get(name), str) and content[name].strip():
                return quoted(content[name])
    return ""


def _status(code: object) -> int:
    """An HTTP status from 400 to 599, as a number or text; 0 for anything else."""
    if isinstance(code, str):
        code = PASSING_KINDS.get(code, int(code) if code.isascii() and code.isdigit() else 0)
    return code if type(code) is int and 400 <= code < 600 else 0
