"""Submissions: whole, unedited, of their suite; and the table of several."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from experiments.__main__ import main as ohr
from ohr.errors import OhrError
from ohr.suites.check import baseline, faults
from ohr.suites.report import are_submissions, headlines, read_submissions
from ohr.suites.submission import CLEAN, METRICS, Scores, Submission, read_submission
from ohr.suites.table import EVIDENCE, suite_table

SUITE = "ohr-c-1"


@pytest.fixture(scope="module")
def frozen() -> Submission:
    submission = baseline(SUITE, "quick")
    assert submission is not None
    return submission


def altered(submission: Submission, share: float, name: str) -> Submission:
    """A submission whose noisy scores of every metric keep this share."""
    scores = {
        metric: of.model_copy(
            update={
                "values": {
                    condition: values
                    if condition == CLEAN
                    else tuple(None if value is None else share * value for value in values)
                    for condition, values in of.values.items()
                }
            }
        )
        for metric, of in submission.scores.items()
    }
    return submission.model_copy(update={"scores": scores, "name": name, "identity": {}}).sealed()


def test_the_frozen_scores_are_whole(frozen: Submission) -> None:
    assert faults(frozen) == []
    assert set(frozen.scores) == set(METRICS)
    assert frozen.images == "same"


def test_the_row_of_the_board_is_the_frozen_one() -> None:
    root = Path(__file__).parents[3]
    row = root / "boards" / f"{SUITE}-quick" / "tesseract.json"
    assert row.read_bytes() == (root / "ohr/suites" / SUITE / "baseline-quick.json").read_bytes()


def test_every_row_of_the_boards_is_whole() -> None:
    files = sorted((Path(__file__).parents[3] / "boards").glob("*/*.json"))
    assert files
    for file in files:
        submission = read_submission(file)
        assert faults(submission) == [], file.name
        folder = SUITE if submission.track == "full" else f"{SUITE}-{submission.track}"
        assert file.parent.name == folder


def test_a_file_comes_back_as_it_was(frozen: Submission, tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    frozen.write(path)
    assert read_submission(path) == frozen
    assert json.loads(path.read_text("utf-8"))["digest"] == frozen.digest


def test_an_edited_score_is_seen(frozen: Submission, tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    frozen.write(path)
    content = json.loads(path.read_text("utf-8"))
    content["scores"][EVIDENCE]["values"]["copying s5"][0] = 0.12345
    path.write_text(json.dumps(content), "utf-8")
    assert any("was edited" in fault for fault in faults(read_submission(path)))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda of: {"units": of.units[1:], "documents": of.documents[1:]}, "units are not"),
        (lambda of: {"values": {CLEAN: of.values[CLEAN]}}, "conditions differ"),
        (lambda of: {"signature": "other"}, "was measured as other"),
        (
            lambda of: {"values": of.values | {CLEAN: (None, *of.values[CLEAN][1:])}},
            "1 questions have no score",
        ),
        (lambda of: {"values": of.values | {CLEAN: of.values[CLEAN][1:]}}, "39 scores of 40"),
    ],
)
def test_what_is_missing_is_named(frozen: Submission, change, said: str) -> None:
    scores = frozen.scores[EVIDENCE]
    changed = scores.model_copy(update=change(scores))
    submission = frozen.model_copy(update={"scores": frozen.scores | {EVIDENCE: changed}}).sealed()
    assert [fault for fault in faults(submission) if said in fault]


def test_a_missing_metric_and_other_files_are_named(frozen: Submission) -> None:
    fewer = {name: of for name, of in frozen.scores.items() if name != EVIDENCE}
    submission = frozen.model_copy(update={"scores": fewer, "materials": "0"}).sealed()
    text = "\n".join(faults(submission))
    assert EVIDENCE in text
    assert "run the suite again" in text
    unknown = frozen.model_copy(update={"suite": "none"}).sealed()
    assert "unknown suite" in faults(unknown)[0]


@pytest.mark.parametrize("value", [1.5, -0.1, math.nan, "1", True])
def test_scores_outside_their_bounds_are_refused(frozen: Submission, tmp_path, value) -> None:
    path = tmp_path / "one.json"
    frozen.write(path)
    content = json.loads(path.read_text("utf-8"))
    content["scores"][EVIDENCE]["values"][CLEAN][0] = value
    path.write_text(json.dumps(content), "utf-8")
    with pytest.raises(OhrError, match="is no submission"):
        read_submission(path)


def test_the_table_ranks_by_evidence_under_noise(frozen: Submission) -> None:
    worse = altered(frozen, 0.5, "worse")
    table = suite_table([worse, frozen])
    assert table["name"].tolist() == [frozen.name, "worse"]
    assert table["place"].tolist() == [1, 2]
    assert table["retrieval_cost"].iloc[0] == pytest.approx(100)
    assert table["retrieval_cost"].iloc[1] > 100
    assert table["noisy"].iloc[1] == pytest.approx(table["noisy"].iloc[0] / 2)
    assert table["letters"].tolist() == ["a", "b"]
    lines = headlines(table, frozen)
    assert lines[0].startswith("Differences below 0.")
    assert "Quick track" in lines[-1]


def test_mean_noise_cost_is_the_ratio_of_the_losses(frozen: Submission) -> None:
    worse = altered(frozen, 0.8, "worse")

    def loss(scores: Scores) -> float:
        noisy = [np.mean(values) for name, values in scores.values.items() if name != CLEAN]
        return float(np.mean(scores.values[CLEAN]) - np.mean(noisy))

    expected = 100 * loss(worse.scores[EVIDENCE]) / loss(frozen.scores[EVIDENCE])
    table = suite_table([frozen, worse]).set_index("name")
    assert table.loc["worse", "retrieval_cost"] == pytest.approx(expected)


def test_what_a_row_leaves_open_is_said(frozen: Submission, tmp_path: Path, capsys) -> None:
    path = tmp_path / "one.json"
    changed = {"images": "not compared", "failed_pages": 3}
    frozen.model_copy(update=changed).sealed().write(path)
    with pytest.raises(SystemExit) as done:
        ohr(["board", "check", str(path)])
    assert done.value.code == 0
    text = capsys.readouterr().out
    assert "were not compared with the suite's" in text
    assert "3 pages failed" in text


def test_engines_that_are_equal_share_a_letter(frozen: Submission) -> None:
    twin = altered(frozen, 1.0, "twin")
    table = suite_table([frozen, twin])
    assert table["letters"].tolist() == ["a", "a"]
    assert "not shown to differ from" in headlines(table, frozen)[1]


def test_the_board_and_the_check_read_files(frozen: Submission, tmp_path: Path, capsys) -> None:
    folder = tmp_path / "rows"
    folder.mkdir()
    frozen.write(folder / "one.json")
    altered(frozen, 0.7, "other").write(folder / "two.json")
    assert are_submissions([folder])
    assert len(read_submissions([folder])) == 2
    with pytest.raises(SystemExit) as done:
        ohr(["board", str(folder), "--out", str(tmp_path / "board")])
    assert done.value.code == 0
    assert "Differences below" in capsys.readouterr().out
    page = (tmp_path / "board" / "index.html").read_text("utf-8")
    assert "<td>other</td>" in page
    assert "http" not in page
    with pytest.raises(SystemExit) as done:
        ohr(["board", str(folder), "--out", str(tmp_path / "other"), "--title", "Mine"])
    assert done.value.code == 2
    assert "a board of submissions has no --metric" in capsys.readouterr().err
    with pytest.raises(SystemExit) as done:
        ohr(["board", "check", str(folder / "one.json")])
    assert done.value.code == 0
    assert "complete, and as it was written" in capsys.readouterr().out
    content = json.loads((folder / "two.json").read_text("utf-8"))
    (folder / "two.json").write_text(json.dumps(content | {"name": "edited"}), "utf-8")
    with pytest.raises(SystemExit) as done:
        ohr(["suite", "check", str(folder / "two.json")])
    assert done.value.code == 1
    with pytest.raises(OhrError, match="was edited"):
        read_submissions([folder])
