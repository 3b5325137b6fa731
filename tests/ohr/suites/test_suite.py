"""The frozen suite: its noise, its pages, and the study of an engine."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from ohr import registry
from ohr.errors import ConfigError, DatasetError
from ohr.plugins.randomness import generator_for
from ohr.registry import PluginSpec
from ohr.study.config import make_config
from ohr.study.loading import read_dataset
from ohr.suites.materials import check_materials, check_pdfs, expected_units, material_digest
from ohr.suites.suite import load_suite, suite_names, track_of
from ohr.types import PageRef

SUITE = "ohr-c-1"
FROZEN = "b"


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    suite = load_suite(SUITE)
    return read_dataset(make_config({**suite.study, "cache": tmp_path_factory.mktemp("cache")}))


def test_a_suite_is_found_by_its_name():
    assert SUITE in suite_names()
    assert load_suite(SUITE).name == SUITE
    with pytest.raises(ConfigError, match="did you mean 'ohr-c-1'"):
        load_suite("ohr-c1")


def test_twelve_distortions_rise_from_severity_to_severity():
    suite = load_suite(SUITE)
    assert len(suite.grades) == 12
    for name, intensities in suite.grades.items():
        assert name in registry.known("perturbation")
        assert list(intensities) == sorted(intensities)
        assert 0 < intensities[0] <= intensities[-1] <= 1
        assert all(
            reached <= target for reached, target in zip(suite.reached[name], suite.targets,
                                                         strict=True)
        )  # fmt: skip


def test_each_distortion_is_drawn_for_thirty_pages():
    suite = load_suite(SUITE)
    units = expected_units(suite, "full")["pages"]
    for noise in suite.images:
        names = sorted(noise["params"]["grades"])
        drawn = Counter()
        for unit in units:
            doc_id, _, page_no = unit.rpartition("#")
            rng = generator_for(suite.study["seed"], "graded", PageRef(doc_id, int(page_no)))
            drawn[names[int(rng.integers(len(names)))]] += 1
        assert set(drawn.values()) == {30}


def test_the_quick_track_is_a_part():
    suite = load_suite(SUITE)
    full, quick = (expected_units(suite, track) for track in ("full", "quick"))
    assert quick["pages"].items() < full["pages"].items()
    assert (len(full["pages"]), len(full["questions"])) == (120, 120)
    assert len(set(quick["pages"].values())) == 20
    assert set(suite.conditions("quick")) < set(suite.conditions("full"))


def test_engines_have_the_track_that_fits_them():
    assert track_of(PluginSpec.parse("tesseract"), quick=False) == "full"
    assert track_of(PluginSpec.parse("tesseract"), quick=True) == "quick"
    assert track_of(PluginSpec.parse("gt"), quick=True) == "text"
    with pytest.raises(ConfigError, match="reads its own pages"):
        track_of(PluginSpec.parse("precomputed:somewhere"), quick=False)


@pytest.mark.slow
def test_this_machine_makes_the_pages_of_the_suite(dataset):
    """To the byte for PDFs; images may differ by rounding."""
    materials = check_materials(load_suite(SUITE), dataset)
    assert materials.verdict in ("same", "rounded"), materials.line()
    assert materials.same + materials.rounded == 60


@pytest.mark.slow
def test_the_study_has_the_units_that_are_frozen(dataset):
    units = expected_units(load_suite(SUITE), "full")
    assert {question.qid: question.doc_id for question in dataset.questions} == units["questions"]
    assert len(dataset.pages) == len(units["pages"])


@pytest.mark.slow
def test_another_pdf_is_an_error(dataset):
    pdfs = dict.fromkeys(dataset.documents, "0")
    with pytest.raises(DatasetError, match="60 of 60 PDFs are not those of"):
        check_pdfs(pdfs, dataset, SUITE, {"typst": "0.1", "ohr": "0.1"})


def test_the_files_have_a_digest_that_changes_with_them(tmp_path, monkeypatch):
    suite = load_suite(SUITE)
    before = material_digest(suite)
    folder = Path(tmp_path) / SUITE
    folder.mkdir()
    for name in ("suite.yaml", "materials.json"):
        (folder / name).write_text(FROZEN, "utf-8")
    monkeypatch.setattr("ohr.suites.materials.FOLDER", Path(tmp_path))
    assert material_digest(suite) != before
