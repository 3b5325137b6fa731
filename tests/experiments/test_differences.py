"""What a run lost: against which baseline, in which family, with which interval."""

from __future__ import annotations

import pandas as pd
import pytest

from ohr.analysis.comparison.differences import add_paired_intervals, run_differences
from ohr.analysis.comparison.differences_report import (
    differences_lines,
    differences_table,
    p_text,
    report_differences,
)
from ohr.analysis.comparison.table import comparisons
from ohr.analysis.curves import study_report
from ohr.analysis.curves.study_report import sentences
from ohr.display.labels import shown_measures
from ohr.display.settings import settings_of
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
    assert "tesseract, semantic severe\nless tesseract, clean" in columns[0]
    assert f"{NOISE}: less the same engine's clean pages" in caption
    assert "intervals and p by sign flips" in caption
    assert "of engines on clean pages, and its " in " ".join(caption.split())
    assert any("*" in cell and ", none over" not in cell for cell in columns[-1])


@pytest.mark.slow
def test_few_documents_show_nothing_and_say_so(run):
    first = list(dict.fromkeys(run.drawn["doc_id"]))[:4]
    columns, caption = table_of(make_run(run, run.drawn[run.drawn["doc_id"].isin(first)]))
    assert (
        "nothing can be shown with 4 documents: the smallest possible p is .125; use 6" in caption
    )
    assert "further documents like these" in caption
    assert "*" not in "".join(columns[-1])
    assert "none over" not in "".join(columns[-1]), "nothing is excluded"


@pytest.mark.slow
def test_the_sentences_say_what_noise_costs_where_quality_breaks_and_what_is_not_shown(run):
    lines = sentences(run, "r_noise")
    assert 1 <= len(lines) <= 3
    assert lines[0].startswith("Under semantic severe (r_noise .")
    assert " on clean pages), tesseract " in lines[0]
    assert lines[1].startswith(
        "Where 10 % of the clean score is lost (r_noise above clean pages): Retrieval LCS "
    )
    for row in differences_of(run, "tesseract, semantic severe").itertuples():
        where = lines[0] if row.p_adjusted <= 0.05 else lines[-1]
        assert TITLES[row.stage, row.metric] in where


@pytest.mark.slow
def test_with_two_engines_the_sentences_name_both_and_compare_none(run):
    both = twice(run, "rapidocr")
    first, second, *last = sentences(both, "r_noise")
    assert len(last) <= 1
    assert first.startswith("Under semantic severe, with tokens, bm25, 2 hits, ")
    assert ", tesseract (r_noise ." in first
    assert first.endswith("; engines are not compared with each other here.")
    assert first.count(" on clean pages) ") == 2
    assert "other curve" not in first
    assert "(r_noise above clean pages): for tesseract, Retrieval LCS " in second
    assert "; for rapidocr, Retrieval LCS " in second
    setting = settings_of(both.cells)[0]
    differences = setting.select(differences_of(both, "rapidocr, semantic severe"))
    assert len(differences) == len(TITLES)
    of_other = first.partition("; rapidocr (r_noise .")[2]
    for row in differences[differences["p_adjusted"] <= 0.05].itertuples():
        assert f"of {TITLES[row.stage, row.metric]} (" in of_other
        assert f"p {p_text(row.p_adjusted)})" in of_other


@pytest.mark.slow
def test_with_five_engines_the_sentences_name_the_first_and_count_the_others(run):
    first, *_ = sentences(twice(run, "a", "b", "c", "d"), "r_noise")
    assert first.startswith("Under semantic severe (r_noise .")
    assert first.endswith("; the table has 4 other curves.")


def twice(run: StudyRun, *engines: str) -> StudyRun:
    """As if further engines had read what tesseract read."""
    drawn = run.drawn.assign(engine=run.drawn["engine"].astype(str))
    own = drawn[drawn["engine"] == "tesseract"]
    return make_run(run, pd.concat([drawn, *(own.assign(engine=name) for name in engines)]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("difference", "higher_is_better", "sentence"),
    [
        (-0.2, True, "tesseract loses .200 of Retrieval LCS (95 % interval .100 to .300, p .010)"),
        (0.2, True, "tesseract gains .200 of Retrieval LCS (95 % interval .100 to .300, p .010)"),
        (0.2, False, "tesseract loses .200 of Retrieval LCS (95 % interval .100 to .300, p .010)"),
    ],
)
def test_a_gain_is_no_loss_and_less_may_be_better(
    run, monkeypatch, difference, higher_is_better, sentence
):
    table = differences_of(run, "tesseract, semantic severe")
    table = table[table["metric"] == "lcs"].assign(
        difference=difference,
        ci_low=difference - 0.1,
        ci_high=difference + 0.1,
        p_adjusted=0.01,
        higher_is_better=higher_is_better,
    )
    monkeypatch.setattr(study_report, "run_differences", lambda run: table)
    first = sentences(run, "r_noise")[0]
    assert sentence in first
    assert "Not significant" not in first


def differences_of(run: StudyRun, other: str) -> pd.DataFrame:
    table = run_differences(run)
    keys = pd.Series(list(zip(table["stage"], table["metric"], strict=True)), table.index)
    return table[(table["other"] == other) & keys.isin(list(TITLES))]


TITLES = {
    ("retrieval", "lcs"): "Retrieval LCS",
    ("generation", "f1"): "Generation F1",
    ("overall", "f1"): "Overall F1",
}


@pytest.mark.parametrize(
    ("r_noise", "message"),
    [
        (0.1, "No noise raised the r_noise of tesseract above that of the clean pages."),
        (float("nan"), "No noise was measured"),
    ],
)
def test_without_noise_the_sentence_says_so(run, r_noise, message):
    cells = run.cells.assign(r_noise=r_noise)
    cells.attrs = dict(run.cells.attrs)
    quiet = StudyRun(run.path, run.manifest, cells).cache_values(drawn=run.drawn)
    assert sentences(quiet, "r_noise")[0].startswith(message)
