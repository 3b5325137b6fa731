"""Retrieval LCS, page not found and text missing add up to 1, question by question."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.metrics.ranking import Lcs, hit, page_not_found, text_missing
from ohr.metrics.scores import SCORING
from ohr.ocr.progress import Progress
from ohr.plugins.metric import HitsCase
from ohr.registry import plugin_class
from ohr.study.run import run_study
from ohr.types import Hit, PageRef, Question
from tests.builders import load_config, qa, write_kb, write_questions

PARTS = ["lcs", "page_not_found", "text_missing"]
WORDS = st.lists(st.sampled_from("rent due 12 % 月 \\frac{1}{2} <b>fee</b>".split())).map(" ".join)
PAGES = st.integers(0, 3)


def case(hits, gold, evidence, scoring):
    question = Question(
        qid="q",
        text="?",
        answers=("a",),
        doc_id="law/a",
        domain="law",
        evidence_pages=tuple(PageRef("law/a", page) for page in gold),
        evidence_text=evidence,
        evidence_source="text",
    )
    ranked = tuple(
        Hit(PageRef("law/a", page), text, 1.0, rank, (0, len(text)))
        for rank, (page, text) in enumerate(hits)
    )
    return HitsCase(ranked, 5, question, scoring)


@given(
    st.lists(st.tuples(PAGES, WORDS), max_size=5),
    st.lists(PAGES, min_size=1, max_size=3, unique=True),
    WORDS,
    st.sampled_from(sorted(SCORING)),
)
def test_the_parts_of_a_question_add_up_to_one(hits, gold, evidence, protocol):
    hits_case = case(hits, gold, evidence, SCORING[protocol])
    lcs, not_found = Lcs().measure(hits_case), page_not_found(hits_case)
    missing, is_hit = text_missing(hits_case), hit(hits_case)
    assert abs(lcs + not_found + missing - 1) <= 1e-12
    assert not_found == 1 - is_hit
    assert missing == pytest.approx(is_hit - lcs, abs=1e-12)
    assert 0 <= missing <= is_hit


def test_what_each_part_counts():
    scoring = SCORING["default"]
    evidence = "rent is due now"

    def parts(hits, gold=(0,)):
        hits_case = case(hits, gold, evidence, scoring)
        return page_not_found(hits_case), text_missing(hits_case)

    assert parts([(1, evidence)]) == (1, 0), "the right text on a wrong page is not found"
    assert parts([(0, "rent is")]) == (0, 0.5)
    assert parts([(0, "")]) == (0, 1), "a page that was found without its text"
    assert parts([(0, "rent is")], gold=(0, 1)) == (0, 0.5), "one page of the evidence is enough"
    assert parts([(0, evidence)]) == (0, 0)


@pytest.fixture
def corpus(tmp_path):
    """A knowledge base with a page that is lost, one that is empty and one that lost words; a
    question on two pages, one without evidence and one that finds nothing."""
    texts = ["alpha rent is due now", "beta fee", "gamma tax is paid", "delta", "epsilon word"]
    write_kb(tmp_path / "kb" / "gt", {"law/a": texts, "law/b": ["zeta"]})
    read = ["alpha rent due", "", "gm tx is paid", "delta", "epsilon word"]
    write_kb(tmp_path / "kb" / "bad", {"law/a": read})
    entries = [
        qa(0, "law/a", 0, questions="alpha?", evidence_context=texts[0]),
        qa(1, "law/a", 1, questions="beta?", evidence_context=texts[1], evidence_source="table"),
        qa(2, "law/a", 2, questions="gamma?", evidence_context=texts[2], evidence_source="table"),
        qa(3, "law/a", 3, questions="delta?", evidence_context=""),
        qa(4, "law/b", 0, questions="zeta?", evidence_context="zeta"),
        qa(5, "law/a", 4, questions="nothing of that", evidence_context="epsilon word"),
        qa(6, "law/a", [0, 2], questions="alpha?", evidence_context=f"{texts[0]} {texts[2]}"),
    ]
    return [
        *("dataset.kind=ohrbench", f"dataset.path={tmp_path / 'kb'}"),
        f"dataset.questions={write_questions(tmp_path / 'qas.json', entries)}",
        *(f"cache={tmp_path / 'cache'}", "engines=[gt,precomputed:bad]", "ks=[1]"),
        "retrievers=[bm25,oracle]",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("scoring", ["default", "reference"])
def test_rows_and_cells_of_a_run_add_up_to_one(corpus, tmp_path, scoring):
    settings = load_config([*corpus, f"scoring={scoring}"])
    run = run_study(settings, tmp_path / "run", progress=Progress())
    assert run.missing == []
    rows = run.rows[(run.rows["stage"] == "retrieval") & run.rows["metric"].isin(PARTS)]
    position = ["engine", "retriever", "top_k", "qid"]
    values = rows.pivot(index=position, columns="metric", values="value")[PARTS]
    statuses = rows.pivot(index=position, columns="metric", values="status")
    assert (statuses.nunique(axis=1) == 1).all()
    empty = (statuses["lcs"] == "empty").any()
    assert empty == (scoring == "default"), "one question found nothing; `reference` drops it"
    applies = values.notna()
    assert (applies.nunique(axis=1) == 1).all(), "the three count for the same questions"
    assert ("q3" in values[applies["lcs"]].reset_index()["qid"].tolist()) == (
        scoring == "reference"
    ), "without evidence there is no LCS, and no part of its loss"
    counted = values.dropna()
    assert np.abs(counted.sum(axis=1) - 1).max() <= 1e-12
    assert {(0, 1, 0), (1, 0, 0)} <= set(counted.itertuples(index=False, name=None))
    assert counted["text_missing"].between(0, 1, inclusive="neither").any()
    cells = run.cells[(run.cells["stage"] == "retrieval") & run.cells["metric"].isin(PARTS)]
    position = ["engine", "retriever", "top_k", "group"]
    assert set(cells["group"]) >= {"all", "source:table", "domain:law"}
    assert (cells.groupby(position)["n"].nunique() == 1).all()
    sums = cells.groupby(position)["mean"].sum()
    assert np.abs(sums - 1).max() <= 1e-12


def test_a_retrieval_that_failed_is_a_page_not_found():
    assert [plugin_class("metric", part).missing for part in PARTS] == [0, 1, 0]
