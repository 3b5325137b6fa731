"""Means of predicted errors that are moved so that they are right on other documents."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pandas as pd
import pytest

from experiments import dev_check_quality, dev_fit_quality
from ohr.adviser.quality.signal_runs import labelled, read_unfitted
from ohr.quality.calibration import calibrate_means
from ohr.quality.fit import FEWEST_OF_KIND, Labelled, fit_intervals, scaled_pages
from ohr.quality.predictor import Predictor, parse
from ohr.quality.signals import SIGNALS
from ohr.quality.truth import TARGETS
from ohr.quality.validation import fitted_half, left_out_error
from tests.experiments.own_pages import give

TARGET = "edit_distance_content"


def pages_of(kind: str, documents: int, scatter: float, seed: int = 0) -> list[Labelled]:
    """A page a document, whose errors scatter so much around what the engines' difference says."""
    rng = np.random.default_rng(seed)
    pages = []
    for document in range(documents):
        disagreement = float(rng.beta(2, 10))
        error = min(1.0, disagreement * float(rng.lognormal(0, scatter)))
        values = dict.fromkeys(SIGNALS, float("nan")) | dict.fromkeys(TARGETS, error)
        values |= {"disagreement": disagreement, "length": 3.0}
        name, domain = f"{kind}/{document}", f"{kind} {document % 2}"
        pages.append(Labelled(domain, name, 0, "one, clean", values, kind, "Latin", name))
    return pages


@pytest.fixture(scope="module")
def model() -> Predictor:
    """A model of pages whose errors scatter much."""
    return fit_intervals(pages_of("scan", 60, 1.2))


def test_means_are_right_on_documents_that_did_not_calibrate_them(model):
    slips = pages_of("slip", 80, 0.1, seed=1)
    half = fitted_half(slips)
    used = [page for page, is_used in zip(slips, half, strict=True) if is_used]
    unused = [page for page, is_used in zip(slips, half, strict=True) if not is_used]
    calibrated = calibrate_means(model, used)
    before, after = (left_out_error(each, "", "", TARGET, unused) for each in (model, calibrated))
    assert before.mean > 1.3 * before.true
    assert after.mean == pytest.approx(after.true, rel=0.1)
    assert replace(after, mean=before.mean) == before  # medians, ranks and intervals stay
    for scaled in scaled_pages(model, used[:3], TARGET):
        scan_moments = [each.kind_moments("scan", TARGET, *scaled) for each in (model, calibrated)]
        assert scan_moments[0] == scan_moments[1]
    assert asdict(parse(calibrated.to_json())) == asdict(calibrated)


def test_few_documents_calibrate_nothing(model):
    few = pages_of("slip", FEWEST_OF_KIND - 1, 0.1)
    assert calibrate_means(model, few).kind_mean_shifts == {}
    with pytest.raises(ValueError, match="'slip': 9 documents, and it takes 10"):
        calibrate_means(model, few, ["slip"])


def test_each_document_counts_the_same(model):
    slips = pages_of("slip", 12, 0.1)
    repeated = [*slips, *[replace(slips[0], page_no=page) for page in range(1, 50)]]
    one, many = (calibrate_means(model, each).kind_mean_shifts for each in (slips, repeated))
    assert many["slip"][TARGET] == pytest.approx(one["slip"][TARGET], abs=0.01)


def write_run(folder, pages):
    """A run of ohr quality confidence with these pages."""
    folder.mkdir()
    rows = [
        {"engine": "one", "noise": "clean", "draw": 0, "status": "ok", "docling": 0.0}
        | {"doc_id": page.doc_id, "page_no": 0, "domain": page.domain, "page_kind": page.page_kind}
        | {name: page.values[name] for name in SIGNALS}
        | {f"true_{name}": page.values[name] for name in TARGETS}
        for page in pages
    ]
    pd.DataFrame(rows).to_csv(folder / "signals.csv", index=False)
    return folder


def test_the_command_calibrates_a_model_on_documents_that_it_has_not_seen(model, tmp_path):
    path = tmp_path / "before.json"
    path.write_text(model.to_json())
    slips = pages_of("slip", 80, 0.1, seed=1)
    run = write_run(tmp_path / "slips", slips)
    seen = write_run(tmp_path / "seen", slips[:30])
    after = tmp_path / "after.json"
    options = ["--half", "--means-of", path, "--fitted", seen, "--kind", "slip"]
    done = give(dev_fit_quality, run, *options, "--out", after)
    assert done.exit_code == 0, done.output
    assert "slip: means moved by, in deviations:" in done.output
    calibrated = parse(after.read_text())
    fitted = fitted_half(labelled(read_unfitted([seen], [])))
    rest = [page for page in slips[:30] if not fitted[slips.index(page)]] + slips[30:]
    used = [page for page, is_used in zip(rest, fitted_half(rest), strict=True) if is_used]
    assert calibrated.kind_mean_shifts == calibrate_means(model, used).kind_mean_shifts
    assert sum(calibrated.fitted_on["means_calibrated_on"].values()) == len(used)
    options = ["--model", after, "--fitted", seen, "--other-half"]
    checked = give(dev_check_quality, run, *options, "--out", tmp_path / "check")
    assert checked.exit_code == 0, checked.output
    kinds = pd.read_csv(tmp_path / "check" / "kinds.csv").set_index("target")
    assert kinds.loc[TARGET, "n"] == len(rest) - len(used)
    assert kinds.loc[TARGET, "mean"] == pytest.approx(kinds.loc[TARGET, "true"], rel=0.2)


def test_options_of_the_calibration_need_a_model(model, tmp_path):
    run = write_run(tmp_path / "slips", pages_of("slip", 12, 0.1))
    done = give(dev_fit_quality, run, "--kind", "slip", "--out", tmp_path / "model.json")
    assert done.exit_code == 2
    assert "go with --means-of MODEL" in done.output
    done = give(dev_fit_quality, run, "--means-of", run, "--out", tmp_path / "model.json")
    assert done.exit_code == 2
    assert "is no model of ohr dev fit-quality" in done.output
