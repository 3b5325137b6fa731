"""What a model of transformers reads: questions, passages and turns as tokens.

What a page or a person says does nothing: special tokens and frames of calls in it are taken
apart before it is encoded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ohr.models.replies import thought_opened
from ohr.plugins import Message, ToolCall
from rag.readers._conversation import defused
from rag.readers._prompt import Prompt
from rag.readers._prompted import cut_note
from rag.readers._templates import rendered

_TAIL = 16
"""Tokens at a prompt's end in which that stands, however many it takes."""


@dataclass(frozen=True)
class PromptTokens:
    """A tokenizer with the prompt that questions are put in."""

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
            whole = [{"role": "user", "content": prompt.plain(question, context)}]
            text = tokenizer.apply_chat_template(whole, **options)
        return list(tokenizer(text, add_special_tokens=False)["input_ids"])

    def of_turns(
        self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]
    ) -> list[int]:
        """A conversation as tokens."""
        text = rendered(self.tokenizer, messages, tools)
        own = not self.tokenizer.chat_template  # a template writes its special tokens itself
        return list(self.tokenizer(text, add_special_tokens=own)["input_ids"])

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
            kept = ""
        elif tokenizer.is_fast:
            kept = text[: encoded["offset_mapping"][limit - 1][1]]
        else:
            kept = tokenizer.decode(ids[:limit])
        return kept, cut_note(limit, len(ids))

    def opened(self, prompt: Sequence[int]) -> str:
        """The mark of a thought (``<think>``) where a prompt ends in one, as templates of models
        that think have it: what is written then begins as a thought.
        """
        return thought_opened(self.tokenizer.decode(list(prompt[-_TAIL:])))

    def defused(self, text: str) -> str:
        """The text with no special token in it: what a page says must not end a turn."""
        for token in self.tokenizer.added_tokens_decoder.values():
            if token.special and token.content in text:
                text = text.replace(token.content, f"{token.content[0]} {token.content[1:]}")
        return text

    def harmless(self, message: Message) -> Message:
        """A turn whose text and calls have neither special tokens nor frames of calls."""
        calls = tuple(
            ToolCall(self._unframed(call.name), self._unframed(call.arguments), call.id)
            for call in message.calls
        )
        return replace(message, text=self._unframed(message.text), calls=calls)

    def _unframed(self, text: str) -> str:
        return self.defused(defused(text))
