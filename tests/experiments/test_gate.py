"""The gate of ``ohr analyse compare --fail-if``."""

from __future__ import annotations

import math
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.analyse_compare import main
from ohr.analysis.comparison.gate import (
    FailIf,
    Verdict,
    check,
    parse_conditions,
    smallest_margin_lines,
    unpaired_lines,
)
from ohr.errors import ConfigError
from ohr.statistics.numbers import number
from ohr.store.csv import write_csv
from ohr.study.results import StudyRun, open_run, recompute_cells
from ohr.study.run import run_study
from tests.boards import write_rows
from tests.builders import CliRunner, load_config, write_corpus

LCS = "retrieval:lcs"


def gate(runs, *conditions: str, more=()):
    arguments = [str(run.path) for run in runs]
    for condition in conditions:
        arguments += ["--fail-if", condition]
    return CliRunner().invoke(main, [*arguments, *more], env={"COLUMNS": "200"})


def change_lcs(run: StudyRun, path: Path, lcs: Callable[[int], float]) -> StudyRun:
    """The run in another folder, with this retrieval LCS for the questions of each document."""
    shutil.copytree(run.path, path, copy_function=shutil.copyfile)
    rows = pd.read_parquet(path / "rows.parquet")
    here = (rows["stage"] == "retrieval") & (rows["metric"] == "lcs")
    numbers = rows.loc[here, "doc_id"].astype(str).str.extract(r"(\d+)$")[0].astype(int)
    rows.loc[here, "value"] = numbers.map(lcs)
    write_rows(path, rows)
    write_csv(path / "cells.csv", recompute_cells(path))
    return open_run(path)


@pytest.fixture(scope="module")
def run_pair(benchmark_runs, tmp_path_factory) -> tuple[StudyRun, StudyRun]:
    """The new run loses .2 on average, in some of the twelve documents more than in others."""
    root = tmp_path_factory.mktemp("gate")
    old = change_lcs(benchmark_runs[0], root / "old", lambda document: 0.8)
    new = change_lcs(benchmark_runs[0], root / "new", lambda document: 0.5 + 0.1 * (document % 3))
    return old, new


def limit_documents(run: StudyRun, number: int) -> StudyRun:
    """The run with so many of its documents."""
    documents = sorted(set(run.rows["doc_id"]))[:number]
    rows = run.rows[run.rows["doc_id"].isin(documents)]
    return StudyRun(run.path, run.manifest, run.cells).cache_values(drawn=rows)


@pytest.mark.slow
def test_a_loss_beyond_the_margin_fails_and_a_gain_passes(run_pair, tmp_path):
    lost = gate(run_pair, f"{LCS} < -0.02", more=["--out", str(tmp_path)])
    assert lost.exit_code == 1, lost.output
    lines = [line for line in lost.stdout.splitlines() if line.startswith("failed: ")]
    assert len(lines) == 2  # of the two engines
    assert re.match(
        r"failed: retrieval:lcs < -0\.02: −0\.200 \[−0\.2\d\d, −0\.1\d\d\]; "
        r"new less old \(gt, clean, tokens, bm25, 1\); n = 48, 12 documents$",
        lines[0],
    )
    assert "2 intervals over documents, at 95 % together" in lost.stdout
    table = pd.read_csv(tmp_path / "gate.csv")
    assert list(table["verdict"]) == ["failed", "failed"]
    assert (table["ci_high"] < -0.02).all()
    gained = gate(run_pair[::-1], f"{LCS} < -0.02")
    assert gained.exit_code == 0, gained.output
    assert gained.stdout.count("passed: ") == 2
    assert "the gate: passed on 12 documents: a loss that hits fewer than 22 %" in gained.stdout


@pytest.mark.slow
def test_a_loss_that_may_be_within_the_margin_is_not_decided(run_pair):
    done = gate(run_pair, f"{LCS} < -0.19")
    assert done.exit_code == 0, done.output
    assert done.stdout.count("not decided: ") == 2


@pytest.mark.slow
def test_a_failure_beside_what_passed_fails(run_pair):
    done = gate(run_pair, "retrieval:page_not_found > 0.02", f"{LCS} < -0.02")
    assert done.exit_code == 1
    verdicts = re.findall("^(passed|failed): ", done.stdout, re.MULTILINE)
    assert verdicts == ["passed", "passed", "failed", "failed"]


def test_within_one_run(benchmark_runs):
    done = gate(benchmark_runs[:1], f"{LCS} < -0.02", more=["--by", "engine"])
    assert done.exit_code == 1, done.output  # a third of their pages are rubbish
    assert "precomputed:theirs less gt (tokens, bm25, 1); n = 48" in done.stdout
    assert "the gate: a 95 % interval over documents" in done.stdout


def test_more_conditions_narrow_no_interval(run_pair):
    alone = check(run_pair, "run", [FailIf.parse(f"{LCS} < 0")])
    conditions = [FailIf.parse(text) for text in (f"{LCS} < 0", "retrieval:page_not_found > 0")]
    both = check(run_pair, "run", conditions)
    assert both[0].high >= alone[0].high
    assert both[0].difference == alone[0].difference


def test_a_metric_that_one_run_lacks_cannot_pass(benchmark_runs):
    done = gate(benchmark_runs, "retrieval:hit@1 < -0.02")
    assert done.exit_code == 2, done.output


def test_two_documents_decide_nothing(run_pair):
    few = [limit_documents(run, 2) for run in run_pair]
    for result in check(few, "run", [FailIf.parse(f"{LCS} < -0.02")]):
        assert result.verdict is Verdict.NOT_DECIDED
        assert math.isnan(result.low)
        assert "no interval: 2 documents, and it takes 3" in result.line


def test_what_counts_on_one_side_only_is_said(benchmark_runs):
    one, two = benchmark_runs
    results = check([one, limit_documents(two, 9)], "run", [FailIf.parse(f"{LCS} < -0.02")])
    assert {result.n_unpaired for result in results} == {12}
    assert "12 count on one side only" in results[0].line


def test_conditions_without_a_partner_are_said(benchmark_runs):
    one, two = benchmark_runs
    rows = two.rows[two.rows["engine"] == "gt"]
    only = StudyRun(two.path, two.manifest, two.cells).cache_values(drawn=rows)
    results = check([one, only], "run", [FailIf.parse(f"{LCS} < -0.02")])
    assert unpaired_lines([one, only], results) == [
        "note: conditions with retrieval:lcs: 2 in one, 1 in two; pairs that were checked: 1"
    ]
    assert unpaired_lines([one, two], check([one, two], "run", [FailIf.parse(f"{LCS} < 0")])) == []


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("retrieval:hits@2 < -0.02", "no metric 'retrieval:hits@2' in these runs; did you mean"),
        ("hit@2 -0.02", "is no condition: write STAGE:METRIC < MARGIN"),
        ("retrieval:lcs = -0.02", "is no condition"),
        ("retrieval:lcs < much", "is no condition"),
        ("retrieval:lcs < -2", "the margin must lie in [-1, 1]"),
        ("retrieval:lcs > 0.02", "describes a gain: more is better in lcs, so a loss is '<'"),
        ("retrieval:lcs < 0.02", "write 'retrieval:lcs < -0.02' for a loss of 0.02"),
        ("ocr:edit_distance > -0.02", "write 'ocr:edit_distance > 0.02' for a loss of 0.02"),
        ("ocr:edit_distance < -0.02", "less is better in edit_distance, so a loss is '>'"),
    ],
)
def test_a_condition_that_means_nothing_is_a_usage_error(benchmark_runs, condition, message):
    done = gate(benchmark_runs, f"{LCS} < -0.02", condition)
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


@given(
    st.floats(-1, 1),
    st.tuples(st.floats(-1, 1), st.floats(-1, 1)).map(sorted),
    st.sampled_from("<>"),
)
def test_verdicts_follow_from_the_interval(margin, ends, sign):
    low, high = ends
    verdict = FailIf("ocr", "wer", sign, margin).verdict(low, high)
    beyond = [end < margin if sign == "<" else end > margin for end in ends]
    assert (verdict is Verdict.FAILED) == all(beyond)
    assert (verdict is Verdict.PASSED) == (not any(beyond))


def changed(run: StudyRun, root: Path, changes: list[float]) -> list[StudyRun]:
    """A run whose retrieval LCS is .5, and one with each document's changed by so much."""
    old = change_lcs(run, root / "old", lambda document: 0.5)
    return [old, change_lcs(run, root / "new", lambda document: 0.5 + changes[document])]


@pytest.mark.slow
def test_runs_that_are_equal_everywhere_pass_with_any_margin(benchmark_runs, tmp_path):
    pair = changed(benchmark_runs[0], tmp_path, [0.0] * 12)
    for result in check(pair, "run", [FailIf.parse(f"{LCS} < -0.001")]):
        assert result.verdict is Verdict.PASSED
        assert "passed: retrieval:lcs < -0.001: 0.000 on every question; " in result.line


@pytest.mark.slow
def test_one_bad_document_of_twelve_keeps_a_gate_from_passing(benchmark_runs, tmp_path):
    pair = changed(benchmark_runs[0], tmp_path, [-0.45] + [0.0] * 5 + [0.01] * 6)
    [first, *_] = check(pair, "run", [FailIf.parse(f"{LCS} < -0.12")])
    assert first.low > -0.12, "the interval itself is within the margin"
    assert first.verdict is Verdict.NOT_DECIDED


def test_five_documents_exclude_nothing_and_the_line_says_so(run_pair):
    few = [limit_documents(run, 5) for run in run_pair]
    for result in check(few, "run", [FailIf.parse(f"{LCS} < -0.02")]):
        assert result.verdict is Verdict.NOT_DECIDED
        assert "5 documents: the smallest possible p is 0.063" in result.line


def test_signs_and_spaces_of_conditions():
    parsed = FailIf.parse(" retrieval:hit@2<−0.02 ")
    assert parsed == FailIf("retrieval", "hit@2", "<", -0.02)
    assert FailIf.parse(str(parsed)) == parsed
    with pytest.raises(ConfigError):
        FailIf.parse("")


@pytest.mark.slow
def test_not_decided_fails_where_it_is_asked_for(run_pair):
    undecided = gate(run_pair, f"{LCS} < -0.19", more=["--fail-undecided"])
    assert undecided.exit_code == 1, undecided.output
    passed = gate(run_pair[::-1], f"{LCS} < -0.02", more=["--fail-undecided"])
    assert passed.exit_code == 0, passed.output
    alone = gate(run_pair, more=["--fail-undecided"])
    assert alone.exit_code == 2
    assert "--fail-undecided is for the conditions of --fail-if" in alone.stderr


def test_the_margin_that_is_named_would_pass(run_pair):
    [first, *_] = check(run_pair, "run", [FailIf.parse(f"{LCS} < -0.19")])
    assert first.verdict is Verdict.NOT_DECIDED
    assert f"would pass < {number(first.passes_at)}" in first.line
    for margin, verdict in (
        (first.passes_at, Verdict.PASSED),
        (first.passes_at + 0.001, Verdict.NOT_DECIDED),
    ):
        [checked, *_] = check(run_pair, "run", [FailIf.parse(f"{LCS} < {margin}")])
        assert checked.verdict is verdict, margin


def test_from_the_smallest_margin_on_a_change_without_a_loss_passes(benchmark_runs, tmp_path):
    spread = [0.02 * (document % 3 - 1) for document in range(12)]  # nothing is lost on average
    pair = changed(benchmark_runs[0], tmp_path, spread)
    [first, *_] = check(pair, "run", [FailIf.parse(f"{LCS} < -0.001")])
    assert 0 < first.smallest < 0.1
    assert first.smallest == pytest.approx(-first.passes_at, abs=0.0011)
    [line] = smallest_margin_lines([first])
    assert f"these 12 documents can decide is −{number(first.smallest)}" in line
    [checked, *_] = check(pair, "run", [FailIf.parse(f"{LCS} < {-first.smallest - 0.001}")])
    assert checked.verdict is Verdict.PASSED


def test_too_few_documents_decide_no_margin(run_pair):
    few = [limit_documents(run, 5) for run in run_pair]
    checked = check(few, "run", [FailIf.parse(f"{LCS} < -0.02")])
    assert smallest_margin_lines(checked) == ["retrieval:lcs: 5 documents decide no margin"]


def test_a_condition_is_named_with_a_cut_off_and_without_a_stage(runs_of_two_cut_offs):
    [condition] = parse_conditions(["lcs@3 < -0.02"], runs_of_two_cut_offs)
    assert str(condition) == "retrieval:lcs@3 < -0.02"
    checked = check(runs_of_two_cut_offs, "knowledge_base", [condition])
    assert checked
    assert all("3)" in result.pair for result in checked)
    [of_hits] = parse_conditions(["hit@2 < -0.02"], runs_of_two_cut_offs)
    assert (of_hits.stage, of_hits.metric) == ("retrieval", "hit@2")


@pytest.fixture(scope="module")
def runs_of_two_cut_offs(tmp_path_factory):
    root = tmp_path_factory.mktemp("cut_offs")
    settings = [*write_corpus(root), "engines=[gt]", "noise=[formatting]", "levels=[severe]"]
    settings += ["stages=[ocr,retrieval]", "metrics=[lcs,hit]", "ks=[3]"]
    return [run_study(load_config([*settings, f"cache={root / 'cache'}"]), root / "run")]
