"""OmniDocBench and its kin, DVisRAG, InduOCRBench: from folders in their form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import ohr
from ohr import registry
from ohr.collection import Dataset
from ohr.documents.images import load_image
from ohr.errors import DatasetError
from ohr.types import PageRef
from tests.builders import write_page
from tests.ohr.datasets.published import annotated, write_annotated, write_pairs, write_parquet

TABLE = "<table><tr><td>1,204</td></tr></table>"


def load(kind: str, path: Path, **params: Any) -> Dataset:
    given = {"path": path, "cache": path / "cache", **params}
    loaded: Dataset = registry.create("dataset", {"name": kind, "params": given}).load()
    return loaded


# OmniDocBench


def test_a_page_is_a_document_and_a_block_a_question(tmp_path: Path) -> None:
    write_annotated(tmp_path, {"a.pdf_3.jpg": ["one two", TABLE]})
    dataset = load("omnidocbench", tmp_path)
    [document] = dataset.documents.values()
    assert (document.doc_id, document.domain) == ("book/a.pdf_3", "book")
    [page] = document.pages
    assert page.text == f"# Title\n\none two\n\n{TABLE}"
    assert page.image == tmp_path / "images" / "a.pdf_3.jpg"
    assert [(q.text, q.evidence_source) for q in dataset.questions] == [
        ("# Title", "text"), ("one two", "text"), ("1,204", "table"),
    ]  # fmt: skip
    assert all(q.evidence_text in page.text for q in dataset.questions)
    assert not dataset.report


def test_half_a_surrogate_pair_is_replaced(tmp_path: Path) -> None:
    write_annotated(tmp_path, {"a.jpg": ["one \ud83d two"]})
    [page] = load("omnidocbench", tmp_path).pages.values()
    assert page.text.endswith("one \ufffd two")


def test_one_text_belongs_to_several_images(tmp_path: Path) -> None:
    conditions = ["Real5-Scanning", "Real5-Skew"]
    write_annotated(tmp_path, {"a.jpg": ["one"], "b.jpg": ["two"]}, conditions)
    dataset = load("omnidocbench", tmp_path, images=conditions)
    assert list(dataset.documents) == [
        "Real5-Scanning/a", "Real5-Scanning/b", "Real5-Skew/a", "Real5-Skew/b",
    ]  # fmt: skip
    one, other = (dataset.pages[PageRef(f"{name}/a", 0)] for name in conditions)
    assert one.text == other.text
    assert one.image != other.image
    assert len({question.qid for question in dataset.questions}) == 8


def test_an_image_may_have_another_suffix(tmp_path: Path) -> None:
    write_annotated(tmp_path, {"a.png": ["one"]}, ["photos"])
    entry = annotated("somewhere/a.jpg", ["one"])
    (tmp_path / "OmniDocBench.json").write_text(json.dumps([entry]))
    dataset = load("omnidocbench", tmp_path, images=["photos"])
    assert list(dataset.documents) == ["pages/a"]


def test_annotations_a_file_each(tmp_path: Path) -> None:
    write_annotated(tmp_path, {"a.jpg": [], "b.jpg": []})
    (tmp_path / "OmniDocBench.json").unlink()
    for name in "ab":
        path = tmp_path / "gt" / "01_academic" / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(annotated(f"{name}.jpg", [name], domain="01_academic")))
    dataset = load("omnidocbench", tmp_path, annotations="gt")
    assert list(dataset.documents) == ["01_academic/a", "01_academic/b"]
    with pytest.raises(DatasetError, match=r"dataset\.params\.annotations"):
        load("omnidocbench", tmp_path)


def test_what_is_missing_is_reported(tmp_path: Path) -> None:
    write_annotated(tmp_path, {"a.jpg": ["one"]})
    entries = [
        annotated("a.jpg", ["one", ""]),
        annotated("gone.jpg", ["two"]),
        annotated("x/a.jpg", ["again"]),
        {"page_info": 3},
    ]
    (tmp_path / "OmniDocBench.json").write_text(json.dumps(entries))
    dataset = load("omnidocbench", tmp_path)
    assert dataset.report.counts == {
        "block_without_text": 1, "duplicate_document": 1, "missing_image": 1,
        "unreadable_document": 1,
    }  # fmt: skip
    with pytest.raises(DatasetError, match="strict"):
        load("omnidocbench", tmp_path, strict=True)


@pytest.mark.parametrize("content", ["", "[]", "{}", "[" * 100_000, '[{"page_idx": 0}]'])
def test_another_file_is_refused(tmp_path: Path, content: str) -> None:
    write_annotated(tmp_path, {"a.jpg": ["one"]})
    (tmp_path / "OmniDocBench.json").write_text(content)
    with pytest.raises(DatasetError, match=r"OmniDocBench\.json"):
        load("omnidocbench", tmp_path)


@pytest.mark.slow
def test_predictions_are_measured_block_by_block(tmp_path: Path) -> None:
    write_annotated(tmp_path, {"a.jpg": ["one two three", TABLE], "b.jpg": ["four five six"]})
    predictions = tmp_path / "predictions"
    predictions.mkdir()
    (predictions / "a.md").write_text("# Title\n\none two three")
    (predictions / "b.md").write_text("# Title\n\nfour five six")
    study = ohr.Study(
        dataset={"kind": "omnidocbench", "path": tmp_path},
        engines=["gt", f"precomputed:{predictions}"],
        stages=["ocr"],
        cache=tmp_path / "cache",
    )
    run = study.run(tmp_path / "run", progress=False)
    cells = run.cells[run.cells["metric"] == "r_noise_content"].set_index(["engine", "group"])
    noise = cells["mean"].unstack("group")
    assert noise.loc["gt", "all"] == 0
    theirs = noise.drop("gt").iloc[0]
    assert (theirs["source:text"], theirs["source:table"]) == (0, 1)


def test_hidden_images_and_annotations_are_none(tmp_path: Path) -> None:
    write_annotated(tmp_path, {"a.png": ["one"]})
    (tmp_path / "images" / ".thumbnails").mkdir()
    Image.new("L", (4, 3), 255).save(tmp_path / "images" / ".thumbnails" / "a.png")
    (tmp_path / "._OmniDocBench.json").write_bytes(b"\x00\x05\x16\x07")
    dataset = load("omnidocbench", tmp_path)
    assert [page.image for page in dataset.pages.values()] == [tmp_path / "images" / "a.png"]


# DVisRAG


def picture(tmp_path: Path, grey: int, suffix: str = "png") -> bytes:
    path = tmp_path / f"{grey}.{suffix}"
    Image.new("L", (20, 10), grey).save(path)
    return path.read_bytes()


def test_images_are_pages_without_a_text(tmp_path: Path) -> None:
    corpus = {"a/1": picture(tmp_path, 10), "b": picture(tmp_path, 200, "jpg")}
    queries = [("q1", "How many?", ["7", "seven"], "a/1"), ("q2", "Where?", ["here"], "b")]
    write_parquet(tmp_path / "MP-DocVQA", corpus, queries)
    dataset = load("dvisrag", tmp_path / "MP-DocVQA")
    assert list(dataset.documents) == ["MP-DocVQA/a_1", "MP-DocVQA/b"]
    page = dataset.pages[PageRef("MP-DocVQA/a_1", 0)]
    assert page.image is not None
    assert (load_image(page.image) == 10).all()
    assert set(dataset.without_truth) == set(dataset.pages)
    one, two = dataset.questions
    assert one.answers == ("7", "seven")
    assert two.evidence_pages == (PageRef("MP-DocVQA/b", 0),)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.jpg")}
    again = load("dvisrag", tmp_path / "MP-DocVQA")
    assert again.digest() == dataset.digest()
    assert before == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.jpg")}


def test_a_folder_of_subsets(tmp_path: Path) -> None:
    for name in ("ArxivQA", "ChartQA"):
        write_parquet(tmp_path / name, {"a": picture(tmp_path, 9)}, [("q", "?", "x", "a")])
    (tmp_path / "ArxivQA" / "notes").mkdir()
    dataset = load("dvisrag", tmp_path)
    assert list(dataset.documents) == ["ArxivQA/a", "ChartQA/a"]
    assert {q.qid for q in dataset.questions} == {"ArxivQA:q", "ChartQA:q"}
    assert list(load("dvisrag", tmp_path, domains=["ChartQA"]).documents) == ["ChartQA/a"]


def test_options_and_pages_that_queries_name(tmp_path: Path) -> None:
    more = {"corpus-id": ["a"], "options": [["a cat", "a dog"]]}
    queries = [("q", "Which?", "B", "a")]
    write_parquet(tmp_path, {"a": picture(tmp_path, 9)}, queries, qrels=False, **more)
    [question] = load("dvisrag", tmp_path).questions
    assert question.answers == ("a dog", "B")


def test_an_id_and_an_answer_of_nought_are_kept(tmp_path: Path) -> None:
    write_parquet(tmp_path, {"a": picture(tmp_path, 9)}, [(0, "How many?", 0, "a")])
    [question] = load("dvisrag", tmp_path).questions
    assert question.qid.endswith(":0")
    assert question.answers == ("0",)


def test_a_letter_that_is_no_options_is_an_answer(tmp_path: Path) -> None:
    more = {"corpus-id": ["a"], "options": [["a cat", "a dog"]]}
    write_parquet(
        tmp_path, {"a": picture(tmp_path, 9)}, [("q", "Which?", "ß", "a")], qrels=False, **more
    )
    [question] = load("dvisrag", tmp_path).questions
    assert question.answers == ("ß",)


def test_two_ids_of_one_name_are_not_one_page(tmp_path: Path) -> None:
    images = {"a/1": picture(tmp_path, 9), "a_1": picture(tmp_path, 10)}
    write_parquet(tmp_path, images, [("q", "?", "x", "a/1")])
    dataset = load("dvisrag", tmp_path)
    assert len(dataset.documents) == 1
    assert dataset.report.counts["duplicate_document"] == 1


def test_rows_that_are_none_are_reported(tmp_path: Path) -> None:
    queries = [("q1", "?", "x", "a"), ("q2", "?", "x", "gone")]
    write_parquet(tmp_path, {"a": picture(tmp_path, 9), "b": b""}, queries)
    dataset = load("dvisrag", tmp_path)
    assert dataset.report.counts == {
        "empty_evidence": 1, "no_evidence_page": 1, "unreadable_document": 1,
    }  # fmt: skip
    with pytest.raises(DatasetError, match="no corpus"):
        load("dvisrag", tmp_path / "cache")
    (tmp_path / "corpus" / "x.parquet").write_bytes(b"no parquet")
    with pytest.raises(DatasetError, match=r"x\.parquet cannot be read"):
        load("dvisrag", tmp_path)


def test_hidden_files_are_no_part_of_a_corpus(tmp_path: Path) -> None:
    write_parquet(tmp_path, {"a": picture(tmp_path, 10)}, [("q", "What?", "x", "a")])
    for part in ("corpus", "queries", "qrels"):
        (tmp_path / part / "._train.parquet").write_bytes(b"\x00\x05\x16\x07")
    assert len(load("dvisrag", tmp_path).questions) == 1


# InduOCRBench


def test_documents_are_one_page(tmp_path: Path) -> None:
    documents = {"harbour_1": "# Harbour\n\nabout 1874", "table_2": "| a | b |"}
    write_pairs(tmp_path, documents, [("harbour_1", "When?", "1874")])
    dataset = load("induocr", tmp_path)
    assert list(dataset.documents) == ["harbour/harbour_1", "table/table_2"]
    [question] = dataset.questions
    assert (question.task, question.evidence_text) == ("facts", "about 1874")
    assert load("induocr", tmp_path / "RAG_eval").digest() == dataset.digest()
    assert not dataset.report


def test_a_document_that_is_no_text_has_no_truth(tmp_path: Path) -> None:
    documents = {"harbour_1": "about 1874", "harbour_2": "about 1900"}
    write_pairs(tmp_path, documents, [(name, "When?", "x") for name in documents])
    folder = tmp_path / "RAG_eval" / "doc_md"
    (folder / "harbour_1.md").write_bytes("caf\xe9".encode("latin-1"))
    (folder / "harbour_2.md").write_bytes("caf\xe9".encode("utf-16"))
    dataset = load("induocr", tmp_path)
    why = "harbour_1.md is not UTF-8 (byte 0xe9 at 3, line 1): save it as UTF-8"
    assert dataset.without_truth == {PageRef("harbour/harbour_1", 0): why}
    assert dataset.report.problems["unreadable_document"] == [f"harbour/harbour_1: {why}"]
    assert dataset.pages[PageRef("harbour/harbour_2", 0)].text == "caf\xe9"


def test_hidden_files_are_no_documents(tmp_path: Path) -> None:
    write_pairs(tmp_path, {"harbour_1": "about 1874"}, [("harbour_1", "When?", "1874")])
    (tmp_path / "RAG_eval" / "doc_md" / "._harbour_1.md").write_bytes(b"\x00\x05\x16\x07")
    assert list(load("induocr", tmp_path).documents) == ["harbour/harbour_1"]


def test_pdfs_of_one_page_are_sources(tmp_path: Path) -> None:
    documents = {"harbour_1": "about 1874", "harbour_2": "about 1900"}
    write_pairs(tmp_path, documents, [(name, "When?", "x") for name in documents])
    (tmp_path / "pdf").mkdir()
    write_page(tmp_path / "pdf" / "harbour_1.pdf", "BT /F 14 Tf 20 200 Td (about 1874) Tj ET")
    dataset = load("induocr", tmp_path, pdfs=tmp_path / "pdf", single_page=True)
    [document] = dataset.documents.values()
    assert document.source == tmp_path / "pdf" / "harbour_1.pdf"
    assert len(dataset.questions) == 1
    assert not dataset.report
    with pytest.raises(DatasetError, match=r"dataset\.pdfs"):
        load("induocr", tmp_path, single_page=True)


def test_lines_that_are_none_are_reported(tmp_path: Path) -> None:
    write_pairs(tmp_path, {"a_1": "x"}, [("a_1", "?", "x"), ("gone_1", "?", "x")])
    with (tmp_path / "RAG_eval" / "QA_pairs.jsonl").open("a") as file:
        file.write('no json\n{"doc_type": "a"}\n[]\n\n')
    dataset = load("induocr", tmp_path)
    assert dataset.report.counts == {"malformed_question": 3, "missing_document": 1}
    with pytest.raises(DatasetError, match="doc_md"):
        load("induocr", tmp_path / "RAG_eval" / "doc_md")


def test_a_pair_without_an_answer_is_reported(tmp_path: Path) -> None:
    write_pairs(tmp_path, {"a_1": "x"}, [("a_1", "Which?", "x")])
    with (tmp_path / "RAG_eval" / "QA_pairs.jsonl").open("a") as file:
        file.write('{"filename": "a_1.md", "doc_type": "a", "question": "?", "answer": null}\n')
    dataset = load("induocr", tmp_path)
    assert [question.answers for question in dataset.questions] == [("x",)]
    assert dataset.report.counts == {"empty_answer": 1}


def test_a_byte_order_mark_costs_no_question(tmp_path: Path) -> None:
    write_pairs(tmp_path, {"a_1": "x"}, [("a_1", "Which?", "x")])
    pairs = tmp_path / "RAG_eval" / "QA_pairs.jsonl"
    pairs.write_bytes(b"\xef\xbb\xbf" + pairs.read_bytes())
    assert len(load("induocr", tmp_path, strict=True).questions) == 1


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_lines_may_end_as_on_other_systems(tmp_path: Path, end: str) -> None:
    text = "# Title\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    write_pairs(tmp_path, {"a_1": text}, [("a_1", "Which?", "2")])
    before = load("induocr", tmp_path).digest()
    (tmp_path / "RAG_eval" / "doc_md" / "a_1.md").write_bytes(text.replace("\n", end).encode())
    assert load("induocr", tmp_path).digest() == before


# Values of another type


def test_a_block_that_is_no_text_is_reported(tmp_path: Path) -> None:
    write_annotated(tmp_path, {"a.jpg": ["one"], "b.jpg": ["two"], "c.jpg": ["three"]})
    path = tmp_path / "OmniDocBench.json"
    entries = json.loads(path.read_text())
    entries[0]["layout_dets"][1]["text"] = ["one", "list"]
    entries[1]["page_info"]["page_attribute"]["data_source"] = {"a": "book"}
    entries[2]["layout_dets"][1]["text"] = 7.0
    path.write_text("".join(f"{json.dumps(entry)}\n" for entry in entries))
    dataset = load("omnidocbench", tmp_path)
    assert dataset.report.counts == {"unreadable_document": 2}
    [page] = dataset.pages.values()
    assert page.text == "# Title\n\n7"


@pytest.mark.parametrize(
    ("answer", "counts"),
    [
        ({"text": "a", "unit": "m"}, {"malformed_question": 1}),
        (True, {"malformed_question": 1}),
        ([["x"]], {"malformed_question": 1}),
        ({"text": ["900 crowns"], "answer_start": [15]}, {"empty_evidence": 1}),
        (900.0, {"empty_evidence": 1}),
    ],
)
def test_queries_of_another_type_are_reported(
    tmp_path: Path, answer: Any, counts: dict[str, int]
) -> None:
    write_parquet(tmp_path, {"a": picture(tmp_path, 9)}, [("q1", "?", answer, "a")])
    if "malformed_question" in counts:
        with pytest.raises(DatasetError, match=r"1 x malformed_question .*answer(\[0\])? is the"):
            load("dvisrag", tmp_path)
        return
    dataset = load("dvisrag", tmp_path)
    assert dataset.report.counts == counts
    assert dataset.questions[0].answers in [("900",), ("900 crowns",)]


def test_pairs_of_another_type_are_reported(tmp_path: Path) -> None:
    pairs: list[tuple[str, str, Any]] = [
        ("a_1", "?", {"a": 1}), ("a_1", "?", [["x"]]), ("a_1", "?", True), ("a_1", "?", 900.0),
    ]  # fmt: skip
    write_pairs(tmp_path, {"a_1": "x 900"}, pairs)
    dataset = load("induocr", tmp_path)
    assert dataset.report.counts == {"malformed_question": 3}
    assert [question.answers for question in dataset.questions] == [("900",)]
