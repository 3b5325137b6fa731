"""A conversation as the text that a model of transformers goes on from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ohr.plugins import Message
from rag.readers._conversation import in_words


def rendered(
    tokenizer: Any, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]
) -> str:
    """The conversation by the tokenizer's chat template, which may know tools or no system message.

    What it does not know is said in words; without a template all of it is.
    """
    if not tokenizer.chat_template:
        return "\n\n".join(message.text for message in in_words(messages, tools))
    attempts = [_in_words, _merged]
    if tools and _knows_tools(tokenizer.chat_template):
        attempts.insert(0, _in_turns)
    for attempt in attempts[:-1]:
        try:
            return attempt(tokenizer, messages, tools)
        except Exception:  # a template raises for roles that its model does not know
            continue
    return attempts[-1](tokenizer, messages, tools)


def _knows_tools(template: Any) -> bool:
    texts = template.values() if isinstance(template, Mapping) else [template]
    return any("tools" in text and "tool_calls" in text for text in texts)


def _in_turns(tokenizer: Any, messages: Sequence[Message], tools: Any) -> str:
    names = {call.id: call.name for message in messages for call in message.calls}
    turns = []
    for message in messages:
        turn: dict[str, Any] = {"role": message.role, "content": message.text}
        if message.calls:
            turn["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.object()},
                }
                for call in message.calls
            ]
        if message.role == "tool":
            turn |= {"name": names.get(message.call_id, ""), "tool_call_id": message.call_id}
        turns.append(turn)
    return _applied(tokenizer, turns, tools=list(tools))


def _in_words(tokenizer: Any, messages: Sequence[Message], tools: Any) -> str:
    told = in_words(messages, tools)
    return _applied(tokenizer, [{"role": one.role, "content": one.text} for one in told])


def _merged(tokenizer: Any, messages: Sequence[Message], tools: Any) -> str:
    """Without a system message: what it says begins the user's first turn."""
    told = in_words(messages, tools)
    if len(told) > 1 and told[0].role == "system":
        told[:2] = [Message("user", f"{told[0].text}\n\n{told[1].text}")]
    return _applied(tokenizer, [{"role": one.role, "content": one.text} for one in told])


def _applied(tokenizer: Any, turns: Sequence[Mapping[str, Any]], **more: Any) -> str:
    text: str = tokenizer.apply_chat_template(
        turns, tokenize=False, add_generation_prompt=True, **more
    )
    return text
