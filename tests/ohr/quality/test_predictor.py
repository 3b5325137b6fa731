"""What error the signals of a page speak for."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ohr.quality.bounds import BOUNDED, Apart
from ohr.quality.fit import Labelled, fit
from ohr.quality.page_kind import PAGE_KINDS
from ohr.quality.predictor import (
    FORM,
    LEAST_COVERAGE,
    is_assessable,
    joint_normal,
    moments,
    parse,
    scale,
    shipped,
    unscaled,
)
from ohr.quality.signals import SIGNALS
from ohr.quality.truth import DECISIVE, TARGETS
from ohr.quality.winners import least_doubt

RATES = st.floats(0, 1)
A_PAGE = {
    **dict.fromkeys(SIGNALS, math.nan),
    **{"garbage": 0.02, "loops": 0.0, "length": 3.3, "numbers": 0.1, "markup": 0.0},
}


def pages_of(domains: int = 4, documents: int = 6, seed: int = 0) -> list[Labelled]:
    """Pages whose layer tells their error up to a little, for some domains and two readings."""
    rng = np.random.default_rng(seed)
    pages = []
    for domain in range(domains):
        for document in range(documents):
            for page in range(4):
                for reading in ("clean", "severe"):
                    error = float(rng.beta(1.5, 12 if reading == "clean" else 5))
                    layer = min(1.0, max(0.0, error * float(rng.lognormal(0, 0.15))))
                    values = A_PAGE | {"layer": layer, "lost_passages": layer}
                    values |= {"length": float(rng.normal(3.2, 0.1))}
                    values |= dict.fromkeys(TARGETS, error)
                    name = f"{domain}/{document}"
                    pages.append(Labelled(f"domain {domain}", name, page, reading, values))
    return pages


def test_gaps_are_filled_by_what_the_rest_says():
    rng = np.random.default_rng(1)
    covariance = np.array([[1.0, 0.8, 0.3], [0.8, 1.0, 0.5], [0.3, 0.5, 1.0]])
    rows = rng.multivariate_normal([1.0, -1.0, 0.0], covariance, size=4000)
    rows[rng.uniform(size=rows.shape) < 0.25] = math.nan
    mean, found = joint_normal(rows, np.ones(len(rows)))
    assert mean == pytest.approx([1.0, -1.0, 0.0], abs=0.08)
    assert found == pytest.approx(covariance, abs=0.1)


def test_without_gaps_it_is_the_mean_and_covariance():
    rows = np.random.default_rng(2).normal(size=(300, 3))
    mean, found = joint_normal(rows, np.ones(300))
    assert mean == pytest.approx(rows.mean(axis=0))
    assert found == pytest.approx(np.cov(rows.T, bias=True), abs=2e-3)


def test_the_fit_learns_what_a_signal_speaks_for():
    model = fit(pages_of(), {})
    fresh = pages_of(seed=9)
    for target in TARGETS:
        predicted = [model.predict(page.values, target) for page in fresh]
        true = [page.values[target] for page in fresh]
        assert np.corrcoef([one.value for one in predicted], true)[0, 1] > 0.9
        inside = [one.low <= value <= one.high for one, value in zip(predicted, true, strict=True)]
        assert np.mean(inside) >= 0.8


def test_a_signal_that_is_not_assessed_costs_certainty():
    model = fit(pages_of(), {})
    page = pages_of()[0].values
    with_layer = model.predict(page, "edit_distance")
    without = model.predict(
        dict(page) | {"layer": math.nan, "lost_passages": math.nan}, "edit_distance"
    )
    assert without.high - without.low > with_layer.high - with_layer.low


def test_a_page_beyond_the_fitted_range_is_said_to_be():
    model = fit(pages_of(), {})
    page = dict(pages_of()[0].values)
    assert model.predict(page, "edit_distance").in_range
    assert not model.predict(page | {"length": 9.0}, "edit_distance").in_range


def test_a_signal_of_a_few_pages_has_no_part():
    pages = pages_of()
    rare = [
        replace(page, values=dict(page.values) | {"instability": page.values["edit_distance"]})
        for page in pages[:30]
    ]
    model = fit([*rare, *pages[30:]], {})
    page = dict(pages[0].values)
    assert model.predict(page | {"instability": 0.9}, "edit_distance") == model.predict(
        page, "edit_distance"
    )


def test_a_model_with_an_earlier_name_of_a_signal_is_read():
    rare = [replace(page, values=dict(page.values) | {"instability": 0.2}) for page in pages_of()]
    model = fit(rare, {})
    older = model.to_json().replace('"instability"', '"wobble"')
    assert '"wobble"' in older
    assert parse(older) == model


def test_where_no_page_has_a_layer_scans_are_all_that_is_known():
    bare = {"layer": math.nan, "lost_passages": math.nan}
    model = fit([replace(page, values=dict(page.values) | bare) for page in pages_of()], {})
    assert model.widths["layer"] == model.widths["scan"]


def readings_of(gap, told):
    """Three readings of 60 pages whose true and predicted means differ by these, in steps."""
    rng = np.random.default_rng(2)
    pages = [(f"d{position % 12}", position) for position in range(60)]
    base = {page: rng.uniform(0.1, 0.2) for page in pages}
    return {
        name: {page: (value + step * told, value + step * gap, 0.1) for page, value in base.items()}
        for step, name in enumerate(("first", "second", "third"))
    }


def test_winners_are_doubted_as_much_as_they_were_wrong():
    assert least_doubt(readings_of(0.05, 0.05), bias=1.0) == 0.2
    # Told the wrong way round by .05: only a doubt that hides the difference is enough.
    assert 0.2 < least_doubt(readings_of(0.05, -0.05), bias=0.8) < 1.0
    assert least_doubt(readings_of(0.05, -0.05), bias=0.01) == 1.0
    few = {name: dict(list(of.items())[:9]) for name, of in readings_of(0.05, 0.05).items()}
    assert least_doubt(few, bias=1.0) == 1.0
    pair = dict(list(readings_of(0.05, 0.05).items())[:2])
    assert least_doubt(pair, bias=1.0) == 1.0


@pytest.mark.slow
def test_intervals_hold_for_pages_with_every_kind_of_evidence():
    pages = pages_of()
    rng = np.random.default_rng(3)
    sure = [
        replace(page, values=dict(page.values) | {"instability": float(rng.uniform(0, 1))})
        for page in pages
    ]
    plain, both = fit(pages, {}), fit([*pages, *sure], {})
    for target in TARGETS:
        assert sum(both.widths["scan"][target]) >= 0.9 * sum(plain.widths["scan"][target])


def test_intervals_are_as_wide_as_the_worst_domain_that_was_left_out_calls_for():
    """One domain of four errs far above what the others' layers say: more above than below."""
    pages = [
        replace(page, values={**page.values, "layer": 0.1 * page.values["layer"]})
        if page.domain == "domain 0"
        else page
        for page in pages_of()
    ]
    even, uneven = fit(pages_of(), {}), fit(pages, {})
    below, above = uneven.widths["layer"]["edit_distance"]
    assert above > 1.5 * even.widths["layer"]["edit_distance"][1]
    assert above > below
    assert uneven.coverage["layer"]["edit_distance"] < even.coverage["layer"]["edit_distance"]


def test_without_a_signal_beside_the_text_nothing_is_assessable():
    assert not is_assessable(A_PAGE)
    assert not is_assessable(A_PAGE | {"instability": 0.1})
    for name in ("layer", "disagreement", "confidence"):
        assert is_assessable(A_PAGE | {name: 0.1})


def test_one_domain_cannot_be_left_out():
    with pytest.raises(ValueError, match="two"):
        fit([replace(page, domain="one") for page in pages_of()], {})


def test_a_model_survives_its_file():
    model = fit(pages_of(), {"pages": 3})
    assert parse(model.to_json()) == model


@given(RATES, st.sampled_from(list(TARGETS)))
def test_scales_go_there_and_back(value, target):
    assert unscaled(target, scale(target, value)) == pytest.approx(value, abs=1e-9)


@given(st.floats(-4, 4), st.floats(0.01, 2), st.sampled_from(list(TARGETS)))
@example(4.0, 0.125, "r_noise_content")
def test_moments_are_of_an_error(centre, deviation, target):
    mean, spread = moments(target, centre, deviation)
    assert 0 <= mean <= 1
    assert 0 <= spread <= 0.5 + 1e-9


@given(st.fixed_dictionaries(dict.fromkeys(SIGNALS, RATES)), st.sampled_from(list(TARGETS)))
def test_the_shipped_model_predicts_an_error_in_its_interval(values, target):
    found = shipped().predict(values, target)
    assert 0 <= found.low <= found.value <= found.high <= 1


def test_the_shipped_model_says_what_it_was_fitted_on():
    model = shipped()
    known_values = model.fitted_on
    assert known_values["pages"] > 200
    assert "fit-quality" in known_values["command"]
    assert set(model.page_kinds) == set(PAGE_KINDS)
    for name in PAGE_KINDS:
        assert model.knows_kind(name) == (model.page_kinds[name][DECISIVE] >= LEAST_COVERAGE)
    assert model.knows_script("Latin")
    assert not model.knows_script("Hangul")


def test_a_worse_layer_distance_is_a_worse_page():
    near, far = (
        shipped().predict(
            A_PAGE | {"layer": value, "lost_passages": value}, "edit_distance_content"
        )
        for value in (0.01, 0.5)
    )
    assert near.value < far.value


def test_two_readings_that_differ_are_predicted_together_above_what_that_implies():
    """Two Korean pages were predicted to be .08 and .09 wrong by engines that differed by .87."""
    page = A_PAGE | {"confidence": 0.02, "disagreement": 0.01, "layer": 0.01, "lost_passages": 0.0}
    signals = {"one": page, "two": page | {"confidence": 0.04}}
    pair = Apart(870, 1000, 1000)
    for target in BOUNDED:
        alone = {name: shipped().predict(of, target) for name, of in signals.items()}
        assert not pair.allows(*(each.value for each in alone.values()))
        found = shipped().predict_together(signals, {("one", "two"): {target: pair}}, target)
        assert pair.allows(*(each.value + 1e-6 for each in found.values()))
        assert max(each.value for each in found.values()) >= pair.least - 1e-6
        assert max(each.high for each in found.values()) >= pair.least - 1e-6
        for each in found.values():
            assert 0 <= each.low <= each.value <= each.high <= 1
            assert each.mean > alone["one"].mean
        assert found["one"].low >= pair.least_first(found["two"].high) - 1e-6


def test_what_is_not_bounded_is_predicted_alone():
    page = A_PAGE | {"confidence": 0.05, "disagreement": 0.1}
    pairs = {("one", "two"): {"edit_distance": Apart(870, 1000, 1000)}}
    found = shipped().predict_together({"one": page, "two": page}, pairs, "r_noise_content")
    assert found["one"] == shipped().predict(page, "r_noise_content")


def test_a_kind_of_page_has_intervals_of_its_own():
    model = fit(pages_of(), {})
    widths = {"scan": dict.fromkeys(TARGETS, (0.1, 0.2))}
    model = replace(model, kind_widths=widths)
    page = dict(pages_of()[0].values)
    narrow = model.predict(page | {"page_kind": "scan"}, "edit_distance")
    wide = model.predict(page | {"page_kind": "slip"}, "edit_distance")
    assert narrow.high - narrow.low < wide.high - wide.low
    assert parse(model.to_json()) == model


def test_a_model_of_a_later_version_is_refused():
    text = fit(pages_of(), {}).to_json().replace(f'"form": {FORM}', f'"form": {FORM + 1}')
    with pytest.raises(ValueError, match=f"form {FORM + 1}"):
        parse(text)
