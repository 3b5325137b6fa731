"""A table of the results pages: the studies it is taken from, where it is written, its figures."""

from __future__ import annotations

import datetime
import json
import math
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from ohr.statistics.numbers import number

ROOT = Path(__file__).resolve().parent.parent
GENERATED = ROOT / "docs" / "results" / "generated"
CODE = ("ohr", "perturb", "ocr_backends", "rag", "experiments")
"""What the figures depend on: the commit named is the last one that changed any of it."""

Rows = Iterable[Sequence[str]]


@dataclass(frozen=True)
class Study:
    """A command that writes a run; ``arguments`` as a shell reads them, with ``$D`` and other
    names of folders.
    """

    name: str
    arguments: str
    room: str = "experiments"

    @property
    def command(self) -> str:
        """As a user gives it."""
        return f"python -m {self.room}.{self.arguments} --out runs/{self.name}"

    @property
    def code(self) -> str:
        """The last commit that changed its code; with a ``+`` where it has been edited since."""
        rooms = {*CODE, self.room}
        last = git("log", "-1", "--format=%h", "--", *rooms)
        return last + "+" * bool(git("status", "--porcelain", "--", *rooms))

    def run(self, folders: Mapping[str, Path | str], cache: Path, runs: Path) -> Path:
        """Its folder, made where it is not finished there.

        ``folders`` are ``$D`` and so on: paths, or lists of names.
        """
        out = runs / self.name
        finished = out / "made_by.json"
        made_by = {"command": self.command, "code": self.code}
        if finished.exists() and json.loads(finished.read_text("utf-8")) == made_by:
            return out
        command = self.command.replace(f"runs/{self.name}", str(out))
        for name, folder in folders.items():
            command = command.replace(f"${name}", str(folder))
        options = [f"cache={cache}"] if self.room == "experiments" else ["--cache", str(cache)]
        subprocess.run([sys.executable, *shlex.split(command)[1:], *options], cwd=ROOT, check=True)
        finished.write_text(json.dumps(made_by), "utf-8")
        return out


@dataclass(frozen=True)
class Fragment:
    """A table of a results page: the studies that it is taken from, and how."""

    name: str
    studies: tuple[Study, ...]
    header: tuple[str, ...]
    rows: Callable[..., Rows]
    """Takes the folder of each study."""
    data: Study | None = None
    """The study whose manifest names the data; by default the first."""

    def write(self, data: Path, cache: Path, runs: Path) -> Path:
        """Run what is not there and write the table."""
        named = {"D": data}
        folders = [study.run(named, cache, runs) for study in self.studies]
        source = (self.data or self.studies[0]).run(named, cache, runs)
        lines = [provenance(self.studies, source), "", table_line(self.header)]
        lines += [table_line(["---", *["---:"] * (len(self.header) - 1)])]
        lines += [table_line(row) for row in self.rows(*folders)]
        path = GENERATED / f"{self.name}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(lines) + "\n", "utf-8")
        return path


def provenance(studies: Sequence[Study], source: Path) -> str:
    """Command, commit, date and data of a table, on one line."""
    commands = " and ".join(f"`{study.command}`" for study in studies)
    manifest = json.loads((source / "manifest.json").read_text("utf-8"))
    data = manifest["dataset"]
    today = datetime.datetime.now(datetime.UTC).date()
    return (
        f"{commands}; commit {studies[0].code}, {today}; data: {data['kind']}, "
        f"{data['documents']:,} documents, {data['pages']:,} pages, {data['asked']:,} questions, "
        f"digest {data['digest'][:12]}.\n{{ .provenance }}"
    )


def git(*arguments: str) -> str:
    """What git prints."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def table_line(cells: Sequence[str]) -> str:
    """A line of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def interval(low: float, high: float) -> str:
    """``0.084 to 0.129``."""
    return f"{number(low)} to {number(high)}"


class Cells:
    """The cells of a run, looked up by what one wants to know."""

    def __init__(self, run: Path) -> None:
        self._cells = pd.read_csv(run / "cells.csv", keep_default_na=False, na_values=["nan"])

    def mean(self, stage: str, metric: str, group: str = "all", **where: str) -> float:
        """The mean of the only cell; NaN where there is none."""
        cells = self._cells
        chosen = cells[
            (cells["stage"] == stage) & (cells["metric"] == metric) & (cells["group"] == group)
        ]
        for name, value in where.items():
            chosen = chosen[chosen[name].astype(str) == value]
        values = pd.to_numeric(chosen["mean"])
        if len(values) > 1:
            raise ValueError(f"{len(values)} cells of {stage} {metric} {group} {where}")
        return float(values.iloc[0]) if len(values) else math.nan
