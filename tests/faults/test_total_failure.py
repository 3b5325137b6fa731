"""What fails every time stops, says why, and never looks like a result."""

from __future__ import annotations

import json
import re

import pandas as pd
import pytest

from experiments import noise_curve
from experiments import read as ocr
from ohr.errors import ConfigError, OhrError, PluginError
from ohr.ocr.failures import Streak, reasons
from ohr.study.run import run_study
from ohr.types import Outcome
from tests.builders import CliRunner, load_config, write_corpus
from tests.fakes import MENDED
from tests.faults import plugins

MENDABLE = "engines=[tests.fakes.MendableEngine]"


@pytest.fixture
def corpus(tmp_path):
    """One document of four pages, eight questions."""
    return [*write_corpus(tmp_path, documents=1, pages=4), "workers=1"]


def study(settings, out, *more):
    return run_study(load_config([*settings, *more]), out)


@pytest.mark.slow
def test_an_engine_that_fails_on_every_page_stops_with_its_reason(corpus, tmp_path, monkeypatch):
    with pytest.raises(
        OhrError, match=r"3 pages in a row failed alike \(EngineError: out of order\): f"
    ):
        study(corpus, tmp_path / "run", MENDABLE, "stop_after_failures=3")
    assert not (tmp_path / "run" / "cells.csv").exists()
    monkeypatch.setenv(MENDED, "1")  # and no page of before stands as failed
    assert study(corpus, tmp_path / "run", MENDABLE, "stop_after_failures=3").failed == []


@pytest.mark.slow
def test_a_condition_that_failed_whole_is_said_and_exits_with_1(corpus, tmp_path):
    arguments = [*corpus, MENDABLE, "noise=[]", "stages=[ocr]", "stop_after_failures=0"]
    done = CliRunner().invoke(noise_curve.main, [*arguments, "--out", str(tmp_path / "run")])
    assert done.exit_code == 1, done.output
    name, reason = "tests.fakes.MendableEngine, clean", "EngineError: out of order"
    assert f"{name}: 4 errors (they count with the worst value): {reason} (4)" in done.stderr
    assert f"error: failed: {name}: all 4 pages" in done.stderr
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["knowledge_bases"][name]["reasons"] == {reason: 4}
    assert (tmp_path / "run" / "cells.csv").exists()


def test_a_reader_that_fails_on_every_question_stops_and_is_asked_again(
    corpus, tmp_path, monkeypatch
):
    reader = "readers=[tests.faults.plugins.MendableReader]"
    with pytest.raises(OhrError, match=r"5 questions in a row failed alike \(out of order at"):
        study(corpus, tmp_path / "run", reader, "stop_after_failures=5")
    monkeypatch.setenv(MENDED, "1")
    result = study(corpus, tmp_path / "run", reader, "stop_after_failures=5")
    assert (result.failed, result.failures) == ([], [])
    cells = result.cells[(result.cells["metric"] == "f1") & (result.cells["group"] == "all")]
    assert set(cells["n_error"]) == {0}


def test_answers_that_all_failed_are_a_condition_that_failed(corpus, tmp_path):
    reader = "readers=[tests.faults.plugins.MendableReader]"
    result = study(corpus, tmp_path / "run", reader, "stages=[generation]")
    assert [line.rpartition(": ")[2] for line in result.failed] == [
        "all 8 answers (generation f1)",
        "all 8 answers (generation f1_no_context)",
    ]
    assert "16 errors" in result.failures[0]
    assert "out of order at 16 characters (16)" in result.failures[0]


@pytest.mark.slow
def test_the_ocr_command_stops_too(tmp_path):
    write_corpus(tmp_path, documents=1, pages=4)
    done = CliRunner().invoke(
        ocr.main,
        [
            *(str(tmp_path / "pdfs"), "--engine", "tests.fakes.MendableEngine"),
            *("--out", str(tmp_path / "read"), "--cache", str(tmp_path / "cache")),
            *("--stop-after-failures", "2", "--workers", "1"),
        ],
    )
    assert done.exit_code == 2
    assert "2 pages in a row failed alike (EngineError: out of order)" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Raising", "page 1: RuntimeError: no ink left"),
        ("Halving", r"page 1: uint8 \(\d+, \d+, 3\) became uint8 .* must not change"),
        ("Floating", r"page 1: .* became float64 .*: size and dtype must not change"),
    ],
)
def test_a_distortion_that_fails_is_no_point_of_the_engines_curve(corpus, tmp_path, name, message):
    noise = f"noise=[tests.faults.plugins.{name}]"
    with pytest.raises(PluginError, match=rf"distortion '.*{name}' on manual/doc0 {message}"):
        study(corpus, tmp_path / "run", "engines=[tests.fakes.LoggingEngine]", noise)


def test_a_distortion_of_text_that_fails_is_named(corpus, tmp_path):
    with pytest.raises(
        PluginError, match="distortion 'raising_on_text' on manual/doc0 page 1: RuntimeError: no wo"
    ):
        study(corpus, tmp_path / "run", "noise=[tests.faults.plugins.RaisingOnText]")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("WithoutSpans", r"manual/doc0 page 0 whose text is not that of its span \(0, 0\): ret"),
        ("NoNumber", "a hit with the score nan"),
        ("RaisingRetriever", "KeyError: 'vectors'"),
        ("OneRanking", "1 rankings for 8 questions"),
    ],
)
def test_a_retriever_that_fails_is_named(corpus, tmp_path, name, message):
    retriever = f"tests.faults.plugins.{name}"
    with pytest.raises(PluginError, match=rf"retriever '{retriever}': .*{message}"):
        study(corpus, tmp_path / "run", f"retrievers=[{retriever}]", "stages=[retrieval]")


def test_a_chunker_that_fails_is_named(corpus, tmp_path):
    chunker = "tests.faults.plugins.RaisingChunker"
    with pytest.raises(PluginError, match=f"chunker '{chunker}': IndexError: no words"):
        study(corpus, tmp_path / "run", f"chunkers=[{chunker}]", "stages=[retrieval]")


def test_a_defect_is_one_line_without_debug(corpus, tmp_path):
    arguments = [*corpus, "engines=[tests.faults.plugins.RaisingBase]", "noise=[]"]
    arguments += ["--out", str(tmp_path / "run")]
    done = CliRunner().invoke(noise_curve.main, arguments)
    assert done.exit_code == 2
    [line] = [line for line in done.stderr.splitlines() if "IndexError" in line]
    assert re.match(r"error: IndexError: no pages \(at .*plugins\.py:\d+\): a defect", line)
    assert "Traceback" not in done.stderr
    assert "Traceback" in CliRunner().invoke(noise_curve.main, [*arguments, "--debug"]).stderr


def test_a_retriever_of_ones_own_that_keeps_its_contract(corpus, tmp_path):
    retriever = "retrievers=[tests.faults.plugins.FirstChunks]"
    study(corpus, tmp_path / "run", retriever, "stages=[retrieval]")
    rows = pd.read_parquet(tmp_path / "run" / "rows.parquet")
    assert rows[rows["metric"] == "lcs"]["value"].tolist() == [1, 1, 1, 1, 0, 0, 0, 0]


def test_a_reader_that_returns_no_outcome_is_named(corpus, tmp_path):
    with pytest.raises(PluginError, match="NoOutcome' returned str instead of an Outcome of a te"):
        study(corpus, tmp_path / "run", "readers=[tests.faults.plugins.NoOutcome]")


@pytest.mark.slow
def test_an_engine_that_answers_for_another_page_is_named(corpus, tmp_path):
    with pytest.raises(PluginError, match="was asked for page 0 and answered for page 1: transcri"):
        study(corpus, tmp_path / "run", "engines=[tests.faults.plugins.AnotherPage]")


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("AnotherPage", "engines=[__main__.AnotherPage]"),
        ("Raising", "noise=[__main__.Raising]"),
    ],
)
def test_what_workers_cannot_import_is_said_before_they_start(
    corpus, tmp_path, monkeypatch, name, setting
):
    cls = type(name, (getattr(plugins, name),), {"__module__": "__main__"})
    monkeypatch.setattr(f"__main__.{name}", cls, raising=False)
    engine = "engines=[tests.fakes.LoggingEngine]"
    with pytest.raises(ConfigError, match=rf"defined in a notebook .* name it my_plugins\.{name}"):
        study(corpus, tmp_path / "run", engine, setting)


def test_parameters_that_a_plain_model_would_ignore_are_refused(corpus, tmp_path):
    engine = "engines=[{name: tests.faults.plugins.PlainParams, params: {wrod: x}}]"
    with pytest.raises(ConfigError, match="unknown parameter 'wrod'; known: word"):
        study(corpus, tmp_path / "run", engine)


def test_failures_are_alike_whatever_file_and_number_they_name():
    streak = Streak("engine", "pages", 3)
    for n in (1, 2):
        streak.add(Outcome.error(f"no memory for /tmp/x{n}/page.png: {n} bytes"))
    streak.add(Outcome("text"))
    for n in (3, 4):
        streak.add(Outcome.error(f"no memory for /tmp/y{n}/page.png: {n} bytes"))
    for seconds in (300, 305):
        streak.add(Outcome.timeout(f"used {seconds} s of CPU time"))
    with pytest.raises(OhrError, match=r"^engine: 3 pages in a row failed alike \(used 310 s"):
        streak.add(Outcome.timeout("used 310 s of CPU time"))
    assert reasons([Outcome.error("b"), Outcome.error("a 1"), Outcome.error("a 2")]) == {
        "a 1": 2,
        "b": 1,
    }
