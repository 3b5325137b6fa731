"""The hook of readers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from ohr.errors import ConfigError, MissingDependencyError, StoreError
from ohr.plugins.base import P, Plugin
from ohr.types import Hit, Outcome

NO_CONTEXT = "no context"
"""Detail of the empty answer of a reader that gives no answer without context."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A reader's outcome for the question with this index, and its cost."""

    index: int
    outcome: Outcome[str]
    usage: Mapping[str, float] = field(default_factory=dict)
    """Numbers that a run adds up: ``prompt_tokens``, ``completion_tokens``, ``cost``,
    ``contexts_cut``."""


class Reader(Plugin[P], ABC, abstract=True):
    """Answers a question from retrieved text, or without any (closed book)."""

    note: ClassVar[str] = ""
    """A caveat about its answers' scores, printed below every table and figure."""
    knows_documents: ClassVar[bool] = False
    """Whether an answer depends on the documents of the hits, and not only on the texts in order.

    If not, a cached answer is used again for equal texts from any documents.
    """

    reads_text: bool = True
    """Whether an answer depends on the texts of the hits."""
    reads_images: bool = False
    """Whether it looks at the pictures of the hits' pages: its context is then a sequence of
    :class:`ohr.types.ShownHit`."""

    def prompts(self) -> Mapping[str, str]:
        """What a language model is told, by name (``system``, ``user``), for the run's manifest.

        Where the question and its passages go, the text has placeholders. Empty without a prompt.
        """
        return {}

    def expected_usage(
        self, question: str, context: Sequence[Hit], answer_tokens: float | None = None
    ) -> Mapping[str, float]:
        """What :meth:`answer` would count, without asking: ``prompt_tokens``,
        ``completion_tokens``, and their ``cost`` where there are prices.

        Empty for a reader that costs nothing. ``--dry-run`` adds it up, and ``max_cost`` stops
        before it is spent.

        Args:
            question: The question's text.
            context: The hits, best first.
            answer_tokens: Tokens of the answer; by default the most that it may have.
        """
        return {}

    def repeat(self, number: int) -> Self | None:
        """This reader as it answers for the ``number``-th time again, with another seed.

        None for a reader that always gives the same answer: the option ``repeats`` then asks it
        once. The identity does not change with the number.
        """
        return None

    def stop_asking(self) -> bool:
        """Send none of the questions of a running :meth:`answer_many` that were not sent yet; its
        iterator still gives the answers under way, which may have to be paid.

        Returns False if the reader cannot, as by default: then the iterator is closed.
        """
        return False

    @abstractmethod
    def answer(self, question: str, context: Sequence[Hit]) -> Outcome[str]:
        """The answer in a few words.

        Args:
            question: The question's text; its gold fields are never given.
            context: The hits, best first. An empty context asks for a closed-book answer.
        """

    def answer_many(
        self, questions: Sequence[str], contexts: Sequence[Sequence[Hit]]
    ) -> Iterator[Reply]:
        """Answers to many questions, each with its context, in any order, as they are ready.

        A reader that can work on several questions at once overrides this. An exception of
        :meth:`answer` becomes that answer's error outcome, except ConfigError,
        MissingDependencyError and StoreError, which no question causes.

        Args:
            questions: The texts of the questions.
            contexts: The hits of each question, in the same order.
        """
        for index, (question, context) in enumerate(zip(questions, contexts, strict=True)):
            yield Reply(index, self.answer_or_error(question, context))

    def answer_or_error(self, question: str, context: Sequence[Hit]) -> Outcome[str]:
        """:meth:`answer`, with an exception as an error outcome."""
        try:
            return self.answer(question, context)
        except (ConfigError, MissingDependencyError, StoreError):
            raise
        except Exception as error:
            return Outcome.error(" ".join(f"{type(error).__name__}: {error}".split())[:500])
