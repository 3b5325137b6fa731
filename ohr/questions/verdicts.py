"""What a person says of made questions: keep, mend or drop."""

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

Word = Literal["keep", "mend", "drop"]
_WORDS: tuple[Word, ...] = get_args(Word)
_OF_REPORTS: tuple[str, ...] = get_args(Format)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict; ``question`` and ``answer`` are the mended ones, empty where they stay."""

    word: Word
    question: str = ""
    answer: str = ""
    note: str = ""


def read_verdicts(path: Path) -> dict[str, Verdict]:
    """Question id -> verdict.

    JSON: an object ``{id: "keep"}`` or ``{id: {"verdict": "mend", "question": …, "answer": …,
    "note": …}}``, or a list of such objects with ``id``; either may stand under ``verdicts``.
    Or what the review of a report saved. Raises DatasetError for anything else, and for an id that
    comes twice.
    """
    try:
        content = json.loads(read_bounded(path).decode("utf-8-sig"), object_pairs_hook=_once)
    except OSError as error:
        raise DatasetError(f"cannot read verdicts from {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise DatasetError(f"{path}: no JSON file of verdicts ({error})") from error
    if isinstance(content, Mapping) and content.get("format") in _OF_REPORTS:
        return _of_report(path, content)
    if isinstance(content, Mapping) and isinstance(content.get("verdicts"), (list, dict)):
        content = content["verdicts"]
    if isinstance(content, Mapping):
        pairs = list(content.items())
    elif isinstance(content, list):
        pairs = [(one.get("id") if isinstance(one, Mapping) else None, one) for one in content]
    else:
        raise DatasetError(f"{path}: expected an object of verdicts by question id")
    verdicts: dict[str, Verdict] = {}
    for qid, said in pairs:
        if not isinstance(qid, str) or not qid:
            raise DatasetError(f"{path}: a verdict without an id")
        if qid in verdicts:
            raise DatasetError(f"{path}: two verdicts on {qid!r}")
        verdicts[qid] = _verdict(path, qid, said)
    return verdicts


def _of_report(path: Path, content: Mapping[str, Any]) -> dict[str, Verdict]:
    """The verdicts of questions in a report's review: what is wrong with one drops it."""
    try:
        review = Verdicts.model_validate(content)
    except ValidationError as error:
        raise DatasetError(f"{path}: {first_error(error)}") from error
    return {
        qid: Verdict("drop" if said.verdict else "keep", note=said.note.strip())
        for qid, said in review.questions.items()
    }


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    times = Counter(name for name, _ in pairs)
    if twice := [name for name, many in times.items() if many > 1]:
        raise ValueError(f"{twice[0]!r} comes twice")
    return dict(pairs)


def _verdict(path: Path, qid: str, said: Any) -> Verdict:
    fields = said if isinstance(said, Mapping) else {"verdict": said}
    said_word = fields.get("verdict")
    word = next((one for one in _WORDS if one == said_word), None)
    if word is None:
        raise DatasetError(f"{path}: {qid}: verdict {said_word!r} is none of {', '.join(_WORDS)}")
    texts = {name: fields.get(name) or "" for name in ("question", "answer", "note")}
    if wrong := [name for name, text in texts.items() if not isinstance(text, str)]:
        raise DatasetError(f"{path}: {qid}: {wrong[0]} is no text")
    mended = texts["question"].strip() or texts["answer"].strip()
    if (word == "mend") != bool(mended):
        raise DatasetError(f"{path}: {qid}: mend, and only mend, needs a question or an answer")
    return Verdict(word, **{name: text.strip() for name, text in texts.items()})


def apply(exam: QuestionSet, verdicts: Mapping[str, Verdict]) -> QuestionSet:
    """The exam as a person leaves it: mended questions in place, dropped ones rejected.

    A mended question keeps its id and its evidence. Verdicts on questions that were not
    accepted raise DatasetError: they are about another exam.
    """
    known = {one.qid for one in exam.accepted}
    if unknown := [qid for qid in verdicts if qid not in known]:
        raise DatasetError(
            f"{len(unknown)} verdicts are on questions that this exam does not have, such as "
            f"{unknown[0]!r}: were they made with the same data, seed and options?"
        )
    kept, dropped = [], []
    for one in exam.accepted:
        verdict = verdicts.get(one.qid, Verdict("keep"))
        if verdict.word == "drop":
            reason = verdict.note or "dropped by a person"
            dropped.append(Rejected(one, exam.kinds[one.qid], "review", reason))
            continue
        text, answer = verdict.question or one.text, verdict.answer
        answers = tuple(part.strip() for part in answer.split("|")) if answer else one.answers
        kept.append(replace(one, text=text, answers=answers))
    return replace(exam, accepted=tuple(kept), rejected=(*exam.rejected, *dropped))
