from __future__ import annotations

import math
import re
import shutil

import pandas as pd
import pytest

from experiments import analyse_curves as curve_statistics
from experiments import analyse_errors as error_analysis
from experiments.analyse_compare import main
from ohr.analysis.comparison.configurations import configuration_changes
from ohr.analysis.comparison.table import compare, comparisons, metrics_of
from ohr.errors import OhrError
from ohr.study.results import StudyRun, open_run, rows_of
from ohr.study.run import run_study
from tests.builders import CliRunner, load_config, write_corpus

LCS, F1 = ("retrieval", "lcs"), ("overall", "f1")


def test_knowledge_bases_of_one_run(benchmark_runs):
    run = benchmark_runs[1]
    found = comparisons([run], "knowledge_base", [("ocr", "r_noise"), F1])
    assert list(found["metric"]) == ["r_noise", "f1", "f1"]  # two readers
    assert set(found["baseline"]) == {"gt, clean"}
    assert set(found["other"]) == {"precomputed:theirs, clean"}
    noise = found.iloc[0]
    # A third of the pages are rubbish; the rest hold their evidence.
    assert (noise["baseline_mean"], noise["difference"]) == (0, pytest.approx(1 / 3))
    assert 0 < noise["ci_low"] < 1 / 3 < noise["ci_high"]
    assert noise["ci_unit"] == "document"
    assert noise["cliffs_delta"] == pytest.approx(1 / 3)
    means = found.set_index("reader")["other_mean"]
    for reader in ("tests.fakes.FactReader", "tests.fakes.SteadyReader"):
        rows = rows_of(run.rows, *F1)
        mine = rows[(rows["reader"] == reader) & (rows["engine"] != "gt")]
        assert means[reader] == pytest.approx(mine["value"].mean())
    assert (found["p_adjusted"] >= found["p"]).all()


def test_the_parts_of_a_loss_are_compared_beside_it(benchmark_runs):
    usual = metrics_of([benchmark_runs[1]], parts=True)
    place = usual.index(LCS)
    parts = [("retrieval", "page_not_found"), ("retrieval", "text_missing")]
    assert usual[place + 1 : place + 3] == parts
    outcomes = metrics_of([benchmark_runs[1]])
    assert outcomes == [one for one in usual if one not in parts], "of what OCR scores predict"
    found = comparisons([benchmark_runs[1]], "knowledge_base", usual)
    change = found[found["stage"] == "retrieval"].set_index("metric")["difference"]
    assert list(change.index) == ["lcs", "page_not_found", "text_missing"]
    assert change["lcs"] < 0 < change["page_not_found"]
    assert change.sum() == pytest.approx(0, abs=1e-12)
    alone = comparisons([benchmark_runs[1]], "knowledge_base", [LCS])
    lcs = found[found["metric"] == "lcs"].reset_index(drop=True)
    pd.testing.assert_series_equal(
        lcs["p_adjusted"], alone["p_adjusted"]
    )  # the parts cost it nothing


def test_no_interval_of_a_difference_of_scores_leaves_its_range(benchmark_runs):
    run = benchmark_runs[1]
    documents = list(dict.fromkeys(run.rows["doc_id"]))[:3]
    few = StudyRun(run.path, run.manifest, run.cells).cache_values(
        drawn=run.rows[run.rows["doc_id"].isin(documents)]
    )
    found = comparisons([few], "knowledge_base", [("ocr", "r_noise"), LCS, F1], groups=("",))
    known_values = found.dropna(subset=["ci_low"])
    assert len(known_values)
    assert (known_values["ci_low"] >= -1).all()
    assert (known_values["ci_high"] <= 1).all()
    assert ((known_values["ci_low"] == -1) | (known_values["ci_high"] == 1)).any()


def test_groups_are_compared_on_their_own_questions(benchmark_runs):
    found = comparisons([benchmark_runs[1]], "knowledge_base", [LCS], groups=("",))
    by_group = found.set_index("group")["n"]
    assert by_group["all"] == 48
    assert by_group["domain:law"] == by_group["domain:manual"] == 24
    assert sum(n for group, n in by_group.items() if group.startswith("source:")) == 48


def test_runs_are_paired_across_what_was_changed(benchmark_runs):
    found = comparisons(list(benchmark_runs), "run", [LCS])
    assert list(found["engine"]) == ["gt", "precomputed:theirs"]
    assert set(found["other"]) == {"two"}
    assert found["top_k"].isna().all()  # each run has its own
    assert (found["protocol"] == "default").all()
    assert (found["difference"] >= 0).all()  # two chunks hold what one holds
    changes = configuration_changes(list(benchmark_runs))
    assert changes.to_dict("records") == [{"key": "config.top_k", "one": "1", "two": "2"}]


def test_any_aspect_and_any_baseline(benchmark_runs):
    found = comparisons([benchmark_runs[1]], "reader", [F1], baseline="tests.fakes.SteadyReader")
    assert set(found["other"]) == {"tests.fakes.FactReader"}
    turned = comparisons([benchmark_runs[1]], "reader", [F1])
    assert list(found["difference"]) == pytest.approx(list(-turned["difference"]))
    across = comparisons(list(benchmark_runs), "top_k", [LCS])
    assert set(across["baseline"]) == {"1"}


def test_only_questions_that_both_were_asked(benchmark_runs):
    one, two = benchmark_runs
    asked = sorted(set(two.rows["qid"]) - {""})[:30]
    fewer = StudyRun(two.path, two.manifest, two.cells).cache_values(
        drawn=two.rows[two.rows["qid"].isin(asked)]
    )
    found = comparisons([one, fewer], "run", [LCS])
    assert set(found["n"]) == {30}
    assert set(found["n_baseline_only"]) == {18}
    assert set(found["n_other_only"]) == {0}


@pytest.mark.parametrize(
    ("by", "baseline", "metric", "message"),
    [
        ("knowledge_base", "gt, dirty", LCS, "no knowledge_base 'gt, dirty'"),
        ("retriever", "", LCS, "no two conditions differ only by retriever"),
        ("engine", "", ("retrieval", "missing"), "none of these metrics was measured"),
    ],
)
def test_nothing_to_compare_says_why(benchmark_runs, by, baseline, metric, message):
    with pytest.raises(OhrError, match=message):
        comparisons([benchmark_runs[0]], by, [metric], baseline=baseline)


def test_the_published_protocol_keeps_its_denominators(benchmark_runs):
    run = benchmark_runs[0]
    rows = pd.read_parquet(run.path / "rows.parquet")
    rows["protocol"] = "reference"
    first = (rows["stage"] == "overall") & (rows["metric"] == "f1")
    rows["status"] = rows["status"].astype(str).where(~first, "empty")
    from ohr.study.results import counted_rows

    assert rows_of(counted_rows(rows), *F1).empty
    assert len(rows_of(counted_rows(rows), *LCS)) == len(rows_of(rows, *LCS))
    assert len(rows_of(counted_rows(rows.assign(protocol="default")), *F1)) == first.sum()


@pytest.mark.slow
def test_the_command_writes_tables_and_says_what_changed(benchmark_runs, tmp_path):
    one, two = (str(run.path) for run in benchmark_runs)
    done = CliRunner().invoke(main, [one, two, "--out", str(tmp_path), "--metric", "retrieval:lcs"])
    assert done.exit_code == 0, done.output
    assert "config.top_k: 1 -> 2" in done.output
    values = pd.read_csv(tmp_path / "differences.csv")
    assert list(values["n"]) == [48, 48]
    markdown = (tmp_path / "differences.md").read_text()
    assert (
        "change from one; paired by question; intervals and p by sign flips, for further"
        in markdown
    )
    assert markdown.count("\n| two |") == 2
    assert r"\begin{tabular}" in (tmp_path / "differences.tex").read_text()
    assert (tmp_path / "changes.csv").read_text().startswith("key,one,two\nconfig.top_k,1,2")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--by", "colour"], "unknown --by 'colour'"),
        (["--metric", "retrieval:missing"], "no metric 'retrieval:missing'"),
        (["nowhere"], "cannot read nowhere"),
    ],
)
def test_errors_are_one_line(benchmark_runs, arguments, message):
    done = CliRunner().invoke(main, [str(benchmark_runs[0].path), *arguments])
    assert done.exit_code == 2
    assert done.stderr.startswith("error: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("content", ["[1]", "3", '{"config": [1]}', '{"dataset": "x"}'])
def test_a_manifest_that_is_none(benchmark_runs, tmp_path, content):
    shutil.copytree(benchmark_runs[0].path, tmp_path / "run", copy_function=shutil.copyfile)
    (tmp_path / "run" / "manifest.json").write_text(content)
    with pytest.raises(OhrError, match=r"manifest\.json is not the manifest of a run"):
        open_run(tmp_path / "run")


def test_cells_that_are_none(benchmark_runs, tmp_path):
    shutil.copytree(benchmark_runs[0].path, tmp_path / "run", copy_function=shutil.copyfile)
    path = tmp_path / "run" / "cells.csv"
    cells = pd.read_csv(path, keep_default_na=False, dtype=str)
    for broken, message in (
        (cells.drop(columns=["ci_low"]), r"cells\.csv has no column 'ci_low'"),
        (cells.assign(mean="much"), r"cells\.csv: mean: .*much"),
    ):
        broken.to_csv(path, index=False)
        with pytest.raises(OhrError, match=message):
            open_run(tmp_path / "run")


@pytest.mark.slow
def test_cells_are_read_as_they_were_written(formatting_run):
    cells = open_run(formatting_run.path).cells
    assert cells["mean"].dtype == float
    assert set(cells["noise"]) == {"none", "formatting"}
    assert not any(math.isnan(n) for n in cells["n"])


@pytest.mark.slow
def test_what_has_no_score_that_counts_is_named(tmp_path):
    settings = [*write_corpus(tmp_path, documents=2, pages=2), "engines=[gt]", "bootstrap=100"]
    noise = "noise=[{name: tests.fakes.HideFacts, label: formatting}]"
    settings += ["readers=[tests.fakes.SilentReader]", noise, "intensities=[0.5,1]"]
    config = load_config([*settings, "scoring=reference", "workers=1"])
    run_study(config, tmp_path / "run")
    for module, said in ((main, "is left out"), (curve_statistics.main, "and no curve")):
        arguments = [str(tmp_path / "run"), "--out", str(tmp_path / "out")]
        done = CliRunner().invoke(module, arguments)
        assert done.exit_code == 0, done.output
        expected = "run: gt, formatting 1, tests.fakes.SilentReader (generation f1) has no score"
        assert expected in done.output
        assert said in done.output
    found = pd.read_csv(tmp_path / "out" / "differences.csv", keep_default_na=False)
    answers = found[(found["stage"] == "generation") & (found["group"] == "all")]
    assert list(answers["other"]) == ["gt, formatting 0.5"]


def test_unpaired_questions_are_counted_by_group(benchmark_runs):
    run = benchmark_runs[0]
    gone = (run.rows["engine"] != "gt") & (run.rows["evidence_source"] == "table")
    gone &= run.rows["qid"] == run.rows[gone]["qid"].iloc[-1]
    fewer = StudyRun(run.path, run.manifest, run.cells).cache_values(drawn=run.rows[~gone])
    found = comparisons([fewer], "knowledge_base", [LCS], groups=("",))
    missing = found.set_index("group")["n_baseline_only"]
    assert (missing["all"], missing["source:table"], missing["source:text"]) == (1, 1, 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("documents", "over"), [(1, "pages of these documents;"), (3, "documents;")]
)
def test_captions_name_the_method_and_the_units(documents, over, tmp_path):
    settings = write_corpus(tmp_path, documents=documents, pages=3)
    noise = "noise=[{name: tests.fakes.HideFacts, label: formatting}]"
    config = load_config(
        [*settings, "engines=[gt]", noise, "levels=severe", "readers=[tests.fakes.FactReader]"]
    )
    run_study(config, tmp_path / "run")
    run = str(tmp_path / "run")
    printed = CliRunner().invoke(main, [run]).output
    assert f"intervals and p by sign flips, for further {over}" in printed
    out = tmp_path / "errors"
    assert CliRunner().invoke(error_analysis.main, [run, "--out", str(out)]).exit_code == 0
    assert f"intervals for further {over[:-1]}" in (out / "error_analysis.md").read_text()


def test_a_difference_of_next_to_nothing_has_no_minus(benchmark_runs, monkeypatch):
    slightly = comparisons([benchmark_runs[1]], "knowledge_base", [F1]).iloc[:1]
    slightly = slightly.assign(difference=-1e-9, ci_low=-0.1, ci_high=-1e-9, cohens_dz=-1e-9)
    monkeypatch.setattr("ohr.analysis.comparison.report.comparisons", lambda *a, **k: slightly)
    done = CliRunner().invoke(main, [str(benchmark_runs[1].path)], env={"COLUMNS": "300"})
    assert done.exit_code == 0, done.output
    assert "+0.000" in done.stdout
    assert re.search(r"\[−0\.100, \+0\.000\]", done.stdout)
    assert "-0.000" not in done.stdout
    assert "-0.00 " not in done.stdout


@pytest.mark.slow
def test_metrics_are_named_with_their_cut_off_and_without_a_stage(tmp_path):
    settings = [*write_corpus(tmp_path), "engines=[gt]", "noise=[formatting]", "levels=[severe]"]
    settings += ["stages=[ocr,retrieval]", "metrics=[lcs@1,lcs@3,hit@5,r_noise]"]
    config = load_config([*settings, f"cache={tmp_path / 'cache'}"])
    assert [spec.name for spec in config.metrics] == ["lcs", "hit", "r_noise"]
    assert config.cutoffs == (2, 1, 3, 5)
    assert load_config(["metrics=[lcs@2]"]) == load_config(["metrics=[lcs]"])
    assert load_config(["metrics=hit@4"]).cutoffs == (2, 4)
    run = run_study(config, tmp_path / "run")
    both = compare([run], metrics=["retrieval:lcs", "hit@5"])
    assert set(both[both["metric"] == "lcs"]["top_k"].astype(int)) == {1, 2, 3, 5}
    one = compare([run], metrics=["lcs@3", "lcs@1", "hit@5"])
    assert set(one["metric"]) == {"lcs", "hit@5"}
    assert set(one[one["metric"] == "lcs"]["top_k"].astype(int)) == {1, 3}
    assert set(compare([run], metrics=["lcs@3", "lcs"])["top_k"].astype(int)) == {1, 2, 3, 5}
    assert set(compare([run], metrics=["r_noise"])["stage"]) == {"ocr"}
    for name, message in (
        ("lcs@4", "lcs has @1, @2, @3, @5"),
        ("hitt@5", "did you mean 'hit@5'"),
        ("retrieval:hitt@5", "did you mean 'retrieval:hit@5'"),
        ("r_noise@5", "no metric 'r_noise@5'"),
        ("hit@x", "no metric 'hit@x'"),
        ("", "no metric ''"),
    ):
        with pytest.raises(OhrError, match=message):
            compare([run], metrics=[name])
    for name, message in (
        ("hitt@5", "did you mean 'hit'"),
        ("r_noise@5", "scores evidence, not hits"),
        ("lcs@0", "'0' is no number of hits"),
    ):
        with pytest.raises(OhrError, match=message):
            load_config([f"metrics=[{name}]"])


def test_a_name_of_several_stages_needs_one(benchmark_runs):
    with pytest.raises(OhrError, match="write generation:f1 or overall:f1"):
        compare([benchmark_runs[1]], metrics=["f1"])
