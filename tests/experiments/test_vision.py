"""Routes through text and pictures side by side."""

from __future__ import annotations

import pandas as pd
import pytest

from ohr.analysis.vision.report import report
from ohr.analysis.vision.table import SOURCES, axis_engine, route_points, routes_of, source_means
from ohr.errors import ConfigError
from ohr.ocr.progress import Progress
from ohr.study.config import make_config
from ohr.study.loading import load_dataset
from ohr.study.plan import make_plan
from ohr.study.run import run_study
from ohr.study.yaml_values import parse_yaml
from tests.builders import load_config, write_corpus
from tests.conftest import ROOT
from tests.ohr.study.test_images import DARKEST, PIXELS
from tests.rag.vision_checkpoints import written

FACTS = "{name: tests.fakes.FactReader, label: facts}"
FUSED = f"{{name: hybrid, label: fused, params: {{retrievers: [bm25, {DARKEST}]}}}}"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("corpus"), documents=2, pages=3)


@pytest.fixture(scope="module")
def run(corpus, tmp_path_factory):
    given = [
        *corpus,
        "engines=[gt,tests.fakes.LoggingEngine]",
        "noise=[salt_and_pepper]",
        "intensities=[0.5]",
        f"retrievers=[bm25,{DARKEST},{FUSED}]",
        f"readers=[{FACTS},{PIXELS}]",
        "stages=[ocr,retrieval,overall]",
    ]
    folder = tmp_path_factory.mktemp("run")
    return run_study(load_config(given), folder, progress=Progress())


@pytest.mark.slow
def test_every_retriever_goes_with_every_reader(run):
    routes = {route.name: (route.retrieved_by, route.read_as) for route in routes_of(run.plan)}
    assert routes == {
        "bm25 > facts": ("text", "text"),
        "bm25 > pixels": ("text", "images"),
        "darkest > facts": ("images", "text"),
        "darkest > pixels": ("images", "images"),
        "fused > facts": ("both", "text"),
        "fused > pixels": ("both", "images"),
    }
    assert [r.name for r in routes_of(run.plan) if not r.sees_text] == ["darkest > pixels"]


def test_all_routes_stand_on_the_noise_of_one_engine(run):
    assert axis_engine(run.plan) == "tests.fakes.LoggingEngine"
    assert axis_engine(run.plan, "gt") == "gt"
    with pytest.raises(ConfigError, match="no engine 'tessract'"):
        axis_engine(run.plan, "tessract")
    points = route_points(run.cells, routes_of(run.plan), axis_engine(run.plan))
    assert len(points) == 6 * 2
    axis = points.groupby("intensity")["r_noise"].agg(["min", "max"])
    assert (axis["min"] == axis["max"]).all()
    cells = run.cells
    means = cells[(cells["stage"] == "overall") & (cells["metric"] == "f1") &
                  (cells["group"] == "all") & (cells["engine"] != "gt")]  # fmt: skip
    keys = ["retriever", "reader", "intensity"]
    assert points.set_index(keys)["mean"].to_dict() == means.set_index(keys)["mean"].to_dict()


def test_a_route_through_pictures_alone_has_one_row_of_the_clean_pages(run):
    table = source_means(run.cells, routes_of(run.plan), axis_engine(run.plan))
    paper = table[table["from"] == "the paper"].set_index("engine")
    assert paper.loc["VisRAG", ["read_as", "chart", "all"]].to_list() == ["images", 30.6, 40.2]
    table = table[table["from"] == "this run"]
    rows = table.set_index(["route", "engine"])
    assert ("darkest > pixels", "") in rows.index
    assert ("bm25 > facts", "gt") in rows.index
    assert len(rows) == 5 * 2 + 1
    assert list(table.columns[5:-1]) == [*SOURCES, "all"]
    assert table["text"].equals(table["all"])  # all questions are on text
    assert table["table"].isna().all()


@pytest.mark.slow
def test_the_report_writes_tables_and_a_figure(run, capsys):
    report(run)
    printed = capsys.readouterr().out
    assert "darkest > pixels" in printed
    points = pd.read_csv(run.path / "routes.csv")
    assert set(points["route"]) == {route.name for route in routes_of(run.plan)}
    assert (run.path / "table_s4.csv").exists()
    assert (run.path / "figures/routes.svg").read_text().startswith("<?xml")


def test_routes_end_in_answers(corpus):
    config = load_config([*corpus, "stages=[ocr,retrieval]"])
    with pytest.raises(ConfigError, match="stages must include overall"):
        routes_of(make_plan(config, load_dataset(config)))


@pytest.mark.torch
def test_the_configuration_of_the_guide_makes_a_plan(corpus):
    def add_weights(value):
        """The same with a tiny checkpoint in place of every one that must be fetched."""
        if isinstance(value, dict):
            return {key: add_weights(one) for key, one in value.items()}
        if isinstance(value, list):
            return [add_weights(one) for one in value]
        return str(written("colqwen2")) if value == "models/colqwen2" else value

    given = add_weights(parse_yaml((ROOT / "docs/guides/vision.yaml").read_text("utf-8")))
    given["engines"] = ["gt", "tests.fakes.LoggingEngine"]
    paths = load_config(corpus).dataset
    given["dataset"] |= {name: getattr(paths, name) for name in ("path", "questions", "pdfs")}
    config = make_config(given)
    plan = make_plan(config, load_dataset(config))
    routes = {(route.retrieved_by, route.read_as) for route in routes_of(plan)}
    assert routes == {
        (a, b) for a in ("text", "images", "both") for b in ("text", "images", "both")
    }
    assert axis_engine(plan) == "tests.fakes.LoggingEngine"
