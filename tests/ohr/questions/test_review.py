"""Question sets as files, and a person's verdicts on their questions."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from ohr import registry
from ohr.collection import ValidationReport
from ohr.datasets.ohrbench import read_questions
from ohr.datasets.page_labels import PageLabels
from ohr.datasets.questions_csv import read_rows
from ohr.datasets.row_questions import questions_of
from ohr.errors import DatasetError
from ohr.questions.storage import csv_text, write_question_set, yields_text
from ohr.questions.verdicts import apply, read_verdicts
from ohr.types import PageRef
from tests.builders import write_pdf
from tests.ohr.questions.test_making import make_set
from tests.patience import ends


def verdicts(tmp_path, content):
    path = tmp_path / "verdicts.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return read_verdicts(path)


def test_what_is_written_is_read_back(tmp_path):
    found = make_set()
    path = write_question_set(tmp_path, found, of_folder=False)
    report = ValidationReport()
    assert tuple(read_questions(path, report)) == found.accepted
    assert not report
    write_question_set(tmp_path / "again", make_set(), of_folder=False)
    for name in ("questions.json", "rejected.csv", "yields.csv"):
        assert (tmp_path / name).read_bytes() == (tmp_path / "again" / name).read_bytes()


def test_a_csv_is_what_a_folder_of_pdfs_reads(tmp_path):
    found = make_set()
    path = tmp_path / "questions.csv"
    path.write_text(csv_text(found.accepted), "utf-8")
    rows = read_rows(path, ValidationReport())
    assert [row["question"] for row in rows] == [one.text for one in found.accepted]
    assert [int(row["page"]) - 1 for row in rows] == [
        one.evidence_pages[0].page_no for one in found.accepted
    ]
    assert "kind,candidates,accepted,spare,overlap" in yields_text(found)


def test_a_csv_keeps_several_pages_and_bars_in_formulas(tmp_path):
    refs = (PageRef("documents/a", 0), PageRef("documents/a", 2))
    question = replace(
        make_set().accepted[0], doc_id="documents/a", evidence_pages=refs, answers=("$|x|$", "a|b")
    )
    path = tmp_path / "questions.csv"
    path.write_text(csv_text([question]), "utf-8")
    [row] = read_rows(path, ValidationReport())
    [(_, again)] = questions_of([row], {"documents/a": tmp_path}, ValidationReport(), PageLabels())
    assert again.evidence_pages == refs
    assert again.answers == ("$|x|$", "a/b")


def test_documents_of_one_name_are_told_apart(tmp_path):
    """``a.pdf`` and ``sub/a.pdf``: the dataset asks each what was made of it."""
    folder = tmp_path / "pdfs"
    for doc_id in ("a", "sub/a"):
        write_pdf(folder / f"{doc_id}.pdf", 1)
    question = make_set().accepted[0]
    made = [
        replace(question, qid=doc_id, doc_id=doc_id, evidence_pages=(PageRef(doc_id, 0),))
        for doc_id in ("documents/a", "sub/a")
    ]
    path = tmp_path / "questions.csv"
    path.write_text(csv_text(made), "utf-8")
    given = {"path": folder, "questions": path}
    dataset = registry.create("dataset", {"name": "folder", "params": given}).load()
    assert [one.doc_id for one in dataset.questions] == ["documents/a", "sub/a"]


def test_verdicts_keep_fix_and_drop(tmp_path):
    found = make_set()
    kept, fixed, dropped = (one.qid for one in found.accepted[:3])
    said = verdicts(
        tmp_path,
        {
            kept: "keep",
            fixed: {"verdict": "fix", "question": "Who sold the Brill Mill?", "answer": "A|B"},
            dropped: {"verdict": "drop", "note": "two answers"},
        },
    )
    after = apply(found, said)
    by_id = {one.qid: one for one in after.accepted}
    assert len(after.accepted) == len(found.accepted) - 1
    assert by_id[kept] == found.accepted[0]
    assert by_id[fixed].text == "Who sold the Brill Mill?"
    assert by_id[fixed].answers == ("A", "B")
    assert by_id[fixed].evidence_text == found.accepted[1].evidence_text
    assert (after.rejected[-1].check, after.rejected[-1].reason) == ("review", "two answers")


def test_an_earlier_name_of_a_verdict_is_read(tmp_path):
    said = verdicts(tmp_path, {"made-1": {"verdict": "mend", "answer": "Ada Rowe"}})
    assert (said["made-1"].word, said["made-1"].answer) == ("fix", "Ada Rowe")


def test_a_list_of_verdicts_is_read_too(tmp_path):
    said = verdicts(tmp_path, {"verdicts": [{"id": "made-1", "verdict": "drop"}]})
    assert said["made-1"].word == "drop"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"made-1": "yes"}, "not one of keep, fix, drop"),
        ({"made-1": "fix"}, "needs a question or answer"),
        ([{"verdict": "keep"}], "without an id"),
        ([{"id": "a", "verdict": "keep"}] * 2, "two verdicts"),
        ('{"a": "keep", "a": "drop"}', "comes twice"),
        ("[", "not a JSON file"),
    ],
)
def test_verdicts_that_say_nothing_are_refused(tmp_path, content, said):
    with pytest.raises(DatasetError, match=said):
        verdicts(tmp_path, content)


@pytest.mark.slow
def test_many_verdicts_take_linear_time(tmp_path):
    many = {f"made-{number:012}": "keep" for number in range(100_000)}
    with ends(cpu_s=20):
        assert len(verdicts(tmp_path, many)) == len(many)


def test_verdicts_on_another_question_set_are_refused(tmp_path):
    with pytest.raises(DatasetError, match="does not have"):
        apply(make_set(), verdicts(tmp_path, {"made-0": "keep"}))
