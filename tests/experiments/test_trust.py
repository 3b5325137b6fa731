"""Which answers can be trusted, from the command line and from Python."""

from __future__ import annotations

import json
import math
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import ohr
from experiments import analyse_trust
from ohr.analysis.trust.details import broken_cell, sentences
from ohr.analysis.trust.report import conditions_table, verdict_of
from ohr.analysis.trust.signals import (
    AGREEMENT,
    CONFIDENT,
    OCR_CONFIDENCE,
    PREDICTED,
    _quality,
    answers_with_signals,
)
from ohr.analysis.trust.table import COMBINED, FEWEST, trust
from ohr.errors import ConfigError, OhrError
from ohr.quality.truth import TARGETS
from ohr.study.output.cases import read_cases, read_confidences
from ohr.study.results import StudyRun, open_run
from tests.builders import write_kb
from tests.experiments.conftest import DAMAGED, corpus
from tests.experiments.conftest import run as study

ENDS = ("", "_ci_low", "_ci_high")


def estimated(name: str, value: float, low: float, high: float) -> dict[str, float]:
    return {f"{name}{end}": number for end, number in zip(ENDS, (value, low, high), strict=True)}


SIGNAL = {
    **{"knowledge_base": "tesseract, clean", "baseline": "gt, clean", "system": "rag"},
    **{"retriever": "bm25", "reader": "extractive", "signal": COMBINED, "n": 300},
    **{"n_clusters": 40, "unit": "document", "wrong": 0.4, "n_broken": 30, "n_still_right": 150},
    **estimated("found", 0.21, 0.15, 0.28),
    **estimated("broken", 0.72, 0.61, 0.8),
    **estimated("found_broken", 0.33, 0.2, 0.5),
    **estimated("ece", math.nan, math.nan, math.nan),
}
PROMISE = {
    **{name: SIGNAL[name] for name in ("knowledge_base", "baseline", "signal", "n", "n_clusters")},
    **{"unit": "document", "risk": 0.2, "has_threshold": True},
    **estimated("noisy_risk", 0.12, 0.05, 0.19),
    **estimated("noisy_coverage", 0.3, 0.2, 0.4),
    **estimated("clean_coverage", 0.5, 0.4, 0.6),
}


@pytest.fixture(scope="module")
def answered(tmp_path_factory):
    """The ground truth and another's knowledge base, read by a reader that says how sure it is."""
    root = tmp_path_factory.mktemp("answered")
    settings = [*corpus(root), "engines=[gt,precomputed:theirs]", "bootstrap=100"]
    write_kb(root / "kb" / "theirs", DAMAGED)
    study(root / "run", *settings, "readers=[extractive]")
    return open_run(root / "run")


@pytest.mark.slow
def test_the_command_writes_signals_and_promises(answered, tmp_path):
    run = answered
    command = [str(run.path), "--out", str(tmp_path), "--risk", "0.5"]
    done = CliRunner().invoke(analyse_trust.main, command)
    assert done.exit_code == 0, done.output
    signals = pd.read_csv(tmp_path / "trust.csv")
    assert {"gt, clean", "precomputed:theirs, clean"} == set(signals["knowledge_base"])
    assert signals["aurc"].between(0, 1).all()
    assert (signals["aurc_ci_low"] <= signals["aurc"]).all()
    assert (signals["excess"] >= -1e-9).all()
    promises = pd.read_csv(tmp_path / "promises.csv")
    assert set(promises["risk"]) == {0.5}
    promised = promises[promises["has_threshold"]]
    assert promised["noisy_coverage"].between(0, 1).all()
    lines = done.stdout.splitlines()
    assert " answers on " in lines[0]
    assert "precomputed:theirs, clean breaks " in lines[0]
    assert lines[2].split()[:6] == ["knowledge", "base", "wrong", "broken", "found", "AUROC"]
    assert len(lines) < 15
    assert lines[-1].startswith(f"files in {tmp_path}: trust.md, trust.csv, promises.csv")
    details = (tmp_path / "trust.md").read_text()
    assert "least sure answers by hand" in details
    assert details.count("| confidence |") == 2  # each signal of both knowledge bases
    same = ohr.open_run(run.path).trust(risks=(0.5,))
    assert same["aurc"].tolist() == pytest.approx(signals["aurc"].tolist(), abs=1e-6)


@pytest.mark.slow
def test_confidence_comes_from_the_rows_and_agreement_from_other_ocr(answered):
    run = answered
    frame = answers_with_signals(run, "f1")
    rows = run.drawn
    rows = rows[(rows["stage"] == "overall") & (rows["metric"] == "f1")]
    assert len(frame) == len(rows)
    assert frame[CONFIDENT].notna().sum() == rows["confidence"].notna().sum() > 0
    assert frame[AGREEMENT].isna().all()  # the ground truth is no second engine


@pytest.mark.slow
def test_the_confidence_of_another_tool_in_its_pages_is_a_signal(answered, tmp_path):
    assert "confidence" not in read_cases(answered.path, "pages").column_names
    settings = [*corpus(tmp_path), "engines=[gt,precomputed:service]", "bootstrap=100"]
    for doc_id, texts in DAMAGED.items():
        pages = [
            {"page": number + 1, "md": text, "confidence": (0.6, 0.9)[number]}
            for number, text in enumerate(texts)
        ]
        path = tmp_path / "kb" / "service" / f"{doc_id}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"pages": pages}))
    study(tmp_path / "run", *settings, "readers=[extractive]")
    run = open_run(tmp_path / "run")
    confidences = read_confidences(run.path)
    assert {base for base, _ in confidences} == {"precomputed:service, clean"}
    assert set(confidences.values()) == {0.6, 0.9}
    frame = answers_with_signals(run, "f1")
    sure = frame.groupby("engine")[OCR_CONFIDENCE]
    assert sure.count()["gt"] == 0
    assert set(sure.get_group("precomputed:service").dropna()) == {0.6, 0.9}
    assert OCR_CONFIDENCE in set(trust(run).signals["signal"])


@pytest.mark.slow
def test_answers_of_two_engines_agree(answered):
    run = answered
    frame = answers_with_signals(run, "f1")
    mine = frame[frame["engine"] != "gt"]
    other = mine.assign(engine="other", text=mine["text"].where(mine.index % 2 == 0, "else"))
    from ohr.analysis.trust.signals import _agreement

    both = pd.concat([mine, other], ignore_index=True)
    agreement = _agreement(both)
    same = (both["engine"] == "other") & (both["text"] != "else")
    assert (agreement[same] == 1).all()
    assert agreement.notna().all()
    assert agreement[both["text"] == "else"].max() < 1


@pytest.mark.slow
def test_few_documents_say_nothing(answered):
    run = answered
    few = list(dict.fromkeys(run.drawn["doc_id"]))[: FEWEST - 1]
    part = run.cache_values(drawn=run.drawn[run.drawn["doc_id"].isin(few)])
    result = trust(part)
    assert result.signals["aurc"].isna().all()
    assert result.promises.empty
    lines = sentences(result.signals, result.promises)
    assert any("cannot be said with" in line and "on 9 documents" in line for line in lines)


@pytest.mark.slow
def test_what_is_no_share_and_a_run_without_answers_are_refused(answered):
    run = answered
    with pytest.raises(ConfigError, match=r"--risk 1: a number between 0 and 1"):
        trust(run, risks=[1])
    with pytest.raises(ConfigError, match="--right 0"):
        trust(run, right=0)
    with pytest.raises(OhrError, match="no answers with overall nonsense"):
        trust(run, metric="nonsense")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {},
            "check the 10 % least sure answers by hand: that finds 21 % of the wrong ones (95 % CI",
        ),
        ({}, "30 answers were right with gt, clean and are wrong now; they look less sure"),
        ({}, "0.72 (95 % CI 0.61 to 0.80)"),
        ({}, "at most 25 % are possible); 40 % of 300 answers on 40 documents are wrong"),
        ({}, "that finds 33 % of those that OCR broke (95 % CI 20 % to 50 %)"),
        (estimated("found", math.nan, math.nan, math.nan), "cannot be said with 300 answers on 40"),
        (estimated("broken", math.nan, math.nan, math.nan), "which ones cannot be said"),
    ],
)
def test_a_sentence_says_what_checking_finds(change, said):
    text = " ".join(sentences(pd.DataFrame([SIGNAL | change]), pd.DataFrame([PROMISE])))
    assert said in text


NONE = estimated("found_broken", math.nan, math.nan, math.nan)
ALONE = {"baseline": "", "n_broken": 0}
UNKNOWN = estimated("found", math.nan, math.nan, math.nan)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {},
            "tesseract, clean breaks 30 that are right with gt, clean; among the 10 % that look "
            "most like broken ones are 33 % of them (95 % CI 20 % to 50 %).",
        ),
        (NONE, "with gt, clean, too few to say which ones look broken."),
        (ALONE, "40 % are wrong with tesseract, clean; among the 10 % least sure are 21 % of them"),
        (ALONE | UNKNOWN, "40 % are wrong with tesseract, clean; to say which takes 10 documents"),
    ],
)
def test_the_verdict_says_what_is_broken_or_wrong(change, said):
    verdict = verdict_of(pd.DataFrame([SIGNAL | change]))
    assert verdict.startswith("300 answers on 40 documents: ")
    assert said in verdict


def test_the_verdict_names_the_condition_that_breaks_most():
    worse = SIGNAL | {"knowledge_base": "tesseract, semantic severe", "n_broken": 50}
    verdict = verdict_of(pd.DataFrame([SIGNAL, worse]))
    assert "tesseract, semantic severe breaks the most, 50 that" in verdict


def test_settings_that_differ_are_named_and_those_of_all_signals_are_printed():
    confident = SIGNAL | {"signal": CONFIDENT} | estimated("found_broken", 0.1, 0.0, 0.2)
    other = SIGNAL | {"reader": "llm", "n_broken": 7}
    signals = pd.DataFrame([confident, SIGNAL, other])
    table = conditions_table(signals, pd.DataFrame())
    assert [row[0] for row in table.rows] == [
        "tesseract, clean, extractive",
        "tesseract, clean, llm",
    ]
    assert table.rows[0][2:4] == ["30", "33 % [20 %, 50 %]"]
    assert table.rows[1][2] == "7"


def test_the_table_has_the_smallest_promise_that_could_be_made():
    impossible = PROMISE | {"risk": 0.05, "has_threshold": False}
    looser = PROMISE | {"risk": 0.5}
    signals = pd.DataFrame([SIGNAL])
    table = conditions_table(signals, pd.DataFrame([impossible, looser, PROMISE]))
    assert table.header[-1] == "promise"
    assert table.rows[0][-1] == "20 % is kept"
    assert len(conditions_table(signals, pd.DataFrame([impossible])).header) == 5


def test_without_a_baseline_the_table_finds_wrong_answers():
    table = conditions_table(pd.DataFrame([SIGNAL | ALONE]), pd.DataFrame())
    assert list(table.rows[0]) == ["tesseract, clean", "40 %", "21 % [15 %, 28 %]"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, "at most 20 % wrong, promised on gt, clean: is kept (0.12"),
        (estimated("noisy_risk", 0.3, 0.25, 0.4), "is broken"),
        (estimated("noisy_risk", 0.19, 0.1, 0.25), "may be kept"),
        ({"has_threshold": False}, "no threshold keeps it"),
    ],
)
def test_a_sentence_says_whether_the_promise_holds(change, said):
    text = " ".join(sentences(pd.DataFrame([SIGNAL]), pd.DataFrame([PROMISE | change])))
    assert said in text


def test_the_table_has_the_auroc_of_broken_answers_with_its_interval():
    assert broken_cell(estimated("broken", 0.8, 0.7, 0.9)) == "0.800 [0.700, 0.900]"
    assert broken_cell(estimated("broken", math.nan, math.nan, math.nan)) == "-"


def test_the_predicted_quality_of_the_page_that_was_found_is_read(tmp_path: Path) -> None:
    """In the columns in which ``quality.csv`` is written; its pages count from 1."""
    assert PREDICTED in TARGETS
    (tmp_path / "quality.csv").write_text(
        f"engine,document,page,{PREDICTED}\ntesseract,law/a,1,0.3\ntesseract,law/a,2,0.9\n"
    )
    frame = pd.DataFrame(
        {
            "engine": ["tesseract", "tesseract", "gt"],
            "hit_doc": ["law/a", None, "law/a"],
            "hit_page": [1, np.nan, 0],
        }
    )
    values = _quality(cast(StudyRun, SimpleNamespace(path=tmp_path)), frame)
    assert values.iloc[0] == pytest.approx(0.1)
    assert values.iloc[1:].isna().all()
