"""How clean OCR must be, from the command line and from Python."""

from __future__ import annotations

import pandas as pd
import pytest
from typer.testing import CliRunner

from experiments import analyse_budget
from ohr.analysis.budget.report import verdict_lines
from ohr.analysis.budget.table import budgets
from ohr.errors import ConfigError, OhrError
from ohr.study.results import StudyRun

TITLES = {("overall", "f1"): "F1", ("ocr", "r_noise_content"): "content r_noise"}
ROW = {
    **{"stage": "overall", "metric": "f1", "group": "all", "axis": "r_noise_content"},
    **{"engine": "gt", "perturbation": "formatting", "setting": "", "lose": 0.05},
    **{"noise": 0.12, "loss": 0.01, "bound": 0.03, "next_noise": 0.2, "next_loss": 0.07},
    **{"next_bound": 0.1, "n": 300, "n_clusters": 40, "unit": "document", "kind": "within"},
}


@pytest.mark.slow
def test_the_budget_is_printed_and_written(formatting_run, tmp_path):
    command = [str(formatting_run.path), "--lose", "0.2", "--out", str(tmp_path)]
    done = CliRunner().invoke(analyse_budget.main, [*command, "--metric", "overall:f1"])
    assert done.exit_code == 0, done.output
    table = pd.read_csv(tmp_path / "budgets.csv")
    assert set(table["metric"]) == {"f1"}
    assert {"all"} < set(table["group"])
    assert set(table["kind"]) <= {"within", "exceeded", "undecided", "few"}
    assert (table["draws_held"] <= table["draws_with_budget"]).all()
    assert (table.loc[table["kind"] == "within", "bound"] <= 0.2).all()
    assert "Answer F1, whole system: " in done.stdout
    assert done.stdout.splitlines()[-1] == f"files in {tmp_path}: budgets.csv"


@pytest.mark.slow
def test_what_is_no_budget_is_refused(formatting_run):
    with pytest.raises(ConfigError, match="a share of the clean score between 0 and 1"):
        budgets([formatting_run], 1.5)
    drawn = formatting_run.drawn
    clean = drawn[drawn["noise"] == "none"]
    cells = formatting_run.cells[formatting_run.cells["noise"] == "none"]
    alone = StudyRun(formatting_run.path, formatting_run.manifest, cells)
    vars(alone)["drawn"] = clean
    with pytest.raises(OhrError, match="no noise curve in these runs"):
        budgets([alone], 0.05)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {},
            "F1: at most 5 % is lost as long as content r_noise is at most 0.12",
        ),
        (
            {},
            "; at 0.20 that is not kept (gt with formatting noise; 300 questions of 40 documents)",
        ),
        ({"kind": "exceeded"}, "the least noise measured of 0.20 loses 7 %, up to 10 % on further"),
        ({"kind": "undecided"}, "with 300 questions of 40 documents no budget can be promised"),
        ({"kind": "few", "n_clusters": 2}, "of 2 documents nothing can be said (gt with"),
    ],
)
def test_a_sentence_says_the_budget_or_why_there_is_none(change, said):
    [line] = verdict_lines(pd.DataFrame([ROW | change]), TITLES)
    assert said in line
