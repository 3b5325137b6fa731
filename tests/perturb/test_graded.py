"""Graded noise: one distortion for each page, at the intensity of a severity."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from ohr import registry
from ohr.errors import OhrError
from ohr.ocr.noise import noises
from ohr.registry import PluginSpec
from perturb.image.graded import SEVERITIES, Graded, GradedParams
from tests.perturb.letters import page_of_text

GRADES = {"rotation": (0.1, 0.2, 0.3, 0.4, 0.5), "fax": (0.05, 0.1, 0.2, 0.4, 0.8)}
PAGE = np.full((40, 40), 255, np.uint8)


def part(severity: int, seed: int, intensity: float = 1.0, page: np.ndarray = PAGE):
    graded = Graded(GradedParams(grades=GRADES, severity=severity))
    rng = np.random.default_rng(seed)
    (drawn,) = graded.apply(page, intensity=intensity, rng=rng).record["parts"]
    return drawn


def test_a_page_gets_one_distortion_and_all_are_drawn_alike():
    counts = Counter(part(1, seed)["name"] for seed in range(200))
    assert set(counts) == set(GRADES)
    assert min(counts.values()) > 70


def test_a_page_keeps_its_distortion_at_every_severity():
    for seed in range(10):
        drawn = [part(severity, seed) for severity in range(1, SEVERITIES + 1)]
        assert len({each["name"] for each in drawn}) == 1
        grades = GRADES[drawn[0]["name"]]
        assert [each["intensity"] for each in drawn] == pytest.approx(grades)


def test_the_intensity_scales_the_grade():
    assert part(4, 3, 0.5)["intensity"] == pytest.approx(part(4, 3)["intensity"] / 2)


def test_the_order_of_the_grades_decides_nothing():
    turned = dict(reversed(GRADES.items()))
    for seed in range(20):
        draws = [
            Graded(GradedParams(grades=grades)).draw(np.random.default_rng(seed))
            for grades in (GRADES, turned)
        ]
        assert draws[0] == draws[1]


def test_the_result_is_that_of_the_distortion_alone():
    page = page_of_text(300, 300)
    applied = Graded(GradedParams(grades=GRADES, severity=3)).apply(
        page, intensity=1.0, rng=np.random.default_rng(1)
    )
    (drawn,) = applied.record["parts"]
    alone = registry.create("perturbation", drawn["name"]).replay(page, drawn)
    assert np.array_equal(alone, applied.value)
    assert not np.array_equal(page, applied.value)


def test_levels_are_the_severities():
    named = noises([PluginSpec.parse("graded")], None, [], 150)
    assert [noise.level for noise in named] == ["s1", "s2", "s3", "s4", "s5"]
    assert [noise.operator.params["severity"] for noise in named] == [1, 2, 3, 4, 5]


def test_a_mixture_cannot_be_graded():
    with pytest.raises(OhrError, match="cannot draw 'semantic'"):
        registry.create(
            "perturbation",
            {"name": "graded", "params": {"grades": {"semantic": [0.1, 0.2, 0.3, 0.4, 0.5]}}},
        )
