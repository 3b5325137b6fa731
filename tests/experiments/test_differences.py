"""What a run lost: against which baseline, in which family, with which interval."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from ohr.analysis.comparison.differences import add_paired_intervals, run_differences
from ohr.analysis.comparison.differences_report import (
    differences_lines,
    differences_table,
    report_differences,
)
from ohr.analysis.comparison.table import comparisons
from ohr.analysis.curves import verdict
from ohr.analysis.curves.verdict import clean_sentences, sentences
from ohr.display.labels import shown_measures
from ohr.report.verdict import verdict_bars
from ohr.study.baselines import BOTH, ENGINE, NOISE
from ohr.study.output.cells import aggregate
from ohr.study.results import StudyRun

CLEAN = {"noise": "none", "perturbation": "none", "level": "", "intensity": 0.0}
SEVERE = {"noise": "semantic", "perturbation": "semantic", "level": "severe", "intensity": 1.0}


def read_by(run: StudyRun, **engines: float) -> StudyRun:
    """As if engines had kept so much of each score on clean pages, and of that under noise."""
    clean = run.drawn[run.drawn["noise"] == "none"]
    noisy = run.drawn[run.drawn["level"] == "severe"]
    parts = [clean.assign(engine="gt")]
    for engine, kept in engines.items():
        parts.append(clean.assign(engine=engine, value=clean["value"] * kept))
        parts.append(noisy.assign(engine=engine, value=noisy["value"] * kept, **SEVERE))
    return make_run(run, pd.concat(parts, ignore_index=True))


def make_run(run: StudyRun, drawn: pd.DataFrame) -> StudyRun:
    cells = aggregate(drawn)
    for column in ("mean", "ci_low", "ci_high", "n", "r_noise"):
        cells[column] = pd.to_numeric(cells[column])
    cells.attrs = dict(run.cells.attrs)
    return StudyRun(run.path, run.manifest, cells).cache_values(drawn=drawn)


@pytest.fixture(scope="module")
def run(formatting_run) -> StudyRun:
    return read_by(formatting_run, tesseract=0.9)


def select(differences: pd.DataFrame, other: str, stage: str = "overall") -> pd.Series:
    rows = differences[(differences["other"] == other) & (differences["stage"] == stage)]
    return rows.iloc[0]


@pytest.mark.slow
def test_losses_are_split_into_the_engines_and_the_noises(run):
    differences = run_differences(run)
    engine, noise = (
        select(differences, "tesseract, clean"),
        select(differences, "tesseract, semantic severe"),
    )
    assert (engine["part"], engine["baseline"]) == (ENGINE, "gt, clean")
    assert (noise["part"], noise["baseline"]) == (NOISE, "tesseract, clean")
    both = comparisons([run], "knowledge_base", [("overall", "f1")], baseline="gt, clean")
    whole = select(both, "tesseract, semantic severe")
    assert engine["difference"] + noise["difference"] == pytest.approx(whole["difference"])
    assert noise["difference"] < 0 < noise["excluded"]


@pytest.mark.slow
def test_without_the_engines_clean_pages_the_parts_are_one(run):
    rows = run.drawn
    unread = (rows["engine"] == "tesseract") & (rows["noise"] == "none")
    differences = run_differences(make_run(run, rows[~unread]))
    noise = select(differences, "tesseract, semantic severe")
    assert (noise["part"], noise["baseline"]) == (BOTH, "gt, clean")


@pytest.mark.slow
def test_without_the_truth_there_is_noise_alone(run):
    differences = run_differences(make_run(run, run.drawn[run.drawn["engine"] != "gt"]))
    assert set(differences["part"]) == {NOISE}


def test_one_knowledge_base_loses_nothing(run):
    alone = make_run(run, run.drawn[run.drawn["engine"] == "gt"])
    assert run_differences(alone).empty
    assert add_paired_intervals(alone.cells, run_differences(alone))["ci_low"].equals(
        alone.cells["ci_low"]
    )


@pytest.mark.slow
@pytest.mark.slow
def test_a_benchmark_leads_with_the_engine_that_loses_most(formatting_run):
    several = read_by(formatting_run, rapidocr=0.95, tesseract=0.7)
    first, second, size = clean_sentences(several)
    assert first.startswith("tesseract: of a retrieval LCS of ")
    assert "on the true text, clean pages cost 0." in first
    assert second.startswith("rapidocr: ")
    assert "questions on" in size
    alone = make_run(several, several.drawn[several.drawn["engine"] != "gt"])
    assert clean_sentences(alone) == []


def test_what_cannot_be_compared_is_said(run, capsys):
    rows = run.drawn
    law = rows["domain"] == "law"
    apart = rows[((rows["engine"] == "gt") & law) | ((rows["engine"] != "gt") & ~law)]
    only_clean = make_run(run, apart[apart["noise"] == "none"])
    report_differences(only_clean, run_differences(only_clean))
    assert capsys.readouterr().out.startswith("no differences: no two conditions")


@pytest.mark.slow
def test_p_is_corrected_over_a_measures_comparisons(run):
    differences = run_differences(run, groups=True)
    for _, family in differences.groupby(["stage", "metric", "family"]):
        assert (family["family_size"] >= len(family)).all()
        assert (family["p_adjusted"] >= family["p"]).all()
    assert set(differences["family"]) == {
        "engines on clean pages",
        "engines on clean pages, groups of questions",
        "noise",
        "noise, groups of questions",
    }


@pytest.mark.slow
def test_a_star_never_stands_beside_an_interval_that_holds_0(run):
    differences = run_differences(run, groups=True).dropna(subset=["ci_low"])
    excluded = (differences["ci_low"] > 0) | (differences["ci_high"] < 0)
    assert (excluded == (differences["p_adjusted"] <= 0.05)).all()
    assert excluded.any()
    assert not excluded.all()


@pytest.mark.slow
def test_bars_are_the_paired_changes(run):
    cells = add_paired_intervals(run.cells, run_differences(run))
    everyone = cells[(cells["group"] == "all") & (cells["stage"] == "overall")]
    everyone = everyone[everyone["metric"] == "f1"]
    truth = everyone[everyone["engine"] == "gt"]
    assert truth["ci_low"].isna().all()
    noisy = everyone[everyone["noise"] != "none"].iloc[0]
    change = select(run_differences(run), "tesseract, semantic severe")
    assert noisy["ci_low"] <= noisy["mean"] <= noisy["ci_high"]
    assert noisy["ci_high"] - noisy["ci_low"] == pytest.approx(change["ci_high"] - change["ci_low"])
    assert noisy["p_adjusted"] == change["p_adjusted"]


def table_of(run: StudyRun) -> tuple[list[list[str]], str]:
    differences, metrics = run_differences(run), shown_measures(run.cells)
    table = differences_table(differences, metrics)
    columns = [[str(cell) for cell in column.cells] for column in table.columns]
    return columns, "\n".join(differences_lines(differences, metrics))


@pytest.mark.slow
def test_the_table_names_part_baseline_and_family(run):
    columns, caption = table_of(run)
    assert columns[0].count(f"{ENGINE}:") == columns[0].count(f"{NOISE}:") == 1
    assert "tesseract, semantic severe\nminus tesseract, clean" in columns[0]
    assert f"{NOISE}: change from the same engine's clean pages" in caption
    assert "intervals and p by sign flips" in caption
    assert "of engines on clean pages, and its " in " ".join(caption.split())
    assert any("* p " in cell for cell in columns[-1])


@pytest.mark.slow
def test_few_documents_show_nothing_and_say_so(run):
    first = list(dict.fromkeys(run.drawn["doc_id"]))[:4]
    columns, caption = table_of(make_run(run, run.drawn[run.drawn["doc_id"].isin(first)]))
    assert (
        "nothing can be shown with 4 documents: the smallest possible p is 0.125; use 6" in caption
    )
    assert "further documents like these" in caption
    assert "*" not in "".join(columns[-1])


@pytest.mark.slow
def test_the_verdict_has_the_loss_on_clean_pages_and_the_noise_on_top(run):
    first, setting, size, *_ = sentences(run, "r_noise")
    assert setting.startswith("These figures are with tokens, bm25, 2 hits, ")
    assert setting.endswith("; the table has 1 other setting.")
    assert first.startswith("tesseract: of a retrieval LCS of ")
    full, _, short = first.partition(". Answer F1, right pages given: ")
    assert " on the true text, clean pages cost 0." in full
    assert " and semantic severe a further 0." in full
    assert "; answer F1, whole system: " in short
    assert short.count(" → ") == 4
    assert re.fullmatch(r"\d+ questions on \d+ documents\.", size)
    for name, cause in (("tesseract, clean", "clean pages"), (NOISY, "semantic severe")):
        row = select(run_differences(run), name, "retrieval")
        stated = re.search(rf"{cause} (?:cost|a further) ([.\d]+) \(([^)]*)\)", full)
        assert stated is not None
        assert float(stated[1]) == pytest.approx(-row["difference"], abs=0.0051)
        assert ("not significant" in stated[2]) == (row["p_adjusted"] > 0.05)


@pytest.mark.slow
def test_the_verdict_says_where_a_tenth_is_lost(run):
    last = sentences(run, "r_noise")[-1]
    lost = "tesseract has lost 10 % of its clean score at r_noise (default tokens) above "
    lost += "clean pages of 0."
    assert last.startswith((lost, "less than 10 % is lost of retrieval LCS"))


@pytest.mark.slow
def test_the_engine_that_loses_most_comes_first_and_the_ground_truth_last(run):
    rows = run.drawn
    noisy_truth = rows[rows["level"] == "severe"].assign(engine="gt", **SEVERE)
    worse = rows[rows["engine"] == "tesseract"].assign(engine="bad")
    worse = worse.assign(value=worse["value"] * 0.5)
    lines = sentences(make_run(run, pd.concat([rows, noisy_truth, worse])), "r_noise")
    assert [line.partition(":")[0] for line in lines[:3]] == ["bad", "tesseract", "gt"]
    assert lines[2].startswith("gt: of a retrieval LCS of ")
    assert "clean pages" not in lines[2]
    assert "no test compares them here." in lines[4]


@pytest.mark.slow
def test_with_more_curves_the_verdict_names_the_others(run):
    lines = sentences(twice(run, "a", "b", "c", "d"), "r_noise")
    others = next(line for line in lines if line.startswith("They lose less"))
    assert others.count(" under semantic severe") == 1


@pytest.mark.slow
def test_without_ground_truth_the_verdict_has_the_noise_alone(run):
    alone = make_run(run, run.drawn[run.drawn["engine"] != "gt"])
    first = sentences(alone, "r_noise")[0]
    assert " on clean pages, semantic severe costs 0." in first


@pytest.mark.slow
def test_with_few_documents_the_verdict_says_that_nothing_can_be_shown(run):
    few = list(dict.fromkeys(run.drawn["doc_id"]))[:4]
    small = make_run(run, run.drawn[run.drawn["doc_id"].isin(few)])
    first = sentences(small, "r_noise")[0]
    assert "(nothing can be shown: 4 documents: the smallest possible p is 0.125)" in first
    assert "significant" not in first


NOISY = "tesseract, semantic severe"


def twice(run: StudyRun, *engines: str) -> StudyRun:
    """As if further engines had read what tesseract read."""
    drawn = run.drawn.assign(engine=run.drawn["engine"].astype(str))
    own = drawn[drawn["engine"] == "tesseract"]
    return make_run(run, pd.concat([drawn, *(own.assign(engine=name) for name in engines)]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("difference", "higher_is_better", "text"),
    [
        (-0.2, True, "semantic severe a further 0.20 (0.10 to 0.30)"),
        (0.2, True, "semantic severe gains 0.20 (0.10 to 0.30)"),
        (0.2, False, "semantic severe a further 0.20 (0.10 to 0.30)"),
    ],
)
def test_a_gain_is_no_loss_and_less_may_be_better(
    run, monkeypatch, difference, higher_is_better, text
):
    table = run_differences(run)
    table = table[table["metric"] == "lcs"].assign(
        ci_low=difference - 0.1,
        ci_high=difference + 0.1,
        p_adjusted=0.01,
        higher_is_better=higher_is_better,
    )
    clean = table["other"] == "tesseract, clean"
    loss = -0.2 if higher_is_better else 0.2
    table.loc[clean, ["difference", "ci_low", "ci_high"]] = [loss, loss - 0.1, loss + 0.1]
    table.loc[~clean, "difference"] = difference
    monkeypatch.setattr(verdict, "run_differences", lambda run: table)
    first = sentences(run, "r_noise")[0]
    assert "clean pages cost 0.20 (95 % CI 0.10 to 0.30)" in first
    assert text in first
    assert "not significant" not in first


@pytest.mark.parametrize(
    ("r_noise", "message"),
    [
        (0.1, "No noise raised the r_noise (default tokens) above that of the clean pages."),
        (float("nan"), "No noise was measured"),
    ],
)
def test_without_noise_the_sentence_says_so(run, r_noise, message):
    cells = run.cells.assign(r_noise=r_noise)
    cells.attrs = dict(run.cells.attrs)
    quiet = StudyRun(run.path, run.manifest, cells).cache_values(drawn=run.drawn)
    assert sentences(quiet, "r_noise")[0].startswith(message)


@pytest.mark.slow
def test_the_verdict_of_a_report_is_drawn_as_bars(formatting_run):
    several = read_by(formatting_run, rapidocr=0.95, tesseract=0.7)
    [engine] = verdict_bars(several)
    assert engine["name"].startswith("tesseract under semantic severe")  # loses most
    titles = [measure["title"] for measure in engine["measures"]]
    assert titles == ["Retrieval LCS", "Answer F1, right pages given", "Answer F1, whole system"]
    for measure in engine["measures"]:
        names = [bar["name"] for bar in measure["bars"]]
        assert names == ["the true text", "clean pages", "semantic severe"]
        widths = [float(bar["width"]) for bar in measure["bars"]]
        assert 0 <= widths[2] <= widths[1] < widths[0] <= 100
        assert [bar["is_lost"] for bar in measure["bars"]] == [False, False, True]
    clean = make_run(several, several.drawn[several.drawn["noise"] == "none"])
    assert verdict_bars(clean) == []
