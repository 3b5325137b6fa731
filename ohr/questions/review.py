"""Reads a person's verdicts on questions and answers, from a report's review."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ohr.errors import ConfigError
from ohr.files.bounded import read_bounded
from ohr.types import Question

OfQuestion = Literal["question is bad", "evidence is wrong"]
OfAnswer = Literal["right", "wrong"]
_Name = Annotated[str, Field(max_length=10_000)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class QuestionVerdict(_Strict):
    """Why a question should not be asked; "" for a note only."""

    verdict: OfQuestion | Literal[""]
    note: str = ""


class AnswerVerdict(_Strict):
    """Whether one answer is right. The names are those of ``cases.zip``."""

    qid: _Name
    knowledge_base: _Name
    stage: _Name
    system: _Name
    chunker: _Name
    retriever: _Name
    reader: _Name
    verdict: OfAnswer


Format = Literal["ohr-verdicts-1"]


class Verdicts(_Strict):
    """A review: verdicts of questions by their IDs, and of answers."""

    format: Format
    questions: dict[str, QuestionVerdict] = {}
    answers: tuple[AnswerVerdict, ...] = ()

    def usable(self, questions: Sequence[Question]) -> list[Question]:
        """The questions without a bad verdict."""
        return [question for question in questions if not self._verdict(question.qid)]

    def left_out(self, questions: Sequence[Question]) -> dict[str, int]:
        """The number of questions left out, by verdict."""
        counts = Counter(self._verdict(question.qid) for question in questions)
        return {verdict: counts[verdict] for verdict in get_args(OfQuestion) if counts[verdict]}

    def _verdict(self, qid: str) -> str:
        verdict_of_question = self.questions.get(qid)
        return verdict_of_question.verdict if verdict_of_question is not None else ""


def read_verdicts(path: Path) -> Verdicts:
    """A file ``verdicts.json`` that the review of a report saved. Raises ConfigError."""
    try:
        return Verdicts.model_validate_json(read_bounded(path))
    except (OSError, ValidationError) as error:
        raise ConfigError(
            f"cannot read the verdicts in {path}: {_reason(error)}; save them again in the review "
            "of a report"
        ) from error


def left_out_line(counts: Mapping[str, int]) -> str:
    """``3 questions left out by review: 2 question is bad, 1 evidence is wrong``."""
    parts = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    total = sum(counts.values())
    return f"{total} question{'s' * (total != 1)} left out by review: {parts}"


def _reason(error: OSError | ValidationError) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    message = " ".join(str(first["msg"]).split())
    return f"{where}: {message}" if where else message
