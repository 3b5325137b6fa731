"""``python -m experiments.dataset_make_sample``: what it writes, says and refuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from experiments.dataset_make_sample import main
from tests.builders import CliRunner

runner = CliRunner()


@pytest.mark.slow
def test_the_command_writes_a_sample_and_repeats_it(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "experiments.dataset_make_sample",
        "--pages",
        "7",
        "--seed",
        "2",
    ]
    outputs = []
    for name in ("a", "b"):
        done = subprocess.run(
            [*command, "--out", str(tmp_path / name), "--workers", "1"],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        outputs.append(done)
    assert "7 pages in" in outputs[0].stdout
    assert "writing the sample: 7/7 pages" in outputs[0].stderr
    first, second = (
        {
            path.relative_to(tmp_path / name): path.read_bytes()
            for path in (tmp_path / name).rglob("*")
            if path.is_file()
        }
        for name in ("a", "b")
    )
    assert first == second
    assert len(list((tmp_path / "a" / "pdfs").rglob("*.pdf"))) == 3
    assert len(json.loads((tmp_path / "a" / "qas.json").read_text("utf-8"))) == 7


def test_difficulty(tmp_path: Path) -> None:
    arguments = ["--pages", "1", "--out", str(tmp_path / "x"), "--difficulty"]
    assert runner.invoke(main, [*arguments, "easy"]).exit_code == 0
    recipe = json.loads((tmp_path / "x" / "sample.json").read_text("utf-8"))
    assert recipe["difficulty"] == "easy"
    assert runner.invoke(main, [*arguments, "hard"]).exit_code == 2
    assert "harder" in runner.invoke(main, [*arguments, "harder"]).stderr


def test_images_and_a_second_call(tmp_path: Path) -> None:
    arguments = ["--pages", "2", "--out", str(tmp_path / "x"), "--images"]
    assert runner.invoke(main, arguments).exit_code == 0
    assert len(list((tmp_path / "x" / "images").rglob("*.png"))) == 2
    again = runner.invoke(main, arguments)
    assert (again.exit_code, again.stdout.split(" in ")[0]) == (0, "the sample is already")


def test_errors_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    full = runner.invoke(main, ["--pages", "2", "--out", str(tmp_path)])
    assert full.exit_code == 2
    assert full.stderr.startswith(f"error: {tmp_path} is not empty")
    assert len(full.stderr.splitlines()) == 1
    unknown = runner.invoke(main, ["--out", str(tmp_path / "x"), "--attributes", "dense,blurred"])
    assert "unknown sample attribute 'blurred'; known: dense, scanned" in unknown.stderr
    assert not (tmp_path / "x").exists()
    assert runner.invoke(main, ["--pages", "0", "--out", "x"]).exit_code == 2
