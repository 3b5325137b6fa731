"""Writes a question set as files that datasets can read.

::

    questions.json   accepted questions, in the schema of OHR-Bench's second release
    questions.csv    the same for a folder of PDFs, for dataset.kind=folder
    rejected.csv     rejected questions, each with the check that it failed, and why
    yields.csv       counts of candidates, accepted and rejected, by kind
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ohr.datasets.alternatives import one_alternative
from ohr.datasets.question_entries import entry_of
from ohr.files.safe_text import escape_formula
from ohr.questions.from_sentences import overlap
from ohr.questions.making import QuestionSet
from ohr.store.atomic import write_text
from ohr.types import Question

CSV_COLUMNS = (
    *("id", "question", "answer", "document", "page", "evidence"),
    *("evidence_source", "answer_form", "task"),
)


def json_text(questions: Sequence[Question]) -> str:
    """The text of ``questions.json``: one line per question."""
    lines = ",\n".join(json.dumps(entry_of(question), ensure_ascii=False) for question in questions)
    return f"[\n{lines}\n]\n" if lines else "[]\n"


def csv_text(questions: Iterable[Question]) -> str:
    """The text of ``questions.csv``, which names only pages of the question's document."""
    rows = (
        (
            question.qid,
            question.text,
            " | ".join(map(one_alternative, question.answers)),
            question.doc_id,
            ", ".join(
                str(ref.page_no + 1)
                for ref in question.evidence_pages
                if ref.doc_id == question.doc_id
            ),
            question.evidence_text,
            question.evidence_source,
            question.answer_form,
            question.task,
        )
        for question in questions
    )
    return _csv(CSV_COLUMNS, rows)


def rejected_text(question_set: QuestionSet) -> str:
    """The text of ``rejected.csv``."""
    rows = (
        (
            rejected.question.qid,
            rejected.kind,
            rejected.check,
            rejected.reason,
            rejected.question.text,
            rejected.question.answers[0] if rejected.question.answers else "",
            rejected.question.doc_id,
            str(rejected.question.evidence_pages[0].page_no + 1),
        )
        for rejected in question_set.rejected
    )
    return _csv(("id", "kind", "check", "reason", "question", "answer", "document", "page"), rows)


def yields_text(question_set: QuestionSet) -> str:
    """The text of ``yields.csv``: one row per kind, one column per check.

    ``overlap`` is the mean share of an accepted question's words that are in its evidence.
    """
    yields = question_set.yields()
    checks = sorted({check for kind_yield in yields for check in kind_yield.rejected})
    overlaps = overlap_by_kind(question_set)
    rows = (
        (
            kind_yield.kind,
            *(
                str(count)
                for count in (kind_yield.candidates, kind_yield.accepted, kind_yield.spare)
            ),
            f"{overlaps[kind_yield.kind]:.3f}" if kind_yield.kind in overlaps else "",
            *(str(kind_yield.rejected.get(check, 0)) for check in checks),
        )
        for kind_yield in yields
    )
    return _csv(("kind", "candidates", "accepted", "spare", "overlap", *checks), rows)


def overlap_by_kind(question_set: QuestionSet) -> Mapping[str, float]:
    """Kind -> mean overlap of its accepted questions with their evidence, in [0, 1]."""
    shares: dict[str, list[float]] = {}
    for question in question_set.accepted:
        shares.setdefault(question_set.kinds[question.qid], []).append(
            overlap(question.text, question.evidence_text)
        )
    return {kind: sum(values) / len(values) for kind, values in shares.items()}


def write_question_set(folder: Path, question_set: QuestionSet, *, of_folder: bool) -> Path:
    """Write the files of a question set; returns the path of the accepted questions.

    ``of_folder``: they are written as CSV, for a folder of PDFs.
    """
    name = "questions.csv" if of_folder else "questions.json"
    text = csv_text(question_set.accepted) if of_folder else json_text(question_set.accepted)
    write_text(folder / "rejected.csv", rejected_text(question_set))
    write_text(folder / "yields.csv", yields_text(question_set))
    write_text(folder / name, text)
    return folder / name


def _csv(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    sink = io.StringIO()
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(map(escape_formula, row) for row in rows)
    return sink.getvalue()
