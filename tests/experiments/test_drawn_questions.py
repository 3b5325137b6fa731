"""Which questions and pages of a benchmark are drawn."""

from __future__ import annotations

from experiments.convert.drawn_questions import drawn_questions
from ohr.collection import Dataset
from ohr.types import Document, Page, PageRef, Question

TEXTS = ("the bridge", "a table of tolls", "the river and its tolls", "nothing here", "formula")
SOURCES = ("text", "text", "text", "table")


def benchmark(documents: int = 3) -> Dataset:
    docs, questions = [], []
    for number in range(documents):
        doc_id = f"law/d{number}"
        refs = [PageRef(doc_id, page) for page in range(len(TEXTS))]
        pages = [Page(ref, text) for ref, text in zip(refs, TEXTS, strict=True)]
        docs.append(Document(doc_id, "law", pages))
        for place, source in enumerate(SOURCES):
            evidence = refs[1] if source == "table" else refs[0]
            questions.append(
                Question(
                    qid=f"{doc_id}-{place}",
                    text="what are the tolls of the river",
                    answers=("5",),
                    doc_id=doc_id,
                    domain="law",
                    evidence_pages=(evidence,),
                    evidence_text=TEXTS[evidence.page_no],
                    evidence_source=source,
                )
            )
    return Dataset(docs, questions, kind="made")


def test_evidence_sources_take_turns() -> None:
    drawn = drawn_questions(benchmark(), 2, 0, seed=0)
    assert len(drawn.questions) == 6
    for doc_id in drawn.documents:
        own = [each for each in drawn.questions if each.doc_id == doc_id]
        assert {each.evidence_source for each in own} == {"text", "table"}


def test_the_pages_are_the_evidence_and_the_nearest_others_with_their_numbers() -> None:
    drawn = drawn_questions(benchmark(1), 2, 1, seed=0)
    assert [page.ref.page_no for page in drawn.documents["law/d0"].pages] == [0, 1, 2]
    alone = drawn_questions(benchmark(1), 2, 0, seed=0)
    assert [page.ref.page_no for page in alone.documents["law/d0"].pages] == [0, 1]


def test_a_documents_draw_does_not_depend_on_the_other_documents() -> None:
    few, many = (drawn_questions(benchmark(count), 1, 1, seed=5) for count in (1, 3))
    own = [each for each in many.questions if each.doc_id == "law/d0"]
    assert own == list(few.questions)


def test_documents_without_a_question_and_questions_without_a_page_are_left_out() -> None:
    whole = benchmark(2)
    nowhere = [each for each in whole.questions if each.doc_id == "law/d0"]
    nowhere = [
        Question(
            qid="x",
            text="?",
            answers=("5",),
            doc_id="law/d1",
            domain="law",
            evidence_pages=(),
            evidence_text="",
            evidence_source="text",
        ),
        *nowhere,
    ]
    drawn = drawn_questions(Dataset(whole.documents.values(), nowhere, kind="made"), 2, 1, seed=0)
    assert list(drawn.documents) == ["law/d0"]
    assert all(each.qid != "x" for each in drawn.questions)
