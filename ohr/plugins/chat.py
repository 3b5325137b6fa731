"""Conversations with a reader's language model, with tools."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's call of a tool. ``arguments`` is the text that it wrote, usually JSON."""

    name: str
    arguments: str
    id: str = ""

    def object(self) -> dict[str, Any]:
        """The arguments as a JSON object, as servers and templates require.

        Text that is not a JSON object becomes ``{"unreadable": text}``.
        """
        try:
            arguments = json.loads(self.arguments)
        except (ValueError, RecursionError):
            arguments = None
        return arguments if isinstance(arguments, dict) else {"unreadable": self.arguments}


@dataclass(frozen=True, slots=True)
class Message:
    """A turn of a conversation.

    ``calls`` are the tools that an assistant calls. ``call_id`` names the call that a tool's text
    answers.
    """

    role: Role
    text: str
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's reply: text, tool calls, or both.

    ``cut``: whether the reply was cut off at the token limit. ``why_empty``: if it has neither
    text nor calls, the reason, such as a refusal. ``usage``: ``prompt_tokens``,
    ``completion_tokens`` and ``cost``, which a run adds up.
    """

    text: str
    calls: tuple[ToolCall, ...] = ()
    cut: bool = False
    usage: Mapping[str, float] = field(default_factory=dict)
    why_empty: str = ""


class Chat(ABC):
    """A reader that can hold a conversation."""

    @property
    def at_once(self) -> int:
        """How many conversations it can hold at once, one per thread."""
        return 1

    @abstractmethod
    def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
        temperature: float = 0.0,
        seed: int = 0,
    ) -> Completion:
        """The model's next turn.

        Raises EngineError (LateError for no reply in time) and MissingDependencyError.

        Args:
            messages: The conversation so far.
            tools: Functions as in OpenAI's interface (``{"type": "function", "function": …}``).
            schema: The JSON schema of the reply. The model is shown it, and forced to follow it if
                possible; the caller must still check the reply.
            max_tokens: Most tokens of the reply; by default the reader's own limit.
            temperature: 0 or more; at 0 the likeliest token is chosen, and the seed has no effect.
            seed: What decides the tokens that are drawn.
        """

    @abstractmethod
    def count_tokens(self, text: str) -> int:
        """The number of tokens of a text; an estimate for servers, whose tokenizer is unknown.

        Args:
            text: The text alone, without a chat template.
        """
