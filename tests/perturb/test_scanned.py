"""The mixtures scan and archive: all parts on every page, each as strong as drawn for the page."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ohr import registry
from ohr.errors import OhrError
from ohr.ocr.noise import noises
from ohr.registry import PluginSpec
from perturb.image.scanned import Archive, Scan
from tests.perturb.letters import page_of_text

MIXTURES = (Scan, Archive)
both = pytest.mark.parametrize("mixture", MIXTURES)
SMALL = np.full((40, 40), 255, np.uint8)


def record(mixture, intensity=1.0, seed=0, page=SMALL):
    return mixture().apply(page, intensity=intensity, rng=np.random.default_rng(seed)).record


@both
def test_every_part_acts_within_its_strengths(mixture):
    assert [part["name"] for part in record(mixture)["parts"]] == list(mixture.usual)
    drawn = [mixture().draw(np.random.default_rng(seed)) for seed in range(400)]
    for name, (low, high, power) in mixture.usual.items():
        strengths = [strength[name] for strength in drawn]
        assert low <= min(strengths) <= max(strengths) <= high
        mean = low + (high - low) / (power + 1)
        assert np.mean(strengths) == pytest.approx(mean, abs=0.06 * (high - low))


@both
def test_strengths_are_drawn_once_whatever_the_intensity(mixture):
    half, full = record(mixture, 0.5, 4)["parts"], record(mixture, 1.0, 4)["parts"]
    for low, high in zip(half, full, strict=True):
        assert 2 * low["intensity"] == pytest.approx(high["intensity"])
        assert low.get("seed") == high.get("seed")


@both
def test_the_result_is_the_parts_one_after_the_other(mixture):
    page = page_of_text(300, 300)
    for seed in range(2):
        applied = mixture().apply(page, intensity=0.7, rng=np.random.default_rng(seed))
        value = page
        for part in json.loads(json.dumps(applied.record))["parts"]:
            value = registry.create("perturbation", part["name"]).replay(value, part)
        assert np.array_equal(value, applied.value)


def test_a_strength_may_be_given():
    operator = registry.create(
        "perturbation", {"name": "scan", "params": {"strengths": {"pen": [0, 0]}}}
    )
    for seed in range(5):
        applied = operator.apply(SMALL, intensity=1, rng=np.random.default_rng(seed))
        own = {part["name"]: part["intensity"] for part in applied.record["parts"]}
        assert own["pen"] == 0
        fitted = {part["name"]: part["intensity"] for part in record(Scan, 1.0, seed)["parts"]}
        assert own | {"pen": fitted["pen"]} == fitted
    assert operator.identity() != Scan().identity()


@pytest.mark.parametrize(
    ("strengths", "message"),
    [
        ({"pencil": [0, 1]}, "unknown strength 'pencil' of 'scan'; known: furniture, printer"),
        ({"pen": [0.5, 0.2]}, "from low to high"),
        ({"pen": [0, 1.5]}, "less than or equal to 1"),
        ({"pen": [0, 1, 0]}, "greater than or equal to 0.1"),
    ],
)
def test_wrong_strengths_are_refused(strengths, message):
    with pytest.raises(OhrError, match=message):
        registry.create("perturbation", {"name": "scan", "params": {"strengths": strengths}})


@both
def test_levels_are_those_of_a_single_distortion(mixture):
    points = noises([PluginSpec.parse(mixture.name)], ["mild", "moderate", "severe"], [], 200)
    assert [point.intensity for point in points] == [0.25, 0.5, 1.0]
    assert all(point.operator.params == {"dpi": 200} for point in points)


@both
def test_the_identity_has_the_versions_of_the_parts(mixture):
    assert mixture().identity()["parts"] == {
        name: registry.plugin_class("perturbation", name).version for name in mixture.usual
    }


def test_boxes_move_with_the_page():
    box = np.array([[100.0, 100.0, 300.0, 130.0]])
    moved = []
    for seed in range(6):
        applied = record(Scan, 1.0, seed, np.full((600, 450), 255, np.uint8))
        moved.append(Scan().move(box, applied)[0] - box[0])
    assert 0.1 < np.abs(moved).max() < 12
