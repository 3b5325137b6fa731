from __future__ import annotations

import json

import pandas as pd
import pytest

from ohr.errors import ConfigError
from ohr.ocr.progress import Progress
from ohr.study.loading import load_dataset
from ohr.study.metrics import SETS
from ohr.study.output.cells import CELL_COLUMNS, KEY_COLUMNS, planned_cells
from ohr.study.results import StudyRun, open_run
from ohr.study.run import _missing, run_study
from tests.builders import load_config, qa, write_corpus, write_kb, write_questions

FAKE = "tests.fakes.LoggingEngine"
NOISE = [f"engines=[{FAKE}]", "noise=[salt_and_pepper,rotation]", "intensities=[0,0.5]"]


def run(settings, out, *more) -> StudyRun:
    return run_study(load_config([*settings, *more]), out, progress=Progress())


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    root = tmp_path_factory.mktemp("corpus")
    return root, write_corpus(root)


@pytest.fixture(scope="module")
def noisy_run(corpus, tmp_path_factory):
    out = tmp_path_factory.mktemp("run") / "noisy"
    return run(corpus[1], out, *NOISE, "ground_truth=true"), out


def cell(cells, **wanted):
    chosen = cells
    for name, value in wanted.items():
        chosen = chosen[chosen[name] == value]
    assert len(chosen) == 1, f"{len(chosen)} cells for {wanted}"
    return chosen.iloc[0]


@pytest.mark.slow
def test_every_planned_cell_is_there_once_with_all_columns(noisy_run):
    result, out = noisy_run
    cells = pd.read_csv(out / "cells.csv", keep_default_na=False)
    assert tuple(cells.columns) == CELL_COLUMNS
    assert not cells.duplicated(list(KEY_COLUMNS)).any()
    assert len(cells) == len(planned_cells(result.plan))
    assert result.missing == []


def test_a_planned_cell_that_is_absent_is_named(noisy_run):
    result, _ = noisy_run
    assert _missing(result.plan, result.cells) == []
    lost = result.cells.drop(index=result.cells.index[7])
    assert len(_missing(result.plan, lost)) == 1


def test_every_cell_of_a_curve_has_the_same_denominator(noisy_run):
    cells = noisy_run[0].cells
    for _, curve in cells.groupby(["stage", "metric", "group"]):
        assert curve["n"].nunique() == 1


def test_cells_are_means_of_rows(noisy_run):
    _, out = noisy_run
    rows = pd.read_parquet(out / "rows.parquet")
    cells = pd.read_csv(out / "cells.csv", keep_default_na=False)
    keys = [name for name in KEY_COLUMNS if name not in ("group", "top_k")]
    rows["group"] = "domain:" + rows["domain"].astype(str)
    for group, grouped in (("all", keys), ("domain", [*keys, "group"])):
        means = rows.groupby(grouped, observed=True)["value"].agg(["mean", "count"]).reset_index()
        chosen = cells[cells["group"].str.startswith(group)]
        merged = chosen.merge(means, on=grouped, suffixes=("", "_rows"))
        assert len(merged) == len(chosen)
        assert merged["mean"].to_numpy() == pytest.approx(merged["mean_rows"], abs=1e-6)
        assert (merged["n"] == merged["count"]).all()


def test_intensity_zero_is_the_clean_engine(noisy_run):
    cells = noisy_run[0].cells
    clean = cells[(cells["noise"] == "none") & (cells["engine"] == FAKE)]
    for operator in ("salt_and_pepper", "rotation"):
        zero = cells[(cells["perturbation"] == operator) & (cells["intensity"] == 0)]
        assert zero["mean"].tolist() == clean["mean"].tolist()
        assert len(zero) == len(clean) > 10


def test_the_ground_truth_is_perfect_and_the_fake_engine_is_not(noisy_run):
    cells = noisy_run[0].cells
    for metric, perfect in (("edit_distance", 0), ("r_noise", 0), ("evidence_lcs", 1)):
        truth = cell(cells, engine="gt", metric=metric, group="all")
        assert truth["mean"] == perfect
    assert cell(cells, engine=FAKE, noise="none", metric="edit_distance", group="all")["mean"] > 0.3
    assert cell(cells, engine="gt", metric="hit@2", group="all")["mean"] > 0.9
    lcs = cells[(cells["metric"] == "lcs") & (cells["group"] == "all")].set_index("engine")["mean"]
    assert lcs["gt"] > lcs[FAKE].max()


def test_what_does_not_apply_is_empty(noisy_run):
    cells = pd.read_csv(noisy_run[1] / "cells.csv", keep_default_na=False, dtype=str)
    filled = {
        "ocr": set(),
        "retrieval": {"chunker", "retriever", "top_k"},
        "generation": {"reader"},
        "overall": {"chunker", "retriever", "top_k", "reader"},
    }
    for stage, names in filled.items():
        mine = cells[cells["stage"] == stage]
        for name in ("chunker", "retriever", "top_k", "reader"):
            assert (mine[name] != "").all() == (name in names)
            assert (mine[name] == "").all() == (name not in names)


def test_the_manifest_says_what_was_run(noisy_run):
    result, out = noisy_run
    manifest = json.loads((out / "manifest.json").read_text("utf-8"))
    assert manifest["dataset"]["asked"] == 24
    assert manifest["dataset"]["problems"] == {}
    assert manifest["cells"] == {"planned": len(result.cells), "missing": 0}
    assert manifest["engines"][FAKE]["name"] == "logging"
    assert (manifest["metrics"]["r_noise"], manifest["metrics"]["ndcg"]) == ("5", "2")
    assert manifest["metrics"]["edit_distance"] == "4"
    assert manifest["versions"]["bm25s"]
    assert {"read", "score"} <= set(manifest["seconds"])
    assert manifest["config"]["noise"][0]["name"] == "salt_and_pepper"


@pytest.mark.slow
def test_results_do_not_depend_on_workers_or_cache(noisy_run, corpus, tmp_path):
    settings = [s for s in corpus[1] if not s.startswith("cache=")]
    run(settings, tmp_path / "run", *NOISE, "ground_truth=true", "workers=1",
        f"cache={tmp_path / 'other'}")  # fmt: skip
    for name in ("rows.parquet", "cells.csv"):
        assert (tmp_path / "run" / name).read_bytes() == (noisy_run[1] / name).read_bytes()


@pytest.mark.slow
def test_another_studys_results_are_not_replaced(noisy_run, corpus):
    with pytest.raises(ConfigError, match="another study's results"):
        run(corpus[1], noisy_run[1])
    assert run(corpus[1], noisy_run[1], *NOISE, "ground_truth=true").missing == []


@pytest.mark.parametrize("content", ["[1]", "3", '"x"', "{", '{"config": 1}', '{"config": []}'])
def test_a_manifest_that_is_none_is_not_replaced(corpus, tmp_path, content):
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(ConfigError, match="another study's results"):
        run(corpus[1], tmp_path)
    assert (tmp_path / "manifest.json").read_text() == content


def test_results_of_other_data_are_not_replaced(tmp_path):
    settings = [*write_corpus(tmp_path, documents=1, pages=1), "stages=ocr", "bootstrap=100"]
    out = tmp_path / "run"
    run(settings, out)
    before = (out / "cells.csv").read_bytes()
    assert run(settings, out).missing == []
    assert (out / "cells.csv").read_bytes() == before
    write_kb(tmp_path / "kb" / "gt", {"manual/doc0": ["Fact 0 is another answer."]})
    with pytest.raises(ConfigError, match="results of other data: choose another --out"):
        run(settings, out)
    assert (out / "cells.csv").read_bytes() == before
    (out / "manifest.json").unlink()  # as a run leaves its folder that was cut short
    assert run(settings, out).missing == []


@pytest.mark.parametrize("out", ["file", "file/run"])
def test_a_folder_that_cannot_be_written_is_known_before_pages_are_read(tmp_path, monkeypatch, out):
    log = tmp_path / "log"
    monkeypatch.setenv("OHR_TEST_READ_LOG", str(log))
    settings = write_corpus(tmp_path, documents=1, pages=1)
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match=r"cannot write to .*file.*: choose another --out"):
        run(settings, tmp_path / out, f"engines={FAKE}")
    assert not log.exists()


def test_evidence_scope_keeps_the_other_pages(corpus, tmp_path):
    result = run(
        corpus[1], tmp_path / "run", f"engines={FAKE}", "dataset.pages=evidence",
        "dataset.limit=2", "stages=[ocr,retrieval]",
    )  # fmt: skip
    assert set(result.cells["kb_scope"]) == {"evidence"}
    assert (
        cell(result.cells, metric="edit_distance", group="all")["n"] == len(result.plan.reread) <= 2
    )


def test_precomputed_differences_are_counted(tmp_path):
    write_kb(tmp_path / "gt", {"law/a": ["fact 1", "fact 2"], "law/b": ["fact 3"]})
    write_kb(tmp_path / "Mine", {"law/a": ["fact 1", "fakt 2", "more"]})
    entries = [
        qa(1, "law/a", 0, evidence_context="fact 1", questions="fact 1"),
        qa(2, "law/a", 1, evidence_context="fact 2", questions="fact 2"),
        qa(3, "law/b", 0, evidence_context="fact 3", questions="fact 3"),
    ]
    write_questions(tmp_path / "qas.json", entries)
    settings = [
        "dataset.kind=ohrbench", f"dataset.path={tmp_path}", f"cache={tmp_path / 'cache'}",
        f"dataset.questions={tmp_path / 'qas.json'}", "engines=precomputed:Mine",
        "stages=[ocr,retrieval]",
    ]  # fmt: skip
    cells = run(settings, tmp_path / "default").cells
    distance = cell(cells, metric="edit_distance", group="all")
    assert (distance["n"], distance["n_error"]) == (3, 1)
    assert distance["mean"] == pytest.approx((0 + 1 / 6 + 1) / 3)
    noise = cell(cells, metric="r_noise", group="all")
    assert (noise["mean"], noise["n_error"]) == (pytest.approx(2 / 3), 1)
    cells = run([*settings, "scoring=reference"], tmp_path / "reference").cells
    distance = cell(cells, metric="edit_distance", group="all")
    assert (distance["n"], distance["mean"]) == (2, pytest.approx(1 / 12))
    manifest = json.loads((tmp_path / "default" / "manifest.json").read_text())
    base = manifest["knowledge_bases"]["precomputed:Mine, clean"]
    assert (base["missing_pages"], base["extra_pages"]) == (1, 1)
    assert base["documents_with_other_pages"] == 2


READING = [spec.label for spec in SETS["reading"]]


def test_reading_metrics_are_added_on_demand_and_change_no_other_cell(tmp_path):
    table = r"\begin{tabular}{lr} item & cost \\ apples & 12 \\ pears & 17 \\ \end{tabular}"
    kb = tmp_path / "kb"
    write_kb(kb / "gt", {"law/doc": [f"Fact 1 is answer 1. {table}", "Plain page of five words."]})
    write_kb(kb / "engine", {"law/doc": [f"Fact 1 is answer 1. {table.replace('17', '71')}"]})
    questions = write_questions(tmp_path / "qas.json", [qa(1, "law/doc", 0)])
    settings = ["dataset.kind=ohrbench", f"dataset.path={kb}", f"dataset.questions={questions}",
                f"cache={tmp_path / 'cache'}", "engines=[gt,precomputed:engine]"]  # fmt: skip
    run(settings, tmp_path / "plain")
    result = run(settings, tmp_path / "more", "metrics=[default,reading]")
    assert result.missing == []
    kept = [
        line
        for line in (tmp_path / "more" / "cells.csv").read_text("utf-8").splitlines(keepends=True)
        if not any(f",ocr,{name}," in line for name in READING)
    ]
    assert "".join(kept) == (tmp_path / "plain" / "cells.csv").read_text("utf-8")
    for engine, teds, f1 in (("gt", 1.0, 1.0), ("precomputed:engine", 1 - 1 / 10, 5 / 6)):
        found = {
            name: cell(result.cells, engine=engine, metric=name, group="all")
            for name in ("table_similarity", "table_f1", "text_recall", "formula_distance")
        }
        assert found["table_similarity"]["mean"] == pytest.approx(teds)
        assert found["table_f1"]["mean"] == pytest.approx(f1)
        assert found["text_recall"]["mean"] == (1 if engine == "gt" else 0.5)
        assert [found[name]["n"] for name in found] == [1, 1, 2, 0]
        assert found["text_recall"]["n_error"] == (0 if engine == "gt" else 1)
        assert found["table_similarity"]["n_error"] == 0, "the lost page has no table"


def test_labels_of_digits_stay_as_they_were_written(corpus, tmp_path):
    labels = ["1.50", "1.5", "007"]
    retrievers = ",".join(f"{{name: bm25, label: '{label}'}}" for label in labels)
    made = run(
        corpus[1], tmp_path / "run", "engines=[{name: gt, label: '3'}]", "stages=[retrieval]",
        f"retrievers=[{retrievers}]", "dataset.limit=4",
    )  # fmt: skip
    again = open_run(tmp_path / "run")
    for name in ("engine", "retriever"):
        assert list(again.cells[name]) == list(made.cells[name])
    assert repr(again) == repr(made)
    assert set(again.cells["retriever"]) == set(labels)


def test_a_pdf_that_cannot_be_opened_costs_its_own_pages_alone(tmp_path, monkeypatch):
    settings = write_corpus(tmp_path, documents=2, pages=2)

    def loaded(config, progress):
        dataset = load_dataset(config, progress)
        (tmp_path / "pdfs" / "law" / "doc1.pdf").unlink()  # a folder of a network is gone
        return dataset

    monkeypatch.setattr("ohr.study.run.load_dataset", loaded)
    read = run(settings, tmp_path / "run", f"engines=[{FAKE}]", "stages=[ocr]")
    statuses = read.rows[read.rows["qid"] == ""].groupby("doc_id")["status"].unique()
    assert statuses.map(list).to_dict() == {"law/doc1": ["error"], "manual/doc0": ["ok"]}
    [line] = read.failures
    assert "2 errors" in line
    assert "cannot open doc1.pdf as a PDF" in line
