"""The gate as an action: what its steps run, and that the guide's workflow fits it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from ohr.analysis.comparison.gate import FailIf
from ohr.study.metrics import metric_info
from tests.builders import load_config
from tests.conftest import ROOT

GUIDES = ROOT / "docs" / "guides"
ACTION = yaml.safe_load((ROOT / ".github/actions/gate/action.yml").read_text("utf-8"))
USE = ".github/actions/gate@"


@pytest.fixture
def printed(tmp_path):
    """Runs a step of the action in a shell, where ``ohr`` prints the folder and its arguments."""
    program = tmp_path / "bin" / "ohr"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nprintf "%s" "$PWD"; printf "|%s" "$@"; echo\n')
    program.chmod(0o755)
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
    (tmp_path / "new" / "study.yaml").touch()

    def run(name: str, **given: str) -> list[list[str]]:
        [step] = [each for each in ACTION["runs"]["steps"] if each.get("name") == name]
        values = {key: entry.get("default", "") for key, entry in ACTION["inputs"].items()} | given
        texts = dict(step["env"])
        env = {
            key: values[text[3:-2].strip().removeprefix("inputs.")] for key, text in texts.items()
        }
        env["PATH"] = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "--noprofile", "-eo", "pipefail", "-c", step["run"]],
            cwd=tmp_path,
            env=env,
            capture_output=True,
            text=True,
            check=True,
        )
        return [line.split("|") for line in done.stdout.splitlines()]

    return run


def test_both_versions_are_measured_in_their_folders(printed, tmp_path):
    lines = printed("Measure both versions", study="new/study.yaml")
    study, cache = str(tmp_path / "new" / "study.yaml"), str(tmp_path / "ohr-cache")
    for line, name in zip(lines, ("old", "new"), strict=True):
        out = str(tmp_path / "ohr-runs" / name)
        assert line == [str(tmp_path / name), "run", "ocr-benchmark", study,
                        "--cache", cache, "--out", out]  # fmt: skip


def test_every_line_is_a_condition(printed):
    conditions = "retrieval:lcs < -0.02\n\n  \nocr:cer > 0.01; touch x\n"
    [line] = printed("Compare", **{"fail-if": conditions, "fail-undecided": "true"})
    assert line[1:] == [
        *("analyse", "compare", "ohr-runs/old", "ohr-runs/new", "--out", "ohr-runs/gate"),
        *("--fail-if", "retrieval:lcs < -0.02", "--fail-if", "ocr:cer > 0.01; touch x"),
        "--fail-undecided",
    ]
    [line] = printed("Compare", **{"fail-if": "ocr:cer > 0.01"})
    assert line[-2:] == ["--fail-if", "ocr:cer > 0.01"]


def test_the_guides_workflow_gives_the_action_what_it_takes():
    workflow: dict[str, Any] = yaml.safe_load((GUIDES / "gate-workflow.yml").read_text("utf-8"))
    steps = workflow["jobs"]["gate"]["steps"]
    [given] = [step["with"] for step in steps if USE in step.get("uses", "")]
    assert set(given) <= set(ACTION["inputs"])
    required = {name for name, entry in ACTION["inputs"].items() if entry.get("required")}
    assert required <= set(given)
    for text in given["fail-if"].splitlines():
        condition = FailIf.parse(text)
        info = metric_info(condition.stage, condition.metric)
        assert condition.sign == ("<" if info.higher_is_better else ">")
        assert (condition.margin < 0) == info.higher_is_better
    checkouts = [step["with"]["path"] for step in steps if "checkout" in step.get("uses", "")]
    assert set(checkouts) == {ACTION["inputs"][name]["default"] for name in ("old", "new")}


def test_the_guides_study_runs_a_program():
    study = load_config([str(GUIDES / "gate-study.yaml")])
    assert [engine.name for engine in study.engines] == ["command"]
    assert study.stages == ("ocr", "retrieval")


def test_what_is_installed_is_this_project():
    [step] = [each for each in ACTION["runs"]["steps"] if each.get("name") == "Install OHR"]
    folder = Path(ROOT / ".github/actions/gate/../../..").resolve()
    assert "$GITHUB_ACTION_PATH/../../.." in step["run"]
    assert (folder / "pyproject.toml").exists()
