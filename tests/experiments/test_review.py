"""A person's verdicts: questions left out of a study, and agreement with measures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from ohr.analysis.review.table import agreement_with_person, reviewed_scores
from ohr.errors import ConfigError
from ohr.questions.review import AnswerVerdict, read_verdicts
from ohr.study.output.cases import read_cases
from ohr.study.results import StudyRun
from ohr.study.run import run_study
from tests.browser.reports import finished, write_pages
from tests.builders import load_config
from tests.experiments.test_commands import invoke
from tests.loopback import Reply, said, serving

KEYS = ("qid", "knowledge_base", "stage", "system", "chunker", "retriever", "reader")


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return [
        *write_pages(tmp_path_factory.mktemp("pages")),
        "readers=[tests.fakes.FactReader,tests.fakes.SteadyReader]",
    ]


@pytest.fixture(scope="module")
def run(settings: list[str], tmp_path_factory: pytest.TempPathFactory) -> StudyRun:
    out = tmp_path_factory.mktemp("run") / "r"
    noise = "noise=[{name: tests.fakes.HideFacts, label: formatting}]"
    return finished(out, *settings, "engines=[gt]", noise, "levels=[severe]", "seeds=[0,1]")


def write(path: Path, questions: dict[str, str], answers: list[dict[str, Any]]) -> Path:
    said = {qid: {"verdict": verdict, "note": ""} for qid, verdict in questions.items()}
    review = {"format": "ohr-verdicts-1", "questions": said, "answers": answers}
    path.write_text(json.dumps(review), "utf-8")
    return path


def answers_of(run: StudyRun) -> list[dict[str, Any]]:
    """A verdict of every answer: right is what holds the word answer."""
    rows = read_cases(run.path, "answers").to_pylist()
    return [
        {key: row[key] for key in KEYS}
        | {"verdict": "right" if "answer" in (row["text"] or "") else "wrong"}
        for row in rows
    ]


@pytest.mark.slow
def test_bad_questions_are_left_out_and_counted(settings, tmp_path, capsys):
    said = {
        "q0": "question is bad",
        "q10": "evidence is wrong",
        "q11": "",
        "q999": "evidence is wrong",
    }
    path = write(tmp_path / "verdicts.json", said, [])
    asked = [*settings, "engines=[gt]", "stages=[ocr,retrieval]"]
    run = run_study(load_config([*asked, f"dataset.verdicts={path}"]), tmp_path / "r")
    assert run.manifest["dataset"]["asked"] == 14
    assert run.manifest["dataset"]["left_out_by_review"] == {
        "question is bad": 1,
        "evidence is wrong": 1,
    }
    assert not {"q0", "q10"} & set(run.rows["qid"])
    line = "2 questions left out by review: 1 question is bad, 1 evidence is wrong"
    assert line in capsys.readouterr().err
    by_option = invoke(
        "ocr_benchmark", *asked, "--dataset.verdicts", str(path), "--out", str(tmp_path / "o")
    )
    assert by_option.exit_code == 0
    assert (tmp_path / "o" / "rows.parquet").read_bytes() == (
        tmp_path / "r" / "rows.parquet"
    ).read_bytes()


def test_a_study_of_no_question_is_refused(settings, tmp_path):
    path = write(
        tmp_path / "v.json",
        {f"q{10 * d + n}": "question is bad" for d in range(8) for n in (0, 1)},
        [],
    )
    with pytest.raises(ConfigError, match="the review leaves no question"):
        run_study(
            load_config([*settings, "engines=[gt]", f"dataset.verdicts={path}"]), tmp_path / "r"
        )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Invalid JSON"),
        ("[]", "should be an object"),
        ('{"questions": {}}', "format"),
        ('{"format": "ohr-verdicts-1", "questions": {"q": {"verdict": "good"}}}', "questions.q"),
        ('{"format": "ohr-verdicts-1", "answers": [{"qid": "q"}]}', "answers.0"),
        ('{"format": "ohr-verdicts-1", "\\ud800": 1}', "verdicts"),
    ],
)
def test_what_is_no_review_is_refused(text, said, tmp_path):
    (tmp_path / "v.json").write_text(text)
    with pytest.raises(ConfigError, match=said) as caught:
        read_verdicts(tmp_path / "v.json")
    assert "\n" not in str(caught.value)
    with pytest.raises(ConfigError, match="cannot read the verdicts"):
        read_verdicts(tmp_path)


@pytest.mark.slow
def test_a_verdict_meets_the_scores_of_its_answer(run):
    said = [AnswerVerdict(**one) for one in answers_of(run)]
    scores = reviewed_scores(run, said)
    f1 = scores[scores["metric"] == "f1"]
    assert len(f1) == len(said)
    # One noise, two draws: each answer is held against its own.
    assert set(f1["knowledge_base"]) == {
        "",
        "gt, clean",
        "gt, formatting severe, seed 0",
        "gt, formatting severe, seed 1",
    }
    drawn = run.drawn
    for draw in (0, 1):
        ours = f1[f1["knowledge_base"] == f"gt, formatting severe, seed {draw}"]
        theirs = drawn[
            (drawn["draw"] == draw) & (drawn["metric"] == "f1") & (drawn["noise"] != "none")
        ]
        assert ours["value"].sum() == pytest.approx(theirs["value"].sum())


def test_agreement_of_what_says_yes_or_no_and_of_scores():
    said = [
        *(("judged", 1.0, True), ("judged", 1.0, True), ("judged", 0.0, True)),
        ("judged", 0.0, False),
        *(("f1", 0.9, True), ("f1", 0.4, True), ("f1", 0.4, False), ("f1", 0.1, False)),
        ("em", 1.0, True),
    ]
    scores = pd.DataFrame(said, columns=["metric", "value", "right"])
    table = agreement_with_person(scores).set_index("metric")
    assert table.loc["f1", "auroc"] == pytest.approx(3.5 / 4)
    assert pd.isna(table.loc["f1", "kappa"])
    assert table.loc["judged", "same"] == 0.75
    assert table.loc["judged", "kappa"] == pytest.approx(0.5)
    assert pd.isna(table.loc["em", "auroc"])
    assert table.loc["judged", ["n", "right"]].tolist() == [4, 3]


@pytest.mark.slow
def test_the_command_says_what_agrees(run, tmp_path):
    path = write(tmp_path / "v.json", {"q0": "evidence is wrong"}, answers_of(run))
    done = invoke(
        "analyse_review", str(run.path), "--verdicts", str(path), "--out", str(tmp_path / "out")
    )
    assert done.exit_code == 0, done.output
    assert "1 question left out by review" in done.output
    assert "no judge was used" in done.output
    table = pd.read_csv(tmp_path / "out" / "review.csv")
    assert set(table["metric"]) >= {"f1", "em"}
    nothing = write(tmp_path / "none.json", {}, [])
    done = invoke("analyse_review", str(run.path), "--verdicts", str(nothing))
    assert done.exit_code == 2
    assert "no verdict of an answer" in done.output


@pytest.mark.slow
def test_a_judge_that_was_asked_is_held_against_the_person(settings, tmp_path):
    def grade(body: dict[str, Any]) -> Reply:
        """Correct, but for one answer that is told from the others by its question."""
        exhibits = body["messages"][-1]["content"]
        right = (
            "answer" in exhibits.partition("graded:")[2]
            and "Question: What is fact 1?" not in exhibits
        )
        return said(f"<answer>{'correct' if right else 'incorrect'}</answer>")

    with serving() as server:
        server.answer = grade
        judge = f"judge={{name: openai, params: {{model: j, base_url: '{server.url}'}}}}"
        judged = finished(tmp_path / "run", *settings, "engines=[gt]", judge)
    verdicts = write(tmp_path / "v.json", {}, answers_of(judged))
    done = invoke("analyse_review", str(judged.path), "--verdicts", str(verdicts))
    assert done.exit_code == 0, done.output
    assert "no judge was used" not in done.output
    row = pd.read_csv(judged.path / "review.csv").set_index("metric").loc["judged"]
    # Of 64 answers the person finds 48 right, and the judge two fewer: those to question 1.
    assert row[["n", "right", "same"]].tolist() == [64, 48, 62 / 64]
    by_chance = (48 * 46 + 16 * 18) / 64**2
    assert row["kappa"] == pytest.approx((62 / 64 - by_chance) / (1 - by_chance))
