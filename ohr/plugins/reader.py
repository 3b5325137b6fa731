"""The hook of readers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from ohr.errors import ConfigError, MissingDependencyError, StoreError
from ohr.plugins.base import P, Plugin
from ohr.types import Hit, Outcome

NO_CONTEXT = "no context"
"""Detail of the empty answer of a reader that was given nothing and guesses nothing."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A reader's outcome for the question of that index, and what it took."""

    index: int
    outcome: Outcome[str]
    usage: Mapping[str, float] = field(default_factory=dict)
    """What a run adds up: ``prompt_tokens``, ``completion_tokens``, ``cost``, ``contexts_cut``."""


class Reader(Plugin[P], ABC, abstract=True):
    """Answers a question from retrieved text, or from nothing."""

    note: ClassVar[str] = ""
    """What must be known of its answers' scores: it stands below every table and figure."""
    knows_documents: ClassVar[bool] = False
    """Whether an answer depends on which documents the hits are of, beside their texts in order.

    If not, an answer that is kept answers that question over equal texts of any documents.
    """

    reads_text: bool = True
    """Whether an answer depends on the texts of the hits."""
    reads_images: bool = False
    """Whether it looks at the hits' pages: its context is of
    :class:`ohr.types.ShownHit` then."""

    @abstractmethod
    def answer(self, question: str, context: Sequence[Hit]) -> Outcome[str]:
        """The answer in a few words. An empty context asks what the reader guesses."""

    def answer_many(
        self, questions: Sequence[str], contexts: Sequence[Sequence[Hit]]
    ) -> Iterator[Reply]:
        """Answers to many questions, each with its context, in any order, as they are ready.

        One after the other, unless a reader that can work on several at once overrides this.
        What :meth:`answer` raises is that answer's error outcome, except for ConfigError,
        MissingDependencyError and StoreError, which are no question's fault.
        """
        for index, (question, context) in enumerate(zip(questions, contexts, strict=True)):
            yield Reply(index, self.answer_or_error(question, context))

    def answer_or_error(self, question: str, context: Sequence[Hit]) -> Outcome[str]:
        """:meth:`answer`, or an error outcome."""
        try:
            return self.answer(question, context)
        except (ConfigError, MissingDependencyError, StoreError):
            raise
        except Exception as error:
            return Outcome.error(" ".join(f"{type(error).__name__}: {error}".split())[:500])
