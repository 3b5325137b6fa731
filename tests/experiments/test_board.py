"""The board: conditions of finished runs on one page."""

from __future__ import annotations

import html
import json
import re
import shutil
from pathlib import Path

import pandas as pd
import pytest

from ohr.analysis.board.runs import open_entries, reruns
from ohr.analysis.board.table import Ranking, rankings
from ohr.analysis.noise_cost.losses import noise_losses
from ohr.report.board.build import build_board
from ohr.store.csv import write_csv
from ohr.study.results import StudyRun, open_run, recompute_cells
from tests.boards import BOARD_RUNS, change_manifest, write_board_runs, write_rows, write_run
from tests.browser.strange import HOSTILE
from tests.experiments.test_commands import invoke

F1 = "overall:f1"


@pytest.fixture(scope="session")
def folders(write_once) -> dict[str, Path]:
    root = write_once("board-runs", write_board_runs)
    return {name: root / name for name in BOARD_RUNS}


@pytest.fixture(scope="session")
def baseline_run(folders) -> Path:
    return folders["first"].parent / "base"


@pytest.fixture(scope="session")
def board(folders, write_once) -> Path:
    """The board of all of them."""
    return write_once("board-page", lambda out: build_board(list(folders.values()), out))


@pytest.fixture
def run_copy(folders, tmp_path) -> Path:
    """A copy of the run with the baseline."""
    return copied(folders["first"], tmp_path / "copy")


def copied(folder: Path, target: Path) -> Path:
    """A copy that may be changed."""
    return Path(shutil.copytree(folder, target, copy_function=shutil.copyfile))


def text_of(board: Path) -> str:
    """What the page says, without mark-up; cells are separated by a bar."""
    page = (board / "index.html").read_text("utf-8")
    page = re.sub(r"</t[dh]>", " | ", page)
    return html.unescape(re.sub(r"<[^>]+>", "", page))


def ranked(*paths: Path, metric: str = F1) -> list[Ranking]:
    runs: dict[str, StudyRun] = {path.name: open_run(path) for path in paths}
    return rankings(runs, [metric])


@pytest.mark.slow
def test_conditions_are_ranked_by_mean_noise_cost(folders, board):
    (table,) = ranked(folders["first"])
    frame = table.ranked.set_index("engine")
    assert frame["cost"].to_dict() == pytest.approx({"gt": 0, "half": 50, "tesseract": 100})
    assert list(frame["place"]) == [1, 2, 3]
    assert list(frame["letters"]) == ["a", "b", "c"]
    assert frame["clean"].to_list() == pytest.approx([0.9] * 3)
    assert frame["seconds"].to_dict() == {"gt": 3.5, "half": 2.5, "tesseract": 1.5}
    assert table.no_cost == table.apart == ""
    page = text_of(board)
    head = "engine | run | noise cost | 95 % interval | letters | loss | clean score, measured"
    assert head in page
    row = "half | first | 50 | [50, 50] | b | 0.150 | 0.900 | – | 312.5 | 0.0 | 2.50 | 16 | 2 |"
    assert row in page
    assert "Answer F1, whole system (first, again): gt is lowest, with a mean noise" in page
    assert "The same in all: chunker tokens, retriever bm25, reader extractive, hits 2." in page


def test_signatures_are_shown_and_different_ones_are_not_ranked_together(folders, board):
    first, second = ranked(folders["first"], folders["other"])
    assert (first.runs, second.runs) == (("first",), ("other",))
    assert first.signature.startswith("f1|scoring:default|")
    assert second.signature == first.signature.replace("|v:", "|v:9")
    assert re.fullmatch(
        r"Not ranked with first: the signatures differ \(v \d+ and 9\d+\)\.", second.apart
    )
    page = text_of(board)
    assert second.apart in page
    assert f"Signature: {second.signature}" in page


@pytest.mark.slow
def test_without_the_baseline_conditions_are_listed_by_loss_with_the_reason(folders, board):
    _, table = ranked(folders["first"], folders["other"])
    assert table.no_cost.startswith("the runs lack the baseline for overall:f1 (tesseract, ")
    frame = table.ranked
    assert list(frame["engine"]) == ["other", "worse"]
    assert frame["loss"].to_list() == pytest.approx([0.09, 0.45])
    assert frame["cost"].isna().all()
    assert list(frame["letters"]) == ["a", "b"]
    page = text_of(board)
    assert "No mean noise cost: the runs lack the baseline for overall:f1" in page
    assert "answer F1, whole system by loss: other" in page
    assert "other | 0.090 | [" in page


@pytest.mark.slow
def test_the_baseline_of_an_incomplete_run_does_not_count_and_is_named(folders, run_copy, tmp_path):
    change_manifest(run_copy, cells={"planned": 99, "missing": 9})
    build_board([folders["other"], run_copy], tmp_path / "out", [F1])
    page = text_of(tmp_path / "out")
    assert "copy has it, but is incomplete" in page
    assert "9 planned cells of 99 are missing" in page


@pytest.mark.slow
def test_a_cost_that_is_undefined_says_why(baseline_run, tmp_path):
    run = write_run(baseline_run, tmp_path / "run", {"tesseract": 0.0, "half": 0.5})
    (table,) = ranked(run)
    assert table.no_cost.startswith("undefined: the baseline loses nothing")
    assert list(table.ranked["engine"]) == ["tesseract", "half"]


@pytest.mark.slow
def test_a_condition_without_a_common_noise_is_not_ranked(baseline_run, tmp_path):
    run = write_run(baseline_run, tmp_path / "run", {"tesseract": 1.0, "clean": 0.5, "noisy": 0.5})
    rows = pd.read_parquet(run / "rows.parquet")
    drop = (rows["engine"] == "clean") & (rows["noise"] != "none")
    drop |= (rows["engine"] == "noisy") & (rows["noise"] == "none")
    write_rows(run, rows[~drop].reset_index(drop=True))
    (table,) = ranked(run)
    assert list(table.ranked["engine"]) == ["tesseract"]
    assert table.unranked.set_index("engine")["not_ranked"].to_dict() == {
        "clean": "no noise",
        "noisy": "no clean pages",
    }


@pytest.mark.slow
def test_losses_under_other_noises_are_not_ranked_together(baseline_run, tmp_path):
    run = write_run(baseline_run, tmp_path / "run", {"one": 1.0, "two": 0.5, "three": 0.2})
    rows = pd.read_parquet(run / "rows.parquet")
    drop = (rows["engine"] == "three") & (rows["level"] == "mild")
    write_rows(run, rows[~drop].reset_index(drop=True))
    (table,) = ranked(run)
    assert list(table.ranked["engine"]) == ["two", "one"]
    assert list(table.unranked["engine"]) == ["three"]
    assert list(table.unranked["letters"]) == [""]
    losses = noise_losses([open_run(run)], "overall", "f1").set_index("engine")
    assert losses["loss"].to_dict() == pytest.approx({"one": 0.3, "two": 0.15, "three": 0.08})
    assert losses.loc["one", "loss_low"] < 0.3 < losses.loc["one", "loss_high"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"dataset": {"digest": "x"}}, "the data differ"),
        ({"draws": [77]}, "the runs differ in the draws of the noise"),
        ({"signatures": {}}, "one has no signature: it is of an earlier version, or imported"),
        (
            {"engines": {"tesseract": {"engine_version": "tesseract 4.1.1"}}},
            "the baseline of one is not the frozen one (Tesseract is 'tesseract 4.1.1'",
        ),
    ],
)
def test_runs_that_do_not_fit_together_have_tables_of_their_own(folders, run_copy, changes, reason):
    change_manifest(run_copy, **changes)
    first, second = ranked(folders["first"], run_copy)
    assert (first.runs, second.runs) == (("first",), ("copy",))
    assert reason in second.apart


@pytest.mark.slow
def test_runs_of_earlier_versions_are_ranked_together_if_their_settings_agree(run_copy, tmp_path):
    change_manifest(run_copy, signatures={})
    other = copied(run_copy, tmp_path / "other")
    (table,) = ranked(run_copy, other)
    assert table.signature == "none: of an earlier version, or imported"
    manifest = json.loads((other / "manifest.json").read_text("utf-8"))
    change_manifest(other, metrics=manifest["metrics"] | {"f1": "0"})
    assert len(ranked(run_copy, other)) == 2


@pytest.mark.slow
def test_published_figures_stand_beside_measured_ones_and_are_not_ranked(folders, board):
    (table,) = ranked(folders["first"], metric="retrieval:lcs")
    row = table.ranked.set_index("engine").loc["gt"]
    assert (row["reported"], row["reported_in"]) == (0.7, "0.700 (table 2, table S6)")
    assert table.ranked["reported"].isna().sum() == 2
    page = (board / "index.html").read_text("utf-8")
    assert '<span class="reported">0.700 (table 2, table S6)</span>' in page
    assert "clean score, reported (not ranked)" in page
    assert "It was not measured here, and it is not ranked." in page
    assert "Reported score" not in text_of_board_without_reported(folders, board)


def text_of_board_without_reported(folders, board) -> str:
    out = board / "unreported"
    build_board([folders["other"]], out, [F1])
    return text_of(out)


def test_incomplete_runs_stand_apart_with_what_is_missing(board):
    page = text_of(board)
    apart = page.partition("They are not ranked.")[2].partition("Runs\n")[0]
    assert "stopped\n" in apart
    assert "not finished: it has no manifest.json" in apart
    assert "3 of 24 pages read" in apart
    assert (
        "extractive: 2 timeouts (they count with the worst value): no answer in 60 s (2)" in apart
    )
    values = json.loads((board / "board.json").read_text("utf-8"))
    assert not any({"stopped", "failed"} & set(table["runs"]) for table in values["tables"])
    assert "overall:f1 | half | 0.150 | 0.900 | 16" in apart


def test_rows_that_are_missing_make_a_run_incomplete(run_copy):
    rows = pd.read_parquet(run_copy / "rows.parquet")
    last = rows[(rows["stage"] == "overall") & (rows["metric"] == "f1")].index[-1]
    write_rows(run_copy, rows.drop(index=last).reset_index(drop=True))
    (entry,) = open_entries([run_copy])
    assert entry.lacks == (
        "not what its study wrote: rows.parquet has 15 of 16 questions for overall:f1",
        "not what its study wrote: cells.csv has a mean of 0.9 over 16 for overall:f1, the rows "
        "have 0.9 over 15",
    )
    (run_copy / "rows.parquet").unlink()
    (entry,) = open_entries([run_copy])
    assert (entry.run, entry.lacks) == (None, ("rows.parquet is missing",))


def test_failed_pages_of_complete_runs_are_ranked_and_listed(run_copy, tmp_path):
    manifest = json.loads((run_copy / "manifest.json").read_text("utf-8"))
    bases = manifest["knowledge_bases"]
    bases["half, clean"] |= {"by_status": {"ok": 7, "timeout": 1}, "reasons": {"<slow>": 1}}
    change_manifest(run_copy, knowledge_bases=bases)
    build_board([run_copy], tmp_path / "out", [F1])
    page = text_of(tmp_path / "out")
    assert "half | 50 | [50, 50] | b |" in page
    assert "copy: half, clean: 1 timeout (they count with the worst value): <slow> (1)" in page


def test_imported_results_are_ranked_among_themselves(run_copy, tmp_path):
    (run_copy / "cases.zip").unlink()
    path = run_copy / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    cut = {name: manifest[name] for name in ("dataset", "cells", "measures")}
    path.write_text(json.dumps(cut | {"imported": {"engine": "half"}}), "utf-8")
    build_board([run_copy], tmp_path / "out", [F1])
    assert "half | 50 | [50, 50] | b |" in text_of(tmp_path / "out")


def test_no_complete_run_leaves_nothing_to_rank(folders, tmp_path):
    build_board([folders["stopped"], folders["failed"]], tmp_path)
    assert "Nothing can be ranked: no run is complete." in text_of(tmp_path)


@pytest.mark.slow
def test_a_run_without_retrieval_and_answers_is_in_no_table(folders, run_copy, tmp_path):
    rows = pd.read_parquet(run_copy / "rows.parquet")
    write_rows(run_copy, rows[rows["stage"] == "ocr"].reset_index(drop=True))
    write_csv(run_copy / "cells.csv", recompute_cells(run_copy))
    manifest = json.loads((run_copy / "manifest.json").read_text("utf-8"))
    measures = [entry for entry in manifest["measures"] if entry["stage"] == "ocr"]
    change_manifest(
        run_copy, config=manifest["config"] | {"stages": ["ocr"]}, measures=measures, cells={}
    )
    build_board([folders["first"], run_copy], tmp_path / "out", [F1])
    assert "copy has none of these metrics, so it is in no table." in text_of(tmp_path / "out")


@pytest.mark.slow
def test_a_badge_says_whether_a_rerun_has_the_same_bytes(folders, board, run_copy):
    assert '<span class="badge same">same bytes as first</span>' in (
        board / "index.html"
    ).read_text("utf-8")
    with (run_copy / "cells.csv").open("ab") as file:
        file.write(b"\n")
    (run_copy / "cases.zip").unlink()
    (rerun,) = reruns(open_entries([folders["first"], run_copy]))
    assert not rerun.same_bytes
    assert rerun.badge() == (
        "differs from first in cells.csv; only one of it and first has cases.zip"
    )
    assert reruns(open_entries([folders["first"], folders["other"]])) == []


def test_data_files_have_the_figures(board, folders):
    values = pd.read_csv(board / "board.csv", keep_default_na=False)
    of = values[(values["stage"] == "overall") & (values["place"] == 2)]
    assert list(of["engine"]) == ["half", "worse"]
    whole = json.loads((board / "board.json").read_text("utf-8"))
    (table,) = [t for t in whole["tables"] if (t["stage"], t["runs"][0]) == ("overall", "first")]
    (exact,) = ranked(folders["first"])
    assert [row["loss"] for row in table["conditions"]] == list(exact.frame["loss"])
    assert whole["reruns"] == [
        {"run": "again", "of": "first", "same_bytes": True, "differing": [], "absent": []}
    ]
    runs = {run["name"]: run for run in whole["runs"]}
    assert runs["first"]["digests"] == runs["again"]["digests"]
    assert runs["stopped"]["complete"] is False


@pytest.mark.slow
def test_the_same_runs_give_the_same_bytes(folders, tmp_path_factory):
    board, tmp_path = (tmp_path_factory.mktemp(name) for name in ("one", "two"))
    for out in (board, tmp_path):
        build_board([folders["first"], folders["failed"]], out, [F1])
    names = {path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()}
    assert {str(name) for name in names} == {
        *("index.html", "board.csv", "board.json"),
        *("app/style.css", "app/board.css", "app/dom.js", "app/board.js"),
    }
    assert all((tmp_path / name).read_bytes() == (board / name).read_bytes() for name in names)


@pytest.mark.slow
def test_folders_of_the_same_name_are_told_apart(folders, tmp_path):
    other = copied(folders["other"], tmp_path / "elsewhere" / "first")
    names = [entry.name for entry in open_entries([folders["first"], other, folders["again"]])]
    assert names == [f"{folders['first'].parent.name}/first", "elsewhere/first", "again"]
    (first, second) = ranked_by(names, [folders["first"], other])
    assert set(first.frame["runs"]) == {names[0]}
    assert set(second.frame["runs"]) == {names[1]}


def ranked_by(names: list[str], paths: list[Path]) -> list[Ranking]:
    pairs = zip(names, paths, strict=False)
    return rankings({name: open_run(path) for name, path in pairs}, [F1])


@pytest.mark.slow
def test_hostile_names_are_escaped(baseline_run, tmp_path):
    run = write_run(
        baseline_run, tmp_path / "run", {"tesseract": 1.0, HOSTILE[0]: 0.5, HOSTILE[1]: 0.2}
    )
    build_board([run], tmp_path / "out", [F1], HOSTILE[2])
    page = (tmp_path / "out" / "index.html").read_text("utf-8")
    assert not any(text in page for text in HOSTILE[:3])
    assert page.count("<script") == 2
    assert HOSTILE[0] in html.unescape(page)


@pytest.mark.slow
def test_the_command_says_what_it_wrote(folders, tmp_path):
    done = invoke("board", str(folders["first"]), str(folders["stopped"]), "--out", str(tmp_path))
    assert done.exit_code == 0
    assert done.stdout.splitlines() == [
        "stopped is incomplete: not finished: it has no manifest.json; 3 of 24 pages read",
        f"{folders['first']} is not verified: the digests of its files were not noted; ohr verify "
        f"{folders['first']} scores its cases again",
        f"files in {tmp_path}: index.html, board.csv, board.json",
    ]


@pytest.mark.slow
def test_bad_input_is_one_line(folders, tmp_path):
    first = str(folders["first"])
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("")
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "manifest.json").write_text("[1]")
    for arguments, message in (
        ([], "missing argument 'RUN'"),
        ([str(tmp_path / "none")], "none does not exist: give the folder of a run"),
        ([str(tmp_path / "file")], "file is a file: give the folder of a run"),
        ([str(tmp_path / "empty")], "empty is not the folder of a run: it has no manifest.json"),
        ([str(tmp_path / "web")], "web is not the folder of a run: manifest.json is not a run's"),
        ([first, f"{first}/../first"], f"the same run was given twice: {first} and {first}/../"),
        ([first, "--metric", "a:b"], "no metric 'a:b' in these runs; known: "),
    ):
        done = invoke("board", *arguments, "--out", str(tmp_path / "out"))
        assert done.exit_code == 2
        assert message in done.stderr
        assert done.stderr.startswith("error: ")
        assert done.stderr.count("\n") == 1
        assert not (tmp_path / "out").exists()
    done = invoke("board", first, "--out", str(tmp_path / "file"))
    assert done.exit_code == 2
    assert done.stderr.startswith(f"error: cannot write {tmp_path / 'file'}")
    assert done.stderr.count("\n") == 1
