"""Metrics of a study: built-in ones, those of one's own, and the cells that are taken of them."""

import json
from math import log2
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ohr
from ohr.analysis.curves.losses import loss_panels
from ohr.api.run import open_run
from ohr.display.labels import shown_measures
from ohr.errors import ConfigError, OhrError, PluginError
from ohr.metrics.ranking import ranking_scores
from ohr.store.csv import csv_text
from ohr.study.loading import load_dataset
from ohr.study.metrics import describe_metrics, metric_info, read_metric_infos
from ohr.study.output.cells import aggregate
from ohr.study.output.rows import read_rows
from ohr.study.plan import make_plan
from ohr.study.results import recompute_cells
from ohr.study.run import run_study
from tests.builders import load_config, qa, write_kb, write_questions

NOISE = ["engines=[gt]", "noise=[formatting]", "levels=[severe]", "seeds=[0,1]"]


def test_the_ideal_ranking_does_not_shrink_where_several_chunks_are_of_one_page():
    ideal = 1 / log2(2) + 1 / log2(3)
    assert ranking_scores([True], 2) == pytest.approx((1, 1, 1 / ideal))
    assert ranking_scores([True], 2)[2] == pytest.approx(0.613, abs=5e-4)
    assert ranking_scores([True], 2, k=1)[2] == 1, "one hit finds one page at best"
    assert ranking_scores([True, False], 3, k=2)[2] == pytest.approx(1 / ideal)
    assert ranking_scores([False, True], 1, k=2)[2] == pytest.approx(1 / log2(3))
    assert ranking_scores([], 2, k=2) == (0, 0, 0)


@given(st.lists(st.booleans(), max_size=10), st.integers(0, 5), st.integers(0, 5))
def test_ndcg_is_the_textbook_s(relevant, missed, more_hits):
    n_relevant, k = sum(relevant) + missed, len(relevant) + more_hits
    gained = sum(1 / log2(rank + 1) for rank, hit in enumerate(relevant, 1) if hit)
    ideal = sum(1 / log2(rank + 1) for rank in range(1, min(n_relevant, k) + 1))
    hit, reciprocal, ndcg = ranking_scores(relevant, n_relevant, k)
    assert ndcg == pytest.approx(gained / ideal if ideal else 0)
    assert hit == any(relevant)
    assert reciprocal == (1 / (relevant.index(True) + 1) if any(relevant) else 0)


MINE = """
import ohr

@ohr.metric(of="page", title="lost vowels", higher_is_better=False, needs=["text"])
def lost_vowels(read: str, truth: str) -> float:
    vowels = [sum(text.count(vowel) for vowel in "aeiou") for text in (read, truth)]
    return max(0.0, 1 - vowels[0] / vowels[1]) if vowels[1] else float("nan")

@ohr.metric(of="hits", title="first rank")
def first_rank(case: ohr.HitsCase) -> float:
    ranks = [hit.rank for hit in case.evidence_hits]
    return 1 / (1 + ranks[0]) if ranks else 0.0

@ohr.metric(title="brevity", needs=["several answers"])
def brevity(answer: str, accepted: str) -> float:
    return min(1.0, len(accepted) / max(1, len(answer)))

@ohr.metric(of="evidence", higher_is_better=False)
def raises(read: str, truth: str) -> float:
    raise ValueError("no")

@ohr.metric(of="page")
def percent(read: str, truth: str) -> float:
    return 100.0
"""


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    (tmp_path / "mine_measured.py").write_text(MINE)
    monkeypatch.syspath_prepend(tmp_path)
    kb = tmp_path / "kb"
    write_kb(kb / "gt", {"law/doc": ["The first fact is one.", "Other words entirely.", "12 34"]})
    write_kb(kb / "engine", {"law/doc": ["Th frst fct is one.", "Other words entirely."]})
    two = qa(1, "law/doc", 1, answers=["words", "other words"])
    questions = write_questions(tmp_path / "qas.json", [qa(0, "law/doc", 0), two])
    return [
        *("dataset.kind=ohrbench", f"dataset.path={kb}", f"dataset.questions={questions}"),
        *(f"cache={tmp_path / 'cache'}", "engines=[gt,precomputed:engine]"),
    ]


def test_pages_whose_order_is_not_assessed_leave_it_and_are_counted(tmp_path):
    letters = Random(0)
    words = ["".join(letters.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(90)]
    passages = [" ".join(words[position : position + 30]) for position in range(0, 90, 30)]
    true = ["\n\n".join(passages)] * 4 + ["One fact."]
    read = ["\n\n".join(passages[::-1]), passages[0], "", None, "One fact."]
    kb = tmp_path / "kb"
    write_kb(kb / "gt", {"law/doc": true})
    write_kb(kb / "engine", {"law/doc": [text for text in read if text is not None]})
    pages = [{"page_idx": n, "text": text} for n, text in enumerate(read) if text is not None]
    (kb / "engine" / "law" / "doc.json").write_text(json.dumps(pages), "utf-8")
    questions = write_questions(tmp_path / "qas.json", [qa(0, "law/doc", 4)])
    config = load_config(
        [
            *("dataset.kind=ohrbench", f"dataset.path={kb}", f"dataset.questions={questions}"),
            *(f"cache={tmp_path / 'cache'}", "engines=[gt,precomputed:engine]"),
            *("metrics=[reading]", "stages=[ocr]"),
        ]
    )
    cells = run_study(config, tmp_path / "run").cells
    cells = cells[(cells["engine"] == "precomputed:engine") & (cells["group"] == "all")]
    order, assessed = (
        cells[cells["metric"] == name].iloc[0] for name in ("order_distance", "order_assessed")
    )
    assert (order["n"], order["mean"]) == (1, 1), "of one page two passages were found"
    assert (assessed["n"], assessed["mean"]) == (4, 1 / 4), "four pages have two passages"
    assert (assessed["n_empty"], assessed["n_error"]) == (1, 1)


def test_metrics_that_count_the_evidence_s_words_overlap_and_others_do_not():
    def overlap(stage, metric, other_stage, other):
        return metric_info(stage, metric).overlaps(metric_info(other_stage, other))

    for reading in ("evidence_lcs", "r_noise", "r_noise_content", "r_noise_reference"):
        assert overlap("ocr", reading, "retrieval", "lcs")
        assert overlap("ocr", reading, "retrieval", "lcs_stripped")
        for stage, outcome in (("retrieval", "hit@2"), ("generation", "f1"), ("overall", "f1")):
            assert not overlap("ocr", reading, stage, outcome)
    for page in ("wer", "cer", "edit_distance"):
        assert not overlap("ocr", page, "retrieval", "lcs")
        assert not overlap("ocr", page, "ocr", page), "no basis is no common basis"


def test_a_manifest_of_before_says_what_its_metrics_count():
    kept = describe_metrics([metric_info("retrieval", "lcs"), metric_info("ocr", "wer")])
    older = [{name: value for name, value in one.items() if name != "basis"} for one in kept]
    assert read_metric_infos({"measures": older}) == read_metric_infos({"measures": kept})
    assert [one.basis != "" for one in read_metric_infos({"measures": older})] == [True, False]


@pytest.mark.slow
def test_a_metric_of_ones_own_is_a_function_and_appears_everywhere(corpus, tmp_path):
    names = "mine_measured.lost_vowels,mine_measured.first_rank,mine_measured.brevity"
    run = run_study(load_config([*corpus, f"metrics=[default,{names}]"]), tmp_path / "run")
    assert run.missing == []
    there = set(run.cells[["stage", "metric"]].itertuples(index=False, name=None))
    assert there > {("ocr", "lost_vowels"), ("retrieval", "first_rank"),
                    ("generation", "brevity"), ("generation", "brevity_no_context"),
                    ("overall", "brevity")}  # fmt: skip
    cells = run.cells[(run.cells["engine"] == "precomputed:engine") & (run.cells["group"] == "all")]
    lost = cells[cells["metric"] == "lost_vowels"].iloc[0]
    assert lost["n"] == 2, "a page without running text says nothing"
    assert lost["n_error"] == 0
    assert lost["mean"] == pytest.approx((1 - 3 / 6) / 2)
    assert cells[(cells["metric"] == "brevity") & (cells["stage"] == "overall")]["n"].item() == 1
    opened = open_run(tmp_path / "run")
    [info] = [one for one in opened.metric_infos if one.metric == "lost_vowels"]
    assert (info.title, info.higher_is_better, info.worst) == ("lost vowels", False, 1)
    shown = {label for _, _, label in shown_measures(opened.cells)}
    assert shown >= {
        *("retrieval first rank", "brevity, right pages given", "brevity, whole system")
    }
    compared = opened.compare(by="engine")
    assert {"lost_vowels", "first_rank", "f1"} <= set(compared["metric"])
    assert not compared[compared["metric"] == "lost_vowels"]["higher_is_better"].any()
    assert "first_rank" in (tmp_path / "run" / "cells.csv").read_text()


@pytest.mark.slow
def test_each_panel_has_the_floor_of_its_own_metric(corpus, tmp_path):
    settings = [*corpus, *NOISE, "metrics=[default,mine_measured.brevity]"]
    run = run_study(load_config(settings), tmp_path / "run")
    [(_, panels)] = loss_panels(run, "r_noise")
    floors = {
        panel.metric: panel.series[0].floor for panel in panels if panel.stage == "generation"
    }
    for metric, floor in floors.items():
        guesses = run.cells[run.cells["metric"] == f"{metric}_no_context"]
        expected = guesses.loc[(guesses["group"] == "all") & (guesses["noise"] == "none"), "mean"]
        assert floor == pytest.approx(expected.iloc[0])
    assert set(floors) == {"f1", "brevity"}


def test_only_the_metrics_that_are_named_are_measured(corpus, tmp_path):
    run = run_study(load_config([*corpus, "metrics=[em,hit]"]), tmp_path / "run")
    assert dict.fromkeys(run.cells["metric"]) == dict.fromkeys(["hit@2", "em", "em_no_context"])
    assert run.cells["r_noise"].notna().any(), "the noise stands beside every mean"
    assert run.missing == []


def test_a_metric_that_fails_or_leaves_its_range_stops_the_study(corpus, tmp_path):
    with pytest.raises(PluginError, match="metric 'raises': ValueError: no"):
        run_study(load_config([*corpus, "metrics=[mine_measured.raises]"]), tmp_path / "run")
    with pytest.raises(PluginError, match=r"'percent' gave 100.0: its values lie between 0 and 1"):
        run_study(load_config([*corpus, "metrics=[mine_measured.percent]"]), tmp_path / "run")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["metrics=[judged]"], "metric 'judged' needs a judge"),
        (["metrics=[wer]", "scoring=reference"], "has no meaning under scoring=reference"),
        (["metrics=[lcs_stripped]"], "needs formatting noise"),
        (["metrics=[f1,{name: em, label: f1}]"], "metric 'f1' is given twice"),
        (["metrics=[f2]"], "unknown metric 'f2'"),
        (["metrics=[{name: em, label: r_noise}]"], "the label of another: r_noise"),
        (["metrics=[lcs]", "stages=[generation]"], "none of the metrics lcs is of the stages gen"),
    ],
)
def test_a_metric_that_means_nothing_here_is_an_error_of_the_plan(corpus, settings, message):
    config = load_config([*corpus, *settings])
    with pytest.raises(OhrError, match=message):
        make_plan(config, load_dataset(config))


def test_no_metric_at_all_is_an_error_of_the_configuration():
    with pytest.raises(ConfigError, match="metrics: "):
        load_config(["metrics=[]"])


def test_a_declaration_that_means_nothing_is_an_error():
    with pytest.raises(PluginError, match="a metric takes two texts"):
        ohr.metric()(lambda: 0.0)
    with pytest.raises(PluginError, match="known: page, evidence, hits, answer"):
        ohr.metric(of="books")(lambda read, true: 0.0)
    with pytest.raises(PluginError, match=r"scores lie in \[0, 1\]"):
        ohr.metric(best=100)(lambda read, true: 0.0)
    with pytest.raises(PluginError, match="unknown attribute 'titel'"):
        ohr.metric(titel="")(lambda read, true: 0.0)


@pytest.mark.slow
def test_cells_are_those_of_the_rows_alone_to_the_byte(corpus, tmp_path):
    settings = [*corpus, "metrics=[default,reading,mine_measured.lost_vowels]"]
    for name, more in {
        "a": [],
        "b": ["scoring=reference", "metrics=[default]"],
        "c": NOISE,
    }.items():
        out = tmp_path / name
        run_study(load_config([*settings, *more]), out)
        assert csv_text(recompute_cells(out)) == (out / "cells.csv").read_text("utf-8")


@pytest.mark.slow
def test_row_groups_and_their_order_change_no_mean(corpus, tmp_path):
    run = run_study(load_config([*corpus, *NOISE]), tmp_path / "run")
    rows = read_rows(run.path)
    whole = aggregate(rows, run.metric_infos, run.manifest["groups"])
    assert csv_text(whole) == (run.path / "cells.csv").read_text("utf-8")
    table = pa.Table.from_pandas(rows, preserve_index=False)
    pq.write_table(table, tmp_path / "small.parquet", row_group_size=7)
    again = aggregate(tmp_path / "small.parquet", run.metric_infos, run.manifest["groups"])
    assert csv_text(again) == csv_text(whole)
