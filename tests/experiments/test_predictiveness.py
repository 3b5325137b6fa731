"""Which measure of reading predicts the loss, on runs where the answer is known."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohr
from experiments.analyse_predictiveness import main
from ohr.analysis.predictiveness.predictors import verdict
from ohr.analysis.predictiveness.table import predictiveness, predictors
from ohr.errors import OhrError
from ohr.statistics import Clusters, RankCorrelation, holm, jackknife_interval
from ohr.study.results import StudyRun
from tests.builders import CliRunner

LCS = ("retrieval:lcs",)
LEVELS = ("", "mild", "moderate", "severe")
PAGES = ("edit_distance", "cer", "wer", "table_similarity")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Twelve documents of six questions under three levels of noise.

    ``edit_distance`` and ``evidence_lcs`` rise and fall with the loss; ``cer`` is as high as the
    level, whatever a question lost; ``wer`` falls where the loss rises; ``table_similarity`` is
    known of one question in two, and says there what the edit distance says.
    """
    rng = np.random.default_rng(0)
    rows = []
    for level, name in enumerate(LEVELS):
        for number in range(72):
            harm = level and 0.1 * level + 0.3 * float(rng.random())
            key = {"level": name, "intensity": level / 4, "noise": "semantic" if level else "none"}
            key |= {"doc_id": f"law/d{number // 6}", "page_no": number % 6, "domain": "law"}
            question = {"qid": str(number), "evidence_source": ("text", "table")[number % 2]}
            values = {"edit_distance": 0.1 + harm, "cer": 0.3 * level, "wer": 0.9 - harm}
            values |= {"table_similarity": 0.9 - harm} if number % 2 else {}
            rows += [
                key | {"qid": "", "evidence_source": "", "stage": "ocr", "metric": m, "value": v}
                for m, v in values.items()
            ]
            scores = {("ocr", "evidence_lcs"): 1 - harm / 2, ("retrieval", "lcs"): 1 - harm}
            scores[("retrieval", "hit@2")] = float(harm < 0.3)
            rows += [
                key | question | {"stage": stage, "metric": metric, "value": value}
                for (stage, metric), value in scores.items()
            ]
    table = pd.DataFrame(rows)
    table["perturbation"] = table["noise"]
    retrieval = table["stage"] == "retrieval"
    fixed = {"engine": "tesseract", "system": "", "reader": "", "answer_form": "", "task": ""}
    fixed |= {"kb_scope": "all", "protocol": "default", "seed": 0, "draw": 0, "status": "ok"}
    table = table.assign(
        **fixed,
        chunker=np.where(retrieval, "tokens", ""),
        retriever=np.where(retrieval, "bm25", ""),
        top_k=pd.Series(np.where(retrieval, 2, pd.NA)).astype("Int64"),
    )
    path = tmp_path_factory.mktemp("run")
    return StudyRun(path, {"config": {"bootstrap": 200}}, table).cache_values(drawn=table)


def only(run, keep):
    return StudyRun(run.path, run.manifest, run.cells[keep]).cache_values(drawn=run.drawn[keep])


def rows_of(table, correlation, group="all", conditions="all"):
    chosen = table[(table["correlation"] == correlation) & (table["group"] == group)]
    return chosen[chosen["conditions"] == conditions].set_index("measure")


def test_what_follows_the_loss_predicts_it(run):
    table = predictiveness([run], LCS)
    assert set(table["title"]) == {"retrieval LCS"}
    for correlation in ("pooled", "within", "between"):
        found = rows_of(table, correlation)
        assert found.loc["edit_distance", "rho"] == pytest.approx(1)
        assert found.loc["evidence_lcs", "rho"] == pytest.approx(1)
        assert found.loc["wer", "rho"] == pytest.approx(-1)
    pooled = rows_of(table, "pooled")
    assert pooled.loc["edit_distance", "kendall"] == pytest.approx(1)
    assert pooled["n"].to_dict() == dict.fromkeys(("edit_distance", "cer", "wer"), 216) | {
        "table_similarity": 108, "evidence_lcs": 216
    }  # fmt: skip
    assert set(pooled["n_documents"]) == {12}
    assert set(pooled["n_conditions"]) == {3}
    assert set(table["ci_unit"].dropna()) == {"document", ""}


@pytest.mark.slow
def test_what_only_knows_the_condition_predicts_nothing_within_it(run):
    table = predictiveness([run], LCS)
    pooled, within, between = (rows_of(table, n) for n in ("pooled", "within", "between"))
    assert 0.5 < pooled.loc["cer", "rho_ci_low"] < pooled.loc["cer", "rho"] < 0.9
    assert np.isnan(within.loc["cer", "rho"])
    assert between.loc["cer", "rho"] == pytest.approx(1)


def test_measures_are_compared_with_the_best_of_those_that_know_every_question(run):
    pooled = rows_of(predictiveness([run], LCS), "pooled")
    assert pooled.loc["edit_distance", "best"] == ""
    independent = pooled.drop(index=["edit_distance", "evidence_lcs"])
    assert set(independent["best"]) == {"edit_distance"}
    cer, wer, table = (pooled.loc[name] for name in ("cer", "wer", "table_similarity"))
    assert cer["behind"] == pytest.approx(1 - cer["rho"])
    assert 0 < cer["behind_ci_low"] < cer["behind"] < cer["behind_ci_high"]
    assert wer["behind"] == pytest.approx(2)
    assert max(cer["p"], wer["p"]) < 0.01
    assert cer["p_holm"] > cer["p"]
    assert wer["alike_best"] == "edit_distance"
    assert wer["alike_behind"] == wer["behind"]
    assert cer["alike_p_holm"] <= cer["p_holm"]
    assert (table["rho"], table["behind"]) == (pytest.approx(1), pytest.approx(0))
    assert table["p"] == 1


@pytest.mark.slow
def test_a_predictor_that_shares_the_outcomes_definition_is_never_the_best(run):
    found = predictors([run])
    assert list(dict.fromkeys(found.table["metric"])) == ["hit@2", "lcs"]
    of_lcs = found.table[found.table["metric"] == "lcs"]
    assert set(of_lcs.loc[of_lcs["overlaps"], "measure"]) == {"evidence_lcs"}
    assert of_lcs.loc[of_lcs["overlaps"], "behind"].isna().all()
    assert "evidence_lcs" not in {*of_lcs["best"], *of_lcs["alike_best"]}
    assert not found.table.loc[found.table["metric"] == "hit@2", "overlaps"].any()
    pairs = found.pairs[found.pairs["metric"] == "lcs"]
    assert "evidence_lcs" not in {*pairs["first"], *pairs["second"]}
    within = rows_of(of_lcs, "within").reset_index()
    assert verdict(within, pairs[:0]).leader == "edit distance"


def test_p_is_corrected_over_every_pair_that_could_have_led(run):
    pairs = predictors([run], ["retrieval:hit@2"]).pairs
    chosen = pairs[(pairs["correlation"] == "pooled") & (pairs["group"] == "all")]
    assert len(chosen) == 10
    assert np.allclose(chosen["p_holm"], holm(chosen["p"].to_numpy()))
    assert set(pairs["correlation"]) == {"pooled", "within"}


def test_no_predictor_is_named_where_none_is_shown_to_be_better(run):
    rows = run.drawn[run.drawn["metric"].isin(["edit_distance", "hit@2"])]
    rng = np.random.default_rng(1)
    pages = rows[rows["metric"] == "edit_distance"]
    twin = pages.assign(metric="cer", value=pages["value"] + rng.normal(0, 1e-3, len(pages)))
    both = pd.concat([rows, twin], ignore_index=True)
    found = predictors([StudyRun(run.path, run.manifest, both).cache_values(drawn=both)])
    within = rows_of(found.table, "within").reset_index()
    chosen = found.pairs[(found.pairs["correlation"] == "within") & (found.pairs["group"] == "all")]
    said = verdict(within, chosen)
    assert not said.is_best
    assert not said.any_shown
    assert len(said.level) == 1
    assert abs(chosen["difference"].iloc[0]) < said.bound < 0.1


@settings(deadline=None)
@given(st.integers(3, 8), st.integers(0, 10_000))
def test_an_interval_holds_its_estimate(documents, seed):
    rng = np.random.default_rng(seed)
    index = np.repeat(np.arange(documents), 3)
    x, y = rng.integers(0, 4, (2, len(index))).astype(float)
    ranked = RankCorrelation(x, y)
    clusters = Clusters(index, documents, "document")
    for left_out, value in enumerate(ranked.leave_out(clusters)):
        rest = index != left_out
        expected = RankCorrelation(x[rest], y[rest]).value
        assert np.isclose(value, expected, equal_nan=True)
    interval = jackknife_interval(ranked.value, ranked.leave_out(clusters), clusters)
    assert not interval.unit or interval.low <= ranked.value <= interval.high


def test_a_measure_that_changes_once_is_not_the_best(run):
    rows = run.drawn[run.drawn["metric"].isin(["wer", "lcs"])]
    worst = rows[rows["metric"] == "lcs"].nsmallest(1, "value").iloc[0]
    rare = rows[rows["metric"] == "wer"].assign(metric="edit_distance")
    there = (rare[["doc_id", "page_no", "level"]] == worst[["doc_id", "page_no", "level"]]).all(
        axis=1
    )
    both = pd.concat([rows, rare.assign(value=there.astype(float))], ignore_index=True)
    table = predictiveness([StudyRun(run.path, run.manifest, both).cache_values(drawn=both)])
    pooled = rows_of(table, "pooled")
    assert pooled.loc["edit_distance", "rho"] > 0 > pooled.loc["wer", "rho"]
    assert np.isnan(pooled.loc["edit_distance", "rho_ci_low"])
    assert pooled.loc["edit_distance", "best"] == "wer"


@pytest.mark.slow
def test_groups_outcomes_and_conditions_are_chosen(run):
    table = predictiveness([run], ["retrieval:hit@2"], groups=True)
    assert set(table["metric"]) == {"hit@2"}
    assert set(table["group"]) == {"all", "source:text", "source:table", "domain:law"}
    assert set(table["conditions"]) == {"all"}
    two = run.drawn.assign(engine=run.drawn["engine"].replace("tesseract", "other"))
    both = pd.concat([run.drawn, two], ignore_index=True)
    table = predictiveness([StudyRun(run.path, run.manifest, both).cache_values(drawn=both)])
    assert set(table["conditions"]) == {"all", "engine:tesseract", "engine:other"}
    assert set(rows_of(table, "pooled")["n_conditions"]) == {6}


@pytest.mark.slow
def test_an_engine_is_held_against_the_ground_truth(benchmark_runs):
    run = benchmark_runs[1]
    table = predictiveness([run])
    assert set(table["n_conditions"]) == {1}
    assert rows_of(table, "between")["rho"].isna().all()
    fact = table[table["reader"].isin(["", "tests.fakes.FactReader"])]
    assert rows_of(fact[fact["stage"] == "generation"], "pooled").loc["edit_distance", "rho"] > 0.8
    opened = ohr.open_run(run.path)
    figures = opened.plot.predictiveness().files
    assert set(figures) == {f"predictiveness.{kind}" for kind in ("png", "svg", "txt")}
    assert len(opened.predictiveness()) == len(table)


@pytest.mark.slow
def test_runs_are_taken_together(seed_runs):
    first, second = seed_runs
    table = ohr.open_run(first.path).predictiveness(second, metrics=["generation:f1"])
    assert set(table["n_conditions"]) == {6}


@pytest.mark.slow
def test_the_command_writes_table_and_figure(formatting_run, tmp_path):
    arguments = [str(formatting_run.path), "--metric", "generation:f1", "--out", str(tmp_path)]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    table = pd.read_csv(tmp_path / "predictiveness.csv")
    assert {"r_noise", "edit_distance"} < set(table["measure"])
    assert (tmp_path / "figures" / "predictiveness.png").stat().st_size > 3_000
    assert (
        "answer F1, right pages given, tests.fakes.FactReader: 48 questions, 3 conditions"
        in done.stdout
    )
    assert "~ shares part" not in done.stdout
    pairs = pd.read_csv(tmp_path / "predictor_pairs.csv")
    assert {"first", "second", "difference", "p_holm"} < set(pairs)
    lcs = [str(formatting_run.path), "--metric", "retrieval:lcs", "--out", str(tmp_path / "lcs")]
    said = CliRunner().invoke(main, lcs).stdout
    assert "~ shares part of the outcome's definition: r_noise" in said
    assert "among metrics that share nothing of the outcome's definition: " in said
    marked = pd.read_csv(tmp_path / "lcs" / "predictiveness.csv").set_index("measure")["overlaps"]
    assert marked["r_noise"].all()
    assert not marked["edit_distance"].any()
    unknown = [str(formatting_run.path), "--metric", "retrieval:x", "--out", str(tmp_path)]
    done = CliRunner().invoke(main, unknown)
    assert done.exit_code == 2
    assert "no metric 'retrieval:x' in these runs" in done.stderr


@pytest.mark.parametrize(
    ("keep", "message"),
    [
        (lambda rows: rows["noise"] != "none", "nothing to compare: it needs noise"),
        (lambda rows: rows["noise"] == "none", "nothing to compare: it needs noise"),
        (lambda rows: rows["stage"] != "ocr", "no OCR metric: run it with the stage ocr"),
        (lambda rows: rows["stage"] == "ocr", "no scores of retrieval or answers"),
    ],
)
def test_what_is_missing_is_said(run, keep, message):
    with pytest.raises(OhrError, match=message):
        predictiveness([only(run, keep(run.drawn))])
