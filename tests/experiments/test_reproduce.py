"""Manifest, command, manifest: the command that a run keeps makes the same run again."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

import ohr
from experiments.__main__ import app
from ohr.report.command import command_of
from ohr.study.results import open_run
from tests.builders import write_corpus

COMPARED = ("command", "config", "draws", "metrics", "signatures", "groups", "engines", "dataset")
"""Parts of a manifest that are the same in both; others have times, and what was in the cache."""


def call(command: str) -> int:
    name, *arguments = shlex.split(command)
    assert name == "ohr"
    with pytest.raises(SystemExit) as ended:
        app(arguments, prog_name="ohr")
    return int(ended.value.code or 0)


def manifest(folder: Path) -> Any:
    parts = json.loads((folder / "manifest.json").read_text("utf-8"))
    return {name: parts[name] for name in COMPARED}


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        "ohr run noise-curve engines=gt noise=formatting --levels severe --axis r_noise",
        "ohr run noise-curve engines=gt noise=formatting intensities=0.3 --no-ground-truth",
        "ohr run ocr-benchmark engines=[gt] noise=formatting levels=mild --levels severe",
        "ohr run retrievers --ks 1 --ks 3,5 engines=gt",
        "ohr run ocr-benchmark options.yaml",
        "ohr paper prototypes --engines gt --systems p0 --systems p2",
    ],
)
def test_the_command_of_a_manifest_makes_the_same_run(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shared = [*write_corpus(tmp_path / "data", documents=2, pages=1), "bootstrap=100"]
    Path("options.yaml").write_text("stages: [ocr]\nengines: [gt]\ndataset: {even: no}\n")
    assert call(f"{command} {shlex.join(shared)} --out runs/first") == 0
    first = manifest(Path("runs/first"))
    again = command_of(open_run(Path("runs/first")))
    assert again.endswith(" --out first")
    Path("options.yaml").unlink()
    Path("runs/first").rename("runs/kept")
    cache = next(each for each in shared if each.startswith("cache="))
    assert call(f"{again} workers=1 {cache}") == 0
    assert manifest(Path("first")) == first


@pytest.mark.slow
def test_a_run_from_python_keeps_a_command_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = write_corpus(tmp_path / "data", documents=2, pages=1)
    dataset = {
        key.removeprefix("dataset."): value
        for key, _, value in (one.partition("=") for one in data)
        if key.startswith("dataset.")
    }
    run = ohr.Study(
        dataset=dataset, engines=["gt"], noise="formatting", levels=["severe"], seeds=[0]
    ).run("first", progress=False)
    command = command_of(open_run(run.path))
    run.path.rename(tmp_path / "kept")
    assert call(command) == 0
    kept, made = (manifest(tmp_path / name) for name in ("kept", "first"))
    assert kept.pop("command")["name"] == made.pop("command")["name"] == "run noise-curve"
    assert made == kept


@pytest.mark.slow
def test_a_run_without_a_command_is_not_the_reports(tmp_path, monkeypatch):
    """A run of an earlier version keeps none: that of the report is not its own."""
    monkeypatch.chdir(tmp_path)
    data = write_corpus(tmp_path / "data", documents=2, pages=1)
    assert call(f"ohr run ocr-benchmark engines=gt {shlex.join(data)} --out first") == 0
    path = tmp_path / "first" / "manifest.json"
    parts = json.loads(path.read_text("utf-8"))
    del parts["command"]
    path.write_text(json.dumps(parts), "utf-8")
    (path.parent / ".receipt.json").unlink()  # else the manifest counts as edited
    assert call("ohr report first --out report") == 0
    page = (tmp_path / "report" / "index.html").read_text("utf-8")
    assert "ohr run ocr-benchmark" in page
    assert "ohr report first" not in page
