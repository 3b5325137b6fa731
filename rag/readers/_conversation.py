"""Conversations as plain text, for models without turns of tools, and calls in what models write.

A call is JSON, ``{"name": …, "arguments": {…}}``, alone or between the tags
``<tool_call>`` that Qwen and Hermes were trained on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ohr.models.replies import drop_thoughts
from ohr.plugins import Message, ToolCall
from ohr.plugins.chat import Role

_TAGGED = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL)
_FENCE = re.compile(r"\A```\w*\n(.*?)\n?```\Z", re.DOTALL)
_NAME = re.compile(r'"(?:name|function)"\s*:\s*"([^"\\]{1,64})"')
_FRAME = re.compile(
    r"<(?=/?(?:tool_call|tool_response|tool_result|tools|think|answer)\b)|<(?=\|)|\[(?=/?[A-Z_]+\])"
)
_DECODER = json.JSONDecoder()


def defuse(text: str) -> str:
    """The text with a space inside the marks of turns and calls in common templates."""
    return _FRAME.sub(lambda match: f"{match[0]} ", text)


def write_plain_turns(
    messages: Sequence[Message],
    tools: Sequence[Mapping[str, Any]] = (),
    schema: Mapping[str, Any] | None = None,
) -> list[Message]:
    """The conversation as text alone: tools and schema in the system message, calls and their
    results as text of the assistant and the user. After the system's, roles alternate.
    """
    system_text = messages[0].text if messages and messages[0].role == "system" else ""
    turns = list(messages[1:] if messages and messages[0].role == "system" else messages)
    parts = [
        system_text,
        _describe_tools(tools) if tools else "",
        _describe_schema(schema) if schema else "",
    ]
    system = "\n\n".join(part for part in parts if part)
    tool_names = {call.id: call.name for message in messages for call in message.calls}
    plain: list[Message] = [Message("system", system)] if system else []
    for message in turns:
        text = message.text
        if message.calls:
            text = "\n".join(filter(None, [text, *map(_write_call, message.calls)]))
        if message.role == "tool":
            text = f"Result of {tool_names.get(message.call_id, 'the tool')}:\n{text}"
        role: Role = "assistant" if message.role == "assistant" else "user"
        if plain and plain[-1].role == role:
            plain[-1] = Message(role, f"{plain[-1].text}\n\n{text}")
        else:
            plain.append(Message(role, text))
    return plain


def add_schema(messages: Sequence[Message], schema: Mapping[str, Any] | None) -> list[Message]:
    """The conversation with the schema described in its system message."""
    if schema is None:
        return list(messages)
    if messages and messages[0].role == "system":
        return [
            Message("system", f"{messages[0].text}\n\n{_describe_schema(schema)}"),
            *messages[1:],
        ]
    return [Message("system", _describe_schema(schema)), *messages]


def extract_calls(written: str, names: Collection[str]) -> tuple[str, tuple[ToolCall, ...]]:
    """A model's text without its calls, and the calls; ``names``: of the tools it may call.

    Broken JSON still counts as a call, with the text itself as its arguments.
    """
    text = drop_thoughts(written).strip()
    if not names:
        return text, ()
    if tagged := _TAGGED.findall(text):
        calls = [
            call for body in tagged for call in (_parse_calls(body, ()) or [_broken_call(body)])
        ]
        return _TAGGED.sub("", text).strip(), _number_calls(calls)
    fenced = _FENCE.match(text)
    body = fenced[1].strip() if fenced else text
    if body.startswith(("{", "[")):
        calls = _parse_calls(body, ())
        named = _NAME.search(body)
        if not calls and named and named[1] in names:
            calls = [_broken_call(body)]
        if calls:
            return "", _number_calls(calls)
    calls = _parse_calls(text, names)
    return ("", _number_calls(calls)) if calls else (text, ())


def _parse_calls(text: str, names: Collection[str]) -> list[ToolCall]:
    """Calls among the JSON values of a text; with ``names``, only of these tools."""
    calls = []
    for value in _json_values(text):
        for item in value if isinstance(value, list) else [value]:
            call = _parse_call(item)
            if call is not None and (not names or call.name in names):
                calls.append(call)
    return calls


def _json_values(text: str) -> Iterator[Any]:
    position, tries = 0, 0
    while tries < 64 and (opening := re.compile(r"[{\[]").search(text, position)):
        tries += 1
        try:
            value, position = _DECODER.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            position = opening.end()
            continue
        yield value


def _parse_call(value: Any) -> ToolCall | None:
    if isinstance(value, Mapping) and isinstance(value.get("function"), Mapping):
        value = value["function"]
    if not isinstance(value, Mapping):
        return None
    name = value.get("name", value.get("function"))
    arguments = value.get("arguments", value.get("parameters"))
    if not isinstance(name, str) or arguments is None:
        return None
    return ToolCall(name, arguments if isinstance(arguments, str) else json.dumps(arguments))


def _broken_call(body: str) -> ToolCall:
    named = _NAME.search(body)
    return ToolCall(named[1] if named else "", body.strip())


def _number_calls(calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    return tuple(
        ToolCall(call.name, call.arguments, f"call_{number}") for number, call in enumerate(calls)
    )


def _write_call(call: ToolCall) -> str:
    return json.dumps({"name": call.name, "arguments": call.object()}, ensure_ascii=False)


def _describe_tools(tools: Sequence[Mapping[str, Any]]) -> str:
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


def _describe_schema(schema: Mapping[str, Any]) -> str:
    text = json.dumps(schema, ensure_ascii=False)
    return f"Write nothing but one JSON object that this schema describes: {text}"
