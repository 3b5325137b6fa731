"""The German insurance set: its size, its gold, its bytes."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from experiments.dataset_make_sample import main
from ohr import registry
from ohr.markup.outline.read import document_tree
from ohr.metrics.answer_kinds import kind_of
from ohr.sample.insurance.policies import FIRMS, policies, questions
from ohr.sample.insurance.terms import FORMS, TOPICS, terms
from ohr.sample.markdown import page_text
from ohr.types import Document, Page, PageRef
from tests.builders import CliRunner

PAGES = {
    one.doc_id: [page_text(page.blocks, one.layout, index) for index, page in enumerate(one.pages)]
    for one, _, _ in policies(0)
}
ASKED = list(questions(0))


def test_there_are_fifteen_documents_and_three_hundred_questions() -> None:
    assert Counter(name.split("/")[0] for name in PAGES) == dict.fromkeys(TOPICS, len(FIRMS))
    assert len(ASKED) == 300
    assert len({one["ID"] for one in ASKED}) == 300
    assert all(len(terms(topic).facts) == 20 for topic in TOPICS)
    unanswerable = [one for one in ASKED if not one["evidence_context"]]
    assert len(unanswerable) == 45
    by_question = Counter(one["questions"] for one in unanswerable)
    assert max(by_question.values()) < len(FIRMS), "each is answered by some document"


@pytest.mark.parametrize("one", ASKED[::7], ids=lambda one: one["ID"])
def test_the_gold_is_in_the_document(one) -> None:
    pages = PAGES[one["doc_name"]]
    if not one["evidence_context"]:
        assert one["answers"][0] == "not answerable"
        assert one["headers"] == []
        return
    page = pages[one["evidence_page_no"]]
    assert one["evidence_context"] in page
    if one["answer_form"] != "Yes/No":
        assert one["answers"].split()[0] in one["evidence_context"]
    ref = PageRef(one["doc_name"], 0)
    document = Document(
        ref.doc_id,
        "",
        tuple(Page(PageRef(ref.doc_id, index), text) for index, text in enumerate(pages)),
    )
    tree = document_tree(document)
    assert tuple(one["headers"]) in [tree.path(section) for section in tree.sections]


def test_answers_are_of_the_kind_that_their_form_says() -> None:
    kinds = {"Yes/No": "binary", "Numeric": "numerical", "Time span": "time span", "String": "text"}
    for topic in TOPICS:
        for fact in terms(topic).facts:
            for value in fact.values:
                if not value.endswith("alt"):
                    assert kind_of(value) == kinds[FORMS[fact.kind]], value


def test_seeds_differ_and_repeat() -> None:
    assert list(questions(0)) == ASKED
    assert list(questions(1)) != ASKED


@pytest.mark.slow
def test_the_command_writes_it_whole_and_refuses_other_folders(tmp_path: Path) -> None:
    runner = CliRunner()
    written = []
    for name in ("a", "b"):
        arguments = ["--corpus", "insurance", "--out", str(tmp_path / name)]
        assert runner.invoke(main, arguments).exit_code == 0
        files = (path for path in (tmp_path / name).rglob("*") if path.is_file())
        written.append({path.relative_to(tmp_path / name): path.read_bytes() for path in files})
    assert written[0] == written[1]
    assert "already" in runner.invoke(main, arguments).stdout
    other = runner.invoke(main, [*arguments, "--seed", "9"])
    assert other.exit_code == 2
    assert "choose another folder" in other.stderr
    folder = tmp_path / "a"
    params = {"path": folder / "retrieval_base", "questions": folder / "qas.json"}
    dataset = registry.create("dataset", {"name": "ohrbench", "params": params}).load()
    assert len(dataset.questions) == 300
    assert len(json.loads((folder / "documents.json").read_text("utf-8"))) == 15
    named = [question for question in dataset.questions if question.evidence_text]
    assert all(len(question.headers) == 3 for question in named)
