from __future__ import annotations

import shutil

import pandas as pd
import pytest

from experiments.noise_statistics import main
from tests.builders import CliRunner, write_corpus


def run(settings, out):
    result = CliRunner().invoke(main, [*settings, "workers=1", "--out", str(out)])
    assert result.exit_code == 0, result.output
    return result.output


def test_what_the_engines_allow_is_counted(tmp_path):
    corpus = write_corpus(tmp_path, documents=1, pages=2)
    out = tmp_path / "run"
    engine = "tests.fakes.LoggingEngine"
    noise = "noise=[formatting,salt_and_pepper]"
    said = run([*corpus, f"engines=[gt,{engine}]", noise, "levels=[mild]"], out)
    counts = pd.read_csv(out / "format_counts.csv", index_col="kind")
    assert list(counts.columns) == ["gt", "formatting mild"]
    assert counts.loc["all", "formatting mild"] >= counts.loc["all", "gt"]
    errors = pd.read_csv(out / "block_errors.csv")
    assert list(errors["perturbation"].unique()) == ["none", "salt_and_pepper"]
    distances = pd.read_csv(out / "realism.csv")
    assert list(distances["noise"]) == ["clean", "salt_and_pepper mild"]
    for title in ("Table S2", "Table S3", "Figure S2"):
        assert title in said


@pytest.mark.parametrize("engines", ["gt,precomputed:mine", "precomputed:mine"])
def test_formatting_noise_is_for_the_ground_truth_alone(tmp_path, engines):
    corpus = write_corpus(tmp_path, documents=1, pages=2)
    shutil.copytree(tmp_path / "kb" / "gt", tmp_path / "kb" / "mine")
    out = tmp_path / "run"
    said = run([*corpus, f"engines={engines}"], out)
    assert "Table S3" in said
    counts = pd.read_csv(out / "format_counts.csv", index_col="kind")
    assert ("formatting mild" in counts.columns) == ("gt" in engines)
    assert list(pd.read_csv(out / "block_errors.csv")["engine"].unique()) == ["precomputed:mine"]


def test_given_text_has_no_distances(tmp_path):
    corpus = write_corpus(tmp_path, documents=1, pages=2)
    out = tmp_path / "run"
    said = run([*corpus, "engines=[gt]"], out)
    assert "Table S3" not in said
    assert (out / "format_counts.csv").exists()
    assert not (out / "realism.csv").exists()
