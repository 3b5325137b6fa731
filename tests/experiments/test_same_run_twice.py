"""A run that is given twice is refused in one line, by every command that takes several."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments import (
    compare,
    curve_statistics,
    error_analysis,
    figure3,
    judge_systems,
    noise_cost,
    predictiveness,
    realism,
    report,
)
from ohr.api.run import open_run
from ohr.errors import OhrError
from ohr.study.results import check_distinct
from tests.builders import CliRunner

COMMANDS = {
    compare: (),
    curve_statistics: (),
    error_analysis: (),
    figure3: (),
    judge_systems: ("--judge", "extractive"),
    noise_cost: (),
    predictiveness: (),
    realism: (),
    report: (),
}


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS, ids=lambda module: module.__name__)
def test_the_same_run_twice_is_one_clear_line(command, benchmark_runs, tmp_path):
    path = benchmark_runs[1].path
    again = path / ".." / path.name
    arguments = [str(path), str(again), "--out", str(tmp_path / "out"), *COMMANDS[command]]
    result = CliRunner().invoke(command.main, arguments)
    assert result.exit_code != 0
    [line] = result.stderr.strip().splitlines()
    assert "the same run was given twice: " in line
    assert str(path) in line
    assert not (tmp_path / "out").exists()


def test_in_python_too(benchmark_runs):
    run = open_run(benchmark_runs[1].path)
    for function in (run.compare, run.curves, run.predictiveness):
        with pytest.raises(OhrError, match="given twice"):
            function(run)
    with pytest.raises(OhrError, match="given twice"):
        run.plot("benchmark", run)


def test_paths_are_compared_as_folders(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "a", target_is_directory=True)
    check_distinct([tmp_path / "a", tmp_path / "b"])
    with pytest.raises(OhrError, match=r"twice: .*a and .*link$"):
        check_distinct([tmp_path / "a", tmp_path / "link"])
    with pytest.raises(OhrError, match=r"twice: A$"):
        check_distinct([Path("A"), Path("A")])
