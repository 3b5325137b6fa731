"""A conversation as the text that a model of transformers continues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ohr.plugins import Message
from rag.readers._conversation import write_plain_turns


def render(tokenizer: Any, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> str:
    """The conversation by the tokenizer's chat template.

    Tools, or a system message, that the template does not know become plain text; without a
    template, so does everything.
    """
    if not tokenizer.chat_template:
        return "\n\n".join(message.text for message in write_plain_turns(messages, tools))
    attempts = [_render_plain, _render_merged]
    if tools and _knows_tools(tokenizer.chat_template):
        attempts.insert(0, _render_turns)
    for attempt in attempts[:-1]:
        try:
            return attempt(tokenizer, messages, tools)
        except Exception:  # a template raises for roles that its model does not know
            continue
    return attempts[-1](tokenizer, messages, tools)


def _knows_tools(template: Any) -> bool:
    texts = template.values() if isinstance(template, Mapping) else [template]
    return any("tools" in text and "tool_calls" in text for text in texts)


def _render_turns(tokenizer: Any, messages: Sequence[Message], tools: Any) -> str:
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
    return _apply_template(tokenizer, turns, tools=list(tools))


def _render_plain(tokenizer: Any, messages: Sequence[Message], tools: Any) -> str:
    turns = write_plain_turns(messages, tools)
    return _apply_template(tokenizer, [{"role": turn.role, "content": turn.text} for turn in turns])


def _render_merged(tokenizer: Any, messages: Sequence[Message], tools: Any) -> str:
    """Without a system message: its text begins the user's first turn."""
    turns = write_plain_turns(messages, tools)
    if len(turns) > 1 and turns[0].role == "system":
        turns[:2] = [Message("user", f"{turns[0].text}\n\n{turns[1].text}")]
    return _apply_template(tokenizer, [{"role": turn.role, "content": turn.text} for turn in turns])


def _apply_template(tokenizer: Any, turns: Sequence[Mapping[str, Any]], **options: Any) -> str:
    text: str = tokenizer.apply_chat_template(
        turns, tokenize=False, add_generation_prompt=True, **options
    )
    return text
