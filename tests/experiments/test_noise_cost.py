"""Mean noise cost, relative to the frozen baseline."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from experiments import analyse_noise_cost as noise_cost
from ohr.analysis.noise_cost.report import report_costs, text_table
from ohr.analysis.noise_cost.table import noise_costs
from ohr.errors import OhrError
from ohr.study.results import StudyRun
from tests.builders import CliRunner

F1 = ("overall", "f1")
GENERATED = ("generation", "f1")


def change_values(run: StudyRun, drawn: pd.DataFrame, **manifest: object) -> StudyRun:
    return StudyRun(run.path, run.manifest | manifest, run.cells).cache_values(drawn=drawn)


@pytest.fixture(scope="module")
def cost_run(semantic_run) -> StudyRun:
    """The baseline loses .2 and .4, another engine half as much, a third one nothing."""
    rows = semantic_run.drawn
    rows = rows[rows["reader"].isin(["", "tests.fakes.FactReader"])]
    rows = rows.assign(reader=rows["reader"].where(rows["reader"] == "", "extractive"))
    rows = rows[(rows["engine"] == "tesseract") & (rows["level"].isin(["", "mild", "severe"]))]
    f1 = rows[rows["metric"] == "f1"]
    parts = []
    document = f1["doc_id"].str.extract(r"(\d+)$")[0].astype(int)
    loss = f1["level"].map({"": 0.0, "mild": 0.2, "severe": 0.4}) * (0.8 + 0.4 * (document % 2))
    for engine, share in (("tesseract", 1.0), ("half", 0.5), ("robust", 0.0)):
        parts.append(f1.assign(engine=engine, value=0.9 - share * loss))
    engines = {"tesseract": {"engine_version": "tesseract 5.3.0, leptonica-1.82.0, eng a3d3"}}
    return change_values(semantic_run, pd.concat(parts, ignore_index=True), engines=engines)


def test_the_cost_is_relative_to_the_baseline(cost_run):
    costs = noise_costs([cost_run], [F1]).set_index("engine")
    assert list(costs.index) == ["robust", "half", "tesseract"]
    assert costs["cost"].to_dict() == pytest.approx({"robust": 0, "half": 50, "tesseract": 100})
    assert costs.loc["half", "ci_low"] == pytest.approx(50)  # both losses are drawn together
    assert costs.loc["half", "ci_high"] == pytest.approx(50)
    assert costs.loc["tesseract", "baseline_loss"] == pytest.approx(0.3)
    assert list(costs["letters"]) == ["a", "b", "c"]
    assert set(costs["n_noises"]) == {2}
    assert set(costs["ci_unit"]) == {"document"}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"scoring": "reference"}, "differ in scoring"),
        ({"dpi": 300}, "differ in dpi"),
        ({"dataset": {"pages": "evidence"}}, "differ in dataset.pages"),
    ],
)
def test_runs_that_measured_otherwise_are_refused(cost_run, changed, message):
    config = cost_run.manifest["config"]
    other = change_values(cost_run, cost_run.drawn, config=config | changed)
    with pytest.raises(OhrError, match=message):
        noise_costs([cost_run, other], [F1])


def test_another_noise_of_the_same_name_is_refused(cost_run):
    config = cost_run.manifest["config"]
    noise = config["noise"][0] | {"params": {"dpi": 77}}
    other = change_values(cost_run, cost_run.drawn, config=config | {"noise": [noise]})
    with pytest.raises(OhrError, match=f"differ in noise {noise['label']}"):
        noise_costs([cost_run, other], [F1])


def test_runs_with_other_draws_are_refused(cost_run):
    other = change_values(cost_run, cost_run.drawn, draws=[77])
    with pytest.raises(OhrError, match="differ in the draws"):
        noise_costs([cost_run, other], [F1])


def test_generation_needs_no_retriever(cost_run):
    costs = noise_costs([cost_run], [GENERATED]).set_index("engine")
    assert costs.loc["half", "cost"] == pytest.approx(50)
    assert set(costs["retriever"]) == {""}


def test_a_noise_that_costs_the_baseline_little_counts_little(cost_run):
    """The mean of one ratio per noise would be 5 * half under mild and half under severe."""
    drawn = cost_run.drawn.copy()
    mild = (drawn["level"] == "mild") & (drawn["engine"] == "tesseract")
    drawn.loc[mild, "value"] = 0.9 - (0.9 - drawn.loc[mild, "value"]) / 5
    costs = noise_costs([change_values(cost_run, drawn)], [F1]).set_index("engine")
    assert costs.loc["half", "cost"] == pytest.approx(100 * (0.1 + 0.2) / (0.04 + 0.4))
    drawn.loc[mild, "value"] = 0.9
    costs = noise_costs([change_values(cost_run, drawn)], [F1]).set_index("engine")
    assert costs.loc["half", "cost"] == pytest.approx(100 * (0.1 + 0.2) / 0.4)
    assert set(costs["n_noises"]) == {2}


def test_without_a_loss_of_the_baseline_there_is_no_cost(cost_run):
    drawn = cost_run.drawn.copy()
    drawn.loc[drawn["engine"] == "tesseract", "value"] = 0.9
    costs = noise_costs([change_values(cost_run, drawn)], [F1])
    assert costs["cost"].isna().all()
    assert costs["ci_low"].isna().all()
    assert set(costs["letters"]) == {""}
    table = text_table(costs, [])
    assert "undefined" in table.markdown()
    assert "undefined: the baseline loses nothing" in table.caption


def test_where_the_baselines_loss_may_be_0_the_interval_is_unbounded(cost_run):
    drawn = cost_run.drawn.copy()
    document = drawn["doc_id"].str.extract(r"(\d+)$")[0].astype(int)
    gains = (drawn["engine"] == "tesseract") & (drawn["noise"] != "none") & (document % 2 == 0)
    drawn.loc[gains, "value"] = 1.1
    costs = noise_costs([change_values(cost_run, drawn)], [F1]).set_index("engine")
    assert costs.loc["half", "cost"] > 0
    assert np.isneginf(costs.loc["half", "ci_low"])
    assert np.isposinf(costs.loc["half", "ci_high"])
    table = text_table(costs.reset_index(), [])
    assert "| unbounded |" in table.markdown()
    assert "the baseline's own loss may be 0" in table.caption


def test_conditions_that_do_not_differ_share_a_letter(cost_run):
    drawn = cost_run.drawn
    half = drawn[drawn["engine"] == "half"]
    document = half["doc_id"].str.extract(r"(\d+)$")[0].astype(int)
    change = np.where(half["level"] == "", 0, 0.01 * np.where(document % 2, 1, -1))
    alike = half.assign(engine="alike", value=half["value"] + change)
    costs = noise_costs([change_values(cost_run, pd.concat([drawn, alike]))], [F1])
    named = costs.set_index("engine")["letters"]
    assert named["alike"] == named["half"] == "b"
    assert named["robust"] == "a"
    assert named["tesseract"] == "c"


def test_the_baseline_may_be_in_another_run(cost_run):
    drawn = cost_run.drawn
    rest, baseline = (
        change_values(cost_run, drawn[mask].reset_index(drop=True))
        for mask in (drawn["engine"] != "tesseract", drawn["engine"] == "tesseract")
    )
    costs = noise_costs([rest, baseline], [F1])
    assert costs.set_index("engine").loc["half", "cost"] == pytest.approx(50)
    with pytest.raises(OhrError, match="lack the baseline for overall:f1"):
        noise_costs([rest], [F1])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dataset": {"digest": "x"}}, "the runs are of different data"),
        (
            {"engines": {"tesseract": {"engine_version": "tesseract 4.1.1, x"}}},
            "Tesseract is 'tess",
        ),
        (
            {"config": {"retrievers": [{"name": "bm25", "label": "bm25", "params": {"k1": 2}}]}},
            "retriever 'bm25' has options of its own",
        ),
    ],
)
def test_what_is_no_baseline_is_an_error(cost_run, changes, message):
    other = change_values(cost_run, cost_run.drawn, **changes)
    with pytest.raises(OhrError, match=message):
        noise_costs([cost_run, other], [F1])


def test_clean_pages_alone_are_an_error(cost_run):
    drawn = cost_run.drawn
    clean = change_values(cost_run, drawn[drawn["noise"] == "none"])
    with pytest.raises(OhrError, match="no noise in these runs: overall:f1"):
        noise_costs([clean], [F1])


def test_the_command_writes_the_table(cost_run, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("ohr.analysis.noise_cost.report.open_runs", lambda paths: [cost_run])
    assert report_costs([cost_run.path], tmp_path, ["overall:f1"]) == 0
    printed = capsys.readouterr().out
    assert "mean noise cost: loss under all noises divided by" in printed
    assert "conditions that share a letter do not differ significantly" in printed
    values = pd.read_csv(tmp_path / "noise_cost.csv")
    assert list(values["cost"]) == pytest.approx([0, 50, 100], abs=1e-6)
    assert "| overall:f1 | half, tokens, bm25, extractive, 2 | 50 |" in (
        tmp_path / "noise_cost.md"
    ).read_text().replace("\\", "")


def test_errors_are_one_line(formatting_run, tmp_path):
    done = CliRunner().invoke(
        noise_cost.main, [str(formatting_run.path), "--out", str(tmp_path), "--metric", "a:b"]
    )
    assert done.exit_code == 2
    assert done.stderr.startswith("error: no metric 'a:b' in these runs")
