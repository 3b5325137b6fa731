"""``ohr plan``: what a study can show, before anything is read."""

from __future__ import annotations

import pandas as pd
import pytest

from experiments import plan
from ohr.analysis.planning.pilots import kept_names, kept_pilot, pilot_for, pilot_of
from ohr.analysis.planning.table import reshaped
from ohr.study.results import open_run
from ohr.study.run import run_study
from tests.builders import CliRunner, load_config, qa, write_kb, write_questions

SMALL = ["noise=[formatting]", "engines=[gt]"]


def write_data(folder, documents):
    pages = {
        f"port/d{number}": [f"# Piers\n\nFact {number} is **answer {number}**.\n\nOthers follow."]
        for number in range(documents)
    }
    write_kb(folder / "base" / "gt", pages)
    questions = [qa(number, f"port/d{number}", 0) for number in range(documents)]
    write_questions(folder / "qas.json", questions)
    return [
        "dataset.kind=ohrbench",
        f"dataset.path={folder / 'base'}",
        f"dataset.questions={folder / 'qas.json'}",
    ]


def test_the_kept_pilots_have_the_three_metrics():
    assert set(kept_names()) == {"generated pages", "receipts", "typeset pages"}
    for name in kept_names():
        pilot = kept_pilot(name)
        assert len(pilot.curves) == 3
        for curves in pilot.curves.values():
            assert curves.level_shifts.max() == 1
            assert 10 <= curves.n_documents <= pilot.documents
            assert curves.spread() > 0
    assert pilot_for("sroie").name == "receipts"
    assert pilot_for("folder").name == "typeset pages"


@pytest.mark.parametrize(("curves", "levels"), [(1, 1), (1, 5), (3, 2)])
def test_a_pilot_takes_the_shape_of_the_study(curves, levels):
    measured = kept_pilot("generated pages").curves["retrieval", "lcs"]
    shaped = reshaped(measured, curves, levels)
    assert shaped.levels.shape == (measured.n_documents, curves * levels)
    assert (shaped.level_shifts > 0).sum() == levels
    assert shaped.spread() == pytest.approx(measured.spread())


@pytest.mark.slow
def test_a_plan_reads_nothing_and_says_what_is_needed(tmp_path):
    data = write_data(tmp_path, 8)
    done = CliRunner().invoke(
        plan.main,
        [*data, *SMALL, "levels=[severe]", "--difference", "0.1", "--out", str(tmp_path / "plan")],
    )
    assert done.exit_code == 0, done.output
    assert "A loss of 0.1 needs" in done.stdout
    table = pd.read_csv(tmp_path / "plan" / "plan.csv")
    assert table["documents"].tolist() == [8, 8, 8]
    assert (table["needed_documents"] > 8).all()


def test_without_noise_there_is_nothing_to_plan(tmp_path):
    data = write_data(tmp_path, 3)
    done = CliRunner().invoke(plan.main, [*data, "engines=[gt]", "noise=[]"])
    assert done.exit_code == 2
    assert "nothing is compared" in done.stderr


def test_a_metric_that_the_kept_run_lacks_is_named(tmp_path):
    data = write_data(tmp_path, 3)
    done = CliRunner().invoke(plan.main, [*data, *SMALL, "--metric", "ocr:cer"])
    assert done.exit_code == 2
    assert "the kept run has no 'ocr:cer'" in done.stderr


@pytest.mark.slow
def test_a_run_is_a_pilot(tmp_path):
    data = write_data(tmp_path, 8)
    cache = f"cache={tmp_path / 'cache'}"
    config = load_config([*data, cache, *SMALL, "levels=[mild,severe]", "seeds=[0]", "workers=1"])
    run_study(config, tmp_path / "run")
    pilot = pilot_of(open_run(tmp_path / "run"), [("retrieval", "lcs")])
    curves = pilot.curves["retrieval", "lcs"]
    assert (pilot.documents, curves.n_documents) == (8, 8)
    assert curves.levels.shape == (8, 2)
    assert curves.trends.shape == (8, 1)
