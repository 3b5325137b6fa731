"""Axes of noise: one that is not measured is refused first, and unseen noise has its intensity."""

from typing import ClassVar

import pandas as pd
import pytest

from experiments.noise_curve import main
from ohr.display.noise_axis import axis_note, default_axis
from ohr.plugins import Applied, Level, TextPerturbation
from tests.builders import CliRunner, write_corpus

NOISE = ["engines=[gt]", "noise=[formatting]", "levels=[severe]", "retrievers=[bm25]"]


class Louder(TextPerturbation):
    """Capitals, which no noise ratio sees."""

    name = "louder"
    version = "1"
    levels: ClassVar = {"mild": Level(0.4), "severe": Level(1.0)}

    def apply(self, value, intensity, rng):
        words = [word.upper() if rng.random() < intensity else word for word in value.split(" ")]
        return Applied(" ".join(words), {"text": " ".join(words), "before": value})

    def replay(self, value, record):
        return record["text"]

    def undo(self, value, record):
        return record["before"]


@pytest.mark.parametrize("axis", ["edit_distance", "r_noise_content"])
def test_an_axis_that_is_not_measured_is_refused_first(tmp_path, axis):
    settings = [*write_corpus(tmp_path, documents=2, pages=2), *NOISE, "stages=[retrieval]"]
    out = tmp_path / "run"
    ended = CliRunner().invoke(main, [*settings, "--axis", axis, "--out", str(out)])
    assert ended.exit_code == 2
    assert f"{axis} would not be measured: give metrics=[default,{axis}]" in ended.output
    assert not out.exists()


@pytest.mark.slow
def test_an_axis_that_is_named_is_drawn(tmp_path):
    settings = [*write_corpus(tmp_path, documents=2, pages=2), *NOISE, "stages=[retrieval]"]
    named = "metrics=[default,edit_distance]"
    out = str(tmp_path / "run")
    ended = CliRunner().invoke(main, [*settings, named, "--axis", "edit_distance", "--out", out])
    assert ended.exit_code == 0, ended.output


@pytest.mark.slow
def test_noise_that_no_metric_sees_is_drawn_against_its_intensity(tmp_path):
    corpus = write_corpus(tmp_path, documents=6, pages=2)
    noise = ["engines=[gt]", f"noise=[{__name__}.Louder]", "levels=[mild,severe]", "seeds=[0]"]
    out = tmp_path / "run"
    options = [*corpus, *noise, "stages=[retrieval]", "--out", str(out)]
    ended = CliRunner().invoke(main, options)
    assert ended.exit_code == 0, ended.output
    assert "The axis of noise is its intensity: the r_noise" in ended.stdout
    curves = pd.read_csv(out / "curves.csv")
    assert set(curves["axis"]) == {"intensity"}
    assert set(curves["x_to"]) == {1.0}
    for name in ("noise_curve.png", "noise_curve.svg"):
        assert (out / "figures" / name).stat().st_size > 1000
    again = CliRunner().invoke(main, [*options, "--axis", "intensity"])
    assert again.exit_code == 0, again.output


def cells(**noisy: float) -> pd.DataFrame:
    """Cells of one engine: every metric is 0 on clean pages and as given under noise."""
    conditions = [("none", 0.0), ("text", 1.0)]
    return pd.DataFrame(
        [
            {"engine": "e", "noise": noise, "group": "all"}
            | {name: value * share for name, value in noisy.items()}
            for noise, share in conditions
        ]
    )


@pytest.mark.parametrize(
    ("noisy", "axis"),
    [
        ({"r_noise_reference": 0.3, "r_noise": 0.9}, "r_noise_reference"),
        ({"r_noise_reference": 0.0, "r_noise": 0.04, "edit_distance": 0.5}, "edit_distance"),
        ({"r_noise_reference": 0.04, "r_noise": 0.02}, "intensity"),
    ],
)
def test_the_axis_is_the_first_metric_that_noise_raises(noisy, axis):
    table = cells(**noisy)
    assert default_axis(table, set(noisy)) == axis
    assert bool(axis_note(table, axis)) == (axis != "r_noise_reference")
