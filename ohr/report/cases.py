"""The details of a case: pages, hits, answers, and its scores with clean or gold pages."""

from __future__ import annotations

import shlex
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ohr.report.command import command_of
from ohr.report.images import PageImages
from ohr.report.pages import Key
from ohr.report.rows import Rows
from ohr.report.texts import Texts
from ohr.study.output.cases import read_cases, read_questions
from ohr.study.results import StudyRun
from ohr.types import PageRef, Question

MOST_HITS = 20
LONGEST_HIT = 4_000
"""Longest part of a hit that a report shows, in characters."""
MOST_TRACE = 100
_OF_REPLY = (
    *("knowledge_base", "stage", "system", "chunker", "retriever", "reader"),
    *("status", "detail"),
)


@dataclass
class _CaseData:
    """The part of a run's cases.zip that some cases need."""

    questions: dict[str, Question]
    command: str
    texts: dict[str, dict[PageRef, str]]
    hits: dict[tuple[str, str], list[dict[Hashable, Any]]] = field(default_factory=dict)
    answers: dict[tuple[str, str], list[dict[Hashable, Any]]] = field(default_factory=dict)


def case_details(
    runs: Mapping[str, StudyRun],
    texts: Mapping[str, Texts],
    rows: Rows,
    cases: Sequence[tuple[int, int]],
    pages: Mapping[Key, int],
    images: Mapping[str, PageImages],
) -> Iterator[dict[str, Any]]:
    """The details of each (question, condition), in order; ``pages`` numbers pages with details."""
    names = rows.questions["run"].tolist()
    scores = _scores(rows, cases)
    data: dict[str, _CaseData] = {}
    for question, condition in cases:
        name = names[question]
        if name not in data:
            of_run = [(q, c) for q, c in cases if names[q] == name]
            data[name] = _case_data(runs[name], texts[name], rows, of_run)
        yield _case(rows, data[name], question, condition, scores, name, pages, images.get(name))


def _case_data(
    run: StudyRun, texts: Texts, rows: Rows, cases: Sequence[tuple[int, int]]
) -> _CaseData:
    qids = {rows.questions["qid"][q] for q, _ in cases}
    bases = {rows.conditions[c]["kept"] for _, c in cases}
    questions = {question.qid: question for question in read_questions(run.path)}
    data = _CaseData(questions, command_of(run), texts.bases)
    for name, target in (("hits", data.hits), ("answers", data.answers)):
        table = read_cases(run.path, name)
        of_questions = pc.is_in(table["qid"], pa.array(qids))
        of_bases = pc.is_in(table["knowledge_base"].cast(pa.string()), pa.array({*bases, ""}))
        for row in table.filter(pc.and_(of_questions, of_bases)).to_pylist():
            target.setdefault((row["qid"], row["knowledge_base"]), []).append(row)
    return data


def _scores(
    rows: Rows, cases: Sequence[tuple[int, int]]
) -> dict[tuple[int, int], list[dict[Hashable, Any]]]:
    """The rows of each case's question under all conditions, by (question, condition)."""
    of_run = {question for question, _ in cases}
    frame = rows.frame[rows.frame["question"].isin(of_run)]
    by_case: dict[tuple[int, int], list[dict[Hashable, Any]]] = {}
    for row in frame.to_dict("records"):
        by_case.setdefault((int(row["question"]), int(row["condition"])), []).append(row)
    return by_case


def _case(
    rows: Rows,
    data: _CaseData,
    question: int,
    condition: int,
    scores: Mapping[tuple[int, int], list[dict[Hashable, Any]]],
    run: str,
    pages: Mapping[Key, int],
    images: PageImages | None,
) -> dict[str, Any]:
    record = data.questions[rows.questions["qid"][question]]
    base = rows.conditions[condition]["kept"]
    return {
        "question": question,
        "condition": condition,
        "text": record.text,
        "answers": list(record.answers),
        "evidence": record.evidence_text,
        "pages": [
            {
                "page": pages.get((run, ref), 0),
                "boxes": images.boxes(base, ref, record.evidence_text) if images else [],
            }
            for ref in record.evidence_pages
        ],
        "hits": _hits(data, record, base),
        "replies": _replies(data, record, base),
        "swaps": _swaps(rows, question, condition, scores),
        "command": _command(data.command, record.qid),
    }


def _command(study: str, qid: str) -> str:
    """The commands for the run, and for a report with all cases of one question."""
    if not study:
        return ""
    run = shlex.split(study)[-1]
    words = ["ohr", "report", run, "--out", "case"]
    return f"{study}\n{shlex.join([*words, '--cases', f'question:{qid}'])}"


def _hits(data: _CaseData, record: Question, base: str) -> list[dict[str, Any]]:
    gold = set(record.evidence_pages)
    by_setting: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in data.hits.get((record.qid, base), ()):
        ref = PageRef(str(row["doc_id"]), int(row["page_no"]))
        text = data.texts.get(base, {}).get(ref, "")[int(row["start"]) : int(row["end"])]
        by_setting.setdefault((str(row["chunker"]), str(row["retriever"])), []).append(
            {
                "rank": int(row["rank"]),
                "doc": ref.doc_id,
                "page": ref.page_no,
                "score": round(float(row["score"]), 4),
                "text": text[:LONGEST_HIT],
                "cut": max(0, len(text) - LONGEST_HIT),
                "gold": ref in gold,
            }
        )
    return [
        {"chunker": chunker, "retriever": retriever, "hits": hits[:MOST_HITS]}
        for (chunker, retriever), hits in by_setting.items()
    ]


def _replies(data: _CaseData, record: Question, base: str) -> list[dict[str, Any]]:
    replies = []
    for name in (base, ""):
        for row in data.answers.get((record.qid, name), ()):
            replies.append(
                {
                    **{key: str(row[key]) for key in _OF_REPLY},
                    "text": row["text"],
                    "quote": row["quote"],
                    "sources": [[page["doc_id"], int(page["page_no"])] for page in row["sources"]],
                    "trace": [str(line) for line in row["trace"]][:MOST_TRACE],
                }
            )
    return replies


def _swaps(
    rows: Rows,
    question: int,
    condition: int,
    scores: Mapping[tuple[int, int], list[dict[Hashable, Any]]],
) -> list[dict[str, Any]]:
    """The score of each setting, with that on clean pages and that with gold pages for hits."""
    clean = rows.conditions[condition]["clean"]
    by_setting = {int(row["setting"]): row for row in scores.get((question, condition), ())}
    clean_rows = [] if clean is None else scores.get((question, clean), [])
    before = {int(row["setting"]): row for row in clean_rows}
    gold = {
        rows.settings[setting]["reader"]: row
        for setting, row in by_setting.items()
        if rows.settings[setting]["stage"] == "generation"
    }
    swaps = []
    for setting, row in by_setting.items():
        named = rows.settings[setting]
        gold_row = gold.get(named["reader"]) if named["stage"] == "overall" else None
        swaps.append(
            {
                "setting": setting,
                "score": _number(row["score"]),
                "clean": _number(before[setting]["score"]) if setting in before else None,
                "gold": _number(gold_row["score"]) if gold_row is not None else None,
            }
        )
    return swaps


def _number(value: float) -> float | None:
    return None if pd.isna(value) else round(float(value), 4)
