"""The comparisons of the findings: how a claim is tested, and what the page may say of it."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest
import yaml

from ohr.study.results import Run
from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "docs"))
claims = pytest.importorskip("claims")

DOCUMENTS = 40


def run_of(loss_of_first: float, loss_of_second: float) -> Run:
    """Two questions a document; the engine loses another amount on each half of the documents."""
    units = pd.DataFrame(
        {
            "qid": [f"q{n}" for n in range(2 * DOCUMENTS)],
            "doc_id": [f"law/{n // 2:02}" for n in range(2 * DOCUMENTS)],
            "page_no": 0,
            "domain": "law",
        }
    )
    half = claims.first_half(units)
    rng = np.random.default_rng(0)
    parts = []
    for metric in ("f1", "em"):
        truth = rng.uniform(0.4, 0.6, len(units))
        lost = np.where(half, loss_of_first, loss_of_second) + rng.normal(0, 0.02, len(units))
        for engine, values in (("gt", truth), ("ocr", truth - lost)):
            parts.append(units.assign(stage="overall", metric=metric, engine=engine, value=values))
    rows = pd.concat(parts, ignore_index=True)
    return Run(ROOT, {}, pd.DataFrame()).with_cached(rows=rows)


def verdict_of(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path):
    entry = {
        "id": "c1", "what": "an engine, overall F1", "baseline": "ground truth", "run": "one",
        "of": {"stage": "overall", "metric": "f1"}, "before": {"engine": "gt"},
        "after": {"engine": "ocr"},
    }  # fmt: skip
    (tmp_path / "claims.yaml").write_text(yaml.safe_dump({"claims": [entry]}))
    monkeypatch.setattr(claims, "_opened", lambda path: run)
    monkeypatch.setattr(claims, "_better", lambda run, terms: 1)
    (found,) = claims.verdicts(claims.read_claims(tmp_path / "claims.yaml"), {"one": ROOT})
    return found


def test_a_loss_on_both_halves_holds(monkeypatch, tmp_path):
    found = verdict_of(run_of(0.1, 0.1), monkeypatch, tmp_path)
    assert found.holds
    assert found.whole.difference == pytest.approx(-0.1, abs=0.01)
    assert (found.documents, found.whole.n) == (DOCUMENTS, 2 * DOCUMENTS)
    assert found.claim.second_name == "EM"
    assert found.cells[-1] == "holds"
    header = len(claims.HEADER)
    assert len(found.cells) == header


@pytest.mark.parametrize("losses", [(0.1, 0.0), (0.1, -0.1), (0.0, 0.1), (0.0, 0.0)])
def test_a_loss_on_one_half_does_not(losses, monkeypatch, tmp_path):
    found = verdict_of(run_of(*losses), monkeypatch, tmp_path)
    assert not found.holds
    shown = "confirmed" if found.p <= claims.ALPHA else "shown"
    assert found.cells[-1].startswith(f"not {shown}; none over .")


def test_every_claim_splits_the_documents_alike():
    units = pd.DataFrame({"doc_id": [f"law/{n}" for n in range(200) for _ in range(3)]})
    half = claims.first_half(units)
    by_document = units.assign(half=half).groupby("doc_id")["half"].agg(["min", "max"])
    assert (by_document["min"] == by_document["max"]).all()
    assert 70 < by_document["max"].sum() < 130
    some = units.sample(frac=0.4, random_state=1)
    assert (claims.first_half(some) == pd.Series(half).loc[some.index]).all()


def test_a_second_outcome_agrees_only_on_the_same_side(monkeypatch, tmp_path):
    run = run_of(0.1, 0.1)
    found = verdict_of(run, monkeypatch, tmp_path)
    assert found.second_agrees
    turned = run.rows.copy()
    of_em = (turned["metric"] == "em") & (turned["engine"] == "ocr")
    turned.loc[of_em, "value"] += 0.3
    run = Run(ROOT, {}, pd.DataFrame()).with_cached(rows=turned)
    found = verdict_of(run, monkeypatch, tmp_path)
    assert not found.second_agrees
    assert found.cells[-1] == "holds; its second outcome is not shown"


def test_rows_that_are_several_a_question_are_refused(monkeypatch, tmp_path):
    run = run_of(0.1, 0.1)
    twice = Run(ROOT, {}, pd.DataFrame()).with_cached(rows=pd.concat([run.rows, run.rows]))
    with pytest.raises(ValueError, match="not one a question"):
        verdict_of(twice, monkeypatch, tmp_path)
