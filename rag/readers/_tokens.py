"""Questions, passages and turns as tokens, for models of transformers.

Text of pages and users cannot act as control tokens: special tokens and marks of calls in it are
broken up before it is encoded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ohr.models.thought_marks import thought_opened
from ohr.plugins import Message, ToolCall
from rag.readers._conversation import defuse
from rag.readers._prompt import Prompt
from rag.readers._prompted import cut_note
from rag.readers._templates import render

_TAIL = 16
"""Tokens at the end of a prompt that are searched for an opened thought."""


@dataclass(frozen=True)
class PromptTokens:
    """A tokenizer with the prompt for questions."""

    tokenizer: Any
    prompt: Prompt

    def ids(self, question: str, context: str) -> list[int]:
        """A question about passages as tokens, by the chat template where there is one."""
        tokenizer, prompt = self.tokenizer, self.prompt
        if not tokenizer.chat_template:
            return list(tokenizer(prompt.plain(question, context))["input_ids"])
        options = {"tokenize": False, "add_generation_prompt": True}
        try:
            text = tokenizer.apply_chat_template(prompt.messages(question, context), **options)
        except Exception:  # a template of a model that knows no system message raises
            turns = [{"role": "user", "content": prompt.plain(question, context)}]
            text = tokenizer.apply_chat_template(turns, **options)
        return list(tokenizer(text, add_special_tokens=False)["input_ids"])

    def encode_turns(
        self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]
    ) -> list[int]:
        """A conversation as tokens."""
        text = render(self.tokenizer, messages, tools)
        # A template writes its special tokens itself.
        adds_special = not self.tokenizer.chat_template
        return list(self.tokenizer(text, add_special_tokens=adds_special)["input_ids"])

    def cut(self, text: str, limit: int) -> tuple[str, str]:
        """A text's first tokens, and a note where any are left out."""
        tokenizer = self.tokenizer
        encoded = tokenizer(
            text, add_special_tokens=False, return_offsets_mapping=tokenizer.is_fast
        )
        ids = encoded["input_ids"]
        if len(ids) <= limit:
            return text, ""
        if limit == 0:
            beginning = ""
        elif tokenizer.is_fast:
            beginning = text[: encoded["offset_mapping"][limit - 1][1]]
        else:
            beginning = tokenizer.decode(ids[:limit])
        return beginning, cut_note(limit, len(ids))

    def opened_thought(self, prompt: Sequence[int]) -> str:
        """The mark of a thought (``<think>``) if the prompt ends with one, as templates of models
        that think do: the model's text then begins inside a thought.
        """
        return thought_opened(self.tokenizer.decode(list(prompt[-_TAIL:])))

    def defuse_tokens(self, text: str) -> str:
        """The text with special tokens broken up: a page's text must not end a turn."""
        for token in self.tokenizer.added_tokens_decoder.values():
            if token.special and token.content in text:
                text = text.replace(token.content, f"{token.content[0]} {token.content[1:]}")
        return text

    def defuse_turn(self, message: Message) -> Message:
        """A turn with special tokens and marks of calls broken up in its text and calls."""
        calls = tuple(
            ToolCall(self._defuse(call.name), self._defuse(call.arguments), call.id)
            for call in message.calls
        )
        return replace(message, text=self._defuse(message.text), calls=calls)

    def _defuse(self, text: str) -> str:
        return self.defuse_tokens(defuse(text))
