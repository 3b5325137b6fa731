"""The mixtures phone and office: what pages get, how often, and how it replays."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest

from ohr import registry
from ohr.ocr.noise import noises
from ohr.registry import PluginSpec
from perturb.image.capture import Office, Phone

MIXTURES = (Phone, Office)
PAGES = 300
CLEAN = np.full((150, 120), 245, np.uint8)
CLEAN[30:120:9, 15:105] = 20

both = pytest.mark.parametrize("mixture", MIXTURES)


def planned(mixture, intensity=1.0, pages=PAGES):
    """The parts that pages get."""
    operator = mixture()
    small = np.full((32, 32), 255, np.uint8)
    for seed in range(pages):
        rng = np.random.default_rng(seed)
        # Intensity 0 draws the same parts, and renders none.
        applied = operator.apply(small, intensity=intensity, rng=rng)
        yield applied.record["parts"]


@both
def test_parts_are_drawn_in_about_their_shares(mixture):
    counts = Counter(part["name"] for parts in planned(mixture, 0.0) for part in parts)
    for part in mixture.parts:
        assert counts[part.name] / PAGES == pytest.approx(part.chance, abs=0.09)


def test_a_page_is_copied_or_faxed_but_not_both():
    names = [{part["name"] for part in parts} for parts in planned(Office, 0.0)]
    assert not any({"photocopy", "fax"} <= page for page in names)


@both
def test_parts_act_at_their_setting_times_the_intensity(mixture):
    settings = {part.name: part.intensity for part in mixture.parts}
    for intensity in (0.4, 1.0):
        for parts in planned(mixture, intensity, 12):
            for part in parts:
                assert part["intensity"] == pytest.approx(intensity * settings[part["name"]])


@both
def test_the_same_parts_are_drawn_at_every_intensity(mixture):
    names = [
        [[part["name"] for part in parts] for parts in planned(mixture, intensity, 20)]
        for intensity in (0.0, 0.2, 1.0)
    ]
    assert names[0] == names[1] == names[2]


@both
def test_the_result_is_the_parts_one_after_the_other(mixture):
    for seed in range(4):
        applied = mixture().apply(CLEAN, intensity=0.7, rng=np.random.default_rng(seed))
        value = CLEAN
        for part in json.loads(json.dumps(applied.record))["parts"]:
            value = registry.create("perturbation", part["name"]).replay(value, part)
        assert np.array_equal(value, applied.value)


def test_a_turned_photograph_has_the_size_of_its_record():
    def turned(seed):
        return Phone().apply(CLEAN, intensity=1.0, rng=np.random.default_rng(seed))

    applied = next(page for page in map(turned, range(300)) if page.value.shape != CLEAN.shape)
    assert applied.value.shape == (120, 150)
    assert Phone().shape_after(CLEAN.shape, applied.record) == (120, 150)
    [[left_edge, top, right, bottom]] = Phone().move(
        np.array([[0.0, 0.0, 120.0, 150.0]]), applied.record
    )
    assert 0 <= left_edge < 60 < right <= 150
    assert 0 <= top < 60 < bottom <= 120


@both
def test_levels_are_those_of_a_single_distortion(mixture):
    points = noises([PluginSpec.parse(mixture.name)], ["mild", "moderate", "severe"], [0.3], 200)
    assert [point.intensity for point in points] == [0.25, 0.5, 1.0, 0.3]
    assert all(point.operator.params == {"dpi": 200} for point in points)


@both
def test_the_identity_has_the_versions_of_the_parts(mixture):
    parts = mixture().identity()["parts"]
    assert parts == {
        part.name: registry.plugin_class("perturbation", part.name).version
        for part in mixture.parts
    }


def test_a_part_of_another_mixture_is_refused():
    record = Phone().apply(CLEAN, intensity=1, rng=np.random.default_rng(0)).record
    fax = registry.create("perturbation", "fax")
    part = fax.apply(CLEAN, intensity=1, rng=np.random.default_rng(0)).record
    with pytest.raises(ValueError, match="unknown part 'fax'"):
        Phone().replay(CLEAN, record | {"parts": [part]})
