"""``ohr verify`` finds what was edited in a run, also where nobody noted a digest."""

from __future__ import annotations

import io
import json
import shutil
import zipfile

import numpy as np
import pandas as pd
import pytest

from experiments.noise_curve import main as noise_curve
from experiments.verify import main as verify
from ohr.errors import OhrError
from ohr.store.csv import write_csv
from ohr.study.faults import RECEIPT, faults_of
from ohr.study.opening import open_runs
from ohr.study.results import open_run, recompute_cells
from tests.builders import CliRunner

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def finished(tmp_path_factory, sample_cache):
    """A run whose questions have different scores."""
    folder = tmp_path_factory.mktemp("variants") / "run"
    options = ["dataset.pages=evidence", "dataset.limit=4", "engines=[gt]", "seeds=[0]"]
    options += ["noise=[formatting]", "levels=[severe]", f"cache={sample_cache}"]
    done = CliRunner().invoke(noise_curve, [*options, "--out", str(folder)])
    assert done.exit_code == 0, done.output
    return folder


@pytest.fixture
def run(finished, tmp_path):
    """A copy that may be edited."""
    return shutil.copytree(finished, tmp_path / "run")


def edit_rows(run, change, *, cells=True):
    """Change the rows, make the cells anew, and take the note of the digests away."""
    rows = pd.read_parquet(run / "rows.parquet")
    texts = rows.columns[rows.dtypes == "category"]
    change(rows.astype(dict.fromkeys(texts, str))).to_parquet(run / "rows.parquet")
    if cells:
        write_csv(run / "cells.csv", recompute_cells(run))
    (run / RECEIPT).unlink(missing_ok=True)


def edit_manifest(run, **values):
    manifest = json.loads((run / "manifest.json").read_text("utf-8"))
    (run / "manifest.json").write_text(json.dumps(manifest | values), "utf-8")


def edit_cases(run, table, change):
    with zipfile.ZipFile(run / "cases.zip") as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    name = f"{table}.parquet"
    if change is None:
        del entries[name]
    else:
        sink = io.BytesIO()
        change(pd.read_parquet(io.BytesIO(entries[name]))).to_parquet(sink)
        entries[name] = sink.getvalue()
    with zipfile.ZipFile(run / "cases.zip", "w") as archive:
        for entry, content in entries.items():
            archive.writestr(entry, content)
    (run / RECEIPT).unlink(missing_ok=True)


def answers(rows):
    return (rows.stage == "overall") & (rows.metric == "f1")


def verified(run):
    """The exit code and output of the command."""
    done = CliRunner().invoke(verify, [str(run)])
    return done.exit_code, done.output


def test_scores_that_questions_have_swapped(run):
    def change(rows):
        chosen = rows[answers(rows) & (rows.intensity == 0)].value
        best, worst = chosen.idxmax(), chosen.idxmin()
        assert rows.value[best] > rows.value[worst]
        rows.loc[[best, worst], "value"] = rows.loc[[worst, best], "value"].to_numpy()
        return rows

    edit_rows(run, change)
    assert faults_of(open_run(run)) == []
    code, output = verified(run)
    assert code == 1
    assert "the row has 1, its case gives" in output


def test_scores_that_are_said_not_to_apply(run):
    edit_rows(run, lambda rows: rows.assign(value=rows.value.mask(answers(rows))))
    code, output = verified(run)
    assert code == 1
    assert "the row has nan, its case gives" in output


def test_wrong_answers_that_are_said_to_have_failed(run):
    def change(rows):
        rows.loc[answers(rows), ["value", "status"]] = [1.0, "error"]
        return rows

    edit_rows(run, change)
    counts = pd.read_parquet(run / "rows.parquet").groupby(["stage", "status"]).size()
    by_stage = {stage: counts[stage].to_dict() for stage in counts.index.levels[0]}
    edit_manifest(run, counts=by_stage)
    assert faults_of(open_run(run)) == []
    code, output = verified(run)
    assert code == 1
    assert "the row has the status error, its case ok" in output


def test_a_question_in_another_group(run):
    edit_rows(run, lambda rows: rows.assign(domain=rows.domain.where(rows.qid == "", "space")))
    code, output = verified(run)
    assert code == 1
    assert "has another domain than cases.zip for 4 questions" in output


def test_rows_of_an_engine_that_nobody_ran(run):
    edit_rows(run, lambda rows: rows.assign(engine="excellent"))
    code, output = verified(run)
    assert code == 1
    assert "cases.zip has no such case" in output


def test_fewer_questions_where_all_counts_agree(run):
    edit_rows(run, lambda rows: rows[rows.qid != rows.qid.max()])
    counts = pd.read_parquet(run / "rows.parquet").groupby(["stage", "status"]).size()
    manifest = json.loads((run / "manifest.json").read_text("utf-8"))
    edit_manifest(
        run,
        counts={stage: counts[stage].to_dict() for stage in counts.index.levels[0]},
        dataset=manifest["dataset"] | {"asked": 3},
    )
    assert faults_of(open_run(run)) == []
    code, output = verified(run)
    assert code == 1
    assert "rows.parquet lacks 1 of 4 questions" in output


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda rows: rows[~answers(rows)], "no row of overall:f1, which the study measured"),
        (lambda rows: rows[rows.qid != rows.qid.max()], "rows.parquet has 3 of 4 questions for"),
        (
            lambda rows: pd.concat([rows, rows[answers(rows)][:1].assign(page_no=77)]),
            "rows.parquet has 1 rows twice",
        ),
        (
            lambda rows: pd.concat([rows, rows[answers(rows)][:1].assign(qid="new")]),
            "rows.parquet has 5 of 4 questions for overall:f1",
        ),
    ],
)
def test_quick_checks_see_incomplete_rows_whatever_the_counts_say(run, change, words):
    edit_rows(run, change)
    edit_manifest(run, counts={})
    assert any(words in fault for fault in faults_of(open_run(run)))


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("value", "high", "value is not a number everywhere"),
        ("page_no", "two", "page_no is not a number everywhere"),
        ("qid", None, "qid is not stated everywhere"),
        ("status", "fine", "the status 'fine' is none of a study"),
    ],
)
def test_rows_that_no_study_writes_are_refused_in_one_line(run, column, value, words):
    edit_rows(run, lambda rows: rows.assign(**{column: value}), cells=False)
    with pytest.raises(OhrError, match=words):
        open_runs([run])


def test_cells_that_are_there_twice_or_gone(run):
    lines = (run / "cells.csv").read_text("utf-8").splitlines(keepends=True)
    (run / "cells.csv").write_text("".join([*lines, lines[-1]]), "utf-8")
    assert "cells.csv has 1 cells twice" in faults_of(open_run(run))
    (run / "cells.csv").write_text("".join(lines[:-1]), "utf-8")
    assert any("the study wrote" in fault for fault in faults_of(open_run(run)))


def test_bounds_that_a_manifest_makes_up(run):
    edit_rows(run, lambda rows: rows.assign(value=rows.value.mask(answers(rows), 7.5)))
    measures = json.loads((run / "manifest.json").read_text("utf-8"))["measures"]
    edit_manifest(run, measures=[entry | {"best": 10.0} for entry in measures])
    assert any(
        "values of overall:f1 are not between 0 and 1" in f for f in faults_of(open_run(run))
    )


@pytest.mark.parametrize(
    "edit",
    [
        {"measures": [{"of": "answer", "stage": "overall", "metric": "f1", "best": "high"}]},
        {"measures": [{"of": "answer"}]},
        {"counts": []},
        {"metrics": "f1"},
        {"cells": 3},
    ],
)
def test_a_manifest_that_no_study_writes_is_refused_in_one_line(run, edit):
    edit_manifest(run, **edit)
    with pytest.raises(OhrError):
        open_runs([run])


@pytest.mark.parametrize("content", [b"[" * 200_000, b"\xff\xfe[\x00", b"\xef\xbb\xbf{}", b"3"])
def test_a_manifest_in_another_form_is_refused_in_one_line(run, content):
    (run / "manifest.json").write_bytes(content)
    with pytest.raises(OhrError):
        open_runs([run])


@pytest.mark.parametrize(
    ("table", "change", "words"),
    [
        ("answers", None, "There is no item named 'answers.parquet'"),
        ("answers", lambda table: table[:0], "cases.zip has no such case"),
        ("questions", lambda table: table.rename(columns={"qid": "id"}), "has no column 'qid'"),
        ("questions", lambda table: table.assign(text=1.5), "'text' of questions is of another"),
        ("questions", lambda table: table[1:], "questions that cases.zip lacks"),
        (
            "texts",
            lambda table: table.assign(text=table.text + " "),
            "page texts that were changed: their digests differ",
        ),
        ("hits", lambda table: table.assign(end=np.int32(10**6)), "hits that are not on their"),
        ("pages", lambda table: table.assign(domain="moon"), "another domain than cases.zip"),
    ],
)
def test_cases_that_were_edited(run, table, change, words):
    edit_cases(run, table, change)
    code, output = verified(run)
    assert code == 1
    assert words in output


@pytest.mark.parametrize("name", ["curves.csv", "problems.csv", "figures/noise_curve.svg"])
def test_any_noted_file_is_compared_and_missed(run, name):
    (run / name).write_text("of somebody else", "utf-8")
    code, output = verified(run)
    assert code == 1
    assert f"{name} was changed after the command had ended" in output
    (run / name).unlink()
    code, output = verified(run)
    assert code == 1
    assert f"{name} is missing" in output


def test_what_cannot_be_verified_is_not_called_verified(run):
    (run / RECEIPT).unlink()
    (run / "cases.zip").unlink()
    code, output = verified(run)
    assert code == 0
    assert output.rstrip().endswith("no fault, but not all of it could be verified")
