"""DRC part by part, and what engines extract, from the command line."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pandas as pd
import pytest

from experiments.drc import main as drc
from experiments.extraction import main as extraction
from experiments.papers.drc import extraction_report
from experiments.papers.drc.extraction import words_by_kind
from experiments.papers.drc.published import drc_figures
from experiments.papers.drc.table import Ranked
from ohr.types import Hit, PageRef, Question
from tests.builders import CliRunner, qa, write_kb, write_questions
from tests.ocr_backends.checkpoints import needs_torch
from tests.ohr.datasets.test_qasper import BERTHS, TOLLS, answer, paper, write
from tests.rag.encoder_checkpoints import cross_encoder, dpr

QUESTION = Question("q", "?", ("a",), "d", "d", (PageRef("d", 0),), "evidence", "text")


def ranked(passages: int, evidence: set[int], found: list[int], scores: list[float]) -> Ranked:
    hits = tuple(Hit(PageRef("d", 0), "", s, rank) for rank, s in enumerate(scores))
    return Ranked(QUESTION, passages, frozenset(evidence), tuple(found), hits)


def test_recall_is_of_a_share_of_the_documents_passages() -> None:
    one = ranked(30, {4, 9}, [4, 1, 2, 9], [4, 3, 2, 1])
    assert [one.recall(share) for share in (1, 5, 10, 20)] == [0.5, 0.5, 0.5, 1.0]
    # 1 % of 30 is one passage, 10 % three, 20 % six.
    assert ranked(30, set(), [4], [1]).recall(20) == 0, "lost evidence counts"
    assert ranked(30, {4}, [], []).recall(20) == 0


def test_a_classifiers_passages_are_those_from_a_probability_of_a_half() -> None:
    one = ranked(9, {4, 9}, [4, 1, 9], [2.0, 0.0, -0.5])
    assert one.classified() == pytest.approx(2 * 0.5 * 0.5 / 1)
    assert ranked(9, set(), [4], [-1.0]).classified() == 1
    assert ranked(9, {4}, [4], [-1.0]).classified() == 0


def run(main: object, *arguments: object) -> str:
    given = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert given.exit_code == 0, given.output
    return given.output


def test_qasper_is_ranked_and_answered_by_type(tmp_path: Path) -> None:
    papers = write(tmp_path)
    out = tmp_path / "out"
    printed = run(drc, "dataset.kind=qasper", f"dataset.path={papers}", "--top", 2,
                  f"cache={tmp_path / 'cache'}", "--out", out,
                  "readers=[tests.rag.systems.test_drc.FirstWord]")  # fmt: skip
    [row] = pd.read_csv(out / "ranking.csv").to_dict("records")
    assert row["questions"] == 4
    assert (row["with_evidence"], row["lost"]) == (3, 0), "one has none"
    # Abstract, introduction, two paragraphs and a caption; what is asked first finds its own.
    assert row["mean_passages"] == 5
    assert row["recall@20%"] == 1
    assert math.isnan(row["evidence_f1"])
    answers = pd.read_csv(out / "answers.csv").set_index(["k", "group"])
    # q1 "Seven": 2/3 of "Seven, berths", 1/2 of "seven of them"; the others say nothing right.
    assert answers.loc[(1, "extractive"), "best"] == pytest.approx((2 / 3 + 0) / 2, abs=1e-6)
    assert answers.loc[(1, "abstractive"), "best"] == pytest.approx(1 / 2, abs=1e-6)
    assert answers.loc[(1, "extractive"), "n"] == 2
    assert answers.loc[(1, "none"), "n"] == 2
    assert answers.loc[(1, "all"), "n"] == 4
    for group in ("all", "extractive"):
        assert answers.loc[(2, group), "best"] >= answers.loc[(1, group), "best"]
        assert answers.loc[(1, group), "best"] == answers.loc[(1, group), "chosen"]
    assert "66.89" in printed
    assert (out / "figures" / "drc.svg").is_file()


def test_evidence_that_noise_has_garbled_is_still_evidence_until_it_is_lost(tmp_path: Path) -> None:
    kb = tmp_path / "kb"
    pages = [f"{BERTHS}\n\n{TOLLS}", "Nothing of it stands here."]
    write_kb(kb / "gt", {"law/a": pages})
    write_kb(kb / "good", {"law/a": [pages[0].replace("berths", "berlhs"), pages[1]]})
    write_kb(kb / "bad", {"law/a": ["Sxvxn bxrths lxx xlxng thx nxrthxrn pxxr", pages[1]]})
    entry = qa(1, "law/a", 0, questions="How many berths?", evidence_context=BERTHS)
    questions = write_questions(tmp_path / "qas.json", [entry])
    out = tmp_path / "out"
    run(drc, "dataset.kind=ohrbench", f"dataset.path={kb}", f"dataset.questions={questions}",
        "engines=[gt,precomputed:good,precomputed:bad]", f"cache={tmp_path / 'cache'}",
        "--out", out)  # fmt: skip
    rows = pd.read_csv(out / "ranking.csv").set_index("engine")
    assert rows["lost"].to_dict() == {
        "gt": 0, "precomputed:good": 0, "precomputed:bad": 1
    }  # fmt: skip
    assert rows.loc["gt", "recall@1%"] == 1
    answers = pd.read_csv(out / "answers.csv")
    assert set(answers["group"]) == {"all", "String"}


def test_a_question_counts_once_however_often_the_noise_was_drawn(tmp_path: Path) -> None:
    kb = tmp_path / "kb"
    write_kb(kb / "gt", {"law/a": [f"{BERTHS}\n\n{TOLLS}"]})
    entry = qa(1, "law/a", 0, questions="How many berths?", evidence_context=BERTHS)
    questions = write_questions(tmp_path / "qas.json", [entry])
    run(drc, "dataset.kind=ohrbench", f"dataset.path={kb}", f"dataset.questions={questions}",
        "engines=[gt]", "noise=[formatting]", "levels=[mild]", "seeds=[0,1,2]",
        f"cache={tmp_path / 'cache'}", "--out", tmp_path / "out")  # fmt: skip
    ranking = pd.read_csv(tmp_path / "out" / "ranking.csv")
    assert ranking["draws"].tolist() == [1, 3]
    for name, counted in (("questions", 1), ("with_evidence", 1), ("lost", 0)):
        assert ranking[name].tolist() == [counted, counted]
    assert set(pd.read_csv(tmp_path / "out" / "answers.csv")["n"]) == {1}


def test_a_document_that_was_not_read_counts_with_the_worst_value(tmp_path: Path) -> None:
    kb = tmp_path / "kb"
    write_kb(kb / "gt", {"law/a": [BERTHS], "law/b": [TOLLS]})
    write_kb(kb / "engine", {"law/a": [BERTHS]})
    entries = [
        qa(1, "law/a", 0, questions="How many berths?", evidence_context=BERTHS),
        qa(2, "law/b", 0, questions="When are tolls paid?", evidence_context=TOLLS),
    ]
    questions = write_questions(tmp_path / "qas.json", entries)
    run(drc, "dataset.kind=ohrbench", f"dataset.path={kb}", f"dataset.questions={questions}",
        "engines=[precomputed:engine]", f"cache={tmp_path / 'cache'}",
        "--out", tmp_path / "out")  # fmt: skip
    [row] = pd.read_csv(tmp_path / "out" / "ranking.csv").to_dict("records")
    assert (row["questions"], row["recall@1%"], row["lost"]) == (2, 0.5, 1)
    answers = pd.read_csv(tmp_path / "out" / "answers.csv")
    assert set(answers[answers["group"] == "all"]["n"]) == {2}


@pytest.mark.slow
def test_tables_are_passages_where_they_are_asked_for(tmp_path: Path) -> None:
    kb = tmp_path / "kb"
    write_kb(kb / "gt", {"law/a": [f"Prices of fruit are here.\n\n{TABLE}"]})
    entry = qa(1, "law/a", 0, questions="What cost the apples?", evidence_context="apples & 12")
    questions = write_questions(tmp_path / "qas.json", [entry])
    given = ["dataset.kind=ohrbench", f"dataset.path={kb}", f"dataset.questions={questions}",
             f"cache={tmp_path / 'cache'}", "--out", tmp_path / "out"]  # fmt: skip
    for more, lost in ([], 1), (["--tables"], 0):
        run(drc, *given, *more)
        [row] = pd.read_csv(tmp_path / "out" / "ranking.csv").to_dict("records")
        assert (row["lost"], row["recall@1%"]) == (lost, 1 - lost)


@pytest.mark.parametrize("retriever", ["oracle", "page"])
def test_what_ranks_no_passages_is_refused(tmp_path: Path, retriever: str) -> None:
    papers = write(tmp_path)
    given = ["dataset.kind=qasper", f"dataset.path={papers}", f"retrievers=[{retriever}]"]
    done = CliRunner().invoke(drc, [*given, f"cache={tmp_path / 'cache'}"])
    assert done.exit_code == 2
    assert f"retriever '{retriever}' ranks no passages" in done.output


def test_an_unanswerable_question_may_be_left_out(tmp_path: Path) -> None:
    only = paper(qas=[{"question": "Why?", "question_id": "q",
                       "answers": [answer(unanswerable=True), answer(yes_no=True)]}])  # fmt: skip
    papers = write(tmp_path, one=only)
    run(drc, "dataset.kind=qasper", f"dataset.path={papers}", f"cache={tmp_path / 'cache'}",
        "--out", tmp_path / "out", "--top", 1,
        f"dataset.params={json.dumps({'unanswerable': False})}")  # fmt: skip
    answers = pd.read_csv(tmp_path / "out" / "answers.csv")
    assert set(answers["group"]) == {"all", "boolean"}


def test_figures_of_the_paper_are_all_there() -> None:
    sizes = {name: len(drc_figures(f"table {name}")) for name in (2, 3, 4, 5, 6)}
    assert sizes == {2: 32, 3: 18, 4: 40, 5: 56, 6: 10}


TABLE = r"\begin{tabular}{lr} item & cost \\ apples & 12 \\ \end{tabular}"


def test_words_of_headings_are_no_paragraphs() -> None:
    counts = words_by_kind([f"# Fruit prices\n\nApples are dear.\n\n{TABLE}"])
    assert counts["text"] == {"apples": 1, "are": 1, "dear": 1}
    assert counts["table"] == {"item": 1, "cost": 1, "apples": 1, "12": 1}


def test_paragraphs_and_tables_are_scored_by_document(tmp_path: Path) -> None:
    kb = tmp_path / "kb"
    prose = "one two three four"
    write_kb(kb / "gt", {"law/a": [f"{prose}\n\n{TABLE}", "five six"], "law/b": ["seven eight"]})
    flat = "one two three four item cost apples 12"
    write_kb(kb / "plain", {"law/a": [flat, "five six"], "law/b": ["seven"]})
    questions = write_questions(tmp_path / "qas.json", [qa(1, "law/a", 0)])
    printed = run(
        extraction, "dataset.kind=ohrbench", f"dataset.path={kb}", f"dataset.questions={questions}",
        "engines=[gt,precomputed:plain]", f"cache={tmp_path / 'cache'}", "--out", tmp_path / "out",
    )  # fmt: skip
    rows = pd.read_csv(tmp_path / "out" / extraction_report.FILE).set_index(["engine", "kind"])
    assert (rows.loc["gt", ["precision", "recall", "f1"]] == 1).all(axis=None)
    plain = rows.loc["precomputed:plain"]
    # a: 6 of 10 words, all of 6; b: 1 of 1, 1 of 2.
    assert plain.loc["paragraphs", "precision"] == pytest.approx((0.6 + 1) / 2)
    assert plain.loc["paragraphs", "recall"] == pytest.approx((1 + 0.5) / 2)
    assert plain.loc["paragraphs", "f1"] == pytest.approx((0.75 + 2 / 3) / 2, abs=1e-6)
    assert plain.loc["paragraphs", "documents"] == 2
    assert plain.loc["tables", ["precision", "recall"]].tolist() == [0.4, 1]
    assert plain.loc["tables", "documents"] == 1
    assert "75.34" in printed


@needs_torch
def test_a_cross_encoder_is_a_classifier_of_evidence(tmp_path: Path) -> None:
    papers = write(tmp_path)
    model = cross_encoder(tmp_path / "model")
    rerank = {"name": "rerank", "label": "CE", "params": {"model": str(model), "depth": 100}}
    question, passage = dpr(tmp_path / "dpr")
    encoders = {"question_model": str(question), "passage_model": str(passage)}
    dense = {"name": "dpr", "label": "DPR", "params": encoders}
    out = tmp_path / "out"
    run(drc, "dataset.kind=qasper", f"dataset.path={papers}", f"cache={tmp_path / 'cache'}",
        f"retrievers={json.dumps([rerank, dense])}", "--out", out, "--top", 1)  # fmt: skip
    rows = pd.read_csv(out / "ranking.csv").set_index("retriever")
    assert 0 <= rows.loc["CE", "evidence_f1"] <= 1
    assert math.isnan(rows.loc["DPR", "evidence_f1"]), "its dot products are no probabilities"
    assert rows.loc["DPR", "recall@20%"] >= 0
