"""What a reader with a language model can do besides: hold a conversation, with tools."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that a model asks for. ``arguments`` is what it wrote: JSON, or meant to be."""

    name: str
    arguments: str
    id: str = ""

    def object(self) -> dict[str, Any]:
        """The arguments as the JSON object that servers and templates want; what is none stands
        in one, under ``unreadable``.
        """
        try:
            arguments = json.loads(self.arguments)
        except (ValueError, RecursionError):
            arguments = None
        return arguments if isinstance(arguments, dict) else {"unreadable": self.arguments}


@dataclass(frozen=True, slots=True)
class Message:
    """A turn. ``calls``: the tools that an assistant asks for; ``call_id``: which call a tool's
    text answers.
    """

    role: Role
    text: str
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model wrote: text, tool calls, or both. ``cut``: it had no room to end.
    ``why_empty``: where it wrote neither, what there was instead, as a refusal.

    ``usage`` is what a run adds up: ``prompt_tokens``, ``completion_tokens``, ``cost``.
    """

    text: str
    calls: tuple[ToolCall, ...] = ()
    cut: bool = False
    usage: Mapping[str, float] = field(default_factory=dict)
    why_empty: str = ""


class Chat(ABC):
    """A reader that can be asked anything, in turns."""

    @property
    def at_once(self) -> int:
        """How many conversations it can hold at once, each in a thread of its own."""
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

        ``tools``: functions as in OpenAI's interface (``{"type": "function", "function": …}``).
        ``schema``: JSON schema of the answer, which the model is told, and held to where it can
        be; the answer is checked by who asks. ``max_tokens``: by default the reader's own. At
        temperature 0 the likeliest token is taken and ``seed`` has no effect. Raises EngineError
        (LateError for no answer in time) and MissingDependencyError.
        """

    @abstractmethod
    def count_tokens(self, text: str) -> int:
        """Tokens of a text; of a server, whose tokenizer is not known, an estimate."""
