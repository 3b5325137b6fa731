"""QASPER's files as documents and questions, and its predictions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from experiments.convert.qasper import quoted
from experiments.convert_qasper import main
from ohr import registry
from ohr.collection import Dataset, ValidationReport
from ohr.datasets.qasper_file import gold_of, predictions_text, read_papers, read_predictions
from ohr.errors import DatasetError
from ohr.metrics.qasper import Prediction, Reference
from ohr.study.run import run_study
from ohr.types import PageRef
from tests.builders import CliRunner, load_config

BERTHS = "Seven berths lie along the northern pier of the harbour."
TOLLS = "Tolls are paid at noon by every boat that leaves."


def answer(**given: Any) -> dict[str, Any]:
    empty = {"unanswerable": False, "extractive_spans": [], "yes_no": None,
             "free_form_answer": "", "evidence": [], "highlighted_evidence": []}  # fmt: skip
    return {"answer": empty | given, "annotation_id": "a", "worker_id": "w"}


def paper(**changed: Any) -> dict[str, Any]:
    return {
        "title": "Harbours",
        "abstract": "On harbours.",
        "full_text": [
            {"section_name": "Introduction", "paragraphs": ["A harbour is a port.", ""]},
            {"section_name": "Method", "paragraphs": [""]},
            {"section_name": "Method ::: Berths", "paragraphs": [BERTHS, TOLLS]},
        ],
        "figures_and_tables": [{"file": "1.png", "caption": "Table 1: Boats a pier."}],
        "qas": [
            {
                "question": "How many berths lie along the pier?",
                "question_id": "q1",
                "answers": [
                    answer(free_form_answer="seven of them", evidence=[BERTHS]),
                    answer(extractive_spans=["Seven", "berths"], evidence=[BERTHS, TOLLS]),
                ],
            },
            {
                "question": "Are tolls paid?",
                "question_id": "q2",
                "answers": [answer(yes_no=False, evidence=[TOLLS]), answer(unanswerable=True)],
            },
            {"question": "Why?", "question_id": "q3", "answers": [answer(unanswerable=True)]},
            {
                "question": "How many boats a pier?",
                "question_id": "q4",
                "answers": [
                    answer(
                        extractive_spans=["12"],
                        evidence=["FLOAT SELECTED: Table 1: Boats a pier."],
                    )
                ],
            },
        ],
    } | changed


def write(folder: Path, **papers: Any) -> Path:
    path = folder / "papers.json"
    path.write_text(json.dumps(papers or {"1909.00001": paper()}), "utf-8")
    return path


def load(path: Path, **params: Any) -> Dataset:
    given = {"path": path} | params
    loaded: Dataset = registry.create("dataset", {"name": "qasper", "params": given}).load()
    return loaded


def test_a_paper_is_a_document_with_a_page_a_section(tmp_path: Path) -> None:
    [document] = load(write(tmp_path)).documents.values()
    assert document.doc_id == "qasper/1909.00001"
    assert [page.text for page in document.pages] == [
        "# Harbours\n\nOn harbours.",
        "## Introduction\n\nA harbour is a port.",
        f"### Berths\n\n{BERTHS}\n\n{TOLLS}",
        "## Figures and tables\n\nTable 1: Boats a pier.",
    ]


def test_questions_have_all_annotators_answers_and_the_first_evidence(tmp_path: Path) -> None:
    questions = {question.qid: question for question in load(write(tmp_path)).questions}
    first = questions["q1"]
    assert first.answers == ("seven of them", "Seven, berths")
    assert first.evidence_pages == (PageRef("qasper/1909.00001", 2),)
    assert (first.evidence_text, first.answer_form) == (BERTHS, "abstractive")
    assert questions["q2"].answers == ("No", "Unanswerable")
    assert questions["q3"].evidence_text == ""
    assert questions["q3"].answer_form == "none"
    assert questions["q4"].evidence_source == "table"
    assert questions["q4"].evidence_pages[0].page_no == 3
    assert questions["q4"].evidence_text == "Table 1: Boats a pier."


def test_unanswerable_questions_may_be_left_out(tmp_path: Path) -> None:
    dataset = load(write(tmp_path), unanswerable=False)
    assert [question.qid for question in dataset.questions] == ["q1", "q2", "q4"]
    assert dataset.questions[1].answers == ("No",)
    assert dataset.report.skipped == ["question q3: unanswerable"]


def test_an_old_paper_id_is_one_name(tmp_path: Path) -> None:
    assert "qasper/cs_0101001" in load(write(tmp_path, **{"cs/0101001": paper()})).documents


@pytest.mark.parametrize(
    ("papers", "problem"),
    [
        ({"x": 1}, "malformed_paper"),
        ({"x": paper(qas=[{"question": "?"}])}, "malformed_question"),
        ({"x": paper(qas=[{"question": "?", "question_id": "q", "answers": [answer()]}])},
         "annotation_without_answer"),
    ],
)  # fmt: skip
def test_what_cannot_be_understood_is_reported(
    tmp_path: Path, papers: dict[str, Any], problem: str
) -> None:
    dataset = load(write(tmp_path, good=paper(), **papers))
    assert problem in dataset.report.problems
    assert len(dataset.questions) == 4


@pytest.mark.parametrize("content", ["[]", "{", "\0", "[" * 100_000])
def test_what_is_no_file_of_papers_is_one_line(tmp_path: Path, content: str) -> None:
    (tmp_path / "papers.json").write_text(content)
    with pytest.raises(DatasetError, match=r"papers\.json"):
        load(tmp_path / "papers.json")


def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    path = write(tmp_path, one=paper())
    before = load(path).digest()
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert load(path).digest() == before


@pytest.mark.parametrize("more", [{"pdfs": "."}, {"questions": "q.json"}, {"domains": ["law"]}])
def test_what_means_nothing_is_refused(tmp_path: Path, more: dict[str, Any]) -> None:
    with pytest.raises(DatasetError, match=r"dataset\.kind=qasper has"):
        load(write(tmp_path), **more)


def test_predictions_go_out_and_come_back(tmp_path: Path) -> None:
    made = {"q1": Prediction("sieben 7", ("a\nb", "ü")), "q2": Prediction("")}
    path = tmp_path / "p.jsonl"
    path.write_text(predictions_text(made), "utf-8")
    assert read_predictions(path) == made
    separated = {"q1": Prediction("one\u2028two\x85three", ("\x1cfour",))}
    path.write_text("\ufeff" + predictions_text(separated).replace("\n", "\r\n"), "utf-8")
    assert read_predictions(path) == separated
    path.write_text('{"question_id": "q", "predicted_answer": "a", "predicted_evidence": "p"}\n')
    with pytest.raises(DatasetError, match="line 1: no prediction"):
        read_predictions(path)


def test_references_are_what_annotators_gave(tmp_path: Path) -> None:
    gold = gold_of(read_papers(write(tmp_path), ValidationReport()))
    assert gold["q2"] == (
        Reference("No", "boolean", (TOLLS,)),
        Reference("Unanswerable", "none"),
    )


def test_a_quote_is_the_paragraph_that_it_is_of() -> None:
    paragraphs = [BERTHS, TOLLS, "FLOAT SELECTED: Table 1: Boats a pier."]
    assert quoted(f"{BERTHS}  {TOLLS}", paragraphs) == (BERTHS, TOLLS)
    assert quoted("along the northern\npier", paragraphs) == (BERTHS,)
    assert quoted(TOLLS.replace("noon", "n00n").replace("o", "0"), paragraphs) == (TOLLS,)
    assert quoted("Table 1: Boats a pier.", paragraphs) == (paragraphs[2],)
    assert quoted("zzz qqq", paragraphs) == quoted("", paragraphs) == ()


def test_a_run_is_scored_as_its_exported_predictions_are(tmp_path: Path) -> None:
    papers = write(tmp_path)
    settings = [
        *("dataset.kind=qasper", f"dataset.path={papers}", "engines=[gt]", "stages=[overall]"),
        *("systems=[drc]", "scope=document", f"cache={tmp_path / 'cache'}"),
    ]
    run = run_study(load_config(settings), tmp_path / "run")
    given = CliRunner().invoke(
        main, [str(papers), str(run.path), "--out", str(tmp_path / "scores")]
    )
    assert given.exit_code == 0, given.output
    [file] = (tmp_path / "scores").glob("*.jsonl")
    assert read_predictions(file)["q1"].evidence == (BERTHS,)
    again = CliRunner().invoke(main, [str(papers), str(file), "--out", str(tmp_path / "again")])
    assert again.exit_code == 0, again.output
    first, second = (
        pd.read_csv(tmp_path / name / "qasper.csv").drop(columns="predictions")
        for name in ("scores", "again")
    )
    pd.testing.assert_frame_equal(first, second)
    dropped = CliRunner().invoke(main, [str(papers), str(file), "--drop-unanswerable"])
    assert dropped.exit_code == 0
    missing = CliRunner().invoke(main, [str(papers), str(tmp_path / "nothing.jsonl")])
    assert (missing.exit_code, "cannot read predictions" in missing.output) == (2, True)
    other = tmp_path / "other.json"
    other.write_text(papers.read_text("utf-8").replace('"question_id": "', '"question_id": "x'))
    unasked = CliRunner().invoke(main, [str(other), str(run.path)])
    assert (unasked.exit_code, "has no answer to a question of" in unasked.output) == (2, True)


def columns(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in rows[0]}


def hub(paper_id: str, one: dict[str, Any]) -> dict[str, Any]:
    """A paper as the Hub gives it: its lists of records are columns."""
    qas = [{**asked, "answers": columns(asked["answers"])} for asked in one["qas"]]
    return one | {
        "id": paper_id,
        "full_text": columns(one["full_text"]),
        "figures_and_tables": columns(one["figures_and_tables"]),
        "qas": columns(qas),
    }


@pytest.mark.parametrize("form", ["list", "lines", "one line", "columns", "pandas", "parquet"])
def test_the_hubs_forms_are_the_published_one(tmp_path: Path, form: str) -> None:
    published = read_papers(write(tmp_path, **{"1": paper(), "2": paper()}), ValidationReport())
    rows = [hub("1", paper()), hub("2", paper())]
    path = tmp_path / "hub"
    if form == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        frame = pd.DataFrame(rows)
        written = {
            "list": json.dumps(rows),
            "lines": "".join(f"{json.dumps(row)}\n" for row in rows),
            "one line": json.dumps(rows[0]),
            "columns": json.dumps(columns(rows)),
            "pandas": frame.to_json(),
        }
        path.write_text(written[form], "utf-8")
    report = ValidationReport()
    assert read_papers(path, report) == published[: 1 if form == "one line" else 2]
    assert not report


def test_values_of_another_type_are_reported(tmp_path: Path) -> None:
    def asked(qid: Any, **given: Any) -> dict[str, Any]:
        return {"question": "?", "question_id": qid, "answers": [answer(**given)]}

    wrong = [
        asked("a", free_form_answer={"x": 1}), asked("b", extractive_spans="abc"),
        asked("c", yes_no="No"), asked("d", extractive_spans=[True]), asked(None, yes_no=True),
        asked("e", yes_no=True, evidence="abc"), asked("f", free_form_answer=9.0),
    ]  # fmt: skip
    flat = [{"section_name": "A", "paragraphs": "one text"}]
    path = write(tmp_path, x=paper(qas=wrong), y=paper(full_text=flat), z=paper(title=["a"]))
    report = ValidationReport()
    [found] = read_papers(path, report)
    assert report.counts == {"malformed_paper": 2, "malformed_question": 6}
    assert [one.references[0].answer for one in found.questions] == ["9"]
