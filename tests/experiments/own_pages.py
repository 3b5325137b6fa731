"""``quality`` and ``recommend`` as a user gives them."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from typer.testing import Result

from experiments import quality_estimate as quality
from experiments import recommend
from tests.builders import CliRunner

FAKE, SURE = "tests.fakes.LoggingEngine", "tests.fakes.SureEngine"


def give(command: ModuleType, *arguments: object) -> Result:
    """What a command says and its exit code."""
    return CliRunner().invoke(command.main, [str(argument) for argument in arguments])


def run_quality(folder: Path, *more: object) -> Result:
    """``quality`` on a folder, its results and cache beside it."""
    root = folder.parent
    return give(quality, folder, "--out", root / "out", "--cache", root / "cache", *more)


def run_recommend(folder: Path, *more: object) -> Result:
    """``recommend`` on a folder, its results and cache beside it."""
    root = folder.parent
    return give(recommend, folder, "--out", root / "best", "--cache", root / "cache", *more)


def details(folder: Path) -> str:
    """``recommendation.txt`` of the run beside a folder."""
    return (folder.parent / "best" / "recommendation.txt").read_text("utf-8")
