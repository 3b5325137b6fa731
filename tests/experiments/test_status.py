"""What a run's processes say of themselves, seen from elsewhere."""

from __future__ import annotations

import json
import os

import pytest

from experiments.status import main
from ohr.machine.status import duration
from ohr.ocr.progress_file import ProgressFile, read_progress
from ohr.ocr.shards import Shard
from ohr.store.leases import STALE_S
from ohr.types import Outcome
from tests.builders import CliRunner


def status(run):
    return CliRunner().invoke(main, [str(run)])


def write(run, index, failures=(), read=6, state=""):
    file = ProgressFile(run, Shard(index, 3))
    file.begin_round(20, 10)
    for number in range(read):
        file.count(Outcome.error(failures[number]) if number < len(failures) else Outcome("text"))
    file.count(None)
    file.write()
    if state:
        file.end(state)
    return run / ".progress" / f"shard-{index}-of-3"


def test_each_process_is_a_row_and_all_are_summed_up(tmp_path):
    write(tmp_path, 1, ["page 1 hung", "page 2 hung", "odd"])
    write(tmp_path, 2, ["page 7 hung"])
    write(tmp_path, 3, state="done", read=9)
    done = status(tmp_path)
    assert done.exit_code == 0, done.output
    assert "21 pages read by 3 processes, 2 at work" in done.output
    assert "6 pages left" in done.output
    assert "failed: page 1 hung (2)" in done.output
    assert "failed: page 7 hung (1)" in done.output
    rows = [line for line in done.output.splitlines() if line.startswith("shard-")]
    assert [row.split()[0] for row in rows] == [f"shard-{n}-of-3" for n in (1, 2, 3)]
    assert [f"{os.getpid()}" in row for row in rows] == [True] * 3
    assert "6 of 10" in rows[0]


def test_a_process_that_says_nothing_any_more_is_named(tmp_path):
    path = write(tmp_path, 2)
    write(tmp_path, 1, state="stopped")
    then = path.stat().st_mtime - STALE_S - 600
    os.utime(path, (then, then))
    done = status(tmp_path)
    assert "silent, so probably ended: shard-2-of-3" in done.output
    assert "0 at work" in done.output


def test_a_file_that_anyone_may_have_written_is_printed_as_text(tmp_path):
    folder = tmp_path / ".progress"
    folder.mkdir()
    facts = {"state": "\x1b[31m[bold]", "host": ["x"], "read": "many", "pages": float("inf"),
             "slots": 3, "failures": {"\x1b[2J": "often"}}  # fmt: skip
    (folder / "all").write_text(json.dumps(facts))
    (folder / "torn").write_text('{"state": ')
    (folder / "list").write_text("[]")
    done = status(tmp_path)
    assert done.exit_code == 0, done.output
    assert "\x1b" not in done.output
    assert list(read_progress(tmp_path)) == ["all"]


def test_a_folder_without_progress_is_one_line(tmp_path):
    done = status(tmp_path)
    assert done.exit_code == 2
    assert done.output.startswith("error: no process has read pages for ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (119, "119 s"), (600, "10 min"), (9000, "2.5 h"), (864000, "10.0 d")],
)
def test_durations(seconds, text):
    assert duration(seconds) == text
