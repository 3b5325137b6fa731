"""Whole systems in a study: what they see, what is kept, what is measured."""

from __future__ import annotations

import importlib
import shutil
import sys
from pathlib import Path

import pandas as pd
import pytest

import ohr
from ohr.analysis.robustness.table import robustness
from ohr.api.run import open_run
from ohr.errors import ConfigError, OhrError
from ohr.scoring.units import Units
from ohr.store.csv import csv_text
from ohr.study.loading import load_dataset
from ohr.study.output.cases import read_cases
from ohr.study.plan import make_plan
from ohr.study.results import recompute_cells
from ohr.study.run import run_study
from tests.builders import load_config, qa, write_kb, write_questions

SYSTEMS = '''
import pathlib
import ohr
from ohr.analysis.robustness.table import robustness

LOG = pathlib.Path(__file__).with_name("log.txt")

def log(line):
    with LOG.open("a") as file:
        file.write(line + "\\n")

@ohr.stage(version="1")
def first_words(text: str) -> list[str]:
    log(f"stage {text!r}")
    return text.split()[:3]

class Listing(ohr.System):
    """Answers with what it was shown."""
    name = "listing"
    def answer(self, question, documents):
        log(f"{self.name} {question}")
        if "fact 2" in question:
            raise ValueError("no fact 2")
        if "fact 3" in question:
            return ohr.Outcome(ohr.Answer(" "))
        assert all(d.source is None and p.image is None for d in documents for p in d.pages)
        pages = [page for document in documents for page in document.pages]
        words = [self.once(first_words, page.text) for page in pages]
        text = " | ".join(" ".join(listed) for listed in words)
        return ohr.Outcome(
            ohr.Answer(text, quote=words[0][0], sources=(pages[0].ref,), trace=("listed", question))
        )

class Another(Listing):
    name = "another"

class Priced(Listing):
    """Answers all at once, and says what that took."""
    name = "priced"
    def answer_many(self, questions, documents):
        for index in reversed(range(len(questions))):
            yield ohr.SystemReply(index, ohr.Outcome(ohr.Answer("one")), {"cost": 0.25})

class Broken(ohr.System):
    name = "broken"
    def answer(self, question, documents):
        raise ValueError("out of order")

class Wrong(ohr.System):
    name = "wrong"
    def answer(self, question, documents):
        return "no outcome"
'''


@pytest.fixture
def settings(tmp_path, monkeypatch) -> list[str]:
    (tmp_path / "my_systems.py").write_text(SYSTEMS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "my_systems", raising=False)
    kb = tmp_path / "kb"
    gt = {"law/a": ["One fact stands here.", "Two"], "law/b": ["Three facts stand there."]}
    write_kb(kb / "gt", gt)
    write_kb(kb / "engine", {"law/a": ["0ne fact stands here."], "law/b": gt["law/b"]})
    entries = [qa(0, "law/a", 0), qa(1, "law/b", 0), qa(2, "law/a", 1), qa(3, "law/b", 0)]
    questions = write_questions(tmp_path / "qas.json", entries)
    return [
        *("dataset.kind=ohrbench", f"dataset.path={kb}", f"dataset.questions={questions}"),
        *(f"cache={tmp_path / 'cache'}", "engines=[gt,precomputed:engine]", "stages=[ocr,overall]"),
    ]


def lines(tmp_path: Path) -> list[str]:
    return (tmp_path / "log.txt").read_text().splitlines()


def answers_of(run: ohr.Run, base: str) -> dict[str, dict]:
    table = read_cases(run.path, "answers").to_pylist()
    return {row["qid"]: row for row in table if row["knowledge_base"] == base}


def test_a_system_sees_the_noisy_pages_of_its_scope_and_the_questions_text(settings, tmp_path):
    whole = run_study(load_config([*settings, "systems=my_systems.Listing"]), tmp_path / "domain")
    assert answers_of(whole, "precomputed:engine, clean")["q0"]["text"] == (
        "0ne fact stands | Three facts stand"
    ), "pages of the domain as the engine read them, without the one that it lacks"
    one = [*settings, "systems=my_systems.Listing", "scope=document"]
    alone = run_study(load_config(one), tmp_path / "document")
    answer = answers_of(alone, "gt, clean")["q1"]
    assert answer["text"] == "Three facts stand"
    assert answer["quote"] == "Three"
    assert answer["sources"] == [{"doc_id": "law/b", "page_no": 0}]
    assert answer["trace"] == ["listed", "What is fact 1?"]
    assert set(whole.cells["stage"]) == {"ocr", "overall"}


def test_what_fails_is_counted_and_what_was_answered_is_not_asked_again(settings, tmp_path):
    both = [*settings, "systems=[rag,my_systems.Listing]", "metrics=[f1,source_recall]"]
    run = run_study(load_config(both), tmp_path / "run")
    assert run.missing == []
    cells = run.cells[(run.cells["stage"] == "overall") & (run.cells["group"] == "all")]
    cells = cells[(cells["engine"] == "gt")].set_index(["system", "metric"])
    listing = cells.loc[("my_systems.Listing", "f1")]
    assert (listing["n"], listing["n_error"], listing["n_empty"]) == (4, 1, 1)
    assert cells.loc[("my_systems.Listing", "source_recall")]["mean"] == 0.25
    assert cells.loc[("rag", "f1")]["reader"] == "extractive"
    assert "my_systems.Listing" in run.manifest["systems"]
    assert any("no fact 2" in line for line in run.failures)
    asked = len(lines(tmp_path))
    again = run_study(load_config(both), tmp_path / "again")
    assert len(lines(tmp_path)) == asked
    assert again.manifest["systems"]["my_systems.Listing"]["asked_in_this_run"] == 0
    for name in ("cells.csv", "rows.parquet", "cases.zip"):
        assert (run.path / name).read_bytes() == (again.path / name).read_bytes()
    assert csv_text(recompute_cells(run.path)) == (run.path / "cells.csv").read_text("utf-8")


def test_what_answers_took_is_added_up(settings, tmp_path):
    run = run_study(load_config([*settings, "systems=my_systems.Priced"]), tmp_path / "run")
    tally = run.manifest["systems"]["my_systems.Priced"]
    n = len(
        {(row["knowledge_base"], row["qid"]) for row in read_cases(run.path, "answers").to_pylist()}
    )
    assert tally["usage"] == {"cost": 0.25 * n}


def test_a_system_that_fails_whole_is_named_whatever_is_measured(settings, tmp_path):
    broken = [*settings, "systems=[rag,my_systems.Broken]", "engines=[gt]", "metrics=[em]"]
    run = run_study(load_config(broken), tmp_path / "run")
    assert run.failed == ["gt, clean, my_systems.Broken: all 4 answers (overall em)"]
    assert open_run(tmp_path / "run").failed == run.failed


@pytest.mark.slow
def test_systems_are_compared_with_each_other(settings, tmp_path):
    systems = "systems=[rag,my_systems.Listing,my_systems.Another]"
    run_study(load_config([*settings, systems]), tmp_path / "run")
    compared = open_run(tmp_path / "run").compare(by="system", metrics=["overall:f1"])
    assert set(compared["baseline"]) == {"rag (tokens, bm25, extractive)"}
    assert set(compared["other"]) == {"my_systems.Listing", "my_systems.Another"}
    assert set(compared["engine"]) == {"gt", "precomputed:engine"}


@pytest.mark.slow
def test_systems_are_no_readers_and_have_curves_of_their_own(settings, tmp_path):
    # Seed 0 changes none of these short pages.
    noisy = ["engines=[gt]", "noise=[formatting]", "levels=[severe]", "seeds=1"]
    noisy += ["stages=[ocr,generation,overall]", "systems=[rag,my_systems.Listing]"]
    run = run_study(load_config([*settings, *noisy]), tmp_path / "run")
    with pytest.raises(OhrError, match=r"has 1 reader\(s\)"):
        robustness(run)
    assert "my_systems.Listing" in set(open_run(run.path).curves()["system"])


def test_what_two_systems_share_is_computed_once(settings, tmp_path):
    systems = "systems=[my_systems.Listing,my_systems.Another]"
    run_study(load_config([*settings, systems]), tmp_path / "run")
    done = [line for line in lines(tmp_path) if line.startswith("stage")]
    assert len(done) == len(set(done)) == 4
    assert sum(line.startswith("another") for line in lines(tmp_path)) > 0
    system = ohr.registry.create("system", "my_systems.Listing")
    stage = importlib.import_module("my_systems").first_words
    assert system.once(stage, "a b c d") == stage("a b c d") == ["a", "b", "c"], "without a store"


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        ("systems=[]", "the stage overall needs systems"),
        ("systems=[rag,nowhere]", "unknown system 'nowhere'"),
        ("systems=[my_systems.Listing,my_systems.Listing]", "is given twice"),
        ("systems=[rag,{name: my_systems.Listing, label: extractive}]", "the label of another"),
    ],
)
def test_systems_that_mean_nothing_are_errors_of_the_plan(settings, systems, message):
    config = load_config([*settings, systems])
    with pytest.raises(OhrError, match=message):
        make_plan(config, load_dataset(config))


def test_a_system_without_an_outcome_says_what_is_wrong(settings, tmp_path):
    with pytest.raises(ohr.PluginError, match="returned str instead of an Outcome of an Answer"):
        run_study(load_config([*settings, "systems=my_systems.Wrong"]), tmp_path / "run")


def test_a_stage_whose_result_cannot_be_kept_says_so(tmp_path):
    @ohr.stage()
    def pair(text):
        return (text, text)

    class Pairs(ohr.System):
        name = "pairs"

        def answer(self, question, documents):
            raise NotImplementedError

    system = Pairs()
    system.use_store(ohr.store.artefacts.ArtefactStore(tmp_path))
    with pytest.raises(ohr.PluginError, match="use lists, not tuples"):
        system.once(pair, "a")


@pytest.mark.slow
def test_a_run_of_before_there_were_systems_still_opens(settings, tmp_path):
    run = run_study(load_config([*settings, "stages=[ocr,retrieval,overall]"]), tmp_path / "run")
    old = tmp_path / "old"
    shutil.copytree(run.path, old)
    cells = pd.read_csv(old / "cells.csv", keep_default_na=False).drop(columns="system")
    cells.to_csv(old / "cells.csv", index=False)
    rows = pd.read_parquet(old / "rows.parquet").drop(columns=["system", "groups"])
    rows.to_parquet(old / "rows.parquet")
    opened = open_run(old)
    assert opened.failed == run.failed
    pd.testing.assert_frame_equal(opened.rows["value"].to_frame(), run.rows["value"].to_frame())
    assert set(opened.cells["system"]) == {"", "rag"}
    assert len(opened.compare(by="engine"))
    with pytest.raises(OhrError, match="has no column 'groups': run it again"):
        recompute_cells(old)


def test_scope_is_of_the_retrieval_too(settings, tmp_path):
    config = load_config([*settings, "stages=[retrieval]", "scope=document", "top_k=3"])
    run = run_study(config, tmp_path / "run")
    hits = read_cases(run.path, "hits").to_pylist()
    documents = {q["qid"]: q["doc_id"] for q in read_cases(run.path, "questions").to_pylist()}
    assert hits
    assert all(documents[hit["qid"]] == hit["doc_id"] for hit in hits)
    with pytest.raises(ConfigError):
        load_config([*settings, "scope=page"])


def test_a_document_a_scope_costs_no_look_at_the_pages_of_all_others(
    settings, tmp_path, monkeypatch
):
    """With a thousand papers that were minutes a knowledge base."""
    looked = []
    scope_of = Units.scope_of_document
    monkeypatch.setattr(
        Units,
        "scope_of_document",
        lambda units, doc_id: looked.append(doc_id) or scope_of(units, doc_id),
    )
    counts = []
    for documents in (10, 20):
        root = tmp_path / str(documents)
        names = [f"law/d{number}" for number in range(documents)]
        write_kb(root / "gt", {name: [f"Fact of {name}.", "More."] for name in names})
        asked = write_questions(
            root / "qas.json", [qa(number, name, 0) for number, name in enumerate(names)]
        )
        config = load_config(
            [
                *("dataset.kind=ohrbench", f"dataset.path={root}", f"dataset.questions={asked}"),
                *(f"cache={tmp_path / 'cache'}", "stages=[retrieval,overall]", "scope=document"),
                "systems=[rag,my_systems.Priced]",
            ]
        )
        looked.clear()
        run_study(config, root / "run")
        counts.append(len(looked))
    assert counts[1] <= 2 * counts[0]
