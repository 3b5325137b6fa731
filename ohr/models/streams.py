"""Joins the parts of an answer that a server streams although it was asked not to.

Server-sent events (WHATWG HTML, 9.2) with parts of a chat completion, the same parts one a line or
in a list, and a single part in place of a completion.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

_DONE = "[DONE]"
_TEXTS = ("content", "reasoning_content", "reasoning", "thinking", "refusal")


class CutStreamError(Exception):
    """A stream that ends before its last part."""


def is_stream(body: bytes, content_type: str) -> bool:
    """Whether a body is a stream of events."""
    head = body.lstrip()[:8]
    return content_type.lower().startswith("text/event-stream") or head.startswith(
        (b"data:", b"event:", b"id:", b"retry:", b": ")
    )


def joined_events(body: bytes) -> Any:
    """The completion in a stream of events; the content of its only event if it is no completion.

    Raises CutStreamError for a stream without an end, and ValueError if it is not JSON.
    """
    parts, is_done = [], False
    for kind, data in _events(body.decode("utf-8", "replace")):
        if data.strip() == _DONE:
            is_done = True
            break
        try:
            part = json.loads(data)
        except ValueError as error:
            raise CutStreamError("a part of the stream that is not whole") from error
        parts.append({"error": part} if kind == "error" and not _has_error(part) else part)
    if not parts:
        raise CutStreamError("a stream without any part")
    return _joined(parts, is_done=is_done)


def joined_lines(body: bytes) -> Any:
    """The completion whose parts are lines of JSON. Raises ValueError for other text."""
    lines = [line for line in body.decode("utf-8", "replace").splitlines() if line.strip()]
    if len(lines) < 2:
        raise ValueError("no lines of JSON")
    parts = [json.loads(line) for line in lines if line.strip() != _DONE]
    if not all(map(_is_part, parts)):
        raise ValueError("no parts of a completion")
    return _joined(parts, is_done=lines[-1].strip() == _DONE)


def unstreamed(content: Any) -> Any:
    """JSON with the parts of a completion, in a list or one alone, as the completion.

    Anything else is returned as it is. Raises CutStreamError for parts without an end.
    """
    if isinstance(content, list) and content and all(map(_is_part, content)):
        return _joined(content, is_done=False)
    return _joined([content], is_done=False) if _is_delta(content) else content


def _events(text: str) -> list[tuple[str, str]]:
    """The kind and data of each event."""
    events, kind, data = [], "", list[str]()
    for line in [*text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), ""]:
        name, _, value = line.partition(":")
        if not line:
            if data:
                events.append((kind, "\n".join(data)))
            kind, data = "", []
        elif name == "data":
            data.append(value.removeprefix(" "))
        elif name == "event":
            kind = value.strip()
    return events


def _joined(parts: Sequence[Any], *, is_done: bool) -> Any:
    """Parts of a completion as one, with text joined, and the last of everything else."""
    if len(parts) == 1 and not _is_delta(parts[0]):
        return parts[0]
    answer: dict[str, Any] = {}
    message: dict[str, Any] = {}
    calls: dict[Any, dict[str, Any]] = {}
    reason = None
    for part in parts:
        if not isinstance(part, Mapping):
            raise ValueError("a part of the stream that is no object")
        answer |= {name: value for name, value in part.items() if value not in (None, [], {})}
        for choice in part.get("choices") or []:
            if not isinstance(choice, Mapping) or choice.get("index", 0) != 0:
                continue
            reason = choice.get("finish_reason") or reason
            if choice.get("error"):
                answer["error"] = choice["error"]
            delta = choice.get("delta")
            if not isinstance(delta, Mapping):
                delta = choice.get("message")
            if isinstance(delta, Mapping):
                _add(message, calls, delta)
            elif isinstance(choice.get("text"), str):
                _add(message, calls, {"content": choice["text"]})
    if not (reason or is_done or _has_error(answer)):
        raise CutStreamError("a stream that ends early")
    if calls:
        message["tool_calls"] = list(calls.values())
    message.setdefault("content", None)
    if not isinstance(answer.get("choices"), list) and _has_error(answer):
        return answer
    choices = [{"index": 0, "message": message, "finish_reason": reason}]
    return answer | {"object": "chat.completion", "choices": choices}


def _add(
    message: dict[str, Any], calls: dict[Any, dict[str, Any]], delta: Mapping[str, Any]
) -> None:
    """Add a part to a message and its calls of tools."""
    for name in _TEXTS:
        value = delta.get(name)
        if isinstance(value, list):  # as typed parts
            message[name] = [*_listed(message.get(name)), *value]
        elif isinstance(value, str):
            before = message.get(name, "")
            message[name] = [*before, value] if isinstance(before, list) else before + value
    for place, entry in enumerate(delta.get("tool_calls") or []):
        if not isinstance(entry, Mapping):
            continue
        call = calls.setdefault(entry.get("index", place), {"type": "function", "function": {}})
        if entry.get("id"):
            call["id"] = entry["id"]
        function = entry.get("function")
        if not isinstance(function, Mapping):
            continue
        if function.get("name"):
            call["function"]["name"] = function["name"]
        arguments = function.get("arguments")
        if isinstance(arguments, str):
            call["function"]["arguments"] = call["function"].get("arguments", "") + arguments
        elif arguments is not None:
            call["function"]["arguments"] = arguments


def _listed(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    return [value] if value else []


def _is_part(content: Any) -> bool:
    return isinstance(content, Mapping) and isinstance(content.get("choices"), list)


def _is_delta(content: Any) -> bool:
    """Whether JSON is a part of a streamed completion."""
    if not _is_part(content):
        return False
    choice = content["choices"][0] if content["choices"] else None
    return isinstance(choice, Mapping) and "delta" in choice and "message" not in choice


def _has_error(part: Any) -> bool:
    return isinstance(part, Mapping) and bool(part.get("error"))
