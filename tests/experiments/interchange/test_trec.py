"""Export in TREC's formats: ir_measures reads it, and finds the scores of the cells."""

from __future__ import annotations

import shutil
from urllib.parse import unquote

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import RR, Success, nDCG

from experiments import convert_export as export
from experiments.convert.trec import Ranking, page_token, run_text, token
from ohr.study.results import open_run
from ohr.study.run import run_study
from ohr.types import PageRef
from tests.builders import CliRunner, load_config, qa, write_corpus, write_kb, write_questions

MEASURES = {"hit": Success, "mrr": RR, "ndcg": nDCG}


@pytest.fixture(scope="module")
def trec_run(tmp_path_factory):
    """Chunks of a few words, so that several hits are on one page; evidence on several pages, and
    names with white space. In two documents the facts are on other pages than the questions say."""
    root = tmp_path_factory.mktemp("trec")
    settings = write_corpus(root, documents=4, pages=3)
    texts = {
        f"law/a document {d}": [
            " ".join(f"Fact {100 * d + 10 * (p + d) + n} costs {n} euros." for n in range(4))
            for p in range(4)
        ]
        for d in range(3)
    }
    shutil.rmtree(root / "kb")
    write_kb(root / "kb" / "gt", texts)
    entries = [
        qa(100 * d + 10 * p + n, name, p)
        | ({"evidence_page_no": [p, (p + 1) % 4], "evidence_context": ["a", "b"]} if n == 1 else {})
        for d, name in enumerate(texts)
        for p in range(4)
        for n in range(4)
    ]
    write_questions(root / "qas.json", entries)
    settings = [one for one in settings if not one.startswith("dataset.pdfs")]
    settings += ["engines=[gt]", "stages=[retrieval]", "top_k=2", "ks=[1,3,6]", "bootstrap=100"]
    chunkers = "chunkers=[{name: words, params: {size: 5}, label: few words}]"
    run_study(load_config([*settings, chunkers]), root / "run")
    return open_run(root / "run")


@pytest.fixture(scope="module")
def exported(trec_run, tmp_path_factory):
    out = tmp_path_factory.mktemp("out")
    arguments = [str(trec_run.path), "--format", "trec", "--out", str(out)]
    done = CliRunner().invoke(export.main, arguments)
    assert done.exit_code == 0, done.output
    return out


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("k", [1, 2, 3, 6])
def test_ir_measures_finds_the_scores_of_the_cells(trec_run, exported, name, k):
    qrels = list(ir_measures.read_trec_qrels(str(exported / "qrels.txt")))
    path = exported / "runs" / f"gt_clean.few_words.bm25.k{k}.run"
    ranking = list(ir_measures.read_trec_run(str(path)))
    measure = MEASURES[name] @ k
    cells = trec_run.cells[trec_run.cells["metric"] == f"{name}@{k}"]
    mean = cells[cells["group"] == "all"]["mean"].item()
    measured = ir_measures.calc_aggregate([measure], qrels, ranking)[measure]
    assert measured == pytest.approx(mean, abs=1e-6)
    assert 0.3 < mean < 0.99
    rows = trec_run.rows[trec_run.rows["metric"] == f"{name}@{k}"].set_index("qid")["value"]
    by_question = {
        unquote(one.query_id): one.value for one in ir_measures.iter_calc([measure], qrels, ranking)
    }
    assert by_question == pytest.approx(rows.to_dict(), abs=1e-6)


def test_every_run_is_listed(exported):
    table = pd.read_csv(exported / "runs.csv")
    assert list(table["k"]) == [1, 2, 3, 6]
    assert set(table["chunker"]) == {"few words"}
    assert {str(path.relative_to(exported)) for path in exported.glob("runs/*")} == set(
        table["file"]
    )
    topics = [line.split("\t") for line in (exported / "topics.tsv").read_text().splitlines()]
    assert len(topics) == 48
    assert topics[0] == ["q0", "What is fact 0?"]
    assert "law/a%20document%200#1" in (exported / "qrels.txt").read_text()


def test_a_question_for_which_nothing_is_found_scores_zero(exported):
    qrels = list(ir_measures.read_trec_qrels(str(exported / "qrels.txt")))
    path = exported / "runs" / "gt_clean.few_words.bm25.k2.run"
    ranking = list(ir_measures.read_trec_run(str(path)))
    whole = ir_measures.calc_aggregate([RR @ 2], qrels, ranking)[RR @ 2]
    rest = [hit for hit in ranking if hit.query_id != "q0"]
    without = ir_measures.calc_aggregate([RR @ 2], qrels, rest)[RR @ 2]
    first = ir_measures.calc_aggregate([RR @ 2], [q for q in qrels if q.query_id == "q0"], ranking)
    assert whole - without == pytest.approx(first[RR @ 2] / 48)


def test_a_dataset_has_topics_and_judgements_alone(tmp_path, sample_cache):
    arguments = ["dataset.kind=sample", f"cache={sample_cache}", "--format", "trec"]
    done = CliRunner().invoke(export.main, [*arguments, "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert "60 topics" in done.stdout
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"topics.tsv", "qrels.txt"}


def test_a_run_without_hits_is_an_error(tmp_path):
    settings = write_corpus(tmp_path, documents=2, pages=1)
    run_study(load_config([*settings, "engines=[gt]", "stages=[ocr]"]), tmp_path / "run")
    arguments = [str(tmp_path / "run"), "--format", "trec", "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(export.main, arguments)
    assert done.exit_code == 2
    assert "has no hits: its stages are ocr" in done.stderr


@given(st.lists(st.text(), min_size=1, max_size=5))
def test_tokens_have_no_white_space_and_can_be_turned_back(texts):
    texts = [text.encode("utf-8", "replace").decode() for text in texts]
    line = " ".join(["-" + token(text) for text in texts])
    assert [unquote(part)[1:] for part in line.split()] == texts
    assert len(line.splitlines()) == 1


@given(st.lists(st.integers(0, 30), unique=True, min_size=1, max_size=12))
def test_tools_that_order_by_score_keep_the_order(numbers):
    refs = [PageRef("a", number) for number in numbers]
    text = run_text(Ranking("gt", "c", "r", 12, {"q": refs}), "tag")
    lines = [line.split() for line in text.splitlines()]
    by_score = sorted(lines, key=lambda line: -float(line[4]))
    assert [line[2] for line in by_score] == [page_token(ref) for ref in refs]
    assert np.unique([float(line[4]) for line in lines]).size == len(lines)
