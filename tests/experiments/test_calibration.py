"""Wanted amounts of noise: the fit, its inverse, and the command that checks it."""

import itertools
import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.calibrate import main as calibrate
from experiments.noise_curve import main as noise_curve
from ohr.analysis.calibration.table import (
    Split,
    check_lines,
    check_targets,
    equivalence,
    measured_means,
)
from ohr.errors import ConfigError
from ohr.study.calibration import Curve, UnreachableError, fit, read_calibration
from tests.builders import CliRunner, write_corpus

ENGINE = "engines=[tests.fakes.GrainEngine]"
NOISE = "noise=[salt_and_pepper]"

shares = st.floats(0, 1)


@st.composite
def measured(draw):
    """Measured means at intensities from 0 to 1, falling now and then."""
    count = draw(st.integers(2, 8))
    intensities = [i / (count - 1) for i in range(count)]
    return intensities, draw(st.lists(shares, min_size=count, max_size=count))


def height_at(curve: Curve, intensity: float) -> float:
    pairs = list(zip(curve.intensities, curve.values, strict=True))
    for (a, low), (b, high) in itertools.pairwise(pairs):
        if a <= intensity <= b:
            return low + (high - low) * (intensity - a) / (b - a)
    raise AssertionError(intensity)


@given(points=measured())
def test_a_fitted_curve_never_falls_and_keeps_the_mean(points):
    curve = fit(*points)
    assert list(curve.values) == sorted(curve.values)
    assert sum(curve.values) == pytest.approx(sum(points[1]))
    if points[1] == sorted(points[1]):
        assert curve.values == pytest.approx(points[1])


@given(points=measured(), share=shares)
def test_the_inverse_gives_what_was_wanted_at_the_smallest_intensity(points, share):
    curve = fit(*points)
    wanted = curve.floor + share * (curve.ceiling - curve.floor)
    wanted = min(max(wanted, curve.floor), curve.ceiling)
    found = curve.intensity_for(wanted)
    assert height_at(curve, found) == pytest.approx(wanted, abs=1e-9)
    assert found == 0 or height_at(curve, found * 0.999) < wanted + 1e-12


def test_what_no_intensity_gives_is_said_with_the_reason():
    curve = fit([0, 0.5, 1], [0.2, 0.3, 0.8])
    with pytest.raises(UnreachableError, match=r"0\.1 is below the clean engine's floor, 0\.200"):
        curve.intensity_for(0.1)
    with pytest.raises(UnreachableError, match=r"0\.9 is above the ceiling, 0\.800 at intensity 1"):
        curve.intensity_for(0.9)


@pytest.fixture(scope="module")
def calibrated(tmp_path_factory):
    root = tmp_path_factory.mktemp("calibrate")
    corpus = write_corpus(root, documents=1, pages=16)
    settings = [*corpus, "dpi=150", ENGINE, NOISE, f"cache={root / 'cache'}", "workers=1"]
    arguments = [*settings, "intensities=[0.25,0.5,0.75,1]", "r_noise=[0.3,0.6]"]
    result = CliRunner().invoke(calibrate, [*arguments, "--out", str(root / "run")])
    assert result.exit_code == 0, result.output
    return settings, root, result.output


@pytest.mark.slow
def test_calibrating_finds_the_intensities_and_checks_them_on_unseen_pages(calibrated):
    _, root, output = calibrated
    checks = pd.read_csv(root / "run" / "checks.csv")
    assert list(checks["wanted"]) == [0.3, 0.6]
    assert checks["intensity"].tolist() == pytest.approx([0.375, 0.75], abs=0.25)
    assert checks["held_out"].tolist() == pytest.approx([0.3, 0.6], abs=0.25)
    assert checks["check"].tolist() == ["not shown", "not shown"]
    assert "0 of 2 wanted values shown to be met within 0.05 on the 8 pages" in output
    not_shown = "r_noise 0.3: not shown, since pages are too few: the difference lies between"
    assert not_shown in " ".join(output.split())
    curves = pd.read_csv(root / "run" / "curves.csv")
    assert set(curves["half"]) == {"all", "fitted", "held_out"}
    every = curves[(curves["half"] == "all") & (curves["metric"] == "r_noise")]
    assert every["n"].unique().tolist() == [32]
    assert every["mean"].tolist()[0] == 0
    assert (root / "run" / "figures" / "calibration_checks.svg").exists()


@pytest.mark.slow
def test_a_noise_curve_can_be_asked_for_r_noise(calibrated):
    settings, root, _ = calibrated
    arguments = [*settings, f"calibration={root / 'run/calibration.json'}", "stages=[ocr]"]
    out = root / "curve"
    asked = [*arguments, "r_noise=[0.5,1.0]", "edit_distance=[0.2]", "--out", str(out)]
    result = CliRunner().invoke(noise_curve, asked)
    assert result.exit_code == 0, result.output
    assert "r_noise 1 is above the ceiling" in result.output
    cells = pd.read_csv(out / "cells.csv")
    mine = cells[(cells["metric"] == "r_noise") & (cells["group"] == "all")].set_index("level")
    assert mine.loc["r_noise=0.5", "mean"] == pytest.approx(0.5, abs=0.2)
    assert mine.loc["edit_distance=0.2", "edit_distance"] == pytest.approx(0.2, abs=0.15)
    assert json.loads((out / "manifest.json").read_text())["unreachable"]
    result = CliRunner().invoke(noise_curve, [*arguments, "r_noise=[1.0]", "--dry-run"])
    assert result.exit_code == 2
    assert "no wanted noise can be reached" in result.output


def test_a_calibration_is_for_its_engine_operator_and_parameters(calibrated):
    settings, root, _ = calibrated
    given = f"calibration={root / 'run/calibration.json'}"
    for changed in ("engines=[tests.fakes.LoggingEngine]", "noise=[rotation]", "dpi=100"):
        result = CliRunner().invoke(
            noise_curve, [*settings, given, "r_noise=0.5", changed, "--dry-run"]
        )
        assert result.exit_code == 2
        assert "run ohr run calibrate" in result.output
    result = CliRunner().invoke(noise_curve, [*settings, "r_noise=0.5", "--dry-run"])
    assert "need calibration=FILE" in result.output


@pytest.mark.parametrize("content", [b"", b"\xff", b"{}", b'{"curves": 3}'])
def test_a_bad_calibration_file_is_an_error(tmp_path, content):
    path = tmp_path / "calibration.json"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match="not a calibration file"):
        read_calibration(path)
    with pytest.raises(ConfigError, match="cannot read"):
        read_calibration(tmp_path / "absent.json")


def test_questions_count_once_however_often_the_noise_is_drawn():
    rows = pd.DataFrame(
        [
            {"engine": "e", "perturbation": noise, "intensity": height_at, "draw": draw,
             "stage": "ocr", "metric": "r_noise", "qid": f"q{page}", "doc_id": "a",
             "page_no": page, "value": 1.0}
            for noise, height_at, draws in (("none", 0.0, 1), ("blur", 0.5, 3))
            for draw in range(draws)
            for page in range(4)
        ]
    )  # fmt: skip
    split = Split("page", frozenset({("a", 0), ("a", 2)}), 2)
    means = measured_means(rows, split)
    assert means[means["half"] == "all"]["n"].tolist() == [4, 4]
    assert means[means["half"] == "fitted"]["n"].tolist() == [2, 2]


def test_what_a_metric_does_not_apply_to_is_left_out():
    """A page without truth is NaN; the others have their means, errors and checks."""
    known_values = {"engine": "e", "stage": "ocr", "noise": "semantic", "doc_id": "a", "draw": 0}
    rows = pd.DataFrame(
        [
            known_values | {"perturbation": name, "intensity": height_at, "level": level,
                     "page_no": page,
                     "metric": "edit_distance", "qid": f"p{page}",
                     "value": math.nan if page in (0, 1) else height_at + page / 100}
            for name, height_at, level in (("none", 0.0, ""), ("blur", 0.5, "edit_distance=0.5"))
            for page in range(8)
        ]
    )  # fmt: skip
    split = Split("page", frozenset(("a", page) for page in range(0, 8, 2)), 4)
    means = measured_means(rows, split).set_index(["half", "intensity"])
    assert means.loc[("fitted", 0.5), "mean"] == pytest.approx(0.54)
    assert means.loc[("held_out", 0.5), "mean"] == pytest.approx(0.55)
    assert means["n"].tolist() == [6, 6, 3, 3, 3, 3]
    assert means["standard_error"].notna().all()
    (one,) = check_targets(rows, split).to_dict("records")
    assert one["held_out"] == pytest.approx(0.55)
    assert one["ci_low"] < one["difference"] < one["ci_high"]
    few = Split("page", frozenset(("a", page) for page in range(6)), 2)
    (one,) = check_targets(rows, few).to_dict("records")
    assert math.isnan(one["ci_low"])  # of two pages
    assert one["check"] == "not shown"
    assert check_lines(pd.DataFrame([one]))[0].endswith("give no interval of the difference")
    assert measured_means(rows.assign(value=math.nan), split).empty


def asked(pages: int, mean: float, seed: int = 0) -> pd.DataFrame:
    """Rows of so many pages whose r_noise is 0 or 1, of which .5 was wanted."""
    values = np.random.default_rng(seed).random(pages) < mean
    known_values = {
        "engine": "e",
        "stage": "ocr",
        "noise": "semantic",
        "draw": 0,
        "metric": "r_noise",
    }
    known_values |= {"perturbation": "blur", "intensity": 0.5, "level": "r_noise=0.5"}
    return pd.DataFrame(
        [
            known_values
            | {"doc_id": "a", "page_no": page, "qid": f"q{page}", "value": float(value)}
            for page, value in enumerate(values)
        ]
    )


def checked(pages: int, mean: float, seed: int = 0, margin: float = 0.05) -> str:
    split = Split("page", frozenset(("a", page) for page in range(0, pages, 2)), pages // 2)
    return str(check_targets(asked(pages, mean, seed), split, margin)["check"].item())


def test_few_pages_show_nothing_and_many_do():
    """Equivalence has to be shown: an interval that is wide does not pass."""
    assert {checked(20, 0.5, seed) for seed in range(20)} == {"not shown"}
    assert checked(8000, 0.5) == "met"
    assert checked(8000, 0.7) == "missed"
    assert checked(20, 0.5, margin=0.6) == "met"


@given(st.floats(-1, 1), st.floats(0, 1), st.floats(0.001, 1))
def test_a_check_passes_only_where_the_whole_interval_is_within_the_margin(low, width, margin):
    found = equivalence(low, low + width, margin)
    assert (found == "met") == (low >= -margin and low + width <= margin)
    assert found != "missed" or not low <= 0 <= low + width
    assert equivalence(math.nan, math.nan, margin) == "not shown"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["noise=[]", "intensities=[0.5]"], "no noise to calibrate"),
        ([NOISE, "intensities=[0.5]", "dataset.limit=1"], "needs two pages or more"),
    ],
)
def test_what_cannot_be_calibrated_is_one_line(tmp_path, more, said):
    corpus = write_corpus(tmp_path, documents=1, pages=2)
    settings = [*corpus, ENGINE, "dataset.pages=evidence", "seed=1", "workers=1", *more]
    done = CliRunner().invoke(calibrate, [*settings, "--out", str(tmp_path / "run")])
    assert done.exit_code == 2
    assert said in done.output
    assert "defect" not in done.output
