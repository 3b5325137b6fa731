"""What every command keeps: its help, its output, and the user's folders."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import experiments
from experiments.interchange.readings import parse_engine
from ohr import registry
from tests.builders import write_corpus
from tests.conftest import ROOT

MODULES = sorted(path.stem for path in Path(experiments.__path__[0]).glob("*.py"))
COMMANDS = {
    name: importlib.import_module(f"experiments.{name}").main
    for name in MODULES
    if isinstance(
        getattr(importlib.import_module(f"experiments.{name}"), "main", None), typer.Typer
    )
}


@pytest.mark.parametrize("name", COMMANDS)
def test_an_empty_path_is_never_the_current_folder(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(COMMANDS[name], ["x", "--out", ""])
    assert done.exit_code == 2
    assert "an argument is empty" in done.output
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [["--out="], ["", "--out", "x"]])
def test_nor_is_an_option_without_its_value_or_an_empty_input(arguments):
    done = CliRunner().invoke(COMMANDS["ocr"], arguments)
    assert "an argument is empty" in done.output


def test_help_keeps_what_stands_in_brackets():
    assert "pip install 'ohr[hub]'" in CliRunner().invoke(COMMANDS["export"], ["--help"]).output


def test_the_engine_in_the_help_of_ocr_is_one():
    text = " ".join(CliRunner().invoke(COMMANDS["ocr"], ["--help"]).output.split())
    engine = text.partition("or '")[2].partition("'")[0]
    assert registry.create("engine", parse_engine(engine)).params.languages == ("deu",)


@pytest.fixture
def study(tmp_path):
    """A study of the ground truth alone, as a command."""
    settings = write_corpus(tmp_path, documents=1, pages=2)
    command = [sys.executable, "-m", "experiments.noise_curve", *settings, "engines=[gt]"]
    noise = ["noise=[tests.fakes.HideFacts]", "intensities=[0.5]", "bootstrap=100"]
    return [*command, *noise, "--out", str(tmp_path / "run")]


def test_output_that_nobody_reads_costs_no_result(study, tmp_path):
    reads, writes = os.pipe()
    os.close(reads)
    done = subprocess.run(
        study, cwd=ROOT, stdout=writes, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writes)
    assert (done.returncode, done.stderr) == (0, "")
    assert list((tmp_path / "run" / "figures").glob("*.png"))
    assert (tmp_path / "run" / "curves.csv").exists()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_output_that_cannot_be_written_is_said(study, tmp_path):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            study, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert done.stderr == "error: cannot write to standard output: No space left on device\n"
    assert (tmp_path / "run" / "cells.csv").exists()


@pytest.mark.slow
def test_characters_that_the_terminal_lacks_cost_no_result(study):
    done = subprocess.run(
        study, cwd=ROOT, env=os.environ | {"PYTHONIOENCODING": "ascii"}, capture_output=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_more_workers_than_the_machine_takes_are_refused(study, tmp_path):
    more = ["engines=[tests.fakes.LoggingEngine]", "noise=[]", "workers=1000"]
    done = CliRunner().invoke(COMMANDS["noise_curve"], [*study[3:], *more])
    assert done.exit_code == 2
    assert done.stderr.splitlines()[-1].startswith("error: workers=1000 would leave each too li")
