"""Data for retrieval alone: BEIR's form, ViDoRe's, and questions without answers."""

from __future__ import annotations

import json
from math import log2
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

import ohr
from ohr.collection import Dataset
from ohr.errors import ConfigError, DatasetError
from ohr.metrics.ranking import graded_scores, ranking_scores
from ohr.types import PageRef

PASSAGES = {"w": "the harbour wall cost twelve million", "r": "the roof leaked", "b": "a bridge"}


def load(cls: str, path: Path, **params: Any) -> Dataset:
    from ohr.datasets.beir import Beir, BeirParams
    from ohr.datasets.dvisrag import ImageRetrievalParams, Vidore

    values = {"path": path, "cache": path / "cache", **params}
    if cls == "beir":
        return Beir(BeirParams(**values)).load()
    return Vidore(ImageRetrievalParams(**values)).load()


def write_beir(folder: Path, judged: str = "q1\tw\t2\nq1\tb\t1\nq1\tr\t0\n") -> Path:
    (folder / "qrels").mkdir(parents=True)
    rows = [{"_id": name, "title": "", "text": text} for name, text in PASSAGES.items()]
    queries = [{"_id": "q1", "text": "what did the wall cost?"}, {"_id": "q2", "text": "and?"}]
    for name, records in (("corpus", rows), ("queries", queries)):
        lines = "".join(json.dumps(record) + "\n" for record in records)
        (folder / f"{name}.jsonl").write_text(lines, "utf-8")
    (folder / "qrels" / "test.tsv").write_text(f"query-id\tcorpus-id\tscore\n{judged}", "utf-8")
    return folder


def test_passages_are_documents_and_judgements_are_graded(tmp_path: Path) -> None:
    dataset = load("beir", write_beir(tmp_path / "set"))
    assert list(dataset.documents) == ["set/w", "set/r", "set/b"]
    [question] = dataset.questions
    assert question.evidence_pages == (PageRef("set/w", 0), PageRef("set/b", 0))
    assert (question.answers, question.relevance) == ((), (2.0, 1.0))
    assert question.evidence_text == f"{PASSAGES['w']}\n{PASSAGES['b']}"
    assert dataset.report.skipped == ["set: 1 queries without a relevant passage"]


def test_what_is_missing_or_malformed_is_named(tmp_path: Path) -> None:
    folder = write_beir(tmp_path / "set", "q1\tw\tmuch\nq1\tgone\t1\nq1\tr\t1\n")
    dataset = load("beir", folder)
    assert dataset.report.counts == {"malformed_question": 1, "no_evidence_page": 1}
    with pytest.raises(DatasetError, match=r"its splits are: test"):
        load("beir", folder, split="dev")
    with pytest.raises(DatasetError, match=r"no corpus\.jsonl"):
        load("beir", folder / "qrels")


def write_vidore(folder: Path) -> Path:
    Image.new("L", (20, 10), 255).save(folder / "page.png")
    image = {"bytes": (folder / "page.png").read_bytes(), "path": None}
    tables = {
        "corpus": [
            {"corpus_id": n, "image": image, "doc_id": "report", "page_number_in_doc": n}
            | {"markdown": f"Page {n}"}
            for n in (1, 0)
        ],
        "queries": [
            {"query_id": 0, "query": "Which page?", "language": "english"},
            {"query_id": 1, "query": "Quelle page ?", "language": "french"},
        ],
        "qrels": [{"query_id": n, "corpus_id": n, "score": 2} for n in (0, 1)],
    }
    for name, rows in tables.items():
        (folder / name).mkdir()
        pq.write_table(pa.Table.from_pylist(rows), folder / name / "test-0.parquet")
    return folder


def test_pages_of_a_document_have_their_numbers_and_markdown(tmp_path: Path) -> None:
    dataset = load("vidore", write_vidore(tmp_path))
    [document] = dataset.documents.values()
    assert [(page.ref.page_no, page.text) for page in document.pages] == [
        (0, "Page 0"), (1, "Page 1"),
    ]  # fmt: skip
    assert dataset.truth == "published Markdown"
    assert [question.task for question in dataset.questions] == ["english", "french"]
    [question] = load("vidore", tmp_path, languages=["French"]).questions
    assert question.evidence_pages == (document.pages[1].ref,)


def test_grades_are_linear_gains() -> None:
    ideal = 2 + 1 / log2(3)
    assert graded_scores([1, 2], [2, 1]) == pytest.approx((1, 1, (1 + 2 / log2(3)) / ideal))
    assert graded_scores([0, 2], [2, 1], k=1)[1] == pytest.approx(1 / 2)
    assert graded_scores([0, 1, 1], [1, 1]) == pytest.approx(ranking_scores([False, True, True], 2))
    assert graded_scores([0], [2]) == (0, 0, 0)


@pytest.mark.slow
def test_a_stage_that_needs_answers_is_refused_and_retrieval_is_measured(tmp_path: Path) -> None:
    entry = {
        "doc_name": "law/a", "ID": "q", "questions": "what did the wall cost?", "doc_type": "law",
        "evidence_source": "text", "evidence_context": PASSAGES["w"], "evidence_page_no": 0,
    }  # fmt: skip
    pages = tmp_path / "kb" / "gt" / "law"
    pages.mkdir(parents=True)
    (pages / "a.json").write_text(json.dumps([{"page_idx": 0, "text": PASSAGES["w"]}]), "utf-8")
    (tmp_path / "qas.json").write_text(json.dumps([entry]), "utf-8")
    data = {"kind": "ohrbench", "path": tmp_path / "kb", "questions": tmp_path / "qas.json"}
    common = {"dataset": data, "engines": ["gt"], "cache": tmp_path / "cache"}
    with pytest.raises(ConfigError, match="generation needs answers, and none of the 1 questions"):
        ohr.Study(**common).run(tmp_path / "all", progress=False)
    run = ohr.Study(**common, stages=["retrieval"]).run(tmp_path / "run", progress=False)
    cells = run.cells[run.cells["group"] == "all"].set_index("metric")["mean"]
    assert cells["hit@2"] == 1
