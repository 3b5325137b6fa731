from __future__ import annotations

import io
import math
import re

import pandas as pd
import pytest
from rich.console import Console

from experiments.attribution import main
from ohr.analysis.attribution.report import loss_table, ocr_lines, verdict_lines
from ohr.analysis.attribution.table import (
    CAUSES,
    COALITIONS,
    PARTS,
    SETTING,
    gold_chunks,
    make_losses,
    split_ocr,
    swapped_scores,
)
from ohr.ocr.progress import Progress
from ohr.scoring.answers import Answering
from ohr.store.artefacts import ArtefactStore
from ohr.study.loading import load_dataset
from ohr.study.plan import make_plan
from ohr.study.scoring.conditions import Scorer
from ohr.types import KnowledgeBase, Outcome
from tests.builders import CliRunner, load_config, write_corpus, write_kb


def text_of(table):
    shown = io.StringIO()
    Console(file=shown, width=200).print(table)
    return shown.getvalue()


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Ground truth, and a knowledge base in which one document's answers are misread."""
    root = tmp_path_factory.mktemp("corpus")
    settings = write_corpus(root)
    config = load_config([*settings, "engines=[gt]"])
    pages = load_dataset(config).pages
    read = {}
    for ref, page in pages.items():
        text = page.text.replace("answer", "anvver") if ref.doc_id == "law/doc1" else page.text
        read.setdefault(ref.doc_id, []).append(text)
    write_kb(root / "kb" / "Bad", read)
    return settings


@pytest.fixture(scope="module")
def attribution_output(corpus, tmp_path_factory):
    out = tmp_path_factory.mktemp("run")
    arguments = [*corpus, "engines=[gt,precomputed:Bad]", "top_k=1", "--out", str(out)]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    assert (out / "figures/attribution.svg").exists()
    return pd.read_csv(out / "attribution.csv"), pd.read_csv(out / "cells.csv"), result.output


def make_scorer(plan):
    store = ArtefactStore(plan.config.cache)
    return Scorer(plan, store, Answering(store))


@pytest.mark.slow
def test_the_losses_add_up_to_what_the_system_lacks(attribution_output):
    table, cells, _ = attribution_output
    keys = ["engine", "group"]
    for key, rows in table.groupby(keys):
        assert 1 - rows["f1_lost"].sum() == pytest.approx(rows["overall_f1"].iloc[0], abs=2e-6)
        there = cells[(cells["stage"] == "overall") & (cells["metric"] == "f1")]
        cell = there[(there["engine"] == key[0]) & (there["group"] == key[1])]
        assert cell["mean"].iloc[0] == pytest.approx(rows["overall_f1"].iloc[0], abs=2e-6)
        assert (rows["order_low"] <= rows["f1_lost"] + 1e-6).all()
        assert (rows["f1_lost"] <= rows["order_high"] + 1e-6).all()


def test_shares_of_the_whole_loss_add_up_beside_the_loss_per_question(attribution_output):
    table, _, output = attribution_output
    assert "add up to 100 %" in " ".join(output.split())
    for (_, cause), rows in table.groupby(["engine", "cause"]):
        for kind in ("source:", "domain:"):
            groups = rows[rows["group"].str.startswith(kind)]
            whole = rows[rows["group"] == "all"].iloc[0]
            if abs(whole["f1_lost"]) < 1e-4:
                continue
            assert groups["share"].sum() == pytest.approx(1, abs=1e-4), cause
            sums = groups["f1_lost"] * groups["n"] / (whole["f1_lost"] * whole["n"])
            assert groups["share"].to_numpy() == pytest.approx(sums.to_numpy(), abs=1e-3)
    ocr = table[(table["cause"] == "ocr") & (table["engine"] == "precomputed:Bad")]
    by_domain = ocr.set_index("group")["share"]
    assert (by_domain["domain:law"], by_domain["domain:manual"]) == (pytest.approx(1), 0)
    truth = table[(table["cause"] == "ocr") & (table["engine"] == "gt")]
    assert truth["share"].isna().all()


def test_a_loss_that_may_be_0_has_no_shares(attribution_output):
    table, _, _ = attribution_output
    table = table.astype(dict.fromkeys(SETTING, object)).fillna(dict.fromkeys(SETTING, ""))
    table["group"] = table["group"].str.replace("domain:", "source:")  # of which there are two
    known = table.assign(share_ci_low=0.1, share_ci_high=0.9, share=8.16)
    assert "816 % of the whole" in "".join(ocr_lines(known))
    assert "816 %" in text_of(loss_table(known))
    unknown = known.assign(share_ci_low=math.nan, share_ci_high=math.nan)
    assert not list(ocr_lines(unknown))
    assert "816 %" not in text_of(loss_table(unknown))


def test_ocr_costs_where_it_errs_and_nothing_on_the_ground_truth(attribution_output):
    table, _, output = attribution_output
    ocr = table[table["cause"] == "ocr"].set_index(["engine", "group"])["f1_lost"]
    assert ocr["gt", "all"] == 0
    assert ocr["precomputed:Bad", "domain:manual"] == 0
    assert ocr["precomputed:Bad", "domain:law"] > 0.1
    assert "precomputed:Bad" in output


def test_what_ocr_costs_under_noise_is_the_engines_and_the_noises(attribution_output):
    bad = attribution_output[0][attribution_output[0]["engine"] != "gt"].drop(columns=list(PARTS))
    noisy = bad.assign(noise="semantic", f1_lost=bad["f1_lost"] + 0.25)
    table = split_ocr(pd.concat([bad, noisy], ignore_index=True))
    parted = (table["noise"] == "semantic") & (table["cause"] == "ocr")
    assert parted.any()
    assert table.loc[~parted, list(PARTS)].isna().all().all()
    engine, noise = (table.loc[parted, part] for part in PARTS)
    assert list(engine + noise) == pytest.approx(list(table.loc[parted, "f1_lost"]))
    assert set(noise.round(9)) == {0.25}
    unread = split_ocr(noisy)
    assert unread[list(PARTS)].isna().all().all()


def test_every_set_of_parts_is_swapped(corpus):
    config = load_config([*corpus, "engines=[gt]"])
    plan = make_plan(config, load_dataset(config))
    scorer = make_scorer(plan)
    truth = KnowledgeBase({r: Outcome.of_text(p.text) for r, p in plan.dataset.pages.items()})
    blank = KnowledgeBase({ref: Outcome.of_text("") for ref in plan.dataset.pages})
    scores = swapped_scores(scorer, blank, truth, "tokens", "bm25", "extractive")
    assert set(scores) == set(COALITIONS)
    assert len(COALITIONS) == 2 ** len(CAUSES)
    for removed, values in scores.items():
        assert (values.mean() > 0.5) == ("ocr" in removed), removed


def test_gold_chunks_hold_the_evidence(corpus):
    config = load_config([*corpus, "engines=[gt]", "chunkers={name: tokens, params: {size: 64}}"])
    plan = make_plan(config, load_dataset(config))
    scorer = make_scorer(plan)
    question = plan.questions[0]
    [ref] = question.evidence_pages
    filler = "Nothing of interest is said here. " * 40
    text = filler + question.evidence_text + " " + filler
    kb = KnowledgeBase({ref: Outcome.of_text(text)})
    first, *rest = gold_chunks(scorer, kb, "tokens", question)
    assert question.evidence_text in first.text
    assert len(rest) == config.top_k - 1
    assert text[slice(*first.span)] == first.text


def test_further_questions_are_shown_while_they_are_asked(corpus, tmp_path, monkeypatch, capsys):
    config = load_config([*corpus, "engines=[gt]", f"cache={tmp_path}"])
    monkeypatch.setattr("ohr.scoring.answers._SILENT_S", -1)
    make_losses(make_plan(config, load_dataset(config)), Progress())
    assert re.search(r"^asking extractive: (\d+)/\1 questions", capsys.readouterr().err, re.M)


def test_it_needs_a_retriever_and_a_reader(corpus, tmp_path):
    result = CliRunner().invoke(main, [*corpus, "stages=[ocr]", "--out", str(tmp_path)])
    assert result.exit_code == 2
    assert "stages must include overall" in result.output


def test_the_verdict_names_each_cause_with_its_interval_and_what_may_be_nothing():
    costs = {"reading": (0.5, 0.4, 0.6), "ocr": (0.2, 0.1, 0.3), "retrieval": (0.01, -0.1, 0.1)}
    rows = [
        {"engine": "tesseract", "perturbation": "none", "level": "", "intensity": 0.0}
        | {"chunker": "tokens", "retriever": "bm25", "reader": "extractive", "group": "all"}
        | {"cause": cause, "f1_lost": lost, "ci_low": low, "ci_high": high}
        | {"overall_f1": 0.29, "n": 24}
        for cause, (lost, low, high) in {**costs, "chunking": (0.0, 0.0, 0.0)}.items()
    ]
    assert list(verdict_lines(pd.DataFrame(rows), 8)) == [
        "tesseract, clean: answer F1, whole system: 0.29. Lost, by cause: "
        "reading 0.50 (95 % CI 0.40 to 0.60); OCR 0.20 (95 % CI 0.10 to 0.30); retrieval 0.01 "
        "(95 % CI −0.10 to 0.10; it may be 0); chunking 0.00 (no document lost or gained).",
        "24 questions on 8 documents.",
    ]


def test_the_command_says_first_what_each_cause_costs(attribution_output):
    _, _, printed = attribution_output
    assert re.search(r"Lost, by cause: .*OCR \d\.\d\d", printed)
    assert printed.index("by cause: ") < printed.index("questions on")
