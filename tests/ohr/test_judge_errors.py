"""How often a judge errs, and what that means for its means."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ohr.analysis.judging.verdicts import KEYS, judged_answers, read_verdicts
from ohr.errors import OhrError
from ohr.statistics import Clusters
from ohr.statistics.judge_error import (
    error_rates,
    estimated,
    kappa_of,
    powered_difference,
    rogan_gladen,
)
from ohr.study.results import open_run
from tests.experiments.test_commands import invoke
from tests.loopback import said
from tests.ohr.study.test_readers import run, write_small

# Statistics


def draw(rng: np.random.Generator, checked: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Answers of 40 documents, judged with errors, some of them checked; 0.6 are right."""
    documents, each = 40, 8
    labels = np.repeat(np.arange(documents), each)
    right = rng.random(labels.size) < np.repeat(rng.beta(6, 4, documents), each)
    said_right = np.where(
        right, rng.random(labels.size) < 0.9, rng.random(labels.size) < 0.25
    ).astype(float)
    verdicts = np.full(labels.size, np.nan)
    sample = rng.permutation(labels.size)[:checked]
    verdicts[sample] = right[sample]
    return labels, said_right, verdicts


@pytest.mark.parametrize("checked", [80, 200])
def test_corrected_means_cover_the_truth_which_the_judge_misses(checked):
    rng = np.random.default_rng(checked)
    covered = {"powered": 0, "gladen": 0}
    judged_means, tries, true = [], 300, 0.6
    for _ in range(tries):
        labels, judged, verdicts = draw(rng, checked)
        clusters = Clusters.from_labels(labels, labels)
        everything = np.ones(labels.size, bool)
        estimates = {
            "powered": estimated(powered_difference(judged, verdicts), clusters),
            "gladen": estimated(rogan_gladen(judged, verdicts, everything), clusters),
        }
        for name, estimate in estimates.items():
            covered[name] += estimate.interval.low <= true <= estimate.interval.high
        judged_means.append(judged.mean())
    assert np.mean(judged_means) == pytest.approx(0.64, abs=0.01)  # .9 of .6 and .25 of .4
    for count in covered.values():
        assert 0.92 <= count / tries <= 0.98


def test_kappas_interval_covers_that_of_all_answers():
    rng = np.random.default_rng(1)
    big = draw(np.random.default_rng(2), 320)
    everything = np.ones(320, bool)
    true = np.mean(
        [
            kappa_of(judged, verdicts)(everything)
            for _, judged, verdicts in (draw(np.random.default_rng(n), 320) for n in range(200))
        ]
    )
    assert len(big[0]) == 320
    tries, covered = 200, 0
    for _ in range(tries):
        labels, judged, verdicts = draw(rng, 320)
        clusters = Clusters.from_labels(labels, labels)
        interval = estimated(kappa_of(judged, verdicts), clusters, low=-1).interval
        covered += interval.low <= true <= interval.high
    assert 0.91 <= covered / tries <= 0.99


def test_a_judge_no_better_than_chance_cannot_be_corrected_by_its_rates():
    judged = np.array([1.0, 0.0, 1.0, 0.0])
    checked = np.array([1.0, 1.0, 0.0, 0.0])
    clusters = Clusters.from_labels(np.arange(4), np.arange(4))
    assert error_rates(judged, checked) == (0.5, 0.5)
    assert np.isnan(estimated(rogan_gladen(judged, checked, judged >= 0), clusters).value)
    assert estimated(powered_difference(judged, checked), clusters).value == 0.5


# Files


@pytest.fixture
def judged_run(server, tmp_path):
    """A run whose judge calls the answers about facts 0 to 2 right."""
    settings = write_small(tmp_path)

    def answer(request):
        text = request["messages"][-1]["content"]
        return said("incorrect" if "fact 3" in text else "correct")

    server.answer = answer
    params = {"model": "judge", "base_url": server.url, "retries": 0}
    judge = f"judge={json.dumps({'name': 'openai', 'params': params})}"
    run(settings, tmp_path / "run", "readers=[extractive]", "stages=[overall]", judge)
    return tmp_path / "run"


def fill(path: Path, verdicts: list[str]) -> None:
    rows = list(csv.DictReader(path.open(encoding="utf-8")))
    for row, verdict in zip(rows, verdicts, strict=True):
        row["correct"] = verdict
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


def test_a_sample_is_drawn_filled_and_compared(judged_run, tmp_path):
    sample = tmp_path / "sample.csv"
    done = invoke("analyse_judge", str(judged_run), "--sample", str(sample))
    assert done.exit_code == 0, done.output
    rows = list(csv.DictReader(sample.open(encoding="utf-8")))
    assert len(rows) == len(judged_answers(open_run(judged_run)))
    assert all(row["question"] and row["accepted_answers"] and not row["correct"] for row in rows)
    assert "judged" not in rows[0]
    fill(sample, ["yes", "no", "yes", "no"])
    out = tmp_path / "out"
    done = invoke("analyse_judge", str(judged_run), "--verdicts", str(sample), "--out", str(out))
    assert done.exit_code == 0, done.output
    [counts] = pd.read_csv(out / "judge_confusion.csv").to_dict("records")
    assert counts["n"] == 4
    assert counts["judged_right_checked_wrong"] == 1
    [row] = pd.read_csv(out / "judge_corrected.csv").to_dict("records")
    assert (row["judged"], row["corrected"]) == (0.75, 0.5)
    [kappa] = pd.read_csv(out / "judge_agreement.csv").to_dict("records")
    assert kappa["kappa"] == pytest.approx(0.5)
    again = invoke("analyse_judge", str(judged_run), "--sample", str(sample))
    assert (again.exit_code, "is there already" in again.output) == (2, True)


def test_two_raters_agree_with_each_other_and_with_the_judge(judged_run, tmp_path):
    files = []
    for name, words in (("ann", ["yes", "no", "yes", "no"]), ("bob", ["1", "0", "", "0"])):
        path = tmp_path / f"{name}.csv"
        assert invoke("analyse_judge", str(judged_run), "--sample", str(path)).exit_code == 0
        fill(path, words)
        files += ["--verdicts", str(path)]
    done = invoke("analyse_judge", str(judged_run), *files, "--out", str(tmp_path / "out"))
    assert done.exit_code == 0, done.output
    table = pd.read_csv(tmp_path / "out" / "judge_agreement.csv")
    assert list(zip(table["rater"], table["other"], table["n"], strict=True)) == [
        ("judge", "ann", 4), ("judge", "bob", 3), ("ann", "bob", 3)]  # fmt: skip


def test_two_judges_are_compared_and_what_one_could_not_grade_is_counted(
    judged_run, server, tmp_path
):
    server.answer = lambda request: said(
        "purple" if "fact 2" in request["messages"][-1]["content"] else "correct"
    )
    params = {"model": "other", "base_url": server.url, "retries": 0}
    judge = f"judge={json.dumps({'name': 'openai', 'params': params})}"
    second = tmp_path / "second"
    run(write_small(tmp_path), second, "readers=[extractive]", "stages=[overall]", judge)
    done = invoke("analyse_judge", str(judged_run), str(second), "--out", str(tmp_path / "out"))
    assert done.exit_code == 0, done.output
    [row] = pd.read_csv(tmp_path / "out" / "judge_agreement.csv").to_dict("records")
    assert (row["rater"], row["other"]) == ("judge", "judge of second")
    assert (row["n"], row["same"]) == (4, 0.5)  # facts 0 and 1
    assert "second: answers that the judge could not grade count as incorrect" in done.output
    assert "if all 1 ungraded of 4 answers are incorrect" in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("text", "message"),
    [("qid,correct\nq9,yes\n", "line 2: the run has no judged answer q9"),
     ("qid,correct\nQID,perhaps\n", "line 2: 'perhaps' is no verdict"),
     ("qid,correct\nQID,yes\nQID,no\n", "line 3: a second verdict"),
     ("qid,correct\nQID,\n", "has no verdict"), ("qid,answer\nQID,x\n", "needs the columns"),
     ("qid,correct\nQID\n", "line 2: 1 fields under 2 columns")],
)  # fmt: skip
def test_errors_of_a_file_name_the_line(judged_run, tmp_path, text, message):
    answers = judged_answers(open_run(judged_run))
    path = tmp_path / "verdicts.csv"
    path.write_text(text.replace("QID", answers["qid"].iloc[0]))
    with pytest.raises(OhrError, match=message):
        read_verdicts(path, answers)


def test_a_verdict_that_matches_several_answers_names_the_column_that_is_missing(tmp_path):
    one = dict.fromkeys(KEYS, "x") | {"qid": "q", "judged": 1.0}
    answers = pd.DataFrame([one, one | {"reader": "y"}])
    path = tmp_path / "verdicts.csv"
    path.write_text("qid,correct\nq,yes\n")
    with pytest.raises(OhrError, match="2 answers match: add the column reader"):
        read_verdicts(path, answers)


def test_long_numbers_and_leading_zeros_tell_questions_apart(tmp_path):
    names = ["1234567890123", "1234567890124", "007", "7"]
    answers = pd.DataFrame({name: ["a"] * 4 for name in KEYS} | {"qid": names, "intensity": 0.5})
    path = tmp_path / "verdicts.csv"
    path.write_text("qid,intensity,correct\n1234567890124,.50,yes\n007,0.5,no\n")
    assert np.array_equal(read_verdicts(path, answers), [np.nan, 1.0, 0.0, np.nan], equal_nan=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["a", "b", "--sample", "s.csv"], "one run"),
        (["a", "--judge", "openai", "--verdicts", "v.csv"], "ask nobody"),
        (["a", "--judge", "openai", "--sample", "s.csv"], "ask nobody"),
    ],
)
def test_options_that_would_be_ignored_are_errors(tmp_path, options, message):
    done = invoke("analyse_judge", *options, "--out", str(tmp_path))
    assert (done.exit_code, message in " ".join(done.output.split())) == (2, True)
