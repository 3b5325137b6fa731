"""Tools and turns in words, for models whose templates know neither, and calls in what they write.

The form of a call is JSON, ``{"name": …, "arguments": {…}}``, alone or between the tags
``<tool_call>`` that Qwen and Hermes were trained on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ohr.models.replies import without_thoughts
from ohr.plugins import Message, ToolCall
from ohr.plugins.chat import Role

_TAGGED = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL)
_FENCE = re.compile(r"\A```\w*\n(.*?)\n?```\Z", re.DOTALL)
_NAME = re.compile(r'"(?:name|function)"\s*:\s*"([^"\\]{1,64})"')
_FRAME = re.compile(
    r"<(?=/?(?:tool_call|tool_response|tool_result|tools|think|answer)\b)|<(?=\|)|\[(?=/?[A-Z_]+\])"
)
_DECODER = json.JSONDecoder()


def defused(text: str) -> str:
    """The text with a space in what frames turns and calls in common templates."""
    return _FRAME.sub(lambda match: f"{match[0]} ", text)


def in_words(
    messages: Sequence[Message],
    tools: Sequence[Mapping[str, Any]] = (),
    schema: Mapping[str, Any] | None = None,
) -> list[Message]:
    """The conversation with nothing but text: tools and schema in the system message, calls and
    their results as the assistant's and the user's words. Roles alternate after the system's.
    """
    first = messages[0].text if messages and messages[0].role == "system" else ""
    rest = list(messages[1:] if messages and messages[0].role == "system" else messages)
    parts = [first, _described(tools) if tools else "", _shape(schema) if schema else ""]
    system = "\n\n".join(part for part in parts if part)
    called = {call.id: call.name for message in messages for call in message.calls}
    told: list[Message] = [Message("system", system)] if system else []
    for message in rest:
        text = message.text
        if message.calls:
            text = "\n".join(filter(None, [text, *map(_written, message.calls)]))
        if message.role == "tool":
            text = f"Result of {called.get(message.call_id, 'the tool')}:\n{text}"
        role: Role = "assistant" if message.role == "assistant" else "user"
        if told and told[-1].role == role:
            told[-1] = Message(role, f"{told[-1].text}\n\n{text}")
        else:
            told.append(Message(role, text))
    return told


def with_schema(messages: Sequence[Message], schema: Mapping[str, Any] | None) -> list[Message]:
    """The conversation, its system message saying what JSON is wanted."""
    if schema is None:
        return list(messages)
    if messages and messages[0].role == "system":
        return [Message("system", f"{messages[0].text}\n\n{_shape(schema)}"), *messages[1:]]
    return [Message("system", _shape(schema)), *messages]


def calls_in(written: str, names: Collection[str]) -> tuple[str, tuple[ToolCall, ...]]:
    """What a model wrote beside its calls, and the calls; ``names``: of the tools it was offered.

    A call that is broken JSON is one none the less, with what was written as its arguments.
    """
    text = without_thoughts(written).strip()
    if not names:
        return text, ()
    if tagged := _TAGGED.findall(text):
        found = [call for body in tagged for call in (_calls_of(body, ()) or [_broken(body)])]
        return _TAGGED.sub("", text).strip(), _numbered(found)
    fenced = _FENCE.match(text)
    body = fenced[1].strip() if fenced else text
    if body.startswith(("{", "[")):
        found = _calls_of(body, ())
        named = _NAME.search(body)
        if not found and named and named[1] in names:
            found = [_broken(body)]
        if found:
            return "", _numbered(found)
    found = _calls_of(text, names)
    return ("", _numbered(found)) if found else (text, ())


def _calls_of(text: str, names: Collection[str]) -> list[ToolCall]:
    """Calls among the JSON values of a text; of the named tools alone where names are given."""
    calls = []
    for value in _json_values(text):
        for one in value if isinstance(value, list) else [value]:
            call = _call(one)
            if call is not None and (not names or call.name in names):
                calls.append(call)
    return calls


def _json_values(text: str) -> Iterator[Any]:
    at, tries = 0, 0
    while tries < 64 and (opening := re.compile(r"[{\[]").search(text, at)):
        tries += 1
        try:
            value, at = _DECODER.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            at = opening.end()
            continue
        yield value


def _call(value: Any) -> ToolCall | None:
    if isinstance(value, Mapping) and isinstance(value.get("function"), Mapping):
        value = value["function"]
    if not isinstance(value, Mapping):
        return None
    name = value.get("name", value.get("function"))
    arguments = value.get("arguments", value.get("parameters"))
    if not isinstance(name, str) or arguments is None:
        return None
    return ToolCall(name, arguments if isinstance(arguments, str) else json.dumps(arguments))


def _broken(body: str) -> ToolCall:
    named = _NAME.search(body)
    return ToolCall(named[1] if named else "", body.strip())


def _numbered(calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    return tuple(
        ToolCall(call.name, call.arguments, f"call_{number}") for number, call in enumerate(calls)
    )


def _written(call: ToolCall) -> str:
    return json.dumps({"name": call.name, "arguments": call.object()}, ensure_ascii=False)


def _described(tools: Sequence[Mapping[str, Any]]) -> str:
    lines = [json.dumps(tool.get("function", tool), ensure_ascii=False) for tool in tools]
    form = '{"name": "the tool\'s name", "arguments": {"its argument": "a value"}}'
    return "\n".join(
        [
            "You can use these tools, each described by a line of JSON:",
            *lines,
            f"To use one, write nothing but a JSON object of this form: {form}",
            "Its result is then given to you. Use one tool at a time.",
        ]
    )


def _shape(schema: Mapping[str, Any]) -> str:
    described = json.dumps(schema, ensure_ascii=False)
    return f"Write nothing but one JSON object that this schema describes: {described}"
