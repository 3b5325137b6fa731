"""How the answers of readers, judges and systems are checked and stored."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, TypeVar

from ohr.errors import PluginError
from ohr.ocr.failures import EXAMPLE
from ohr.scoring.tallies import UNREAD
from ohr.types import FAILED, Answer, Outcome, PageRef, Status

T = TypeVar("T")

_EXAMPLE_CHARS = 80


class AnswerKind(ABC, Generic[T]):
    """Checks and stores the answers of one kind of plug-in."""

    journal: ClassVar[str]
    plugin_kind: ClassVar[str]

    @abstractmethod
    def stored_value(self, value: T | None) -> object:
        """A value as JSON."""

    @abstractmethod
    def value(self, stored: object) -> T | None:
        """A value from JSON. Raises ValueError, TypeError or KeyError if it is invalid."""

    @abstractmethod
    def checked(self, label: str, outcome: Any) -> Outcome[T]:
        """The outcome itself. Raises PluginError if it is not an outcome of this kind."""

    def count_outcome(self, outcome: Outcome[T]) -> Outcome[T]:
        """The outcome for scoring; a stored answer may count as an error."""
        return outcome

    def parsed(self, entry: object) -> tuple[Outcome[T], dict[str, float]] | None:
        """An outcome from a journal entry, and its usage; None if the entry is invalid."""
        match entry:
            case [stored, str(status), str(detail), dict(usage), *rest] if status in set(Status):
                if not all(isinstance(number, int | float) for number in usage.values()):
                    return None
                if rest and not (len(rest) == 1 and is_confidence(rest[0])):
                    return None
                try:
                    outcome = Outcome(self.value(stored), Status(status), detail)
                    if rest:
                        outcome = replace(outcome, confidence=float(rest[0]))  # type: ignore[arg-type]
                    return self.count_outcome(outcome), usage
                except (ValueError, TypeError, KeyError):
                    return None
            case _:
                return None


class OfText(AnswerKind[str]):
    """Answers of readers."""

    journal, plugin_kind = "answers", "reader"

    def stored_value(self, value: str | None) -> object:
        return value

    def value(self, stored: object) -> str | None:
        if not isinstance(stored, str | None):
            raise TypeError("an answer is a text")
        return stored

    def checked(self, label: str, outcome: Any) -> Outcome[str]:
        if isinstance(outcome, Outcome) and isinstance(outcome.value, str | None):
            return outcome
        raise PluginError(
            f"reader {label!r} returned {type(outcome).__name__} instead of an Outcome of a "
            "text, such as Outcome.of_text(answer)"
        )


@dataclass(frozen=True)
class OfVerdict(OfText):
    """Replies of a judge, which must be ``readable``."""

    readable: Callable[[str], bool]

    def count_outcome(self, outcome: Outcome[str]) -> Outcome[str]:
        text = outcome.value or ""
        if outcome.status in FAILED or self.readable(text):
            return outcome
        example = (
            repr(" ".join(text.split())[:_EXAMPLE_CHARS]) if text.strip() else "an empty reply"
        )
        detail = f" ({outcome.detail})" if outcome.detail else ""
        return replace(outcome, status=Status.ERROR, detail=f"{UNREAD}{EXAMPLE}{example}{detail}")


class OfAnswer(AnswerKind[Answer]):
    """Answers of systems."""

    journal, plugin_kind = "system_answers", "system"

    def stored_value(self, value: Answer | None) -> object:
        if value is None:
            return None
        sources = [[ref.doc_id, ref.page_no] for ref in value.sources]
        headers = {"headers": list(value.headers)} if value.headers else {}
        return {"text": value.text, "quote": value.quote, "sources": sources,
                "trace": list(value.trace), **headers}  # fmt: skip

    def value(self, stored: object) -> Answer | None:
        if stored is None:
            return None
        if not isinstance(stored, dict):
            raise TypeError("an answer is a mapping")
        sources = tuple(PageRef(str(doc_id), int(page_no)) for doc_id, page_no in stored["sources"])
        trace = tuple(str(line) for line in stored["trace"])
        headers = tuple(str(header) for header in stored.get("headers", ()))
        return Answer(str(stored["text"]), str(stored["quote"]), sources, trace, headers)

    def checked(self, label: str, outcome: Any) -> Outcome[Answer]:
        if isinstance(outcome, Outcome) and isinstance(outcome.value, Answer | None):
            if outcome.status is Status.OK and not (outcome.value and outcome.value.text.strip()):
                return replace(outcome, status=Status.EMPTY)
            return outcome
        raise PluginError(
            f"system {label!r} returned {type(outcome).__name__} instead of an Outcome of an "
            "Answer, such as Outcome(Answer(text))"
        )


ANSWER = OfAnswer()


def is_confidence(value: object) -> bool:
    """Whether a value is a number from 0 to 1."""
    return type(value) in (int, float) and 0 <= value <= 1  # type: ignore[operator]
