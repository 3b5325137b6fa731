"""What is behind a case: pages, hits, answers, and what the truth in their place would change."""

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
from ohr.study.results import Run
from ohr.types import PageRef, Question

MOST_HITS = 20
LONGEST_HIT = 4_000
"""Characters of a hit that are shown."""
MOST_TRACE = 100
_OF_REPLY = (
    *("knowledge_base", "stage", "system", "chunker", "retriever", "reader"),
    *("status", "detail"),
)


@dataclass
class _Kept:
    """A run's cases.zip, as far as some cases need it."""

    questions: dict[str, Question]
    command: str
    texts: dict[str, dict[PageRef, str]]
    hits: dict[tuple[str, str], list[dict[Hashable, Any]]] = field(default_factory=dict)
    answers: dict[tuple[str, str], list[dict[Hashable, Any]]] = field(default_factory=dict)


def case_details(
    runs: Mapping[str, Run],
    texts: Mapping[str, Texts],
    rows: Rows,
    cases: Sequence[tuple[int, int]],
    pages: Mapping[Key, int],
    images: Mapping[str, PageImages],
) -> Iterator[dict[str, Any]]:
    """The details of some (question, condition), in order; ``pages`` numbers those with details."""
    names = rows.questions["run"].tolist()
    scores = _scores(rows, cases)
    kept: dict[str, _Kept] = {}
    for question, condition in cases:
        name = names[question]
        if name not in kept:
            wanted = [(q, c) for q, c in cases if names[q] == name]
            kept[name] = _kept(runs[name], texts[name], rows, wanted)
        yield _case(rows, kept[name], question, condition, scores, name, pages, images.get(name))


def _kept(run: Run, texts: Texts, rows: Rows, cases: Sequence[tuple[int, int]]) -> _Kept:
    qids = {rows.questions["qid"][q] for q, _ in cases}
    bases = {rows.conditions[c]["kept"] for _, c in cases}
    questions = {question.qid: question for question in read_questions(run.path)}
    kept = _Kept(questions, command_of(run), texts.by_base)
    for name, into in (("hits", kept.hits), ("answers", kept.answers)):
        table = read_cases(run.path, name)
        asked = pc.is_in(table["qid"], pa.array(qids))
        there = pc.is_in(table["knowledge_base"].cast(pa.string()), pa.array({*bases, ""}))
        for row in table.filter(pc.and_(asked, there)).to_pylist():
            into.setdefault((row["qid"], row["knowledge_base"]), []).append(row)
    return kept


def _scores(
    rows: Rows, cases: Sequence[tuple[int, int]]
) -> dict[tuple[int, int], list[dict[Hashable, Any]]]:
    """Rows of each case's question, under all conditions."""
    wanted = {question for question, _ in cases}
    frame = rows.frame[rows.frame["question"].isin(wanted)]
    found: dict[tuple[int, int], list[dict[Hashable, Any]]] = {}
    for row in frame.to_dict("records"):
        found.setdefault((int(row["question"]), int(row["condition"])), []).append(row)
    return found


def _case(
    rows: Rows,
    kept: _Kept,
    question: int,
    condition: int,
    scores: Mapping[tuple[int, int], list[dict[Hashable, Any]]],
    run: str,
    pages: Mapping[Key, int],
    images: PageImages | None,
) -> dict[str, Any]:
    asked = kept.questions[rows.questions["qid"][question]]
    base = rows.conditions[condition]["kept"]
    return {
        "question": question,
        "condition": condition,
        "text": asked.text,
        "answers": list(asked.answers),
        "evidence": asked.evidence_text,
        "pages": [
            {
                "page": pages.get((run, ref), 0),
                "boxes": images.boxes(base, ref, asked.evidence_text) if images else [],
            }
            for ref in asked.evidence_pages
        ],
        "hits": _hits(kept, asked, base),
        "replies": _replies(kept, asked, base),
        "swaps": _swaps(rows, question, condition, scores),
        "command": _command(kept.command, asked.qid),
    }


def _command(study: str, qid: str) -> str:
    """What makes the run, and a report with all cases of one question."""
    if not study:
        return ""
    run = shlex.split(study)[-1]
    words = ["ohr", "report", run, "--out", "case"]
    return f"{study}\n{shlex.join([*words, '--cases', f'question:{qid}'])}"


def _hits(kept: _Kept, asked: Question, base: str) -> list[dict[str, Any]]:
    gold = set(asked.evidence_pages)
    by_setting: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in kept.hits.get((asked.qid, base), ()):
        ref = PageRef(str(row["doc_id"]), int(row["page_no"]))
        text = kept.texts.get(base, {}).get(ref, "")[int(row["start"]) : int(row["end"])]
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


def _replies(kept: _Kept, asked: Question, base: str) -> list[dict[str, Any]]:
    replies = []
    for name in (base, ""):
        for row in kept.answers.get((asked.qid, name), ()):
            replies.append(
                {
                    **{key: str(row[key]) for key in _OF_REPLY},
                    "text": row["text"],
                    "quote": row["quote"],
                    "sources": [[one["doc_id"], int(one["page_no"])] for one in row["sources"]],
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
    """What the same setting scores over the clean pages, and over gold pages in place of hits."""
    clean = rows.conditions[condition]["clean"]
    by_setting = {int(row["setting"]): row for row in scores.get((question, condition), ())}
    there: list[dict[Hashable, Any]] = [] if clean is None else scores.get((question, clean), [])
    before = {int(row["setting"]): row for row in there}
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
