"""An axis of noise that a study would not measure is refused before the study runs."""

import pytest

from experiments.noise_curve import main
from tests.builders import CliRunner, write_corpus

NOISE = ["engines=[gt]", "noise=[formatting]", "levels=[severe]", "retrievers=[bm25]"]


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
