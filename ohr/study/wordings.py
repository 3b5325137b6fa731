"""Other wordings of a dataset's questions, from a file."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ohr.bounded import read_bounded
from ohr.errors import ConfigError
from ohr.spreadsheet import as_it_was, no_formula
from ohr.types import Question


def read_wordings(path: Path) -> dict[str, str]:
    """Question ID -> its other wording.

    A CSV with the columns ``qid`` and ``question``, or JSON: an object of such pairs, or a list
    of objects with ``ID`` and ``questions`` as in the Q&A files of OHR-Bench. Raises ConfigError
    for a file that cannot be read, an ID that comes twice, or a wording that is empty.
    """
    try:
        text = read_bounded(path).decode("utf-8-sig")
        is_json = text.lstrip().startswith(("[", "{"))
        pairs = list(_pairs(json.loads(text)) if is_json else _rows(text))
    except (OSError, ValueError, KeyError, TypeError, csv.Error) as error:
        reason = " ".join(str(error).split())
        raise ConfigError(
            f"cannot read the wordings of {path}: {reason}; write a CSV with the columns qid and "
            "question"
        ) from error
    wordings: dict[str, str] = {}
    for qid, wording in pairs:
        if qid in wordings:
            raise ConfigError(f"{path}: question {qid!r} comes twice")
        if not wording.strip():
            raise ConfigError(f"{path}: the wording of question {qid!r} is empty")
        wordings[qid] = wording.strip()
    return wordings


def _rows(text: str) -> Iterable[tuple[str, str]]:
    rows = csv.DictReader(io.StringIO(text))
    if missing := {"qid", "question"} - set(rows.fieldnames or ()):
        raise ValueError(f"no column {min(missing)}")
    return [(as_it_was(row["qid"] or ""), as_it_was(row["question"] or "")) for row in rows]


def _pairs(content: Any) -> Iterable[tuple[str, str]]:
    if isinstance(content, Mapping):
        return [(str(qid), _worded(wording)) for qid, wording in content.items()]
    return [(str(entry["ID"]), _worded(entry["questions"])) for entry in content]


def _worded(wording: Any) -> str:
    if not isinstance(wording, str):
        raise ValueError(f"{wording!r} is no wording")
    return wording


def reworded(questions: Sequence[Question], wordings: Mapping[str, str]) -> list[Question]:
    """The questions that have another wording, with it. Raises ConfigError if one is unknown."""
    known = {question.qid for question in questions}
    if unknown := [qid for qid in wordings if qid not in known]:
        raise ConfigError(
            f"dataset.rewritten: {len(unknown)} questions are not among the {len(known)} that are "
            f"asked, such as {unknown[0]!r}"
        )
    return [replace(q, text=wordings[q.qid]) for q in questions if q.qid in wordings]


def wordings_csv(wordings: Mapping[str, str]) -> str:
    """Wordings as the text of a CSV that :func:`read_wordings` reads."""
    sink = io.StringIO()
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow(("qid", "question"))
    writer.writerows(map(no_formula, pair) for pair in wordings.items())
    return sink.getvalue()
