"""A finished run is whole: what stands behind its rows can be had from its folder alone."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from experiments import convert_export as export
from ohr.errors import ConfigError, OhrError
from ohr.store.locking import NAME, locked
from ohr.study.output.cases import read_cases, read_questions, read_texts
from ohr.study.results import open_run
from ohr.study.run import run_study
from ohr.types import PageRef
from tests.builders import CliRunner, load_config, write_corpus
from tests.conftest import ROOT

CLEAN = "tests.fakes.LoggingEngine, clean"


@pytest.fixture
def settings(tmp_path):
    """One document of two pages, read clean and distorted."""
    corpus = write_corpus(tmp_path, documents=1, pages=2)
    engines = ["engines=[tests.fakes.LoggingEngine]", "readers=[tests.fakes.FactReader]"]
    return [*corpus, *engines, "noise=[rotation]", "levels=[severe]", "bootstrap=100", "workers=1"]


@pytest.fixture
def run(settings, tmp_path):
    """A finished run, of which nothing else is left."""
    run_study(load_config(settings), tmp_path / "run")
    for name in ("kb", "pdfs", "cache"):
        shutil.rmtree(tmp_path / name)
    (tmp_path / "qas.json").unlink()
    (tmp_path / "run").rename(tmp_path / "moved")
    return tmp_path / "moved"


def test_texts_hits_and_answers_outlive_dataset_and_cache(run, tmp_path):
    texts = read_texts(run)
    assert list(texts) == [CLEAN, "tests.fakes.LoggingEngine, rotation severe"]
    assert texts[CLEAN][PageRef("manual/doc0", 1)].startswith("Fact 1 is answer 1. Dark pixels:")
    questions = read_questions(run)
    assert [question.qid for question in questions] == ["q0", "q1", "q10", "q11"]
    assert questions[2].evidence_pages == (PageRef("manual/doc0", 1),)
    hits = read_cases(run, "hits").to_pandas()
    assert len(hits) == 2 * 4 * 2  # knowledge bases, questions, chunks
    for hit in hits.itertuples():
        page = texts[hit.knowledge_base][PageRef(hit.doc_id, hit.page_no)]
        assert page[hit.start : hit.end] == page
    answers = read_cases(run, "answers").to_pandas()
    assert answers.groupby("stage", observed=True).size().to_dict() == {
        "generation": 8, "no_context": 4, "overall": 8,
    }  # fmt: skip
    rows = open_run(run).rows
    overall = rows[(rows["stage"] == "overall") & (rows["metric"] == "em")]
    right = answers[answers["stage"] == "overall"]["text"].str.startswith("answer")
    assert right.tolist() == (overall["value"] == 1).tolist()
    done = CliRunner().invoke(export.main, [str(run), "--out", str(tmp_path / "beir")])
    assert done.exit_code == 0, done.output
    assert len(list((tmp_path / "beir").rglob("corpus.jsonl"))) == 2


@pytest.mark.slow
def test_equal_studies_write_equal_bytes(settings, tmp_path):
    for name in ("one", "two"):
        run_study(load_config(settings), tmp_path / name)
        shutil.rmtree(tmp_path / "cache")
    one, two = ((tmp_path / name / "cases.zip").read_bytes() for name in ("one", "two"))
    assert one == two


def test_a_run_without_its_cases_says_how_to_get_them(run, tmp_path):
    (run / "cases.zip").write_bytes(b"PK")
    with pytest.raises(OhrError, match=r"cases\.zip is damaged"):
        read_texts(run)
    (run / "cases.zip").unlink()
    done = CliRunner().invoke(export.main, [str(run), "--out", str(tmp_path / "x")])
    assert done.exit_code == 2
    assert "has no cases.zip: run its command again" in done.stderr


def test_two_commands_never_write_to_one_folder(settings, tmp_path):
    code = (
        "import sys, time; from pathlib import Path; from ohr.store.locking import locked\n"
        "with locked(Path(sys.argv[1])): print('held', flush=True); time.sleep(600)"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "run")], cwd=ROOT, stdout=subprocess.PIPE
    )
    assert other.stdout is not None
    assert other.stdout.readline() == b"held\n"
    try:
        with pytest.raises(ConfigError, match=r"another command is writing to .*run: wait for it"):
            run_study(load_config(settings), tmp_path / "run")
    finally:
        other.kill()
        other.wait()
    assert (tmp_path / "run" / NAME).exists()  # left by the kill, and in nobody's way
    run_study(load_config(settings), tmp_path / "run")


def test_a_study_that_ended_meanwhile_is_not_replaced(settings, tmp_path, monkeypatch):
    first, second = load_config([*settings, "stages=[ocr]"]), load_config(settings)

    def ended(*args, **kwargs):
        monkeypatch.undo()
        run_study(first, tmp_path / "run")
        return make_plan(*args, **kwargs)

    from ohr.study.plan import make_plan

    monkeypatch.setattr("ohr.study.run.make_plan", ended)
    with pytest.raises(ConfigError, match="holds another study's results"):
        run_study(second, tmp_path / "run")


def test_a_lock_ends_with_its_block(tmp_path):
    for _ in range(2):
        with locked(tmp_path):
            assert (tmp_path / NAME).exists()


def test_what_a_killed_process_had_begun_to_write_goes_with_the_next(tmp_path):
    (tmp_path / ".0123456789abcdef.part").write_bytes(b"half a ta")
    (tmp_path / "cells.part").write_text("a user's own", "utf-8")
    with locked(tmp_path):
        assert {path.name for path in tmp_path.iterdir()} == {NAME, "cells.part"}
