"""A board with a named baseline ranks studies that the frozen one cannot be part of."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from experiments import board as command
from ohr.analysis.board.table import rankings
from ohr.analysis.noise_cost.baselines import named_baseline
from ohr.analysis.noise_cost.table import OWN_ERRORS, noise_costs
from ohr.errors import ConfigError, OhrError
from ohr.report.board.build import build_board
from ohr.study.results import StudyRun, open_run, rows_of
from tests.builders import CliRunner, write_kb
from tests.conftest import WriteOnce
from tests.experiments.conftest import DAMAGED, READERS, corpus, run

LCS = ("retrieval", "lcs")
F1 = ("overall", "f1")


@pytest.fixture(scope="module")
def paper_run(write_once: WriteOnce) -> StudyRun:
    """Noise in the ground truth's text, and another engine's clean pages, as in the paper."""

    def write(root: Path) -> None:
        noise = ["noise=[{name: tests.fakes.HideFacts, label: formatting}]", "seeds=[0]"]
        engines = "engines=[gt,precomputed:theirs]"
        settings = [*corpus(root), engines, *noise, READERS, "levels=[mild,severe]"]
        write_kb(root / "kb" / "theirs", DAMAGED)
        run(root / "run", *settings)

    return open_run(write_once("paper-run", write) / "run")


def losses(study: StudyRun) -> tuple[float, float]:
    """Means of retrieval LCS: what noise costs the ground truth, and the other engine's errors."""
    rows = rows_of(study.rows, *LCS)
    means = rows.groupby(["engine", "level"])["value"].mean()
    clean = means["gt", ""]
    noisy = (means["gt", "mild"] + means["gt", "severe"]) / 2
    return clean - noisy, clean - means["precomputed:theirs", ""]


def test_an_engine_with_clean_pages_alone_is_ranked_by_its_own_errors(paper_run):
    costs = noise_costs([paper_run], [LCS], {"engine": "gt"}).set_index("engine")
    by_noise, by_errors = losses(paper_run)
    assert by_noise > 0
    assert by_errors > 0
    assert costs["cost"]["gt"] == pytest.approx(100)
    assert costs["cost"]["precomputed:theirs"] == pytest.approx(100 * by_errors / by_noise)
    assert costs["loss"]["precomputed:theirs"] == pytest.approx(by_errors)
    assert list(costs["n_noises"][["gt", "precomputed:theirs"]]) == [2, 0]
    assert all(costs["letters"])


def test_the_board_ranks_them_and_says_how(paper_run, tmp_path):
    lines = build_board([paper_run.path], tmp_path, ["retrieval:lcs"], baseline="gt")
    assert not any("lack the baseline" in line for line in lines)
    table = pd.read_csv(tmp_path / "board.csv")
    assert list(table["place"]) == [1, 2]
    assert OWN_ERRORS in set(table["noises"])
    page = " ".join((tmp_path / "index.html").read_text("utf-8").split())
    assert "divided by that of gt on the same questions" in page
    assert "Tesseract 5" not in page
    assert "was measured on clean pages alone" in page
    assert json.loads((tmp_path / "board.json").read_text("utf-8"))["baseline"] == "gt"


def test_without_it_the_error_names_the_option(paper_run, tmp_path):
    done = CliRunner().invoke(command.main, [str(paper_run.path), "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert "name another (ohr board RUN --baseline NAME)" in done.stdout


def test_a_baseline_of_several_conditions_needs_more_names(paper_run):
    with pytest.raises(OhrError, match=r"fits several conditions.*FactReader.*SteadyReader"):
        noise_costs([paper_run], [F1], {"engine": "gt"})
    named = named_baseline([paper_run], "gt, tests.fakes.FactReader")
    assert named == {"engine": "gt", "reader": "tests.fakes.FactReader"}
    assert noise_costs([paper_run], [F1], named)["cost"].notna().any()
    [ranking] = rankings({"run": paper_run}, ["retrieval:lcs"], baseline=named)
    assert next(iter(ranking.ranked["engine"])) == "gt", "retrieval has no reader to be named"


def test_wrong_names_are_refused(paper_run):
    with pytest.raises(ConfigError, match="no condition has 'gtt'; did you mean 'gt'"):
        named_baseline([paper_run], "gtt")
    with pytest.raises(ConfigError, match="two values of engine"):
        named_baseline([paper_run], "gt, precomputed:theirs")


def test_the_other_engine_as_baseline_is_measured_under_its_own_noise_only(paper_run):
    with pytest.raises(OhrError, match="no noise in these runs"):
        noise_costs([paper_run], [LCS], {"engine": "precomputed:theirs"})
