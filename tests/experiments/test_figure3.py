from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from experiments.analyse_figure3 import main
from ohr.analysis.figure3.figure import caption_of, draw_figure3
from ohr.analysis.figure3.table import _tested, figure3_points
from ohr.errors import OhrError
from ohr.statistics import Clusters, Paired, compare_family, mean_interval
from ohr.study.output.rows import UNIT_COLUMNS
from ohr.study.results import StudyRun, clusters_of, rows_of
from tests.builders import CliRunner


@pytest.mark.slow
def test_semantic_noise_is_averaged_over_engines(semantic_run):
    points = figure3_points([semantic_run])
    point = points[
        (points["stage"] == "generation")
        & (points["panel"] == "multimodal (table, formula, chart)")
        & (points["level"] == "severe")
        & (points["setting"] == "tests.fakes.FactReader")
    ].iloc[0]
    assert (point["noise"], point["engines"]) == ("semantic", 2)
    for column, stage, metric in (
        ("mean", "generation", "f1"),
        ("r_noise", "ocr", "r_noise"),
    ):
        rows = rows_of(semantic_run.rows, stage, metric)
        rows = rows[rows["evidence_source"].isin(["table", "formula", "chart"])]
        rows = rows[(rows["level"] == "severe")]
        if stage != "ocr":
            rows = rows[rows["reader"] == "tests.fakes.FactReader"]
        assert rows["engine"].nunique() == 2
        assert point[column] == pytest.approx(rows["value"].mean())
    assert point["ci_low"] <= point["mean"] <= point["ci_high"]


@pytest.mark.slow
def test_intervals_are_those_of_the_paired_change(semantic_run):
    points = figure3_points([semantic_run])
    key = (points["stage"] == "retrieval") & (points["panel"] == "all")
    clean, severe = (
        points[key & (points["level"] == level)].iloc[0] for level in ("clean", "severe")
    )
    rows = rows_of(semantic_run.rows, "retrieval", "lcs")
    means = rows.groupby([*UNIT_COLUMNS, "intensity", "level"])["value"].mean().unstack("level")
    per_question = means.groupby(list(UNIT_COLUMNS)).first()
    changes = (per_question["severe"] - per_question[""]).rename("change").reset_index()
    interval = mean_interval(changes["change"].to_numpy(), clusters_of(changes), bounded=False)
    assert np.isnan(clean["ci_low"])
    assert severe["ci_low"] == pytest.approx(clean["mean"] + interval.low)
    assert severe["ci_high"] == pytest.approx(clean["mean"] + interval.high)


@pytest.mark.slow
def test_both_kinds_from_two_runs(semantic_run, formatting_run, tmp_path):
    runs = [semantic_run, formatting_run]
    points = figure3_points(runs)
    keys = ["noise", "stage", "setting", "panel", "level"]
    assert not points.duplicated(keys).any()
    assert list(dict.fromkeys(points["panel"]))[0::3] == ["text", "all"]
    stripped = points[points["stage"] == "retrieval"].groupby("noise")["metric"].unique()
    assert list(stripped["formatting"]) == ["lcs_stripped"]
    assert list(stripped["semantic"]) == ["lcs"]
    caption = caption_of(runs, points)
    for part in (
        "image noise: mean of 2 engines, n = 48",
        "all pages re-read",
        "bands: 95 % intervals for further documents",
    ):
        assert part in caption
    one, two = (draw_figure3(points, caption, tmp_path / name) for name in ("one", "two"))
    assert [path.suffix for path in one] == [".png", ".svg", ".pdf", ".txt"]
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in two]
    assert min(Image.open(one[0]).size) > 150  # drawn at a low resolution in tests
    svg = one[1].read_text()
    assert "image noise" in svg
    assert "formatting noise" in svg


@pytest.mark.slow
def test_the_command(formatting_run, benchmark_runs, tmp_path):
    done = CliRunner().invoke(main, [str(formatting_run.path), "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "figure3.pdf").exists()
    assert (
        (tmp_path / "figure3.csv").read_text().startswith("axis,noise,stage,metric,setting,level")
    )
    done = CliRunner().invoke(main, [str(benchmark_runs[0].path), "--out", str(tmp_path)])
    assert done.exit_code == 2
    assert "nothing to draw" in done.stderr


@pytest.mark.slow
def test_each_whole_system_has_a_curve_of_its_own(systems_run):
    points = figure3_points([systems_run])
    overall = points[points["stage"] == "overall"]
    settings = ["bm25, tests.fakes.FactReader", "bm25, tests.fakes.SteadyReader"]
    assert list(dict.fromkeys(overall["setting"])) == [*settings, "whole0", "whole1"]
    for number, setting in enumerate(settings):
        whole, parts = (
            overall[overall["setting"] == name][["panel", "level", "r_noise", "mean", "n"]]
            for name in (f"whole{number}", setting)
        )
        assert whole.to_dict("list") == parts.to_dict("list")


@pytest.mark.slow
def test_an_axis_that_cannot_rise_is_none(formatting_run):
    """The published r_noise is 1 on clean Chinese pages."""
    clean = formatting_run.cells["noise"] == "none"
    cells = formatting_run.cells.assign(
        r_noise_reference=formatting_run.cells["r_noise_reference"].mask(clean, 1.0)
    )
    run = StudyRun(formatting_run.path, formatting_run.manifest, cells).cache_values(
        drawn=formatting_run.drawn
    )
    assert set(figure3_points([formatting_run])["axis"]) == {"r_noise_reference"}
    assert set(figure3_points([run])["axis"]) == {"r_noise"}


def test_several_distortions_are_no_mixture(semantic_run):
    rows = semantic_run.rows
    names = rows["perturbation"].where(rows["level"] != "mild", "rotation")
    names = names.where(rows["level"] != "severe", "shadow")
    mixed = rows.assign(perturbation=names)[rows["level"] != "moderate"]
    run = StudyRun(semantic_run.path, semantic_run.manifest, semantic_run.cells).cache_values(
        drawn=mixed
    )
    with pytest.raises(OhrError, match=r"2 kinds of semantic noise \(rotation, shadow\)"):
        figure3_points([run])


@pytest.mark.slow
def test_an_engine_comes_once_and_is_counted_once(seed_runs, formatting_run):
    with pytest.raises(OhrError, match="gt under formatting noise, mild, is in two runs"):
        figure3_points(list(seed_runs))
    assert set(figure3_points([formatting_run])["engines"]) == {1}


@pytest.mark.slow
def test_what_was_not_measured_without_context_has_no_line(formatting_run, tmp_path):
    rows = formatting_run.rows
    blind = rows[~rows["metric"].str.endswith("_no_context")]
    run = StudyRun(formatting_run.path, formatting_run.manifest, formatting_run.cells).cache_values(
        drawn=blind
    )
    points = figure3_points([run])
    assert points["floor"].isna().all()
    svg = draw_figure3(points, [], tmp_path)[1].read_text()
    assert "no context" not in svg


@pytest.mark.slow
def test_each_reader_has_its_own_floor(formatting_run, tmp_path):
    points = figure3_points([formatting_run])
    guesses = points["setting"].str.contains("Steady") & (points["stage"] == "generation")
    points.loc[guesses, "floor"] = 0.25
    svg = draw_figure3(points, [], tmp_path)[1].read_text()
    assert svg.count("no context") > 1  # once in each panel
    assert "tests.fakes.SteadyReader" in svg
    assert "tests.fakes.FactReader" in svg


def test_the_levels_of_a_panel_are_one_family():
    rng = np.random.default_rng(0)
    clusters = Clusters.from_labels(np.arange(12), np.arange(12))
    changes = [Paired(rng.normal(mean, 0.1, 12), clusters) for mean in (0.06, 0.05, 0.02)]
    points = _tested([{"panel": "all", "change": change} for change in changes])
    adjusted = [point["p_adjusted"] for point in points]
    assert adjusted == [each.p_adjusted for each in compare_family(changes)]
    alone = [compare_family([change])[0].p_adjusted for change in changes]
    assert all(first >= second for first, second in zip(adjusted, alone, strict=True))
    assert sum(adjusted) > sum(alone)
