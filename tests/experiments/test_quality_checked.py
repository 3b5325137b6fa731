"""What a check of predictions says of good ones and of none, and what predictions are fitted on."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from ohr.adviser.quality import known_truth
from ohr.adviser.quality.check import check
from ohr.adviser.quality.known_truth import observe_pages
from ohr.documents.verifying import verified_layers
from ohr.metrics.default import edit_distance
from ohr.ocr.progress import Silent
from ohr.quality.predictor import shipped
from ohr.quality.signals import SIGNALS
from ohr.quality.truth import TARGETS
from ohr.types import Holes
from tests.builders import load_config, write_corpus, write_page
from tests.experiments.own_pages import FAKE


def pages_with_truth(errors: dict[str, list[float]], layer: bool) -> pd.DataFrame:
    """Readings by engine: errors of pages, which a text layer tells exactly or not at all."""
    return pd.DataFrame(
        [
            dict.fromkeys(SIGNALS, math.nan)
            | {"garbage": 0.02, "loops": 0.0, "length": 3.3, "numbers": 0.1, "markup": 0.0}
            | {f"true_{target}": error for target in TARGETS}
            | {
                "engine": engine,
                "status": "ok",
                "noise": "clean",
                "draw": 0,
                "group": "all",
                "doc_id": f"d{index % 9}",
                "page_no": index,
            }
            | {"layer": error if layer else math.nan}
            for engine, of in errors.items()
            for index, error in enumerate(of)
        ]
    )


def test_a_check_knows_good_predictions_from_none():
    errors = {
        "good": [0.02 + 0.001 * position for position in range(60)],
        "bad": [0.3 + 0.002 * position for position in range(60)],
    }
    with_layer = pages_with_truth(errors, layer=True)
    checks = check(with_layer, {"all": shipped()}).set_index(["kind", "error"])
    told = checks.loc[("layer", "edit_distance")]
    assert told["spearman"] > 0.95
    assert told["auroc"] > 0.95
    assert told["wrong"] == 0
    assert told["cannot_tell"] < 0.2
    blind = checks.loc[("text", "edit_distance")]
    assert blind["cannot_tell"] == 1
    assert told["n"] == told["draws"] + 20 == 120
    assert ("scan", "edit_distance") not in checks.index  # no engine said anything


def test_every_domain_counts_the_same_and_the_worst_is_named():
    """60 pages of a domain whose layers tell the error, and 30 of one whose layers mislead."""
    errors = [0.02 + 0.005 * position for position in range(60)]
    good = pages_with_truth({"a": errors}, layer=True)
    bad = pages_with_truth({"a": errors[:30]}, layer=True).assign(group="other")
    bad["layer"] = bad["layer"].to_numpy()[::-1]
    table = pd.concat([good, bad], ignore_index=True)
    checks = check(table, dict.fromkeys(("all", "other"), shipped()))
    told = checks.set_index(["kind", "error"]).loc[("layer", "edit_distance")]
    assert told["domains"] == 2
    assert told["spearman_lowest"] == pytest.approx(-1)
    assert told["spearman"] == pytest.approx(0)
    assert told["coverage_lowest"] <= told["coverage"]


def observed(settings: list[str], tmp_path: Path) -> pd.DataFrame:
    """The signals and true errors of clean pages by a fake engine."""
    more = [f"engines=[{FAKE}]", "noise=[]", f"cache={tmp_path / 'cache'}", "workers=1", "dpi=72"]
    config = load_config([*settings, *more])
    return observe_pages(config, 60, instability=False, words=False, progress=Silent())[0]


@pytest.mark.slow
def test_capitals_are_no_errors_where_the_truth_has_only_capitals(tmp_path):
    """Receipts are transcribed in capitals: their engines seemed to be three times as wrong."""
    settings = write_corpus(tmp_path, documents=2, pages=4)
    with_case = observed(settings, tmp_path)["true_edit_distance"]
    for path in (tmp_path / "kb" / "gt").rglob("*.json"):
        entries = json.loads(path.read_text())
        path.write_text(json.dumps([each | {"text": each["text"].upper()} for each in entries]))
    without_case = observed(settings, tmp_path)["true_edit_distance"]
    assert (without_case <= with_case + 0.05).all()
    text, truth = "Total 12 euros", "TOTAL 12 EUROS"
    assert edit_distance(text, truth) > 0.5


@pytest.mark.slow
def test_a_layer_in_an_unknown_order_is_fitted_as_it_is_predicted_from(tmp_path, monkeypatch):
    """Predictions ignore the order of such a layer, and so must the signals of a fit."""
    settings = write_corpus(tmp_path, documents=1, pages=1)
    line = " ".join(f"word{number}" for number in range(40))
    write_page(tmp_path / "pdfs" / "manual" / "doc0.pdf", f"BT /F 6 Tf 10 200 Td ({line}) Tj ET")
    (row,) = observed(settings, tmp_path).to_dict("records")
    assert not math.isnan(row["lost_passages"])

    def without_order(paths, report):
        for outcome in verified_layers(paths):
            verdicts = [
                replace(verdict, holes=Holes(order_known=False)) for verdict in outcome.value or ()
            ]
            yield replace(outcome, value=verdicts)

    monkeypatch.setattr(known_truth, "verified_layers", without_order)
    (row,) = observed(settings, tmp_path).to_dict("records")
    assert math.isnan(row["lost_passages"])
    assert not math.isnan(row["layer"])
