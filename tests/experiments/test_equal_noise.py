"""What the same amount of noise costs, from the command line and from Python."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from experiments import analyse_equal_noise
from ohr.analysis.equal_noise.figure import line_names
from ohr.analysis.equal_noise.report import verdict_lines
from ohr.analysis.equal_noise.table import Kind, equal_noise, overlapping_difference
from ohr.errors import ConfigError, OhrError
from ohr.statistics.clusters import Clusters
from ohr.study.results import StudyRun
from tests.builders import CliRunner

TITLES = {("overall", "f1"): "F1", ("ocr", "r_noise"): "r_noise"}
ROW = {
    **{"stage": "overall", "metric": "f1", "group": "all", "noise": 0.2, "n": 90},
    **{"loss": 0.1, "low": 0.05, "high": 0.15, "reference": "gt, ocr_errors"},
    **{"difference": np.nan, "difference_low": np.nan, "difference_high": np.nan, "p": np.nan},
}
DIFFERENT = {
    **{"kind": "gt, formatting", "loss": 0.3, "difference": 0.2},
    **{"difference_low": 0.1, "difference_high": 0.3, "p": 0.01},
}


def verdict(*changes: dict[str, object]) -> str:
    rows = [ROW | {"kind": "gt, ocr_errors"}, *(ROW | change for change in changes)]
    [line] = verdict_lines(pd.DataFrame(rows), TITLES, "r_noise")
    return line


def test_a_difference_is_named_with_both_losses() -> None:
    assert verdict(DIFFERENT) == (
        "F1: the same r_noise does not cost the same. At 0.20, gt, formatting loses 0.30 "
        "and gt, ocr_errors 0.10: a difference of 0.20 (0.10 to 0.30). 1 kind of 1 differs from "
        "gt, ocr_errors."
    )


def test_without_a_shown_difference_the_largest_that_is_possible_is_named() -> None:
    line = verdict(DIFFERENT | {"difference_low": -0.05, "p": 0.2})
    assert line.endswith("at equal r_noise; differences over 0.30 are ruled out.")


def test_kinds_that_reach_no_common_noise_are_not_compared() -> None:
    assert "nothing is compared" in verdict({"kind": "gt, formatting", "noise": 0.1})


def test_documents_that_two_samples_share_count_once() -> None:
    rng = np.random.default_rng(0)
    documents = np.arange(60)
    every = Clusters.from_labels(documents, documents)
    half = Clusters.from_labels(documents[::2], documents[::2])
    covered, widths = [], []
    for _ in range(200):
        values = rng.normal(0, 1, 60)
        _, low, high, p = overlapping_difference(values, every, values[::2], half)
        covered.append(low <= 0 <= high)
        widths.append(high - low)
        assert (p > 0.05) == covered[-1]
    assert 0.91 <= np.mean(covered) <= 0.99
    # Of a mean of 60 and one of 30 of them; two independent samples would have 1.7 times as much.
    assert np.mean(widths) == pytest.approx(4.1 / np.sqrt(60), rel=0.05)


@pytest.mark.slow
def test_the_table_and_the_figure_are_written(formatting_run: StudyRun, tmp_path: Path) -> None:
    command = [str(formatting_run.path), "--axis", "r_noise", "--metric", "overall:f1"]
    start = float(
        formatting_run.cells.query("metric == 'r_noise' and noise == 'none' and group == 'all'")[
            "mean"
        ].iloc[0]
    )
    at = ["--at", f"{start + 0.05:.3f}"]
    done = CliRunner().invoke(analyse_equal_noise.main, [*command, *at, "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    table = pd.read_csv(tmp_path / "equal_noise.csv")
    assert set(table["kind"]) == {"gt, formatting"}
    assert (table["low"].isna() | (table["low"] <= table["loss"])).all()
    assert (tmp_path / "figures" / "equal_noise.png").stat().st_size > 5000
    assert "Answer F1, whole system" in done.stdout


@pytest.mark.slow
def test_what_cannot_be_read_off_is_refused(formatting_run: StudyRun) -> None:
    runs = {"run": formatting_run}
    with pytest.raises(ConfigError, match="amounts of noise between 0 and 1"):
        equal_noise(runs, [1.2])
    with pytest.raises(ConfigError, match="no kind of noise 'tesseract'"):
        equal_noise(runs, [0.2], "tesseract")
    rows = formatting_run.rows
    alone = StudyRun(formatting_run.path, formatting_run.manifest, formatting_run.cells)
    vars(alone)["rows"] = rows[rows["noise"] == "none"]
    with pytest.raises(OhrError, match="is reached"):
        equal_noise({"run": alone}, [0.2])
    vars(alone)["rows"] = rows[rows["noise"] != "none"]
    with pytest.raises(OhrError, match="losses begin at the ground truth"):
        equal_noise({"run": alone}, [0.2])


def test_lines_have_the_name_of_their_run_only_where_they_need_it() -> None:
    alone = [
        Kind("a", "tesseract", "scan"),
        Kind("b", "gt", "ocr_errors"),
        Kind("c", "precomputed:kb/MinerU", ""),
    ]
    shared = [Kind("a", "gt", "formatting"), Kind("b", "gt", "formatting")]
    names = line_names([*alone, *shared])
    assert [names[kind] for kind in alone] == [
        "tesseract, scan",
        "ocr_errors in the true text",
        "MinerU",
    ]
    assert [names[kind] for kind in shared] == [
        "a: formatting in the true text",
        "b: formatting in the true text",
    ]
