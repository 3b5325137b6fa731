"""Questions in the schema of OHR-Bench's second release."""

from __future__ import annotations

from ohr.sample.questions.questions import GoldQuestion


def record(qid: str, question: GoldQuestion) -> dict[str, object]:
    """An entry of ``qas.json``; :func:`ohr.datasets.ohrbench.read_questions` reads it back.

    Page numbers, contexts and, where they differ, documents are lists if there are several.
    """
    doc_ids = [evidence.ref.doc_id for evidence in question.evidence]
    domains = [doc_id.split("/")[0] for doc_id in doc_ids]
    same = len(set(doc_ids)) == 1
    return {
        "doc_name": doc_ids[0] if same else doc_ids,
        "ID": qid,
        "questions": question.question,
        "answers": question.answer,
        "doc_type": domains[0] if same else domains,
        "answer_form": question.form,
        "evidence_source": question.source,
        "evidence_context": _several([evidence.text for evidence in question.evidence]),
        "evidence_page_no": _several([evidence.ref.page_no for evidence in question.evidence]),
        "task": question.task,
    }


def _several(values: list[str] | list[int]) -> object:
    return values[0] if len(values) == 1 else values
