"""Several draws of the noise in one run."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from ohr.analysis.curves.table import curves_of
from ohr.errors import ConfigError
from ohr.figures.axes import draws_note
from ohr.study import plan as plans
from ohr.study.conditions import CONDITION_COLUMNS
from ohr.study.loading import load_dataset
from ohr.study.output.cells import aggregate
from ohr.study.output.rows import UNIT_COLUMNS
from ohr.study.plan import make_plan
from ohr.study.results import counted_rows, mean_over_draws, open_run
from ohr.study.run import run_study
from tests.builders import load_config, write_corpus

KEYS = [*CONDITION_COLUMNS, "stage", "metric"]
NOISE = ("engines=[gt]", "readers=[tests.fakes.FactReader]", "bootstrap=100")
HIDE = "noise=[{name: tests.fakes.HideFacts, label: formatting}]"


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    root = tmp_path_factory.mktemp("corpus")
    return [s for s in write_corpus(root) if not s.startswith("seeds")] + [*NOISE, HIDE]


@pytest.fixture(scope="module")
def drawn_run(settings, tmp_path_factory):
    out = tmp_path_factory.mktemp("runs")
    run_study(load_config([*settings, "intensities=[0,0.4]"]), out / "three")
    return open_run(out / "three")


def test_three_draws_where_pages_are_few_and_one_where_they_are_many(settings, monkeypatch):
    def draws(*more: str) -> list[tuple[float, int]]:
        config = load_config([*settings, "intensities=[0,0.4]", *more])
        variants = make_plan(config, load_dataset(config)).variants
        return [(variant.noise.intensity, variant.seed) for variant in variants]

    # Clean pages and noise of intensity 0 are the same in every draw.
    assert draws() == [(0, 0), (0, 0), (0.4, 0), (0.4, 1), (0.4, 2)]
    assert draws("seed=5")[-3:] == [(0.4, 5), (0.4, 6), (0.4, 7)]
    assert draws("seeds=[7,3]")[-2:] == [(0.4, 7), (0.4, 3)]
    monkeypatch.setattr(plans, "FEW_PAGES", 12)
    assert draws() == [(0, 0), (0, 0), (0.4, 0)]
    for wrong in ("seeds=[]", "seeds=[1,1]", "seeds=[-1]"):
        with pytest.raises(ConfigError, match="seeds"):
            draws(wrong)


@pytest.mark.slow
def test_cells_are_means_over_draws_with_the_questions_counted_once(drawn_run):
    rows, cells = drawn_run.drawn, drawn_run.cells
    cells = cells[cells["group"] == "all"].set_index(["noise", "intensity", "stage", "metric"])
    noisy = rows[(rows["intensity"] == 0.4) & (rows["stage"] == "generation")]
    by_draw = noisy[noisy["metric"] == "f1"].groupby("draw")["value"].mean()
    assert list(by_draw.index) == [0, 1, 2]
    assert by_draw.nunique() > 1
    cell = cells.loc[("formatting", 0.4, "generation", "f1")]
    assert cell["mean"] == pytest.approx(by_draw.mean(), abs=1e-6)
    assert cell["draw_sd"] == pytest.approx(by_draw.std(), abs=1e-6)
    assert (cell["draws"], cell["n"]) == (3, 24)
    clean = cells.loc[("none", 0.0, "generation", "f1")]
    assert (clean["draws"], clean["n"]) == (1, 24)
    assert np.isnan(clean["draw_sd"])
    assert (cells["n"].xs("generation", level="stage") == 24).all()
    assert draws_note(drawn_run.cells) == ["means over 3 draws of the noise"]


@pytest.mark.slow
def test_draws_of_one_run_are_those_of_a_run_each(settings, drawn_run, tmp_path):
    for seed in (0, 1, 2):
        config = load_config([*settings, "intensities=[0,0.4]", f"seeds={seed}"])
        run_study(config, tmp_path / str(seed))
        alone = open_run(tmp_path / str(seed))
        mine = drawn_run.drawn[drawn_run.drawn["draw"] == seed]
        same = [*KEYS, *UNIT_COLUMNS]
        both = mine.merge(alone.drawn, on=same, suffixes=("", "_alone"))
        noisy = mine[mine["intensity"] > 0]
        assert len(noisy) == (both["intensity"] > 0).sum() > 0
        assert (both["value"] == both["value_alone"]).all()
        assert draws_note(alone.cells) == ["a single draw of the noise"]


@pytest.mark.slow
def test_curves_are_of_means_over_draws(drawn_run):
    [curve] = [
        c
        for c in curves_of(drawn_run)
        if (c.key["stage"], c.key["metric"], c.key["group"]) == ("generation", "f1", "all")
    ]
    x, y, _ = curve.curve.means()
    cells = drawn_run.cells[
        (drawn_run.cells["group"] == "all") & (drawn_run.cells["metric"] == "f1")
    ]
    cells = cells[cells["stage"] == "generation"]
    assert list(y[0]) == pytest.approx(list(cells["mean"]), abs=1e-6)
    assert list(x[0]) == pytest.approx(list(cells["r_noise"]), abs=1e-6)


def test_a_unit_is_as_bad_as_its_worst_draw():
    rows = pd.DataFrame(
        {"qid": ["a", "a", "b", "b"], "draw": [0, 1, 0, 1], "value": [1.0, 0.0, 0.5, 0.5]}
    ).assign(status=["ok", "timeout", "empty", "ok"])
    means = mean_over_draws(rows).set_index("qid")
    assert dict(means["value"]) == {"a": 0.5, "b": 0.5}
    assert dict(means["status"]) == {"a": "timeout", "b": "empty"}


def test_cells_and_rows_agree_where_a_metric_does_not_apply_in_every_draw():
    rows = pd.DataFrame(
        {
            "qid": [*"abcd"] * 2,
            "draw": [0] * 4 + [1] * 4,
            "value": [1.0, np.nan, 0.5, np.nan, 0.0, 0.25, 0.5, np.nan],
        }
    ).assign(doc_id="d", page_no=0, status="ok", stage="generation", metric="mine", groups='["x"]')
    rows = rows.assign(**dict.fromkeys(CONDITION_COLUMNS, ""), evidence_source="", domain="")
    rows = rows.assign(intensity=0.0, top_k=1, seed=0, answer_form="", task="")
    [cell] = aggregate(rows, groups=["all"]).to_dict("records")
    means = mean_over_draws(counted_rows(rows))
    assert cell["n"] == len(means) == 3
    assert cell["mean"] == pytest.approx(means["value"].mean()) == pytest.approx(1.25 / 3)


@pytest.mark.slow
def test_damage_on_an_axis_that_sees_mark_up_too(drawn_run):
    def x_of(axis: str) -> list[float]:
        [curve] = [
            c
            for c in curves_of(drawn_run, axis)
            if (c.key["stage"], c.key["metric"], c.key["group"]) == ("retrieval", "lcs", "all")
        ]
        return [float(x) for x in curve.curve.means()[0][0]]

    distances = drawn_run.rows[drawn_run.rows["metric"] == "edit_distance"]
    asked = drawn_run.rows[
        (drawn_run.rows["metric"] == "r_noise") & (drawn_run.rows["intensity"] == 0.4)
    ]
    of_pages = distances[distances["intensity"] == 0.4].set_index(["doc_id", "page_no"])["value"]
    expected = of_pages.loc[list(zip(asked["doc_id"], asked["page_no"], strict=True))].mean()
    assert x_of("edit_distance") == pytest.approx([0, 0, expected])
    assert x_of("r_noise_reference")[0] == 0


@pytest.mark.slow
def test_curves_under_the_published_protocol_are_of_the_questions_of_their_cells(
    settings, tmp_path
):
    """An empty guess without context is no answer that the published evaluation leaves out."""
    config = load_config(
        [
            *(*settings, "scoring=reference", "intensities=[0.4]", "seeds=0"),
            "readers=[tests.fakes.SilentWithoutContext]",
        ]
    )
    run_study(config, tmp_path / "run")
    run = open_run(tmp_path / "run")
    cells = run.cells[(run.cells["group"] == "all") & (run.cells["stage"] == "generation")]
    guesses = cells[cells["metric"] == "f1_no_context"]
    assert (guesses["n"] == 24).all()
    assert (guesses["n_empty"] == 24).all()
    assert (guesses["mean"] == 0).all()
    for curve in curves_of(run):
        if (curve.key["stage"], curve.key["group"]) == ("generation", "all"):
            assert curve.curve.noise.shape[1] == 24
            assert curve.curve.floor.mean() == 0
