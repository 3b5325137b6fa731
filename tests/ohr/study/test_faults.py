"""A run whose files were edited or damaged is noticed."""

from __future__ import annotations

import json
import shutil
import warnings

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohr
from experiments.analyse_compare import main as compare
from experiments.board import main as board
from experiments.noise_curve import main as noise_curve
from experiments.report import main as report
from experiments.verify import main as verify
from ohr.analysis.verification import rescoring
from ohr.analysis.verification.rescoring import CLEAN, rescore
from ohr.errors import OhrError
from ohr.study.faults import RECEIPT, faults_of
from ohr.study.opening import open_runs, unverified_lines
from ohr.study.output.cases import read_texts
from ohr.study.output.rows import read_rows
from ohr.study.results import open_run
from ohr.study.run import run_study
from tests.builders import CliRunner

pytestmark = pytest.mark.slow

ASKED = 3


@pytest.fixture(scope="module")
def finished(tmp_path_factory, sample_cache):
    """The folder of a run of ``ASKED`` questions, made by the command."""
    folder = tmp_path_factory.mktemp("faults") / "run"
    options = ["dataset.pages=evidence", f"dataset.limit={ASKED}", "engines=[gt]", "seeds=[0]"]
    options += ["noise=[formatting]", "levels=[severe]", f"cache={sample_cache}"]
    done = CliRunner().invoke(noise_curve, [*options, "--out", str(folder)])
    assert done.exit_code == 0, done.output
    return folder


@pytest.fixture
def run(finished, tmp_path):
    """A copy that may be edited."""
    return shutil.copytree(finished, tmp_path / "run")


def edit_rows(run, change):
    rows = pd.read_parquet(run / "rows.parquet")
    change(rows).to_parquet(run / "rows.parquet")


def answers_in(rows):
    return (rows.stage == "overall") & (rows.metric == "f1")


def faults(run):
    return " | ".join(faults_of(open_run(run)))


@pytest.mark.slow
def test_what_a_study_wrote_has_no_fault(finished):
    assert faults(finished) == ""
    done = CliRunner().invoke(verify, [str(finished)])
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[-1].endswith("run: verified")
    assert "values scored again" in done.stdout


def test_a_value_that_a_metric_cannot_have(run):
    edit_rows(run, lambda rows: rows.assign(value=rows.value.mask(answers_in(rows), 7.5)))
    assert "values of overall:f1 are not between 0 and 1, such as 7.5" in faults(run)


def test_an_infinite_value(run):
    edit_rows(run, lambda rows: rows.assign(value=rows.value.mask(answers_in(rows), np.inf)))
    assert "overall:f1 are not between 0 and 1, such as inf" in faults(run)


def test_values_that_are_gone(run):
    edit_rows(run, lambda rows: rows.assign(value=rows.value.mask(answers_in(rows))))
    assert "for overall:f1, the rows have nan over 0" in faults(run)


def test_rows_that_are_there_twice(run):
    edit_rows(run, lambda rows: pd.concat([rows, rows]))
    assert "rows.parquet has " in faults(run)
    assert "rows twice" in faults(run)


def test_rows_and_cells_of_fewer_questions(run):
    """Both agree with one another, and neither with what the study asked."""
    edit_rows(run, lambda rows: rows[rows.qid.astype(str) != rows.qid.astype(str).max()])
    runner = CliRunner()
    from experiments.analyse_cells import main as cells

    assert runner.invoke(cells, [str(run)]).exit_code == 0
    assert "rows of the stage overall with the status ok, the study wrote" in faults(run)


def test_rows_that_the_study_never_counted(run):
    def change(rows):
        more = rows[answers_in(rows)].assign(status="timeout", metric="own")
        return pd.concat([rows.astype({"status": str, "metric": str}), more])

    edit_rows(run, change)
    assert "rows of the stage overall with the status timeout, the study wrote 0" in faults(run)


def test_a_mean_that_its_rows_do_not_have(run):
    cells = pd.read_csv(run / "cells.csv", dtype=str, keep_default_na=False)
    chosen = (cells.stage == "overall") & (cells.metric == "f1") & (cells.group == "all")
    cells.loc[chosen, "mean"] = "0.999000"
    cells.to_csv(run / "cells.csv", index=False)
    assert "cells.csv has a mean of 0.999 over 3 for overall:f1" in faults(run)


def test_a_count_that_its_rows_do_not_have(run):
    cells = pd.read_csv(run / "cells.csv", dtype=str, keep_default_na=False)
    cells.loc[cells.metric == "lcs", "n"] = "40"
    cells.to_csv(run / "cells.csv", index=False)
    assert "over 40 for retrieval:lcs" in faults(run)


@pytest.mark.parametrize("name", ["rows.parquet", "cells.csv", "cases.zip"])
def test_any_edit_of_a_file_is_seen_by_its_digest(run, name):
    path = run / name
    if name == "rows.parquet":  # the same rows in other bytes
        pq.write_table(pq.read_table(path), path, compression="none")
    else:
        path.write_bytes(path.read_bytes() + b"\n" * (name == "cells.csv"))
        if name == "cases.zip":
            with path.open("ab") as file:
                file.write(b"\0")
    assert f"{name} was changed after the command had ended" in faults(run)


@pytest.mark.slow
def test_an_interval_and_a_group_are_compared_too(run):
    (run / ".receipt.json").unlink()
    cells = pd.read_csv(run / "cells.csv", dtype=str, keep_default_na=False)
    cells.loc[cells.group != "all", "mean"] = "0.5"
    cells.to_csv(run / "cells.csv", index=False)
    assert faults(run) == ""  # the quick checks look at all questions alone
    done = CliRunner().invoke(verify, [str(run)])
    assert done.exit_code == 1
    assert "cells.csv is not what its rows give" in done.stdout
    assert "digests of its files were not noted" in done.stdout


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(place=st.integers(0, 10**6), shift=st.floats(0.01, 1))
def test_no_value_can_be_changed_unseen(finished, tmp_path_factory, place, shift):
    """Also where cells and rows agree, and nobody noted a digest: the cases give another value."""
    folder = tmp_path_factory.mktemp("edited") / "run"
    shutil.copytree(finished, folder)
    (folder / ".receipt.json").unlink()

    def change(rows):
        can = rows.index[rows.value.notna() & (rows.status == "ok")]
        position = can[place % len(can)]
        value = rows.value[position]
        rows.loc[position, "value"] = value - shift * value if value > 0.5 else value + shift * 0.5
        return rows

    edit_rows(folder, change)
    from ohr.store.csv import write_csv
    from ohr.study.results import recompute_cells

    write_csv(folder / "cells.csv", recompute_cells(folder))
    assert faults(folder) == ""
    done = CliRunner().invoke(verify, [str(folder)])
    assert done.exit_code == 1
    assert "the row has " in done.stdout


@pytest.mark.slow
def test_without_truth_in_the_run_pages_are_compared_with_its_data(finished, run, monkeypatch):
    texts = {name: pages for name, pages in read_texts(run).items() if name != CLEAN}
    rows = read_rows(run)
    noisy = rows[rows["intensity"] > 0]
    monkeypatch.setattr(rescoring, "read_rows", lambda _: noisy.copy())
    monkeypatch.setattr(rescoring, "read_texts", lambda _: texts)
    with_data = rescore(open_run(run))
    assert not with_data.differing
    manifest = json.loads((run / "manifest.json").read_text("utf-8"))
    manifest["dataset"]["digest"] = "of other data"
    (run / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    without = rescore(open_run(run))
    assert not without.differing
    assert without.equal < with_data.equal
    assert any("the ground truth is not in the run, and the data of" in w for w in without.left_out)


def test_an_answer_that_was_edited_is_scored_again(run):
    import io
    import zipfile

    with zipfile.ZipFile(run / "cases.zip") as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    answers = pq.read_table(io.BytesIO(entries["answers.parquet"]))
    texts = ["an answer that nobody gave" for _ in range(len(answers))]
    column = answers.column_names.index("text")
    answers = answers.set_column(column, "text", [texts])
    sink = io.BytesIO()
    pq.write_table(answers, sink)
    entries["answers.parquet"] = sink.getvalue()
    with zipfile.ZipFile(run / "cases.zip", "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    done = CliRunner().invoke(verify, [str(run)])
    assert done.exit_code == 1
    assert "its case gives" in done.stdout


@pytest.mark.parametrize("command", [compare, report])
def test_no_command_concludes_from_an_edited_run(run, tmp_path, command):
    edit_rows(run, lambda rows: pd.concat([rows, rows]))
    done = CliRunner().invoke(command, [str(run), "--out", str(tmp_path / "out")])
    assert done.exit_code == 2
    assert "is not what its study wrote: rows.parquet has" in done.stderr
    with pytest.raises(OhrError, match="ohr verify"):
        open_runs([run])


def test_python_warns_of_an_edited_run(finished, run):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ohr.open_run(finished)
    edit_rows(run, lambda rows: pd.concat([rows, rows]))
    with pytest.warns(UserWarning, match="is not what its study wrote: rows.parquet has"):
        ohr.open_run(run)


def test_a_gate_does_not_pass_an_edited_run(finished, run):
    edit_rows(run, lambda rows: rows.assign(value=rows.value.mask(answers_in(rows), 7.5)))
    gate = ["--fail-if", "overall:f1 < -0.5"]
    assert CliRunner().invoke(compare, [str(finished), str(run), *gate]).exit_code == 2


@pytest.mark.slow
def test_the_board_does_not_rank_an_edited_run(finished, run, tmp_path):
    other = run.rename(tmp_path / "edited")
    edit_rows(other, lambda rows: rows.assign(value=rows.value.mask(answers_in(rows), 7.5)))
    out = tmp_path / "board"
    done = CliRunner().invoke(board, [str(finished), str(other), "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "edited is incomplete: not what its study wrote: " in done.stdout
    ranked = pd.read_csv(out / "board.csv")
    assert set(ranked["runs"]) == {"run"}


def test_a_later_run_in_the_same_folder_takes_an_earlier_note_away(run):
    """A study that Python runs writes no note; that of an earlier command is of other files."""
    opened = open_run(run)
    run_study(opened.config, run)
    assert not (run / RECEIPT).exists()
    assert faults(run) == ""
    assert unverified_lines([open_run(run)]) == [
        f"{run} is not verified: the digests of its files were not noted; ohr verify {run} "
        "scores its cases again"
    ]


def test_an_edited_manifest_does_not_hide_other_edits(run):
    manifest = json.loads((run / "manifest.json").read_text("utf-8"))
    manifest["seconds"] = {}
    (run / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    edit_rows(run, lambda rows: rows)
    assert "manifest.json was changed after the command had ended" in faults(run)
    assert "rows.parquet was changed" in faults(run)
