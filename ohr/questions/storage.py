"""Questions as files that the readers of datasets understand, and what came of the others.

::

    questions.json   accepted questions, in the schema of OHR-Bench's second release
    questions.csv    the same for a folder of PDFs, as that kind of dataset reads them
    rejected.csv     the others, each with the check that it failed, and why
    yields.csv       candidates, accepted and rejected, by kind
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ohr.datasets.alternatives import one_alternative
from ohr.files.safe_text import escape_formula
from ohr.questions.from_sentences import overlap
from ohr.questions.making import QuestionSet
from ohr.store.atomic import write_text
from ohr.types import Question

CSV_COLUMNS = (
    *("id", "question", "answer", "document", "page", "evidence"),
    *("evidence_source", "answer_form", "task"),
)


def record(question: Question) -> dict[str, object]:
    """An entry of ``questions.json``; :func:`ohr.datasets.ohrbench.read_questions` reads it."""
    pages = question.evidence_pages
    doc_ids = [ref.doc_id for ref in pages]
    same = len(set(doc_ids)) == 1
    return {
        "doc_name": doc_ids[0] if same else doc_ids,
        "ID": question.qid,
        "questions": question.text,
        "answers": question.answers[0] if len(question.answers) == 1 else list(question.answers),
        "doc_type": question.domain,
        "answer_form": question.answer_form,
        "evidence_source": question.evidence_source,
        "evidence_context": question.evidence_text,
        "evidence_page_no": pages[0].page_no if len(pages) == 1 else [r.page_no for r in pages],
        "task": question.task,
    }


def json_text(questions: Sequence[Question]) -> str:
    """The questions as the text of ``questions.json``: a line each."""
    lines = ",\n".join(json.dumps(record(one), ensure_ascii=False) for one in questions)
    return f"[\n{lines}\n]\n" if lines else "[]\n"


def csv_text(questions: Iterable[Question]) -> str:
    """The questions as the text of ``questions.csv``, which names the pages of one document."""
    rows = (
        (
            one.qid,
            one.text,
            " | ".join(map(one_alternative, one.answers)),
            one.doc_id,
            ", ".join(
                str(ref.page_no + 1) for ref in one.evidence_pages if ref.doc_id == one.doc_id
            ),
            one.evidence_text,
            one.evidence_source,
            one.answer_form,
            one.task,
        )
        for one in questions
    )
    return _csv(CSV_COLUMNS, rows)


def rejected_text(exam: QuestionSet) -> str:
    """The rejected questions as the text of ``rejected.csv``."""
    rows = (
        (
            one.question.qid,
            one.kind,
            one.check,
            one.reason,
            one.question.text,
            one.question.answers[0] if one.question.answers else "",
            one.question.doc_id,
            str(one.question.evidence_pages[0].page_no + 1),
        )
        for one in exam.rejected
    )
    return _csv(("id", "kind", "check", "reason", "question", "answer", "document", "page"), rows)


def yields_text(exam: QuestionSet) -> str:
    """The yields as the text of ``yields.csv``, a row for each kind and a column for each check.

    ``overlap`` is the mean share of an accepted question's words that stand in its evidence.
    """
    yields = exam.yields()
    checks = sorted({check for one in yields for check in one.rejected})
    overlaps = overlap_by_kind(exam)
    rows = (
        (
            one.kind,
            *(str(count) for count in (one.candidates, one.accepted, one.spare)),
            f"{overlaps[one.kind]:.3f}" if one.kind in overlaps else "",
            *(str(one.rejected.get(check, 0)) for check in checks),
        )
        for one in yields
    )
    return _csv(("kind", "candidates", "accepted", "spare", "overlap", *checks), rows)


def overlap_by_kind(exam: QuestionSet) -> Mapping[str, float]:
    """Kind -> mean overlap of its accepted questions with their evidence, in [0, 1]."""
    shares: dict[str, list[float]] = {}
    for one in exam.accepted:
        shares.setdefault(exam.kinds[one.qid], []).append(overlap(one.text, one.evidence_text))
    return {kind: sum(values) / len(values) for kind, values in shares.items()}


def write_exam(folder: Path, exam: QuestionSet, *, of_folder: bool) -> Path:
    """Write the files of an exam; the path of its questions. ``of_folder``: of a folder of PDFs."""
    name = "questions.csv" if of_folder else "questions.json"
    text = csv_text(exam.accepted) if of_folder else json_text(exam.accepted)
    write_text(folder / "rejected.csv", rejected_text(exam))
    write_text(folder / "yields.csv", yields_text(exam))
    write_text(folder / name, text)
    return folder / name


def _csv(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    sink = io.StringIO()
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(map(escape_formula, row) for row in rows)
    return sink.getvalue()
