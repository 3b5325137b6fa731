"""The paper's mixture: what is drawn at each level, in what order, and how it replays."""

import json
from collections import Counter

import numpy as np
import pytest

from ohr import registry
from ohr.ocr.noise import noises
from ohr.registry import PluginSpec
from perturb.image.semantic import ORDER, STRONG, WEAK, Semantic, SemanticParams

PAGES = 160


def page():
    page = np.full((150, 120), 245, np.uint8)
    page[30:120:9, 15:105] = 20
    return page


def drawn(draw, intensity=1.0, pages=PAGES):
    operator = Semantic(SemanticParams(draw=draw))
    for seed in range(pages):
        rng = np.random.default_rng(seed)
        record = operator.apply(page(), intensity=intensity, rng=rng).record
        yield [part["name"] for part in record["parts"]]


def test_the_classes_are_the_papers():
    assert set(WEAK) | set(STRONG) == set(ORDER) <= set(registry.known("perturbation"))
    assert (len(WEAK), len(STRONG), len(ORDER)) == (4, 4, 8)


@pytest.mark.parametrize(("draw", "names"), [("weak", WEAK), ("strong", STRONG)])
def test_mild_is_one_weak_and_moderate_one_strong(draw, names):
    counts = Counter(name for parts in drawn(draw) for name in parts)
    assert set(counts) == set(names)
    assert sum(counts.values()) == PAGES
    assert min(counts.values()) > PAGES / 4 * 0.6


def test_severe_is_two_different_ones_in_the_order_of_nature():
    pairs = list(drawn("two"))
    assert all(len(set(pair)) == 2 for pair in pairs)
    assert all(ORDER.index(first) < ORDER.index(second) for first, second in pairs)
    assert {name for pair in pairs for name in pair} == set(ORDER)
    assert len({tuple(pair) for pair in pairs}) > 20


def test_the_levels_are_mixtures_and_an_intensity_scales_two():
    found = noises([PluginSpec.parse("semantic")], ["mild", "moderate", "severe"], [0.3], 200)
    assert [noise.operator.params for noise in found] == [
        {"dpi": 200, "draw": "weak"},
        {"dpi": 200, "draw": "strong"},
        {"dpi": 200, "draw": "two"},
        {"dpi": 200},
    ]
    assert [noise.intensity for noise in found] == [1.0, 1.0, 1.0, 0.3]


def test_the_parts_act_at_the_papers_setting_times_the_intensity():
    for intensity in (0.4, 1.0):
        operator = Semantic()
        for seed in range(30):
            rng = np.random.default_rng(seed)
            record = operator.apply(page(), intensity=intensity, rng=rng).record
            for part in record["parts"]:
                own = registry.plugin_class("perturbation", part["name"])
                assert part["intensity"] == pytest.approx(intensity * own.paper_intensity)


def test_the_same_distortions_are_drawn_at_every_intensity():
    assert list(drawn("two", 0.2, 40)) == list(drawn("two", 0.9, 40)) == list(drawn("two", 0, 40))


def test_the_result_is_the_parts_one_after_the_other():
    clean = page()
    applied = Semantic().apply(clean, intensity=0.7, rng=np.random.default_rng(5))
    value = clean
    for part in json.loads(json.dumps(applied.record))["parts"]:
        value = registry.create("perturbation", part["name"]).replay(value, part)
    assert np.array_equal(value, applied.value)


@pytest.mark.parametrize(
    "parts",
    [[{}], [{"name": "semantic"}], [{"name": "os.system"}], [{"name": "rotation"}], [{}] * 9],
)
def test_a_record_with_bad_parts_is_refused(parts):
    record = Semantic().apply(page(), intensity=1, rng=np.random.default_rng(0)).record
    with pytest.raises(ValueError, match="record"):
        Semantic().replay(page(), record | {"parts": parts})


def test_a_part_for_another_shape_is_refused():
    record = Semantic().apply(page(), intensity=1, rng=np.random.default_rng(0)).record
    part = record["parts"][0]
    with pytest.raises(ValueError, match="shape"):
        Semantic().replay(page(), record | {"parts": [part | {"shape": [150, 121]}]})
