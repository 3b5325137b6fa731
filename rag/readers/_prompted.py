"""Shared by readers with a language model: prompt, limit of the context, and outcome."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import ClassVar, Literal

from pydantic import Field
from typing_extensions import TypeVar

from ohr import plugins
from ohr.errors import ConfigError
from ohr.plugins import Reply
from ohr.store.identity import digest
from ohr.types import Hit, Outcome, ShownHit
from rag.chunking.token_counter import count_tokens
from rag.readers._oddities import oddities
from rag.readers._pictures import ShownPages, pages_to_show
from rag.readers._prompt import Prompt, load_prompt


class PromptedParams(plugins.Params):
    """``prompt``: ``few_shot``, ``answer``, ``ohrbench``, ``judge``, ``rewrite``, ``unifiedqa``
    (for that model alone), or a file (:mod:`rag.readers._prompt`).

    ``max_context_tokens``: passages are cut at this length, and cuts are counted. ``read``: the
    ``text`` of what was retrieved, the ``images`` of its pages, or ``both``. ``max_images``: pages
    shown at most; ``image_side``: a larger page is scaled down to this many pixels on its longer
    side.
    """

    prompt: str = "few_shot"
    max_context_tokens: int = Field(8192, ge=1)
    read: Literal["text", "images", "both"] = "text"
    max_images: int = Field(4, ge=1, le=100)
    image_side: int | None = Field(None, ge=28, le=20_000)


OF_IMAGES = frozenset({"read", "max_images", "image_side"})
"""Parameters without effect on a reader of text."""
P = TypeVar("P", bound=PromptedParams, covariant=True, default=PromptedParams)


class PromptedReader(plugins.Reader[P], abstract=True):
    """A language model that is asked with a prompt. Subclasses implement :meth:`answer_many`."""

    outside_identity: ClassVar[frozenset[str]] = frozenset()
    """Parameters that cannot change an answer, or are in the identity in another way."""
    answer_limit: ClassVar[str]
    """The parameter with the most tokens of an answer."""

    def __init__(self, params: P | None = None) -> None:
        super().__init__(params)
        self.reads_text = self.params.read != "images"
        self.reads_images = self.params.read != "text"

    def identity(self) -> dict[str, object]:
        """With the prompt's words in place of its name. Raises ConfigError for a prompt."""
        excluded = {*self.outside_identity, "prompt"}
        if not self.reads_images:
            excluded |= OF_IMAGES
        prompt = self._prompt
        examples = [
            [example.context, example.question, example.answer] for example in prompt.examples
        ]
        extras = [*([examples] if examples else []), *(["bare"] if prompt.bare else [])]
        words = digest([prompt.system, prompt.user, *extras])
        params = self.params.model_dump(mode="json", exclude=excluded)
        return super().identity() | {"params": params, "prompt": words}

    def prompts(self) -> dict[str, str]:
        """The system message, the user's, and the examples, as they are in the prompt."""
        prompt = self._prompt
        examples = {
            f"example {number}": "\n---\n".join([example.context, example.question, example.answer])
            for number, example in enumerate(prompt.examples, start=1)
        }
        named = {"system": prompt.system, "user": prompt.user} | examples
        return {name: text for name, text in named.items() if text}

    @cached_property
    def _prompt(self) -> Prompt:
        return load_prompt(self.params.prompt)

    @cached_property
    def _frame_tokens(self) -> float:
        """Estimated tokens of the prompt without a question and passages."""
        return count_tokens(" ".join(turn["content"] for turn in self._prompt.messages("", "")))

    def expected_usage(
        self, question: str, context: Sequence[Hit], answer_tokens: float | None = None
    ) -> Mapping[str, float]:
        """Estimated tokens of the prompt, and the most that an answer may have.

        What pictures count is not known: they are ``images``.
        """
        text, passages = self._passages(question, context)
        within = min(count_tokens(passages), float(self.params.max_context_tokens))
        most = float(getattr(self.params, self.answer_limit))
        usage = {
            "prompt_tokens": self._frame_tokens + count_tokens(text) + within,
            "completion_tokens": most if answer_tokens is None else answer_tokens,
        }
        shown = len(self._pages_to_show(context).pages)
        return usage | ({"images": float(shown)} if shown else {})

    def answer(self, question: str, context: Sequence[Hit]) -> Outcome[str]:
        """One answer; see :meth:`answer_many`."""
        [reply] = self.answer_many([question], [context])
        return reply.outcome

    def _passages(self, question: str, context: Sequence[Hit]) -> tuple[str, str]:
        """A question and its passages in the prompt's form; with ``read: images``, no passages."""
        return self._prompt.prepare(question, context if self.reads_text else [])

    def _pages_to_show(self, context: Sequence[Hit]) -> ShownPages:
        """The pages that are shown. Raises ConfigError where there are none to show."""
        if not self.reads_images:
            return ShownPages()
        if context and not any(isinstance(hit, ShownHit) for hit in context):
            raise ConfigError(
                f"reader {self.name!r} reads page images (read: {self.params.read}), but there "
                "are none to show: use read: text"
            )
        return pages_to_show(context, self.params.max_images)

    @abstractmethod
    def answer_many(
        self, questions: Sequence[str], contexts: Sequence[Sequence[Hit]]
    ) -> Iterator[Reply]:
        """Replies as they come; see :meth:`ohr.plugins.Reader.answer_many`."""


def cut_note(n_kept: int, n_tokens: int) -> str:
    """A note for the outcome on a context that was cut."""
    return f"context cut to {n_kept:,} of {n_tokens:,} tokens" if n_kept < n_tokens else ""


def outcome_of(
    answer: str,
    question_and_context: tuple[str, str],
    *notes: str,
    confidence: float | None = None,
) -> tuple[Outcome[str], dict[str, float]]:
    """The outcome of a model's answer, and counts of what is odd about it.

    Empty notes are left out.
    """
    odd = oddities(answer, *question_and_context)
    details = [*filter(None, notes), *(name.replace("_", " ") for name in odd)]
    outcome = Outcome.of_text(answer, "; ".join(details), confidence)
    return outcome, {f"answers_{name}": 1.0 for name in odd}
