"""Verdicts of a person or a rule on a sample of judged answers, as a CSV file.

One row per answer: the columns that tell answers of a run apart (:data:`KEYS`; those that all
answers of the run share may be left out), and ``correct``: yes or no, true or false, 1 or 0.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from ohr.datasets import csv_table
from ohr.errors import OhrError
from ohr.files.bounded import read_bounded
from ohr.store.atomic import write_text
from ohr.store.csv import csv_text
from ohr.study.output.cases import read_cases, read_questions
from ohr.study.results import StudyRun, rows_of

CONDITION = (
    *("noise", "perturbation", "level", "intensity", "engine", "draw"),
    *("stage", "system", "chunker", "retriever", "reader"),
)
KEYS = (*CONDITION, "qid")
_NUMBERS = frozenset({"intensity", "draw"})
METRIC = "judged"
VERDICT = "correct"
_WORDS = {"yes": 1.0, "true": 1.0, "1": 1.0, "correct": 1.0, "no": 0.0, "false": 0.0, "0": 0.0}
_WORDS |= {"incorrect": 0.0, "wrong": 0.0}
_MOST_BYTES = 50_000_000


def judged_answers(run: StudyRun) -> pd.DataFrame:
    """The judge's verdict on each answer: :data:`KEYS`, ``doc_id``, ``page_no``, ``judged`` (0 or
    1).

    Raises OhrError for a run without a judge, or with repeats.
    """
    drawn = run.drawn
    stages = [stage for stage in ("generation", "overall") if stage in set(drawn["stage"])]
    parts = [rows_of(drawn, stage, METRIC) for stage in stages]
    rows = pd.concat(parts) if parts else pd.DataFrame()
    if rows.empty:
        raise OhrError(f"{run.path} has no answers that a judge graded: run it with judge=…")
    if int(run.manifest.get("config", {}).get("repeats", 1)) > 1:
        raise OhrError(f"{run.path} has repeats: its judged scores are means, not verdicts")
    table = rows[[*KEYS, "doc_id", "page_no"]].assign(judged=rows["value"].to_numpy(float))
    return table.reset_index(drop=True)


def read_verdicts(path: Path, answers: pd.DataFrame) -> np.ndarray:
    """The verdict on each of the answers: float ``(n,)``, NaN without one.

    Raises OhrError for a file that cannot be read, a verdict that is none, an answer that the run
    does not have, and one that matches several.
    """
    rows, lines = _rows(path)
    keys = [name for name in KEYS if name in rows]
    if "qid" not in keys or VERDICT not in rows:
        raise OhrError(f"{path}: it needs the columns qid and {VERDICT}")
    by_key: dict[tuple[str, ...], list[int]] = {}
    for place, key in enumerate(_key_rows(answers, keys)):
        by_key.setdefault(key, []).append(place)
    checked = np.full(len(answers), np.nan)
    for line, key, word in zip(lines, _key_rows(rows, keys), rows[VERDICT], strict=True):
        text = str(word).strip().casefold()
        if not text:
            continue  # an answer of the sample that nobody has looked at yet
        if text not in _WORDS:
            raise OhrError(f"{path}, line {line}: {word!r} is no verdict: write yes or no")
        places = by_key.get(key, [])
        if not places:
            raise OhrError(f"{path}, line {line}: the run has no judged answer {', '.join(key)}")
        if len(places) > 1:
            parted = [name for name in KEYS if answers.iloc[places][name].nunique() > 1]
            raise OhrError(
                f"{path}, line {line}: {len(places)} answers match: add the column {parted[0]}"
            )
        if not np.isnan(checked[places[0]]):
            raise OhrError(f"{path}, line {line}: a second verdict on one answer")
        checked[places[0]] = _WORDS[text]
    if np.isnan(checked).all():
        raise OhrError(f"{path} has no verdict: write yes or no into the column {VERDICT}")
    return checked


def _key_rows(table: pd.DataFrame, keys: list[str]) -> list[tuple[str, ...]]:
    columns = [
        [_plain(value) if name in _NUMBERS else str(value).strip() for value in table[name]]
        for name in keys
    ]
    return list(zip(*columns, strict=True))


def _plain(value: object) -> str:
    """A value as text; equal numbers give equal texts, however they are written."""
    text = str(value).strip()
    try:
        return f"{float(text):.9g}"
    except ValueError:
        return text


def _rows(path: Path) -> tuple[pd.DataFrame, list[int]]:
    try:
        text = csv_table.csv_text(read_bounded(path, _MOST_BYTES))
        records = csv_table.records(text, csv_table.separator_of(text, [*KEYS, VERDICT]))
    except OSError as error:
        raise OhrError(f"cannot read {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise OhrError(f"{path}: {error}") from error
    if len(records) < 2:
        raise OhrError(f"{path} has no rows")
    names = [csv_table.column(name) for name in records[0][1]]
    for line, fields in records[1:]:
        if len(fields) != len(names):
            raise OhrError(f"{path}, line {line}: {len(fields)} fields under {len(names)} columns")
    lines = [line for line, _ in records[1:]]
    return pd.DataFrame([fields for _, fields in records[1:]], columns=names, dtype=str), lines


def write_sample(run: StudyRun, path: Path, number: int, seed: int) -> int:
    """Write a CSV with answers drawn at random, to be filled in; returns how many.

    ``number``: 0 for all. The judge's verdict is not in it. Raises OhrError if the file exists.
    """
    if path.exists():
        raise OhrError(f"{path} is there already, perhaps with verdicts: name another file")
    answers = judged_answers(run)
    if 0 < number < len(answers):
        places = np.random.default_rng(seed).permutation(len(answers))[:number]
        answers = answers.iloc[np.sort(places)]
    questions = {question.qid: question for question in read_questions(run.path)}
    texts = _answer_texts(run.path)
    shown = answers.drop(columns=["judged", "page_no"]).assign(
        question=[questions[qid].text for qid in answers["qid"]],
        accepted_answers=[" | ".join(questions[qid].answers) for qid in answers["qid"]],
        answer=[
            texts.get((_base(run, row), *(str(row[name]) for name in _SOURCE)), "")
            for row in answers.to_dict("records")
        ],
        **{VERDICT: ""},
    )
    write_text(path, csv_text(shown))
    return len(shown)


_SOURCE = ("stage", "system", "chunker", "retriever", "reader", "qid")


def _base(run: StudyRun, row: dict[object, object]) -> str:
    columns = ("engine", "perturbation", "level", "intensity", "draw")
    return run.name_in_cases(*(row[name] for name in columns))  # type: ignore[arg-type]


def _answer_texts(run: Path) -> dict[tuple[str, ...], str]:
    names = ("knowledge_base", *_SOURCE)
    return {
        tuple(str(row[name]) for name in names): row["text"] or ""
        for row in read_cases(run, "answers").to_pylist()
    }
