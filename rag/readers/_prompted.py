"""What readers with a language model share: the prompt, the limit of the context, the outcome."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import ClassVar, Literal

from pydantic import Field
from typing_extensions import TypeVar

from ohr import plugins
from ohr.errors import ConfigError
from ohr.plugins import Reply
from ohr.store.identity import digest
from ohr.types import Hit, Outcome, ShownHit
from rag.readers._oddities import oddities
from rag.readers._pictures import Shown, shown
from rag.readers._prompt import Prompt, load_prompt


class PromptedParams(plugins.Params):
    """``prompt``: ``few_shot``, ``answer``, ``judge``, ``rewrite``, ``unifiedqa`` (for that model
    alone), or a file (:mod:`rag.readers._prompt`).

    ``max_context_tokens``: where the passages are cut; what is cut is counted, never silent.
    ``read``: the ``text`` of what was retrieved, the ``images`` of its pages, or ``both``.
    ``max_images``: pages that are shown at most; ``image_side``: a larger one is scaled down to so
    many pixels on its longer side.
    """

    prompt: str = "few_shot"
    max_context_tokens: int = Field(8192, ge=1)
    read: Literal["text", "images", "both"] = "text"
    max_images: int = Field(4, ge=1, le=100)
    image_side: int | None = Field(None, ge=28, le=20_000)


OF_IMAGES = frozenset({"read", "max_images", "image_side"})
"""Parameters that mean nothing to a reader of text."""
P = TypeVar("P", bound=PromptedParams, covariant=True, default=PromptedParams)


class PromptedReader(plugins.Reader[P], abstract=True):
    """A language model that is asked with a prompt. Subclasses implement :meth:`answer_many`."""

    outside_identity: ClassVar[frozenset[str]] = frozenset()
    """Parameters that cannot change an answer, or are in the identity in another way."""

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
        shown = [[one.context, one.question, one.answer] for one in prompt.examples]
        further = [*([shown] if shown else []), *(["bare"] if prompt.bare else [])]
        words = digest([prompt.system, prompt.user, *further])
        params = self.params.model_dump(mode="json", exclude=excluded)
        return super().identity() | {"params": params, "prompt": words}

    @cached_property
    def _prompt(self) -> Prompt:
        return load_prompt(self.params.prompt)

    def answer(self, question: str, context: Sequence[Hit]) -> Outcome[str]:
        """One answer; see :meth:`answer_many`."""
        [reply] = self.answer_many([question], [context])
        return reply.outcome

    def _passages(self, question: str, context: Sequence[Hit]) -> tuple[str, str]:
        """A question and its passages as they are put into the prompt; none of what is shown."""
        return self._prompt.asked(question, context if self.reads_text else [])

    def _shown(self, context: Sequence[Hit]) -> Shown:
        """The pages that are shown. Raises ConfigError where there are none to show."""
        if not self.reads_images:
            return Shown()
        if context and not any(isinstance(hit, ShownHit) for hit in context):
            raise ConfigError(
                f"reader {self.name!r} looks at page images (read: {self.params.read}), and what "
                "asks it has none to show: take read: text there"
            )
        return shown(context, self.params.max_images)

    @abstractmethod
    def answer_many(
        self, questions: Sequence[str], contexts: Sequence[Sequence[Hit]]
    ) -> Iterator[Reply]:
        """Replies as they come; see :meth:`ohr.plugins.Reader.answer_many`."""


def cut_note(kept: int, tokens: int) -> str:
    """What an outcome says of a context that was cut."""
    return f"context cut to {kept:,} of {tokens:,} tokens" if kept < tokens else ""


def outcome_of(
    answer: str, asked: tuple[str, str], *notes: str
) -> tuple[Outcome[str], dict[str, float]]:
    """The outcome of a model's answer, and counts of what is odd about it.

    ``asked``: question and context. Notes that are empty are left out.
    """
    odd = oddities(answer, *asked)
    said = [*filter(None, notes), *(name.replace("_", " ") for name in odd)]
    return Outcome.of_text(answer, "; ".join(said)), {f"answers_{name}": 1.0 for name in odd}
