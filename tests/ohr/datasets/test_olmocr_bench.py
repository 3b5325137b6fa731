"""olmOCR-Bench: tests in JSON lines, PDFs beside them, and a study of which noise breaks what."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ohr.datasets.ohrbench import question_of
from ohr.datasets.olmocr_bench import OlmOcrBench
from ohr.datasets.question_entries import entry_of
from ohr.errors import DatasetError
from ohr.metrics.facts import FACT_METRICS
from ohr.plugins import DatasetParams, OcrBackend
from ohr.study.output.cases import read_questions
from ohr.study.run import run_study
from ohr.types import Outcome, PageRef
from tests.builders import load_config, write_pdf

TESTS: dict[str, list[dict[str, Any]]] = {
    "letters": [
        {"pdf": "letters/a.pdf", "page": 1, "id": "a1", "type": "present", "text": "the tide"},
        {"pdf": "letters/a.pdf", "page": 1, "id": "a2", "type": "absent", "text": "Harbour Office"},
        {"pdf": "letters/b.pdf", "page": 2, "id": "b1", "type": "order", "before": "pilots",
         "after": "keeper", "max_diffs": 1},
        {"pdf": "letters/b.pdf", "page": 1, "id": "b2", "type": "baseline"},
        {"pdf": "letters/b.pdf", "page": 1, "id": "b3", "type": "present", "text": "x",
         "checked": "rejected"},
    ],
    "tables": [
        {"pdf": "tables/c.pdf", "page": 1, "id": "c1", "type": "table", "cell": "388",
         "left": "1874", "up": ""},
        {"pdf": "tables/c.pdf", "page": 1, "id": "c2", "type": "math", "math": "d = h_0"},
    ],
}  # fmt: skip


def write_bench(folder: Path, tests: dict[str, list[dict[str, Any]]] = TESTS) -> Path:
    """The benchmark in its published form, with PDFs of one or two pages."""
    for name, entries in tests.items():
        for pdf in {entry["pdf"] for entry in entries}:
            path = folder / "pdfs" / pdf
            write_pdf(path, pages=2 if pdf.endswith("b.pdf") else 1)
        lines = "".join(json.dumps(entry) + "\n" for entry in entries)
        (folder / f"{name}.jsonl").write_text(lines, "utf-8")
    return folder


def load(path: Path, **params: Any) -> Any:
    return OlmOcrBench(DatasetParams(path=path, cache=path / "cache", **params)).load()


def test_tests_are_questions_with_facts_and_pages_have_no_truth(tmp_path):
    dataset = load(write_bench(tmp_path))
    assert list(dataset.documents) == ["letters/a", "letters/b", "tables/c"]
    assert set(dataset.without_truth) == set(dataset.pages)
    by_id = {question.qid: question for question in dataset.questions}
    assert set(by_id) == {"a1", "a2", "b1", "c1", "c2"}
    assert by_id["b1"].evidence_pages == (PageRef("letters/b", 1),)
    assert by_id["b1"].evidence_text == "pilots\nkeeper"
    assert by_id["a2"].evidence_text == ""
    assert [by_id[name].evidence_source for name in ("a1", "b1", "c1", "c2")] == [
        "text", "reading_order", "table", "formula",
    ]  # fmt: skip
    assert json.loads(by_id["c1"].fact) == {"type": "table", "cell": "388", "left": "1874"}
    assert not dataset.report.problems
    assert dataset.report.skipped == [
        "tests of the type baseline, which no metric measures: 1",
        "tests that the data mark as rejected: 1",
    ]
    assert [q.qid for q in load(tmp_path, domains=("tables",)).questions] == ["c1", "c2"]
    for question in dataset.questions:  # in the schema of OHR-Bench, for your own facts
        assert question_of(entry_of(question)).fact == question.fact


def test_what_is_missing_or_malformed_is_named(tmp_path):
    with pytest.raises(DatasetError, match="no PDFs in"):
        load(tmp_path)
    bad = [
        {"pdf": "letters/gone.pdf", "page": 1, "id": "1", "type": "present", "text": "x"},
        {"pdf": "letters/a.pdf", "page": 0, "id": "2", "type": "present", "text": "x"},
        {"pdf": "letters/a.pdf", "page": 1, "id": "3", "type": "order", "before": "x"},
        {"pdf": "letters/a.pdf", "page": 7, "id": "4", "type": "present", "text": "x"},
    ]
    write_bench(tmp_path, {"letters": TESTS["letters"]})
    (tmp_path / "more.jsonl").write_text("{\n" + "".join(json.dumps(b) + "\n" for b in bad))
    report = load(tmp_path).report
    assert report.counts == {
        "malformed_question": 3, "missing_document": 1, "missing_evidence_page": 1,
    }  # fmt: skip


def test_a_test_is_one_line_whatever_breaks_its_text_has(tmp_path):
    """JSON keeps a line separator and a form feed within a string."""
    write_bench(tmp_path, {"letters": TESTS["letters"]})
    test = TESTS["letters"][0] | {"id": "z", "text": "the tide\u2028table\x85ends"}
    (tmp_path / "more.jsonl").write_text(json.dumps(test, ensure_ascii=False) + "\n", "utf-8")
    assert "malformed_question" not in load(tmp_path).report.counts


def test_tests_of_a_second_pdf_with_one_id_are_not_asked_of_the_first(tmp_path):
    folder = write_bench(tmp_path, {"letters": TESTS["letters"]}) or tmp_path
    first = folder / "pdfs" / "letters" / "a.pdf"
    (folder / "pdfs" / "letters" / "b").mkdir()
    for name in ("b/c.pdf", "b_c.pdf"):
        (folder / "pdfs" / "letters" / name).write_bytes(first.read_bytes())
    tests = [
        {"pdf": f"letters/{name}", "page": 1, "id": name, "type": "present", "text": "x"}
        for name in ("b/c.pdf", "b_c.pdf")
    ]
    (folder / "more.jsonl").write_text("".join(json.dumps(test) + "\n" for test in tests))
    dataset = load(folder)
    assert len({q.qid for q in dataset.questions} & {"b/c.pdf", "b_c.pdf"}) == 1
    assert dataset.report.counts["duplicate_document"] == 1
    assert "tests of PDFs that are not read: 1" in dataset.report.skipped


class Smudged(OcrBackend):
    """Reads every page alike: with some dark pixels without its table, with more out of order."""

    name = "smudged"

    def transcribe(self, source: Any, page_nos: Sequence[int]) -> Any:
        for image, page_no in zip(source, page_nos, strict=True):
            lower_half = np.asarray(image)[len(image) // 2 :]  # which is white
            dark = float((lower_half < 64).mean())
            table = "1874 388" if dark > 0.0005 else "| 1874 | 388 |\n| --- | --- |\n| 1875 | 2 |"
            texts = ["keeper", "pilots"] if dark > 0.003 else ["pilots", "keeper"]
            yield page_no, Outcome.of_text("\n\n".join(["the tide", *texts, table, "$d = h_0$"]))


def test_a_study_says_which_noise_breaks_which_property(tmp_path, capsys):
    config = load_config([
        *("dataset.kind=olmocr_bench", f"dataset.path={write_bench(tmp_path / 'bench')}"),
        *("engines=[tests.ohr.datasets.test_olmocr_bench.Smudged]", "stages=[ocr]"),
        *("noise=[salt_and_pepper]", "levels=[mild,severe]", "metrics=[facts]"),
        f"cache={tmp_path / 'cache'}",
    ])  # fmt: skip
    run = run_study(config, tmp_path / "run")
    printed = capsys.readouterr().err
    assert "4 pages; facts that are checked instead: 5" in printed
    assert "not assessed" not in printed
    assert "itself has an r_noise" not in printed
    cells = run.cells[(run.cells["group"] == "all") & (run.cells["stage"] == "ocr")]
    means = cells.pivot_table(index="metric", columns="level", values="mean")[["mild", "severe"]]
    assert means.loc["text_present"].tolist() == [1, 1]
    assert means.loc["text_absent"].tolist() == [1, 1]
    assert means.loc["table_cells"].tolist() == [0, 0]
    assert means.loc["text_order"].tolist() == [1, 0]
    clean = cells[cells["noise"] == "none"].set_index("metric")["mean"]
    assert set(clean[[*FACT_METRICS]]) == {1}
    assert set(cells[cells["metric"] == "text_order"]["n"]) == {1}
    assert {q.qid: q.fact for q in read_questions(run.path)} == {
        q.qid: q.fact for q in load(tmp_path / "bench").questions
    }
