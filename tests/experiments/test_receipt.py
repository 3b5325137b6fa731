"""A study's command that is given again: printed from what is there, or run anew."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from typer.testing import Result

import ohr.study.inputs
import ohr.study.run
from experiments import _study
from experiments._study_command import study_command
from experiments.noise_curve import main as noise_curve
from ohr.collection import Dataset
from ohr.datasets.ohrbench import OhrBench
from ohr.errors import StoreError
from ohr.study.faults import RECEIPT as FILE
from ohr.study.results import StudyRun
from ohr.types import KnowledgeBase
from rag.retrievers.bm25 import Bm25
from tests.builders import CliRunner, write_corpus

REPORTED = "reported.txt"


@study_command({"engines": ["gt"], "bootstrap": 100})
def command(run: StudyRun, count: int = 1) -> None:
    """Print a study's size."""
    (run.path / REPORTED).write_text(f"{count}\n")
    print(f"{count} x {len(run.cells)} cells of {run.manifest['dataset']['pages']} pages")


class Elsewhere(OhrBench):
    """A dataset from outside the project: what it reads is its own affair."""

    name = "elsewhere"


class Unknown(ohr.plugins.KnowledgeBaseSource):
    """Likewise a knowledge base."""

    name = "unknown"

    def knowledge_base(self, dataset: Dataset) -> KnowledgeBase:
        return KnowledgeBase({ref: ohr.Outcome(page.text) for ref, page in dataset.pages.items()})


@dataclass
class Study:
    """A command, its folder of results, and how often the study was run."""

    root: Path
    settings: list[str]
    runs: int = 0
    main: object = field(default=command)

    @property
    def out(self) -> Path:
        return self.root / "run"

    def run(self, *options: str) -> Result:
        arguments = [*self.settings, "--out", str(self.out), *options]
        return CliRunner().invoke(self.main, arguments)

    def files(self) -> dict[str, tuple[bytes, int]]:
        """Bytes and time of each file."""
        paths = [path for path in self.out.rglob("*") if path.is_file() and path.name[0] != "."]
        return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in paths}


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    study = Study(tmp_path, write_corpus(tmp_path, documents=2, pages=2))
    run_study = ohr.study.run.run_study

    def counted(*args, **options):
        study.runs += 1
        return run_study(*args, **options)

    monkeypatch.setattr(_study, "run_study", counted)
    return study


def edit(path: Path, old: str, new: str) -> None:
    """Change a file, but neither its size nor its times."""
    times = path.stat()
    data = path.read_bytes()
    assert data.count(old.encode())
    assert len(old) == len(new)
    path.write_bytes(data.replace(old.encode(), new.encode()))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def test_a_finished_study_is_printed_again_and_not_run(study: Study):
    first = study.run()
    files = study.files()
    second = study.run()
    assert (first.exit_code, second.exit_code, study.runs) == (0, 0, 1)
    assert "cells of 4 pages" in first.stdout
    assert second.stdout == first.stdout
    assert study.files() == files
    added = second.stderr.removeprefix(first.stderr)
    assert added.startswith(f"{study.out}: this study is finished")
    assert added.count("\n") == 1


@pytest.mark.slow
def test_notes_and_troubles_are_printed_again_but_no_progress(study: Study):
    study.settings += ["engines=[gt,precomputed:half]"]
    half = study.root / "kb" / "half"
    for number, source in enumerate(sorted((study.root / "kb" / "gt").rglob("*.json"))):
        target = half / source.relative_to(study.root / "kb" / "gt")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes() if number else b"[]")
    questions = study.root / "qas.json"
    entries = json.loads(questions.read_text())
    questions.write_text(json.dumps([*entries, entries[0]]))
    first, second = study.run(), study.run()
    assert study.runs == 1
    assert "1 x duplicate_question_id" in first.stderr
    assert "page missing from half" in first.stderr
    notes = first.stderr.removeprefix("planning: reading the dataset\n")
    assert second.stderr.startswith(notes)
    assert second.stdout == first.stdout


@pytest.mark.slow
def test_the_report_of_a_command_is_printed_again(study: Study):
    study.main = noise_curve
    study.settings += ["engines=[gt]", "noise=[tests.fakes.HideFacts]", "bootstrap=100"]
    first = study.run("--report")
    files = study.files()
    assert any("report/index.html" in name for name in files), first.output
    assert study.run("--report").stdout == first.stdout
    assert study.runs == 1
    assert study.files() == files
    page = study.out / "report" / "index.html"
    page.unlink()
    assert study.run("--report").exit_code == 0
    assert study.runs == 2
    assert page.exists()


def _remove(name: str) -> Callable[[Study, pytest.MonkeyPatch], None]:
    return lambda study, _: (study.out / name).unlink()


def _damage(name: str) -> Callable[[Study, pytest.MonkeyPatch], None]:
    def damage(study: Study, _: pytest.MonkeyPatch) -> None:
        path = study.out / name
        data = bytearray(path.read_bytes())
        data[-2] ^= 1
        path.write_bytes(data)

    return damage


def _cut_receipt(study: Study, _: pytest.MonkeyPatch) -> None:
    path = study.out / FILE
    path.write_text(path.read_text()[:-20])


def _receipt_without_files(study: Study, _: pytest.MonkeyPatch) -> None:
    path = study.out / FILE
    path.write_text(json.dumps(json.loads(path.read_text()) | {"files": None}))


CHANGES: dict[str, Callable[[Study, pytest.MonkeyPatch], None]] = {
    "rows are damaged": _damage("rows.parquet"),
    "cells are damaged": _damage("cells.csv"),
    "cases are damaged": _damage("cases.zip"),
    "the report's file is damaged": _damage(REPORTED),
    "a file is gone": _remove("cells.csv"),
    "the run was cut short at its end": _remove("manifest.json"),
    "there is no receipt": _remove(FILE),
    "the receipt is cut": _cut_receipt,
    "the receipt is no receipt": _receipt_without_files,
    "a plug-in has another version": lambda _, patch: patch.setattr(Bm25, "version", "other"),
    "a package has another version": lambda _, patch: patch.setattr(
        ohr.study.inputs, "versions", lambda: {"numpy": "0"}
    ),
    "code was edited": lambda _, patch: patch.setattr(
        ohr.study.inputs, "find_spec", lambda name: None
    ),
    "workers differ, which the manifest says": lambda study, _: study.settings.append("workers=3"),
    "an option of the command differs": lambda study, _: study.settings.extend(["--count", "2"]),
    "failures are to be tried again": lambda study, _: study.settings.append("retry_failed=true"),
}


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_whatever_changes_runs_the_study_again(
    change: Callable[[Study, pytest.MonkeyPatch], None],
    study: Study,
    monkeypatch: pytest.MonkeyPatch,
):
    study.run()
    rows = (study.out / "rows.parquet").read_bytes()
    change(study, monkeypatch)
    done = study.run()
    assert (done.exit_code, study.runs) == (0, 2), done.output
    assert (study.out / "rows.parquet").read_bytes() == rows


@pytest.mark.slow
def test_edited_data_of_the_same_size_and_time_is_noticed(study: Study):
    study.run()
    page = next((study.root / "kb" / "gt").rglob("*.json"))
    edit(page, "Fact", "Fakt")
    done = study.run()
    assert (done.exit_code, study.runs) == (2, 2)
    assert "holds results of other data" in done.stderr
    edit(page, "Fakt", "Fact")
    assert study.run().exit_code == 0
    assert study.runs == 2  # all is as it was when the study was finished


@pytest.mark.slow
def test_edited_ocr_output_of_the_same_size_and_time_is_noticed(study: Study):
    truth, read = study.root / "kb" / "gt", study.root / "kb" / "read"
    for source in sorted(truth.rglob("*.json")):
        target = read / source.relative_to(truth)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
    study.settings += ["engines=[precomputed:read]"]
    study.run()
    rows = (study.out / "rows.parquet").read_bytes()
    edit(next(read.rglob("*.json")), "answer", "anzwer")
    assert study.run().exit_code == 0
    assert study.runs == 2
    assert (study.out / "rows.parquet").read_bytes() != rows


@pytest.mark.parametrize(
    "setting",
    [f"dataset.kind={__name__}.Elsewhere", f"engines=[{__name__}.Unknown]"],
)
def test_what_reads_from_nobody_knows_where_is_run_each_time(study: Study, setting: str):
    study.settings.append(setting)
    assert [study.run().exit_code for _ in range(2)] == [0, 0]
    assert study.runs == 2


@pytest.mark.slow
def test_a_run_in_which_something_failed_wholly_is_run_each_time(study: Study):
    study.settings += ["engines=[gt,precomputed:none]"]
    (study.root / "kb" / "none").mkdir()
    assert [study.run().exit_code for _ in range(2)] == [1, 1]
    assert study.runs == 2
    assert not (study.out / FILE).exists()


@pytest.mark.slow
def test_a_run_that_a_fault_ended_is_run_again(study: Study, monkeypatch: pytest.MonkeyPatch):
    study.run()
    whole = {name: data for name, (data, _) in study.files().items()}
    (study.out / "cells.csv").unlink()

    def full(*_: object) -> None:
        raise StoreError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(ohr.study.run, "write_csv", full)
        assert study.run().exit_code == 2
    assert study.run().exit_code == 0
    assert study.runs == 3
    after = {name: data for name, (data, _) in study.files().items()}
    manifest = str(study.out / "manifest.json")  # it has the seconds
    assert {**after, manifest: b""} == {**whole, manifest: b""}


def test_a_receipt_that_cannot_be_written_costs_no_result(study: Study):
    (study.out / FILE).mkdir(parents=True)
    assert study.run().exit_code == 0
    assert (study.out / "cells.csv").exists()


def test_data_that_was_edited_while_the_study_ran_leaves_no_receipt(
    study: Study, monkeypatch: pytest.MonkeyPatch
):
    page = next((study.root / "kb" / "gt").rglob("*.json"))
    make_plan = ohr.study.run.make_plan

    def edited(*args: object):
        edit(page, "Fact", "Fakt")
        return make_plan(*args)

    monkeypatch.setattr(ohr.study.run, "make_plan", edited)
    assert study.run().exit_code == 0
    assert not (study.out / FILE).exists()


def test_results_inside_the_folder_of_the_data_are_none_of_it(study: Study):
    inside = study.root / "kb" / "runs"
    settings = [*study.settings, f"cache={inside / 'cache'}", "--out", str(inside / "first")]
    outcomes = [CliRunner().invoke(command, settings).exit_code for _ in range(2)]
    assert (outcomes, study.runs) == ([0, 0], 1)
