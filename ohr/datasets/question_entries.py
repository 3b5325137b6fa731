"""Questions in the schema of OHR-Bench's second release."""

from __future__ import annotations

import json

from ohr.types import Question


def entry_of(question: Question) -> dict[str, object]:
    """The entry of a question; :func:`ohr.datasets.ohrbench.question_of` reads it back.

    Page numbers, answers and, where they differ, documents are lists if there are several. A
    question without an evidence page has an empty list of them.
    """
    pages = question.evidence_pages
    doc_ids = [ref.doc_id for ref in pages] or [question.doc_id]
    same = len(set(doc_ids)) == 1
    entry: dict[str, object] = {
        "doc_name": doc_ids[0] if same else doc_ids,
        "ID": question.qid,
        "questions": question.text,
        "answers": question.answers[0] if len(question.answers) == 1 else list(question.answers),
        "doc_type": question.domain,
        "answer_form": question.answer_form,
        "evidence_source": question.evidence_source,
        "evidence_context": question.evidence_text,
        "evidence_page_no": pages[0].page_no if len(pages) == 1 else [ref.page_no for ref in pages],
        "task": question.task,
    }
    optional = {
        "category": question.category,
        "headers": list(question.headers),
        "written_for": question.written_for,
        "relevance": list(question.relevance),
        "fact": json.loads(question.fact) if question.fact else None,
    }
    return entry | {name: value for name, value in optional.items() if value}
