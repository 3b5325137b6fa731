"""The ten categories of questions: the rule, the files, the groups of a run."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.api.run import open_run
from ohr.datasets.categories import CATEGORIES, category_of
from ohr.datasets.ohrbench import question_of
from ohr.sample import corpus
from ohr.sample.markdown import page_text
from ohr.sample.questions.categories import WRITTEN_FOR, category_records
from ohr.store.csv import csv_text
from ohr.study.output.cases import read_questions
from ohr.study.results import recompute_cells
from ohr.study.run import run_study
from ohr.types import PageRef, Question
from tests.builders import load_config, qa, write_kb, write_questions
from tests.examples import examples
from tests.experiments.test_commands import invoke


def asked(text: str, source: str = "text", pages: int = 1) -> Question:
    refs = tuple(PageRef("a/b", number) for number in range(pages))
    return Question("q", text, ("x",), "a/b", "a", refs, "", source)


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("What does figure 3 show?", "figure"),
        ("Which bar of the chart on page 5 is the tallest?", "figure"),
        ("When may the tenant end the lease?", "text"),
        ("What is the largest value in Table 2?", "table"),
        ("Which row has the lowest price?", "table"),
        ("How many sections does the document have?", "structure"),
        ("What is said in paragraph 3 of section 1?", "structure"),
        ("On which page do the fees begin?", "structure"),
        ("Please write a short summary of section 2.", "summarization"),
        ("What are the key takeaways of the report?", "summarization"),
        ("List the members of the board.", "extraction"),
        ("Find all dates that are mentioned.", "extraction"),
        ("Rewrite the first sentence in plain language.", "rewrite"),
        ("Besides what the report says, who else held the office?", "outside"),
        ("Explain the term amortisation.", "outside"),
        ("Do the fees of section 2 and section 5 agree?", "cross-page"),
        ("Does the conclusion keep what the abstract promises?", "cross-page"),
        ("Is this document a lease or a contract of sale?", "classification"),
        ("What type of document is it, what kind of report?", "classification"),
    ],
)
def test_words_tell_the_category(text: str, category: str) -> None:
    assert category_of(asked(text)) == category


def test_where_words_do_not_tell_the_evidence_does() -> None:
    assert category_of(asked("What was the revenue?", "table")) == "table"
    assert category_of(asked("What was the revenue?", "chart")) == "figure"
    assert category_of(asked("What was the revenue?", "table", pages=2)) == "cross-page"
    assert category_of(asked("What was the revenue?", "formula")) == "text"


@examples(100)
@given(st.text(max_size=300))
def test_any_question_has_a_category(text: str) -> None:
    assert category_of(asked(text)) in CATEGORIES


def records() -> list[dict[str, object]]:
    return [
        record
        for number in range(14)
        for one in [corpus.document(0, number, 3)]
        for record in category_records(
            one.doc_id, one.title, one.pages, np.random.default_rng(number)
        )
    ]


@pytest.mark.slow
def test_generated_documents_are_asked_in_all_categories() -> None:
    made = records()
    assert {record["category"] for record in made} == {*CATEGORIES}
    assert made == records()
    assert all(one.get("written_for", "") == WRITTEN_FOR.get(one["category"], "") for one in made)
    questions = [question_of({**record, "ID": "q"}) for record in made]
    right = [category_of(question) == question.category for question in questions]
    assert np.mean(right) > 0.95
    texts = {}
    for number in range(14):
        one = corpus.document(0, number, 3)
        for page_no, page in enumerate(one.pages):
            texts[PageRef(one.doc_id, page_no)] = page_text(page.blocks, one.layout, page_no)
    for question in questions:
        pages = [texts[ref] for ref in question.evidence_pages]
        for passage in question.evidence_text.split("\n"):
            assert any(passage in page for page in pages)
    refused = [q.answers for q in questions if q.category == "outside"]
    assert all("not in the document" in answers for answers in refused)


def test_files_are_filled_in_and_nothing_else_changes(tmp_path: Path) -> None:
    entries = [
        qa(0, "law/a", 0, questions="How many pages are there?"),
        qa(1, "law/a", 0, questions="Who pays?", category="extraction", more=[1]),
        {"questions": "no such question"},
    ]
    out = tmp_path / "out.json"
    done = invoke(
        "dev_categories", str(write_questions(tmp_path / "q.json", entries)), "--out", str(out)
    )
    assert done.exit_code == 0
    assert "agrees on 0 of 1 questions" in done.output
    filled = json.loads(out.read_text("utf-8"))
    assert filled == [entries[0] | {"category": "structure"}, *entries[1:]]
    marked = tmp_path / "marked.json"
    marked.write_text(json.dumps(entries), "utf-8-sig")
    again = tmp_path / "again.json"
    assert invoke("dev_categories", str(marked), "--out", str(again)).exit_code == 0
    assert again.read_bytes() == out.read_bytes()
    table = tmp_path / "q.csv"
    table.write_text('question;answer;document;page\n"What is in\nTable 2; then?";x;a;1\n', "utf-8")
    out = tmp_path / "out.csv"
    assert invoke("dev_categories", str(table), "--out", str(out)).exit_code == 0
    with out.open(newline="", encoding="utf-8") as file:
        [row] = csv.DictReader(file)
    assert (row["category"], row["question"]) == ("table", "What is in\nTable 2; then?")
    table.write_text("question,answer,document,page,evidence_source\nWho pays?,x,a,1, Table\n")
    assert invoke("dev_categories", str(table), "--out", str(out)).exit_code == 0
    assert out.read_text("utf-8").splitlines()[1].endswith(" Table,table")
    table.write_text("question,answer,document,page\n'=1+1?,'@SUM(A1),a,1\n", "utf-8")
    assert invoke("dev_categories", str(table), "--out", str(out)).exit_code == 0
    assert out.read_text("utf-8").splitlines()[1].startswith("'=1+1?,'@SUM(A1),a,1,")


@pytest.mark.parametrize("content", ["{", "{}", "question,answer\n"])
def test_files_of_no_questions_are_one_line(tmp_path: Path, content: str) -> None:
    for name in ("q.json", "q.csv"):
        (tmp_path / name).write_text(content)
        done = invoke("dev_categories", str(tmp_path / name), "--out", str(tmp_path / "out"))
        assert (done.exit_code, done.output.count("\n")) == (2, 1)
    assert not (tmp_path / "out").exists()


def study(root: Path, categories: list[str]) -> Path:
    kb = write_kb(root / "kb" / "gt", {"law/a": ["Fact 0 is answer 0.", "Fact 1 is answer 1."]})
    entries = [
        qa(n, "law/a", n, **({"category": name} if name else {}))
        for n, name in enumerate(categories)
    ]
    config = load_config(
        [
            *("dataset.kind=ohrbench", f"dataset.path={kb.parent}", "engines=[gt]"),
            f"dataset.questions={write_questions(root / 'q.json', entries)}",
            *("systems=[rag,chunks]", "stages=[overall]", f"cache={root / 'cache'}"),
        ]
    )
    run_study(config, root / "run")
    return root / "run"


def test_categories_are_groups_of_a_run(tmp_path: Path) -> None:
    run = study(tmp_path, ["table", "outside"])
    frame = open_run(run).cells
    groups = set(frame["group"])
    assert {"category:table", "category:outside"} <= groups
    assert [question.category for question in read_questions(run)] == ["table", "outside"]
    assert csv_text(recompute_cells(run)) == (run / "cells.csv").read_text("utf-8")
    compared = open_run(run).compare(by="system", groups=True)
    assert {"category:table", "category:outside"} <= set(compared["group"])


def test_without_categories_a_run_has_no_such_column(tmp_path: Path) -> None:
    run = study(tmp_path, ["", ""])
    assert "category" not in pq.read_schema(run / "rows.parquet").names
    assert not any(str(group).startswith("category") for group in open_run(run).cells["group"])
    assert [question.category for question in read_questions(run)] == ["", ""]
