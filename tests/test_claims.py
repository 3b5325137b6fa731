"""The comparisons of the findings: how a claim is tested, and what the page may say of it."""

from __future__ import annotations

import importlib
import shlex
import sys
from itertools import takewhile

import numpy as np
import pandas as pd
import pytest
import yaml

from ohr.study.config import StudyConfig
from ohr.study.results import StudyRun
from tests.builders import load_config
from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "docs"))
claims = pytest.importorskip("claims")
make_results = pytest.importorskip("make_results")

DOCUMENTS = 40


def run_of(loss: float, lost_by: float = 1.0) -> StudyRun:
    """Two questions a document; the engine loses ``loss`` on a share of the documents."""
    units = pd.DataFrame(
        {
            "qid": [f"q{n}" for n in range(2 * DOCUMENTS)],
            "doc_id": [f"law/{n // 2:02}" for n in range(2 * DOCUMENTS)],
            "page_no": 0,
            "domain": "law",
        }
    )
    loses = np.arange(len(units)) < lost_by * len(units)
    rng = np.random.default_rng(0)
    parts = []
    for metric in ("f1", "em"):
        truth = rng.uniform(0.4, 0.6, len(units))
        lost = np.where(loses, loss, 0.0) + rng.normal(0, 0.02, len(units))
        for engine, values in (("gt", truth), ("ocr", truth - lost)):
            parts.append(units.assign(stage="overall", metric=metric, engine=engine, value=values))
    rows = pd.concat(parts, ignore_index=True)
    return StudyRun(ROOT, {}, pd.DataFrame()).cache_values(rows=rows)


def entry(name: str = "c1", **parts) -> dict:
    return {
        "id": name, "what": "an engine, overall F1", "baseline": "ground truth", "run": "one",
        "of": {"stage": "overall", "metric": "f1"}, "before": {"engine": "gt"},
        "after": {"engine": "ocr"},
    } | parts  # fmt: skip


def verdicts_of(run: StudyRun, entries: list[dict], monkeypatch: pytest.MonkeyPatch, tmp_path):
    (tmp_path / "claims.yaml").write_text(yaml.safe_dump({"claims": entries}))
    monkeypatch.setattr(claims, "_opened", lambda path: run)
    monkeypatch.setattr(claims, "_better", lambda run, terms: 1)
    return claims.verdicts(claims.read_claims(tmp_path / "claims.yaml"), {"one": ROOT})


def verdict_of(run: StudyRun, monkeypatch: pytest.MonkeyPatch, tmp_path):
    (found,) = verdicts_of(run, [entry()], monkeypatch, tmp_path)
    return found


def test_a_loss_on_all_documents_holds(monkeypatch, tmp_path):
    found = verdict_of(run_of(0.1), monkeypatch, tmp_path)
    assert found.holds
    assert found.whole.difference == pytest.approx(-0.1, abs=0.01)
    assert (found.whole.n_clusters, found.whole.n) == (DOCUMENTS, 2 * DOCUMENTS)
    assert found.claim.second_name == "EM"
    assert found.cells[-1] == "holds"
    header = len(claims.HEADER)
    assert len(found.cells) == header


def test_no_loss_does_not_and_says_what_is_excluded(monkeypatch, tmp_path):
    found = verdict_of(run_of(0.0), monkeypatch, tmp_path)
    assert not found.holds
    assert found.cells[-1].startswith("not shown; none over 0.")


def test_a_loss_on_half_of_the_documents_is_one_of_all_of_them(monkeypatch, tmp_path):
    found = verdict_of(run_of(0.2, lost_by=0.5), monkeypatch, tmp_path)
    assert found.holds
    assert found.whole.n_clusters == DOCUMENTS


@pytest.mark.slow
def test_all_claims_are_one_family(monkeypatch, tmp_path):
    run = run_of(0.012)
    alone = verdict_of(run, monkeypatch, tmp_path)
    entries = [
        entry(f"c{n}", before={"engine": "gt"}, after={"engine": "gt"}) for n in range(2, 60)
    ]
    first, *rest = verdicts_of(run, [entry(), *entries], monkeypatch, tmp_path)
    assert (alone.whole.tests, first.whole.tests) == (1, 59)
    assert first.whole.p_adjusted >= alone.whole.p_adjusted
    assert all(other.whole.p_adjusted == 1 for other in rest)


def test_a_second_outcome_agrees_only_on_the_same_side(monkeypatch, tmp_path):
    run = run_of(0.1)
    found = verdict_of(run, monkeypatch, tmp_path)
    assert found.second_agrees
    turned = run.rows.copy()
    is_em = (turned["metric"] == "em") & (turned["engine"] == "ocr")
    turned.loc[is_em, "value"] += 0.3
    run = StudyRun(ROOT, {}, pd.DataFrame()).cache_values(rows=turned)
    found = verdict_of(run, monkeypatch, tmp_path)
    assert not found.second_agrees
    assert found.cells[-1] == "holds; its second outcome goes the other way"


def test_a_second_outcome_without_a_difference_is_not_shown(monkeypatch, tmp_path):
    run = run_of(0.1)
    same = run.rows.copy()
    is_em = same["metric"] == "em"
    same.loc[is_em, "value"] = 0.5
    run = StudyRun(ROOT, {}, pd.DataFrame()).cache_values(rows=same)
    found = verdict_of(run, monkeypatch, tmp_path)
    assert not found.second_agrees
    assert found.cells[-1] == "holds; its second outcome is not shown"


def test_a_reader_is_compared_with_what_the_pages_let_it_copy(monkeypatch, tmp_path):
    run = run_of(0.1)
    best = pd.Series(
        {qid: 0.8 if index % 2 else 1.0 for index, qid in enumerate(run.rows["qid"].unique())}
    )
    monkeypatch.setattr(claims, "_attainable", lambda path: best)
    given = entry(before={"engine": "gt", "attainable": True}, after={"engine": "gt"})
    (found,) = verdicts_of(run, [given], monkeypatch, tmp_path)
    truth = run.rows[(run.rows["engine"] == "gt") & (run.rows["metric"] == "f1")]["value"].mean()
    assert found.whole.difference == pytest.approx(truth - 0.9)
    exact = run.rows[(run.rows["engine"] == "gt") & (run.rows["metric"] == "em")]["value"].mean()
    assert found.second.difference == pytest.approx(exact - 0.5)


def test_rows_that_are_several_a_question_are_refused(monkeypatch, tmp_path):
    run = run_of(0.1)
    twice = StudyRun(ROOT, {}, pd.DataFrame()).cache_values(rows=pd.concat([run.rows, run.rows]))
    with pytest.raises(ValueError, match="not one a question"):
        verdict_of(twice, monkeypatch, tmp_path)


def configuration(study) -> StudyConfig:
    """The configuration that a study's command makes."""
    name, *arguments = shlex.split(study.arguments)
    module = importlib.import_module(f"{study.room}.{name}")
    # Options of the command itself come last.
    arguments = list(takewhile(lambda argument: not argument.startswith("--"), arguments))
    return load_config(arguments, getattr(module, "DEFAULTS", None))


def amounts(config: StudyConfig) -> tuple[set[str], set[str]]:
    """Names of levels, and intensities, that a study's noise has."""
    return set(config.levels or ()), {str(value) for value in config.intensities}


STUDIES = {
    study.name: configuration(study) for family in claims.FAMILIES for study in family.studies
}
CLAIMS = [claim for family in claims.FAMILIES for claim in claims.read_claims(family.claims)]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.name)
def test_a_claim_asks_for_what_its_study_makes(claim):
    for _, where in (*claim.terms, *claim.second):
        config = STUDIES[where.get("run", claim.run)]
        levels, intensities = amounts(config)
        if "run" in where:
            assert where["engine"] in {spec.label or spec.name for spec in config.engines}
        assert where.get("level", "") in {"", *levels}
        assert str(where.get("intensity", "")) in {"", *intensities}
        assert where.get("chunker", "tokens") in {spec.name for spec in config.chunkers}
        retrievers = {spec.label or spec.name for spec in config.retrievers}
        assert where.get("retriever", "") in {"", *retrievers}


@pytest.mark.parametrize(
    "study", [make_results.FORMATTING, make_results.FORMATTING_REFERENCE, make_results.SAMPLE],
    ids=lambda study: study.name,
)  # fmt: skip
def test_a_table_of_levels_is_made_by_a_study_with_these_levels(study):
    assert amounts(configuration(study))[0] == {"mild", "moderate", "severe"}
