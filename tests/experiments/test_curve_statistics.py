from __future__ import annotations

import pandas as pd
import pytest

from experiments.analyse_curves import main
from ohr.analysis.curves.report import curves_shown, seeds_shown
from ohr.analysis.curves.table import (
    CURVE_KEYS,
    check_draws,
    curves_of,
    seeds_table,
    statistics_table,
)
from ohr.errors import OhrError
from ohr.study.results import StudyRun
from tests.builders import CliRunner

KEYS = [*CURVE_KEYS, "group"]


@pytest.mark.slow
def test_every_curve_of_every_group_once(semantic_run):
    table = statistics_table([semantic_run])
    assert not table.duplicated(KEYS).any()
    assert set(table["engine"]) == {"tesseract", "other"}
    assert set(table["perturbation"]) == {"semantic"}
    assert set(table["stage"]) == {"retrieval", "generation", "overall"}
    assert {"all", "source:chart", "domain:law"} < set(table["group"])
    assert set(table["group"]) == set(semantic_run.cells["group"])
    assert (table["levels"] == 4).all()
    assert not table["metric"].str.contains("no_context").any()


@pytest.mark.slow
def test_points_are_the_cells(formatting_run):
    cells = formatting_run.cells
    checked = 0
    for measured in curves_of(formatting_run):
        key = measured.key
        if key["group"] not in ("all", "source:table") or key["metric"] != "f1":
            continue
        mine = cells
        for name in ("retriever", "reader", "stage", "metric", "group"):
            mine = mine[mine[name] == key[name]]
        x, y, floor = measured.curve.means()
        assert measured.levels == ("clean", "mild", "moderate", "severe")
        assert list(y[0]) == pytest.approx(list(mine["mean"]), abs=1e-6)
        assert list(x[0]) == pytest.approx(list(mine["r_noise"]), abs=1e-6)
        guess = cells[(cells["metric"] == "f1_no_context") & (cells["group"] == key["group"])]
        guess = guess[guess["reader"] == key["reader"]]
        assert floor[0] == pytest.approx(guess["mean"].iloc[0], abs=1e-6)
        checked += 1
    assert checked == 2 * 2 * 2  # stages, readers, groups


@pytest.mark.slow
def test_the_parts_of_the_retrieval_loss_stand_beside_its_curve(formatting_run):
    table = statistics_table([formatting_run])
    lcs = table[table["metric"] == "lcs"]
    assert len(lcs) > 1
    for end in ("clean", "worst"):
        parts = lcs[f"{end}_page_not_found"] + lcs[f"{end}_text_missing"]
        assert (lcs[end] + parts).to_numpy() == pytest.approx(1, abs=1e-12)
    assert (lcs["worst_text_missing"] > lcs["clean_text_missing"]).any()
    rest = table[table["metric"] != "lcs"]
    assert rest.filter(regex="page_not_found|text_missing").isna().all(axis=None)
    [of_all, *_] = lcs[lcs["group"] == "all"].to_dict("records")
    printed = curves_shown(table, [("retrieval", "lcs", "retrieval LCS")])
    shown = {str(one.header): next(iter(one.cells)) for one in printed.columns}
    assert shown["worst: text missing"] == f"{of_all['worst_text_missing']:.3f}"


@pytest.mark.slow
def test_the_command_writes_the_csv_beside_the_run(formatting_run, tmp_path):
    done = CliRunner().invoke(main, [str(formatting_run.path), "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    table = pd.read_csv(tmp_path / "curves.csv")
    everyone = table[(table["group"] == "all") & (table["metric"] == "f1")]
    generation = everyone[everyone["stage"] == "generation"].set_index("reader")
    # Hidden facts are lost on the one reader; the other does not look.
    assert generation.loc["tests.fakes.FactReader", "slope"] < 0
    assert generation.loc["tests.fakes.SteadyReader", "slope"] == 0
    assert generation.loc["tests.fakes.SteadyReader", "mean_retention"] == 1
    assert generation.loc["tests.fakes.FactReader", "worst_level"] == "severe"
    assert not (tmp_path / "seeds.csv").exists()


@pytest.mark.slow
def test_every_printed_curve_says_what_it_is_of(seed_runs):
    first, second = seed_runs
    doubled = []
    for run in (first, second):
        parts = [thin(run).drawn]
        searched = parts[0]["stage"].isin(["retrieval", "overall"])
        parts.append(parts[0][searched].assign(chunker="small"))
        parts.append(parts[0][searched].assign(top_k=5))
        rows = pd.concat(parts, ignore_index=True)
        doubled.append(StudyRun(run.path, run.manifest, run.cells).cache_values(drawn=rows))
    measures = [
        ("generation", "f1", "answer F1, right pages given"),
        ("overall", "f1", "answer F1, whole system"),
    ]
    table = statistics_table(doubled)
    printed = curves_shown(table[table["seed"] == 0], measures)
    settings = list(printed.columns[2].cells)
    reader = "tests.fakes.FactReader"
    chunkers = [f"tokens, bm25, 2 hits, {reader}", f"tokens, bm25, 5 hits, {reader}"]
    assert sorted(map(str, settings)) == sorted(
        [reader, *chunkers, f"small, bm25, 2 hits, {reader}"]
    )
    seeds = seeds_shown(seeds_table(table), measures)
    assert set(map(str, seeds.columns[2].cells)) == set(map(str, settings))


def test_runs_that_share_draws_are_no_seeds_of_their_own(seed_runs):
    first, second = seed_runs
    check_draws([first, second])
    drawn = second.drawn.assign(draw=0)
    shared = StudyRun(second.path, second.manifest, second.cells).cache_values(drawn=drawn)
    with pytest.raises(OhrError, match="seed 0 and seed 1 share draw 0"):
        check_draws([first, shared])


def thin(run):
    """The run with the rows of one reader's F1 alone."""
    rows = run.drawn
    reader = rows["reader"].isin(["", "tests.fakes.FactReader"])
    return StudyRun(run.path, run.manifest, run.cells).cache_values(
        drawn=rows[rows["metric"].isin(["r_noise", "f1", "f1_no_context"]) & reader]
    )


@pytest.mark.slow
def test_seeds_have_a_mean_and_a_variance(seed_runs):
    curves = statistics_table([thin(run) for run in seed_runs])
    seeds = seeds_table(curves).set_index(["stage", "group", "statistic"])
    for stage in ("generation", "overall"):
        mine = curves[(curves["stage"] == stage) & (curves["group"] == "all")]
        summary = seeds.loc[stage, "all", "slope"]
        assert (summary["n_seeds"], len(mine)) == (2, 2)
        assert summary["mean"] == pytest.approx(mine["slope"].mean())
        assert summary["variance"] == pytest.approx(mine["slope"].var())


@pytest.mark.slow
def test_the_command_writes_the_variance_of_seeds(seed_runs, tmp_path):
    arguments = [str(run.path) for run in seed_runs]
    done = CliRunner().invoke(main, [*arguments, "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    curves, seeds = (pd.read_csv(tmp_path / f"{name}.csv") for name in ("curves", "seeds"))
    keys = [name for name in KEYS if name != "seed"]
    assert not seeds.duplicated([*keys, "statistic"]).any()
    mine = (curves["group"] == "all") & (curves["reader"] == "tests.fakes.FactReader")
    slopes = curves[mine & (curves["stage"] == "generation") & (curves["metric"] == "f1")]["slope"]
    found = seeds[(seeds["group"] == "all") & (seeds["reader"] == "tests.fakes.FactReader")]
    found = found[(found["stage"] == "generation") & (found["metric"] == "f1")]
    found = found[found["statistic"] == "slope"].iloc[0]
    assert (found["n_seeds"], len(slopes)) == (2, 2)
    assert found["mean"] == pytest.approx(slopes.mean(), abs=1e-5)
    assert found["variance"] == pytest.approx(slopes.var(), abs=1e-5)


@pytest.mark.slow
def test_a_run_without_noise_has_no_curve(benchmark_runs):
    done = CliRunner().invoke(main, [str(benchmark_runs[0].path)])
    assert done.exit_code == 2
    assert "no noise curve in these runs" in done.stderr


@pytest.mark.slow
def test_questions_left_out_at_one_level_leave_the_whole_curve(semantic_run):
    rows = semantic_run.rows
    qid = rows["qid"].iloc[-1]
    gone = (rows["qid"] == qid) & (rows["stage"] == "retrieval") & (rows["level"] == "mild")
    kept = rows[~gone & rows["metric"].isin(["lcs", "f1", "r_noise", "f1_no_context"])]
    fewer = StudyRun(semantic_run.path, semantic_run.manifest, semantic_run.cells).cache_values(
        drawn=kept
    )
    table = statistics_table([fewer])
    retrieval = table[(table["group"] == "all") & (table["stage"] == "retrieval")]
    assert set(retrieval["n"]) == {47}
    assert set(table[(table["group"] == "all") & (table["stage"] == "overall")]["n"]) == {48}


@pytest.mark.slow
def test_a_seed_counts_once(seed_runs):
    first, second = (thin(run) for run in seed_runs)
    with pytest.raises(OhrError, match="two runs have the same curve with seed 1"):
        seeds_table(statistics_table([first, second, second]))
