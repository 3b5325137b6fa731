from __future__ import annotations

import pandas as pd
import pytest

from experiments.analyse_robustness import main
from ohr.analysis.robustness.report import text_table
from ohr.analysis.robustness.table import robustness
from ohr.errors import OhrError
from ohr.study.results import StudyRun, rows_of
from tests.builders import CliRunner

FACT, STEADY = "tests.fakes.FactReader", "tests.fakes.SteadyReader"


@pytest.mark.slow
def test_retention_and_loss_by_hand(formatting_run):
    found = robustness(formatting_run)
    mine = found[(found["stage"] == "generation") & (found["group"] == "all")]
    mine = mine[mine["knowledge_base"] == "gt, formatting moderate"].set_index("reader")
    assert set(mine["clean_knowledge_base"]) == {"gt, clean"}

    def mean(level: str, metric: str = "f1") -> float:
        rows = rows_of(formatting_run.rows, "generation", metric)
        rows = rows[(rows["reader"] == FACT) & (rows["level"] == level)]
        return float(rows["value"].mean())

    clean, noisy, floor = mean(""), mean("moderate"), mean("", "f1_no_context")
    fact = mine.loc[FACT]
    assert fact["loss"] == pytest.approx(clean - noisy)
    assert fact["retention"] == pytest.approx((noisy - floor) / (clean - floor))
    assert fact["retention_ci_low"] < fact["retention"] < fact["retention_ci_high"] < 1
    assert pd.isna(fact["p"])
    steady = mine.loc[STEADY]
    assert (steady["loss"], steady["retention"]) == (0, 1)
    assert steady["loss_difference"] == pytest.approx(noisy - clean)
    assert steady["p"] <= 0.001
    assert steady["p_adjusted"] >= steady["p"]


@pytest.mark.slow
def test_the_baseline_turns_the_difference_round(formatting_run):
    one, other = robustness(formatting_run), robustness(formatting_run, STEADY)
    differences = [found["loss_difference"].dropna().to_numpy() for found in (one, other)]
    assert list(differences[0]) == pytest.approx(list(-differences[1]))


@pytest.mark.slow
def test_engines_are_held_against_the_ground_truth(benchmark_runs, tmp_path):
    found = robustness(benchmark_runs[1])
    assert set(found["knowledge_base"]) == {"precomputed:theirs, clean"}
    done = CliRunner().invoke(main, [str(benchmark_runs[1].path), "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert "Δ(ALL)" in (tmp_path / "table_s5.md").read_text()
    assert len(pd.read_csv(tmp_path / "table_s5.csv")) == 4
    unknown = [str(benchmark_runs[1].path), "--out", str(tmp_path), "--baseline", "x"]
    done = CliRunner().invoke(main, unknown)
    assert done.exit_code == 2
    assert "no reader 'x'" in done.stderr


def test_nothing_to_stand(benchmark_runs):
    run = benchmark_runs[0]
    alone = StudyRun(run.path, run.manifest, run.cells).cache_values(
        drawn=run.rows[run.rows["engine"] != "gt"]
    )
    with pytest.raises(OhrError, match="has no loss to compare readers by"):
        robustness(alone)


@pytest.mark.slow
def test_settings_that_differ_stand_in_the_table(formatting_run):
    asked = formatting_run.drawn
    overall = asked[asked["stage"] == "overall"].assign(top_k=9)
    run = StudyRun(formatting_run.path, formatting_run.manifest, formatting_run.cells).cache_values(
        drawn=pd.concat([asked, overall], ignore_index=True)
    )
    table = text_table(robustness(run), [])
    named = ["stage", "knowledge base", "retriever", "top_k", "reader"]
    assert table.header[: table.left] == named  # one chunker: it is not named
    settings = {(row[0], row[3]) for row in table.rows}
    assert settings == {
        ("answer F1, right pages given", ""),
        ("answer F1, whole system", "2"),
        ("answer F1, whole system", "9"),
    }
    plain = text_table(robustness(formatting_run), [])
    assert "top_k" not in plain.header
