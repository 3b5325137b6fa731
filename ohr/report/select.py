"""Which cases are shown in detail: the worst, some drawn at random, those that failed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ohr.errors import ConfigError
from ohr.report.rows import STATUSES, Rows

KINDS = ("worst", "random", "failed")
_QUESTION = "question:"
_PARTS = re.compile(r",(?=\s*(?:worst|random|failed|question):)")
_PART = re.compile(r"(worst|random|failed):(\d+|all)")


@dataclass(frozen=True)
class Selection:
    """A case is a question under a condition. ``drawn`` and ``of`` count each kind's cases."""

    cases: tuple[tuple[int, int], ...]
    drawn: dict[str, int]
    of: dict[str, int]
    asked_for: int = 0
    """Questions all of whose cases have details."""
    runs: int = 0
    """Runs that have a cases.zip."""

    def sentence(self) -> str:
        """How the cases were drawn, and how many were left out."""
        if not self.of["random"]:
            why = (
                "the runs measured nothing but reading"
                if self.runs
                else "the runs have no cases.zip"
            )
            return f"No case has details: {why}"
        s = "s" * (self.asked_for != 1)
        parts = [f"those of {self.asked_for} question{s}"] if self.asked_for else []
        parts += [
            f"{self.drawn[kind]:,} of {self.of[kind]:,} {what}"
            for kind, what in zip(
                KINDS,
                ("by what they lost, worst first", "drawn at random", "that failed"),
                strict=True,
            )
            if kind in self.drawn
        ]
        return f"{len(self.cases):,} of {self.of['random']:,} cases have details: " + "; ".join(
            parts
        )


@dataclass(frozen=True)
class Wanted:
    """Which cases are asked for: of each kind a number, None for all; and questions by ID."""

    of: dict[str, int | None]
    questions: tuple[str, ...] = ()


def parse_selection(text: str) -> Wanted:
    """``worst:200,random:100,failed:all,question:ID``. Raises ConfigError."""
    wanted: dict[str, int | None] = {}
    questions: list[str] = []
    for part in filter(None, (part.strip(" ,") for part in _PARTS.split(text))):
        if part.startswith(_QUESTION) and len(part) > len(_QUESTION):
            questions.append(part.removeprefix(_QUESTION))
            continue
        found = _PART.fullmatch(part)
        if found is None or found[1] in wanted:
            raise ConfigError(
                f"cases: {part!r} is not worst:N, random:N or failed:N, each once (N may be all), "
                "nor question:ID"
            )
        wanted[found[1]] = None if found[2] == "all" else int(found[2])
    return Wanted(wanted, tuple(questions))


def select(rows: Rows, wanted: Wanted, runs: Sequence[str], seed: int = 0) -> Selection:
    """The cases with details, of some runs, in the order of the rows.

    The same rows give the same cases. Raises ConfigError for a question that is not there.
    """
    frame = rows.frame[rows.questions["run"].isin(runs).to_numpy()[rows.frame["question"]]]
    key = ["question", "condition"]
    every = frame[key].drop_duplicates()
    lost = frame[frame["loss"] > 0].groupby(key, sort=True)["loss"].max()
    failed = frame[frame["status"] >= STATUSES.index("error")][key].drop_duplicates()
    pools: dict[str, pd.DataFrame] = {
        "worst": lost.sort_values(ascending=False, kind="stable").reset_index()[key],
        "random": every,
        "failed": failed,
    }
    chosen: dict[tuple[int, int], None] = {}
    drawn: dict[str, int] = {}
    for qid in wanted.questions:
        places = np.flatnonzero(rows.questions["qid"] == qid)
        cases = every[every["question"].isin(places)].to_numpy(dtype=np.int64)
        if not len(cases):
            raise ConfigError(f"cases: there is no question {qid!r} with details")
        chosen.update(dict.fromkeys((int(q), int(c)) for q, c in cases))
    for kind, count in wanted.of.items():
        pool = pools[kind].to_numpy(dtype=np.int64)
        if kind == "random":
            pool = np.random.default_rng(seed).permutation(pool)
        taken = pool if count is None else pool[:count]
        drawn[kind] = len(taken)
        chosen.update(dict.fromkeys((int(q), int(c)) for q, c in taken))
    of = {kind: len(pool) for kind, pool in pools.items()}
    return Selection(tuple(sorted(chosen)), drawn, of, len(wanted.questions), len(runs))


def numbered(cases: Sequence[tuple[int, int]]) -> dict[tuple[int, int], int]:
    """Numbers of cases from 1, in order; 0 is none."""
    return {case: number for number, case in enumerate(cases, start=1)}
