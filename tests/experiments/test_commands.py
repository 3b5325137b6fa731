"""What every command keeps: its help, its output, and the user's folders."""

from __future__ import annotations

import importlib
import importlib.util
import io
import os
import shlex
import subprocess
import sys
import tomllib
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import experiments
from experiments.__main__ import app
from experiments._command import CommandLine
from experiments._commands import EARLIER, GROUPS, SECTIONS, SINGLE, all_commands
from experiments._flags import flag_name
from ohr import registry
from ohr.display.options import COMMON
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


@dataclass
class Ended:
    exit_code: int
    output: str


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


def ohr(*arguments: str) -> Ended:
    """The app, called as the console script calls it."""
    output = io.StringIO()
    with redirect_stdout(output), redirect_stderr(output), pytest.raises(SystemExit) as ended:
        app(list(arguments), prog_name="ohr")
    return Ended(int(ended.value.code or 0), output.getvalue())


def test_every_command_is_listed_once_with_the_first_line_of_its_help():
    assert sorted(module for _, _, module in all_commands()) == sorted(COMMANDS)
    for group, name, module in all_commands():
        lines = ohr(*([group] if group else []), "--help").output.splitlines()
        assert max(map(len, lines)) <= 80
        help_line = typer.main.get_command(COMMANDS[module]).help.partition("\n")[0]
        assert help_line.endswith(".")
        assert f"  {name:16}  {help_line}" in lines


def test_the_first_help_lists_every_group_and_single_command_once():
    listed = [name for names in SECTIONS.values() for name in names]
    assert sorted(listed) == sorted([*GROUPS, *SINGLE])


def test_no_command_is_left_out_of_the_contract_of_independence():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = contracts["tool"]["importlinter"]["contracts"]
    (contract,) = [one for one in contracts if one["type"] == "independence"]
    assert contract["modules"] == [f"experiments.{name}" for name in sorted(COMMANDS)]


@pytest.mark.parametrize("group", [(), ("run",)])
def test_without_a_command_they_are_listed(group):
    done = ohr(*group)
    assert done.exit_code == 0
    assert done.output == ohr(*group, "--help").output
    assert "Usage: ohr" in done.output


@pytest.mark.parametrize("name", sorted(EARLIER))
def test_a_module_is_found_by_its_earlier_name(name):
    earlier = importlib.util.find_spec(f"experiments.{name}")
    assert earlier is not None
    assert Path(earlier.origin).stem == EARLIER[name]


def test_the_package_is_the_app_too():
    done = subprocess.run(
        [sys.executable, "-m", "ohr", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == ohr("--version").output


def test_a_short_help_has_the_common_options_and_names_the_other():
    short, whole = (invoke("noise_curve", flag).output for flag in ("--help", "--help-all"))
    listed = {line.split()[0] for line in short.splitlines() if line.startswith("  --")}
    assert {flag_name(key) for key in COMMON} <= listed
    assert "--bootstrap" not in short
    assert "--bootstrap" in whole
    assert short.endswith("--help-all lists all options.\n")


def test_version_prints_that_of_the_package_and_ends():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    done = ohr("--version")
    assert (done.exit_code, done.output) == (0, f"ohr {project['version']}\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nois", "--out", "x"], "error: unknown command 'nois'; known: demo, "),
        (["analyze"], "error: unknown command 'analyze'; did you mean 'analyse'? "),
        (["run", "noise-curv"], "error: unknown command 'noise-curv'; did you mean 'noise-curve'?"),
        (
            ["robustnes"],  # typos: ignore
            "error: unknown command 'robustnes'; did you mean 'ohr analyse ro",  # typos: ignore
        ),
        (
            ["run", "curve_statistics"],
            "error: unknown command 'curve-statistics'; did you mean 'ohr a",
        ),
        (["curves"], "error: unknown command 'curves'; did you mean 'ohr analyse curves'?"),
    ],
)
def test_a_mistyped_command_suggests_the_nearest(arguments, message):
    done = ohr(*arguments)
    assert done.exit_code == 2
    assert done.output.startswith(message)
    assert done.output.count("\n") == 1


@pytest.mark.parametrize("name", ["noise-curve", "noise_curve"])
def test_a_command_of_a_group_is_that_of_its_module(name):
    of_module = CliRunner().invoke(
        COMMANDS["noise_curve"], ["--help"], prog_name="ohr run noise-curve"
    )
    assert "".join(ohr("run", name, "--help").output.split()) == "".join(of_module.output.split())


def test_the_shell_completes_commands_and_the_flags_of_a_study(monkeypatch):
    def completed(words: str) -> list[str]:
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
        monkeypatch.setenv("_OHR_COMPLETE", "complete_bash")
        return ohr().output.split()

    assert completed("ohr pert") == ["perturb"]
    assert completed("ohr --version pert") == ["perturb"]
    assert completed("ohr run noise-curve --dpi") == ["--dpi"]
    assert "--dataset.path" in completed("ohr run noise-curve --dataset.p")


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
        (["--engine", "gt"], "unknown option '--engine'; did you mean '--engines'? "),
        (["--top-k"], "--top-k needs a value, such as --top-k VALUE"),
        (["--top-k", "--out", "x"], "--top-k needs a value"),
        (["--top-k=many", "--out", "x"], "configuration: top_k: Input should be"),
        (["--ground-truth=5"], "--ground-truth is a switch: "),
        (["--out"], "option '--out' requires an argument; "),
        (["engine=[gt]"], "configuration: unknown option 'engine'; did you mean 'engines'? "),
        (["engines=[gtt]", "--out", "x"], "unknown engine 'gtt'; did you mean 'gt'? known: "),
        ([], "no folder for the results: give --out"),
    ],
)
def test_mistakes_of_a_study_are_one_line(arguments, said, sample_folder, monkeypatch):
    monkeypatch.chdir(sample_folder)
    done = invoke("noise_curve", *arguments)
    assert (done.exit_code, done.output.count("\n")) == (2, 1)
    assert done.output.startswith(f"error: {said}")


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("read", ["--engine", "gt", "--out", "x"], "missing argument 'FILE'"),
        ("analyse_figure3", ["run"], "no folder for the results: give --out"),
        ("perturb_gallery", ["--out", "x.png", "--dpi", "5"], "invalid value for '--dpi'"),
        ("read", ["x", "--engine", "{", "--out", "y"], "cannot read 'engine={': the value is not"),
        ("read", ["x", "--out", "y", "--dpi", "90", "--dpi=90"], "--dpi is given twice: keep one"),
        ("read", ["x", "--engine", "gt", "--engines", "gt", "--out", "y"], "--engines is given tw"),
        ("analyse_figure3", ["run", "--out", "a", "--out", "b"], "--out is given twice: keep one"),
    ],
)
def test_other_mistakes_are_one_line(name, arguments, said):
    done = invoke(name, *arguments)
    assert (done.exit_code, done.output.count("\n")) == (2, 1)
    assert done.output.startswith(f"error: {said}")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_the_terminal_and_explains_every_option(name):
    assert max(map(len, invoke(name, "--help").output.splitlines())) <= 80
    assert [one.name for one in parameters(name) if not one.help] == []


STUDIES = """attribution block_errors calibrate demo drc extraction format_counts noise_curve
noise_statistics ocr_benchmark ohrbench dev_style retrievers structure systems
table_format""".split()


@pytest.mark.slow
@pytest.mark.parametrize("name", STUDIES)
def test_help_of_a_study_has_every_option_and_its_default(name):
    lines = [line.split() for line in invoke(name, "--help-all").output.splitlines()]
    first = {words[0] for words in lines if words}
    keys = {*set(StudyConfig.model_fields) - {"dataset"}}
    keys |= {f"dataset.{key}" for key in DatasetConfig.model_fields}
    assert {flag_name(key) for key in keys} <= first


def test_help_shows_the_defaults_of_the_command_itself():
    def noise_of(name: str) -> str:
        text = " ".join(invoke(name, "--help").output.split())
        return text.split("clean pages only.")[1].split(" --levels ")[0].strip()

    assert noise_of("noise_curve") == "[default: semantic]"
    assert noise_of("noise_statistics") == "[default: formatting, semantic]"
    assert noise_of("ocr_benchmark") == ""


def test_help_of_what_only_reads_a_dataset_has_the_options_of_datasets_alone():
    text = invoke("dataset_verify", "--help").output
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
    done = CliRunner().invoke(COMMANDS["read"], arguments)
    assert "an argument is empty" in done.output


def test_help_keeps_what_stands_in_brackets():
    assert (
        "pip install 'ohr[hub]'"
        in CliRunner().invoke(COMMANDS["convert_export"], ["--help"]).output
    )


def test_the_engine_in_the_help_of_ocr_is_one():
    text = " ".join(CliRunner().invoke(COMMANDS["read"], ["--help"]).output.split())
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
    assert done.returncode == 0
    assert "error" not in done.stderr.lower()
    assert "Traceback" not in done.stderr
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
    last = done.stderr.splitlines()[-1]
    assert last == "error: cannot write to standard output: No space left on device"
    assert (tmp_path / "run" / "cells.csv").exists()


@pytest.mark.slow
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
    fewer = [each for each in study[3:] if not each.startswith(("engines=", "noise=", "workers="))]
    done = CliRunner().invoke(COMMANDS["noise_curve"], [*fewer, *more])
    assert done.exit_code == 2
    assert done.stderr.splitlines()[-1].startswith("error: workers=1000 would leave each too li")


def test_help_of_what_only_rewrites_text_has_the_options_that_it_takes():
    text = invoke("perturb_text", "--help").output
    assert "dataset.path" in text
    assert "intensities" in text
    for name in ("retrievers", "workers", "bootstrap", "dpi"):
        assert f"\n  --{name} " not in text


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
