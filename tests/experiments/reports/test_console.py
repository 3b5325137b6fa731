"""What a reader in a hurry sees of every analysis: the finding, its table, one line of files."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from experiments._commands import GROUPS
from ohr.display.terminal import NARROW
from ohr.study.results import StudyRun
from tests.builders import CliRunner

OWN = {"judge", "review", "cells", "reread", "noise-cost", "error-kinds"}
"""Analyses that need a judge, a person, an engine or a baseline, or that write one file alone."""
COMMANDS = [name for name in GROUPS["analyse"][1] if name not in OWN]
MOST_PROSE = 15


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_an_analysis_says_first_what_it_found(
    command: str, formatting_run: StudyRun, tmp_path: Path
) -> None:
    main = importlib.import_module(f"experiments.{GROUPS['analyse'][1][command]}").main
    done = CliRunner().invoke(main, [str(formatting_run.path), "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    verdict = lines[: lines.index("")] if "" in lines else lines[:-1]
    assert 0 < len(verdict) <= MOST_PROSE
    assert all(line.endswith(".") for line in verdict), verdict
    assert not any(re.search(r"\S {2,}\S", line) for line in verdict), "a table comes first"
    assert re.search(r"\b\d+ documents\b|[Nn]othing is compared", " ".join(verdict))
    tables = lines[len(verdict) : -1]
    assert max(map(len, tables), default=0) <= NARROW
    assert lines[-1].startswith(f"files in {tmp_path}: ")
    assert sum(line.startswith("files in ") for line in lines) == 1
