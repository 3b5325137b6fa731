"""A person's verdicts on made questions: keep, fix or drop."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import ValidationError

from ohr.errors import DatasetError
from ohr.files.bounded import read_bounded
from ohr.plugins.base import first_error
from ohr.questions.making import QuestionSet, Rejected
from ohr.questions.review import Format, Verdicts

Word = Literal["keep", "fix", "drop"]
_WORDS: tuple[Word, ...] = get_args(Word)
_EARLIER: Mapping[str, str] = {"mend": "fix"}
"""Verdicts of earlier versions, and what they are called now."""
_OF_REPORTS: tuple[str, ...] = get_args(Format)


@dataclass(frozen=True, slots=True)
class QuestionVerdict:
    """A verdict; ``question`` and ``answer`` are the fixed texts, empty if unchanged."""

    word: Word
    question: str = ""
    answer: str = ""
    note: str = ""


def read_verdicts(path: Path) -> dict[str, QuestionVerdict]:
    """Question id -> verdict.

    The file is JSON: an object ``{id: "keep"}`` or ``{id: {"verdict": "fix", "question": …,
    "answer": …, "note": …}}``, or a list of such objects with ``id``; either may be under the key
    ``verdicts``. It may also be the file that a report's review saved. Raises DatasetError for
    anything else, and for an id that comes twice.
    """
    try:
        content = json.loads(read_bounded(path).decode("utf-8-sig"), object_pairs_hook=_once)
    except OSError as error:
        raise DatasetError(f"cannot read verdicts from {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise DatasetError(f"{path}: not a JSON file of verdicts ({error})") from error
    if isinstance(content, Mapping) and content.get("format") in _OF_REPORTS:
        return _report_verdicts(path, content)
    if isinstance(content, Mapping) and isinstance(content.get("verdicts"), (list, dict)):
        content = content["verdicts"]
    if isinstance(content, Mapping):
        pairs = list(content.items())
    elif isinstance(content, list):
        pairs = [
            (entry.get("id") if isinstance(entry, Mapping) else None, entry) for entry in content
        ]
    else:
        raise DatasetError(f"{path}: expected an object of verdicts by question id")
    verdicts: dict[str, QuestionVerdict] = {}
    for qid, entry in pairs:
        if not isinstance(qid, str) or not qid:
            raise DatasetError(f"{path}: a verdict without an id")
        if qid in verdicts:
            raise DatasetError(f"{path}: two verdicts on {qid!r}")
        verdicts[qid] = _verdict(path, qid, entry)
    return verdicts


def _report_verdicts(path: Path, content: Mapping[str, Any]) -> dict[str, QuestionVerdict]:
    """The verdicts on questions in a report's review; a bad verdict drops the question."""
    try:
        review = Verdicts.model_validate(content)
    except ValidationError as error:
        raise DatasetError(f"{path}: {first_error(error)}") from error
    return {
        qid: QuestionVerdict("drop" if reviewed.verdict else "keep", note=reviewed.note.strip())
        for qid, reviewed in review.questions.items()
    }


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    times = Counter(name for name, _ in pairs)
    if twice := [name for name, many in times.items() if many > 1]:
        raise ValueError(f"{twice[0]!r} comes twice")
    return dict(pairs)


def _verdict(path: Path, qid: str, entry: Any) -> QuestionVerdict:
    fields = entry if isinstance(entry, Mapping) else {"verdict": entry}
    given_word = fields.get("verdict")
    current = _EARLIER.get(given_word, given_word) if isinstance(given_word, str) else None
    word = next((each for each in _WORDS if each == current), None)
    if word is None:
        raise DatasetError(
            f"{path}: {qid}: verdict {given_word!r} is not one of {', '.join(_WORDS)}"
        )
    texts = {name: fields.get(name) or "" for name in ("question", "answer", "note")}
    if wrong := [name for name, text in texts.items() if not isinstance(text, str)]:
        raise DatasetError(f"{path}: {qid}: {wrong[0]} is not a text")
    fixed = texts["question"].strip() or texts["answer"].strip()
    if (word == "fix") != bool(fixed):
        raise DatasetError(
            f"{path}: {qid}: the verdict fix, and no other, needs a question or answer"
        )
    return QuestionVerdict(word, **{name: text.strip() for name, text in texts.items()})


def apply(question_set: QuestionSet, verdicts: Mapping[str, QuestionVerdict]) -> QuestionSet:
    """The question set after a review: fixed questions in place, dropped ones rejected.

    A fixed question keeps its id and its evidence. Raises DatasetError for verdicts on questions
    that were not accepted: they are about another question set.
    """
    known_values = {question.qid for question in question_set.accepted}
    if unknown := [qid for qid in verdicts if qid not in known_values]:
        raise DatasetError(
            f"{len(unknown)} verdicts are on questions that this question set does not have, such "
            f"as {unknown[0]!r}: were they made with the same data, seed and options?"
        )
    accepted, dropped = [], []
    for question in question_set.accepted:
        verdict = verdicts.get(question.qid, QuestionVerdict("keep"))
        if verdict.word == "drop":
            reason = verdict.note or "dropped by a person"
            dropped.append(Rejected(question, question_set.kinds[question.qid], "review", reason))
            continue
        text, answer = verdict.question or question.text, verdict.answer
        answers = tuple(part.strip() for part in answer.split("|")) if answer else question.answers
        accepted.append(replace(question, text=text, answers=answers))
    return replace(
        question_set, accepted=tuple(accepted), rejected=(*question_set.rejected, *dropped)
    )
