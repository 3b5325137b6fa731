"""What every command keeps: its help, its output, and the user's folders."""

from __future__ import annotations

import importlib
import os
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import experiments
from experiments.__main__ import COMMANDS as LISTED
from experiments.__main__ import listing
from experiments.__main__ import main as run_by_name
from experiments._command import CommandLine
from ohr import registry
from ohr.study.config import DatasetConfig, StudyConfig, parse_plugin
from tests.builders import write_corpus
from tests.conftest import ROOT

MODULES = sorted(path.stem for path in Path(experiments.__path__[0]).glob("*.py"))
COMMANDS = {
    name: importlib.import_module(f"experiments.{name}").main
    for name in MODULES
    if not name.startswith("_")
}


def parameters(name: str) -> list:
    return typer.main.get_command(COMMANDS[name]).params


def invoke(name: str, *arguments: str):
    return CliRunner().invoke(COMMANDS[name], list(arguments))


def test_every_command_is_made_by_the_one_decorator():
    assert all(isinstance(main, CommandLine) for main in COMMANDS.values())


def test_every_command_is_listed_once_with_the_first_line_of_its_help():
    names = [name for group in LISTED.values() for name in group]
    assert sorted(names) == sorted(COMMANDS)
    lines = listing().splitlines()
    assert max(map(len, lines)) <= 80
    for name in names:
        help_line = typer.main.get_command(COMMANDS[name]).help.partition("\n")[0]
        assert help_line.endswith(".")
        assert f"  {name:18}  {help_line}" in lines


def test_no_command_is_left_out_of_the_contract_of_independence():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = contracts["tool"]["importlinter"]["contracts"]
    (contract,) = [one for one in contracts if one["type"] == "independence"]
    assert contract["modules"] == [f"experiments.{name}" for name in sorted(COMMANDS)]


@pytest.mark.parametrize("arguments", [[], ["--help"]])
def test_without_a_command_they_are_listed(arguments, capsys):
    assert run_by_name(arguments) == 0
    assert capsys.readouterr().out == listing() + "\n"


def test_a_mistyped_command_suggests_the_nearest(capsys):
    assert run_by_name(["nois_curve", "--out", "x"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: unknown command 'nois_curve'; did you mean 'noise_curve'? ")
    assert said.count("\n") == 1


def test_a_command_runs_by_its_name(capsys):
    with pytest.raises(SystemExit) as ended:
        run_by_name(["plugins", "chunker"])
    assert ended.value.code == 0
    assert "sentences" in capsys.readouterr().out


@pytest.mark.parametrize("name", COMMANDS)
def test_a_mistyped_option_suggests_the_nearest_in_one_line(name):
    option = next(option for one in parameters(name) for option in one.opts if "--" in option)
    done = invoke(name, "x", option[:-1])
    assert done.exit_code == 2
    assert done.output.startswith(f"error: unknown option '{option[:-1]}'; did you mean '--")
    assert done.output.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--engines", "[gt]"], "unknown option '--engines'; a study's options are written eng"),
        (["--top-k=3"], "unknown option '--top-k'; a study's options are written top_k=VALUE"),
        (["--out"], "option '--out' requires an argument; "),
        (["engine=[gt]"], "configuration: unknown option 'engine'; did you mean 'engines'? "),
        (["engines=[gtt]", "--out", "x"], "unknown engine 'gtt'; did you mean 'gt'? known: "),
        ([], "where should the results go? give --out"),
    ],
)
def test_mistakes_of_a_study_are_one_line(arguments, said, where_the_sample_is, monkeypatch):
    monkeypatch.chdir(where_the_sample_is)
    done = invoke("noise_curve", *arguments)
    assert (done.exit_code, done.output.count("\n")) == (2, 1)
    assert done.output.startswith(f"error: {said}")


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("ocr", ["--engine", "gt", "--out", "x"], "missing argument 'FILE'"),
        ("figure3", ["run"], "where should the results go? give --out"),
        ("gallery", ["--out", "x.png", "--dpi", "5"], "invalid value for '--dpi'"),
        ("ocr", ["x", "--engine", "{", "--out", "y"], "cannot read the engine '{': it is not YAML"),
        (
            "ocr",
            ["x", "--engine", "[gt]", "--out", "y"],
            "cannot read the engine '[gt]': it names no",
        ),
    ],
)
def test_other_mistakes_are_one_line(name, arguments, said):
    done = invoke(name, *arguments)
    assert (done.exit_code, done.output.count("\n")) == (2, 1)
    assert done.output.startswith(f"error: {said}")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_the_terminal_and_explains_every_option(name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert max(map(len, invoke(name, "--help").output.splitlines())) <= 80
    assert [one.name for one in parameters(name) if not one.help] == []


STUDIES = """attribution block_errors calibrate demo drc extraction format_counts noise_curve
noise_statistics ocr_benchmark paper question_style retrievers structure systems
table_format""".split()


@pytest.mark.slow
@pytest.mark.parametrize("name", STUDIES)
def test_help_of_a_study_has_every_option_and_its_default(name):
    lines = [line.split() for line in invoke(name, "--help").output.splitlines()]
    first = {words[0] for words in lines if words}
    assert set(StudyConfig.model_fields) - {"dataset"} <= first
    assert {f"dataset.{key}" for key in DatasetConfig.model_fields} <= first


def test_help_shows_the_defaults_of_the_command_itself():
    def noise_of(name: str) -> str:
        text = " ".join(invoke(name, "--help").output.split())
        return text.split("clean pages alone.")[1].split(" levels ")[0].strip()

    assert noise_of("noise_curve") == "[default: salt_and_pepper]"
    assert noise_of("noise_statistics") == "[default: formatting, semantic]"
    assert noise_of("ocr_benchmark") == ""


def test_help_of_what_only_reads_a_dataset_has_the_options_of_datasets_alone():
    text = invoke("verify_dataset", "--help").output
    assert "dataset.strict" in text
    assert "retrievers" not in text


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
    assert registry.create("engine", parse_plugin("engine", engine)).params.languages == ("deu",)


@pytest.fixture
def study(tmp_path):
    """A study of the ground truth alone, as a command."""
    settings = write_corpus(tmp_path, documents=1, pages=2)
    command = [sys.executable, "-m", "experiments.noise_curve", *settings, "engines=[gt]"]
    noise = ["noise=[tests.fakes.HideFacts]", "intensities=[0.5]", "bootstrap=100"]
    return [*command, *noise, "stages=[retrieval]", "--out", str(tmp_path / "run")]


@pytest.mark.slow
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


@pytest.mark.skipif(os.name != "posix", reason="a shell closes the streams")
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_cost_no_result(tmp_path, closed):
    settings = write_corpus(tmp_path, documents=1, pages=2)
    arguments = [*settings, "engines=[gt]", "stages=[retrieval]", "--out", str(tmp_path / "run")]
    command = shlex.join([sys.executable, "-m", "experiments.ocr_benchmark", *arguments])
    done = subprocess.run(
        ["/bin/sh", "-c", f"{command} {closed}"], cwd=ROOT, capture_output=True, check=False
    )
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    assert (tmp_path / "run" / "manifest.json").exists()


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


def test_help_of_what_only_rewrites_text_has_the_options_that_it_takes():
    text = invoke("perturb_text", "--help").output
    assert "dataset.path" in text
    assert "intensities" in text
    for name in ("retrievers", "workers", "bootstrap", "dpi"):
        assert f" {name} " not in text


@pytest.mark.parametrize(
    ("name", "stage"),
    [
        ("attribution", "overall"),
        ("retrievers", "retrieval"),
        ("systems", "overall"),
        ("vision", "overall"),
    ],
)
def test_a_stage_that_a_command_reports_is_asked_for_before_pages_are_read(tmp_path, name, stage):
    settings = [*write_corpus(tmp_path), "engines=[gt]", "noise=[]", "stages=[ocr]"]
    for further in ([], ["--dry-run"]):
        done = invoke(name, *settings, "--out", str(tmp_path / "run"), *further)
        assert done.exit_code == 2
        assert done.stderr.startswith(f"error: stages must include {stage}: ")
    assert not (tmp_path / "run").exists()
