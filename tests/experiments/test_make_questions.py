"""make_questions and question_validity, from a folder to files and figures."""

from __future__ import annotations

import csv
import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

from experiments import dev_validity as question_validity
from experiments import questions_make as make_questions
from ohr import registry
from ohr.analysis.validity.study import matched, report
from ohr.analysis.validity.table import (
    AGREE,
    DISAGREE,
    ONE_SETTLES,
    UNDECIDED,
    Scores,
    can_settle,
    differences,
    scores_of,
    settled_pairs,
    swings,
    tau_b,
)
from ohr.errors import DatasetError, OhrError
from ohr.questions.files import drawn_pages, read_grounds
from ohr.questions.storage import json_text
from ohr.statistics import holm
from ohr.study.conditions import CONDITION_COLUMNS
from tests.builders import CliRunner, write_kb, write_pdf
from tests.ohr.questions.test_making import FIRST, TEXTS, make_set


def give(main, *arguments):
    done = CliRunner().invoke(main, [str(one) for one in arguments])
    return done.exit_code, done.output


@pytest.fixture
def retrieval_base(tmp_path):
    """``retrieval_base`` with the ground truth, and two readings of which one errs."""
    wrong = {ref: text.replace("12,500", "17,500") for ref, text in TEXTS.items()}
    for name, texts in (("gt", TEXTS), ("one", wrong), ("two", TEXTS)):
        pages = {}
        for ref, text in texts.items():
            pages.setdefault(ref.doc_id, []).append(text)
        write_kb(tmp_path / "base" / name, pages)
    return tmp_path / "base"


def test_the_same_command_writes_the_same_files(retrieval_base, tmp_path):
    for name in ("a", "b"):
        code, said = give(make_questions.main, retrieval_base, "--out", tmp_path / name)
        assert code == 0, said
    assert "made of ground truth" in said
    names = ("questions.json", "rejected.csv", "yields.csv", "summary.txt")
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    entries = json.loads((tmp_path / "a" / "questions.json").read_text("utf-8"))
    assert [entry["ID"] for entry in entries] == [one.qid for one in make_set().accepted]


def test_what_two_readings_differ_in_is_not_asked(retrieval_base, tmp_path):
    (retrieval_base / "gt").rename(tmp_path / "hidden")
    code, said = give(
        make_questions.main, retrieval_base, "--readings", "one,two", "--out", tmp_path / "out"
    )
    assert code == 0, said
    assert "500" not in (tmp_path / "out" / "questions.json").read_text("utf-8")


def test_one_engines_reading_is_refused(retrieval_base, tmp_path):
    code, said = give(
        make_questions.main, retrieval_base, "--readings", "one", "--out", tmp_path / "out"
    )
    assert code == 2
    assert "never of the output of one" in said
    assert not (tmp_path / "out").exists()


def test_a_reading_that_is_named_twice_is_one_reading(retrieval_base, tmp_path):
    (tmp_path / "copy").symlink_to(retrieval_base / "one")
    for again in ("one", str(retrieval_base / "one"), str(tmp_path / "copy")):
        more = ("--readings", f"one,two,{again}", "--out", tmp_path / "out")
        code, said = give(make_questions.main, retrieval_base, *more)
        assert code == 2
        assert "are the same knowledge base" in said
    assert not (tmp_path / "out").exists()


def test_verdicts_are_applied(retrieval_base, tmp_path):
    dropped, *rest = [one.qid for one in make_set().accepted]
    (tmp_path / "v.json").write_text(json.dumps({dropped: "drop"}), "utf-8")
    out = tmp_path / "out"
    code, said = give(
        make_questions.main, retrieval_base, "--verdicts", tmp_path / "v.json", "--out", out
    )
    assert code == 0, said
    entries = json.loads((out / "questions.json").read_text("utf-8"))
    assert [entry["ID"] for entry in entries] == rest
    rejected = list(csv.DictReader((out / "rejected.csv").open(encoding="utf-8")))
    assert dropped in {row["id"] for row in rejected if row["check"] == "review"}


@pytest.mark.slow
def test_a_report_to_review_them_in_and_what_it_saves_is_taken(retrieval_base, tmp_path):
    arguments = (retrieval_base, "--out", tmp_path / "a", "--cache", tmp_path / "cache")
    code, said = give(make_questions.main, *arguments, "--review")
    assert code == 0, said
    assert (tmp_path / "a" / "review" / "report" / "index.html").is_file()
    asked = json.loads((tmp_path / "a" / "questions.json").read_text("utf-8"))
    meta = (tmp_path / "a" / "review" / "report" / "data" / "meta.js").read_text("utf-8")
    assert all(one["ID"] in meta for one in asked)
    bad, noted = asked[0]["ID"], asked[1]["ID"]
    review = {
        "format": "ohr-verdicts-1",
        "questions": {
            bad: {"verdict": "question is bad", "note": "dull"},
            noted: {"verdict": "", "note": "fine"},
        },
        "answers": [],
    }
    (tmp_path / "v.json").write_text(json.dumps(review), "utf-8")
    code, said = give(make_questions.main, *arguments, "--verdicts", tmp_path / "v.json")
    assert code == 0, said
    remaining = json.loads((tmp_path / "a" / "questions.json").read_text("utf-8"))
    assert [one["ID"] for one in remaining] == [one["ID"] for one in asked[1:]]
    assert "dull" in (tmp_path / "a" / "rejected.csv").read_text("utf-8")


def test_a_writer_must_hold_a_conversation(retrieval_base, tmp_path):
    code, said = give(
        make_questions.main, retrieval_base, "--writer", "extractive", "--out", tmp_path / "out"
    )
    assert code == 2
    assert "is not a language model" in said


def test_pages_are_drawn_evenly_and_fewer_are_the_first_of_more(retrieval_base):
    grounds = read_grounds(retrieval_base, ())
    every, some = drawn_pages(grounds, None, 3), drawn_pages(grounds, 2, 3)
    assert some == every[:2]
    assert len({page.ref.doc_id for page in some}) == 2


@pytest.mark.slow
def test_a_folder_of_pdfs_gives_a_csv_that_a_study_reads(tmp_path):
    typst = pytest.importorskip("typst")
    pdfs = tmp_path / "pdfs"
    pdfs.mkdir()
    text = TEXTS[FIRST].split("\n\n")[1].replace("$", "\\$")
    (pdfs / "lease.pdf").write_bytes(typst.compile(text.encode(), format="pdf"))
    code, said = give(make_questions.main, pdfs, "--out", tmp_path / "out")
    assert code == 0, said
    params = {"path": pdfs, "questions": tmp_path / "out" / "questions.csv"}
    dataset = registry.create("dataset", {"name": "folder", "params": params}).load()
    assert not dataset.report
    assert dataset.questions
    assert all(one.evidence_text for one in dataset.questions)


def test_as_many_are_taken_of_each_page_and_others_make_up():
    found = make_set()
    there = {one.evidence_pages[0] for one in found.accepted}
    some = matched(found, dict.fromkeys(there, 1))
    assert len(some.accepted) == len(there)
    assert {one.evidence_pages[0] for one in some.accepted} == there
    more = matched(found, {FIRST: len(found.accepted)})
    assert len(more.accepted) == len(found.accepted)


@pytest.mark.parametrize("seed", range(5))
def test_tau_b_is_kendalls(seed):
    x, y = np.random.default_rng(seed).integers(0, 4, (2, 9)).astype(float)
    assert tau_b(x, y) == pytest.approx(kendalltau(x, y).statistic)


def scores(shift, seed=0, n=60, k=4):
    rng = np.random.default_rng(seed)
    level = np.linspace(0, shift, k)
    documents = np.array([f"law/d{i % 12}" for i in range(n)])
    values = 0.5 + rng.normal(0, 0.02, (n, k)) + level
    return Scores(values, documents, documents, tuple(f"c{i}" for i in range(k)))


def test_sets_that_rank_alike_and_sets_that_rank_the_other_way_are_told():
    given, alike, other = scores(0.3), scores(0.3, 1), scores(-0.3, 2)
    assert tau_b(given.means, alike.means) == pytest.approx(1)
    table = differences(given, alike)
    assert set(table["verdict"]) == {AGREE}
    assert (table["given_ci_low"] > 0).all()
    assert set(differences(given, other)["verdict"]) == {DISAGREE}


def test_a_pair_that_one_set_leaves_open_is_no_agreement():
    given, flat = scores(0.3), scores(0.0, 1)
    assert set(differences(given, flat)["verdict"]) == {ONE_SETTLES}
    assert set(differences(flat, flat)["verdict"]) == {UNDECIDED}


def test_each_set_has_its_own_family():
    table = settled_pairs(scores(0.03))
    assert (table["p_adjusted"] >= table["p"]).all()
    assert (table["p_adjusted"] <= holm(table["p"].to_numpy()) + 1e-3).all()
    assert (table["settled"] == (table["p_adjusted"] <= 0.05)).all()
    assert 0 < table["settled"].sum() < len(table)


@pytest.mark.parametrize(("documents", "enough"), [(5, False), (6, True)])
def test_few_documents_settle_nothing_and_it_is_said(documents, enough, tmp_path, capsys):
    many = scores(0.3)
    position = np.array([f"law/d{i % documents}" for i in range(len(many.values))])
    few = Scores(many.values, position, position, many.conditions)
    assert can_settle(few) == enough
    report(few, few, tmp_path, "retrieval:lcs")
    said = capsys.readouterr().out
    assert ("too few documents to settle any of 6 pairs" in said) != enough
    assert ("the same order 6" if enough else "the same order 0") in said
    assert settled_pairs(few)["settled"].any() == enough


def test_what_is_wrong_with_readings_hides_nothing_that_is_wrong_with_pdfs(retrieval_base):
    write_pdf(retrieval_base / "pdfs" / "fine.pdf", 1)
    (retrieval_base / "pdfs" / "broken.pdf").write_text("no PDF")
    for name in ("one", "two"):
        (retrieval_base / name / "law").mkdir(exist_ok=True)
        (retrieval_base / name / "law" / "broken.json").write_text("no JSON")
    readings = [str(retrieval_base / name) for name in ("one", "two")]
    grounds = read_grounds(retrieval_base / "pdfs", readings)
    assert len(grounds.report.problems["unreadable_document"]) == 3


def test_one_reading_is_no_ground(tmp_path):
    with pytest.raises(DatasetError, match="name two knowledge bases"):
        read_grounds(tmp_path, ["one"])


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--review", "--readings", "one,two"], "--review shows"),
        (["--verdicts", "nowhere.json"], "cannot read verdicts from nowhere.json"),
    ],
)
def test_what_cannot_be_done_is_said_before_questions_are_made(
    retrieval_base, tmp_path, more, told, monkeypatch
):
    monkeypatch.delattr("ohr.adviser.question_set.candidates_of")
    code, said = give(make_questions.main, retrieval_base, "--out", tmp_path / "out", *more)
    assert (code, told in said) == (2, True), said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("more", [[], ["--bias"]])
def test_a_metric_that_is_not_measured_is_said_before_the_runs(retrieval_base, tmp_path, more):
    (tmp_path / "qas.json").write_text(json_text(make_set().accepted), "utf-8")
    data = [
        "dataset.kind=ohrbench",
        f"dataset.path={retrieval_base}",
        f"cache={tmp_path / 'cache'}",
    ]
    data += [f"dataset.questions={tmp_path / 'qas.json'}", "engines=[gt,precomputed:one]"]
    arguments = [*data, "--out", tmp_path / "out", "--metric", "retrieval:lsc", *more]
    code, said = give(question_validity.main, *arguments)
    assert code == 2
    assert "did you mean 'retrieval:lcs'?" in said
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_validity_is_measured_on_the_pages_of_the_given_questions(retrieval_base, tmp_path):
    found = make_set()
    questions = tmp_path / "qas.json"
    questions.write_text(json_text(found.accepted), "utf-8")
    code, said = give(
        question_validity.main,
        "dataset.kind=ohrbench",
        f"dataset.path={retrieval_base}",
        f"dataset.questions={questions}",
        "engines=[gt,precomputed:one]",
        "noise=[formatting]",
        f"cache={tmp_path / 'cache'}",
        "--out",
        tmp_path / "out",
    )
    assert code == 0, said
    assert "settled by both" in said
    assert (tmp_path / "out" / "differences.csv").is_file()


@pytest.mark.slow
def test_the_questions_of_each_engine_alone_are_compared(retrieval_base, tmp_path):
    questions = tmp_path / "qas.json"
    questions.write_text(json_text(make_set().accepted), "utf-8")
    arguments = [
        "dataset.kind=ohrbench",
        f"dataset.path={retrieval_base}",
        f"dataset.questions={questions}",
    ]
    arguments += ["engines=[gt,precomputed:one]", "noise=[]", f"cache={tmp_path / 'cache'}"]
    code, said = give(question_validity.main, *arguments, "--bias", "--out", tmp_path / "out")
    assert code == 0, said
    assert "made of gt" in said
    assert "swing" in (tmp_path / "out" / "swings.csv").read_text("utf-8")


def rows_of(*conditions):
    """A run with a question of each of two pages under each condition."""
    known_values = dict.fromkeys(CONDITION_COLUMNS, "") | {
        "engine": "gt",
        "intensity": 0.0,
        "top_k": 2,
    }
    known_values |= {"perturbation": "none", "retriever": "bm25", "system": "rag", "draw": 0}
    known_values |= {"stage": "overall", "metric": "f1", "doc_id": "law/a"}
    rows = [
        known_values | condition | {"qid": f"q{page}", "page_no": page, "value": index / 10}
        for index, condition in enumerate(conditions)
        for page in range(2)
    ]
    return SimpleNamespace(rows=pd.DataFrame(rows), path="run")


def test_each_condition_has_its_own_scores():
    noisy = {"perturbation": "blur", "noise": "semantic"}
    found = scores_of(
        rows_of(
            {},
            *({**noisy, "intensity": position} for position in (0.3, 0.6)),
            {"reader": "extractive"},
            {"top_k": 5},
            {"system": "triage", "retriever": "", "top_k": None},
        ),
        *("overall", "f1"),
    )
    assert dict(zip(found.conditions, found.means.tolist(), strict=True)) == pytest.approx(
        {
            "gt, clean, bm25, top 2": 0,
            "gt, blur 0.3, bm25, top 2": 0.1,
            "gt, blur 0.6, bm25, top 2": 0.2,
            "gt, clean, bm25, extractive, top 2": 0.3,
            "gt, clean, bm25, top 5": 0.4,
            "gt, clean, triage": 0.5,
        }
    )
    with pytest.raises(OhrError, match="2 conditions are called 'gt, clean, bm25'"):
        scores_of(rows_of({}, {"kb_scope": "domain"}), "overall", "f1")


def test_a_swing_is_the_range_of_ranks():
    table = swings({"gt": scores(0.3), "one": scores(-0.3, 1)})
    assert table["gt"].tolist() == [4, 3, 2, 1]
    assert table["swing"].tolist() == [3, 1, 1, 3]
