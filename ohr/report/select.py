"""Selects the cases with details: the worst, some drawn at random, and those that failed."""

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
    """The selected cases, each a question under a condition.

    ``drawn`` counts the selected cases of each kind, ``of`` all cases of that kind.
    """

    cases: tuple[tuple[int, int], ...]
    drawn: dict[str, int]
    of: dict[str, int]
    asked_for: int = 0
    """Number of questions named in the request; all their cases have details."""
    runs: int = 0
    """Number of runs with a cases.zip."""

    def sentence(self) -> str:
        """How many cases of each kind have details."""
        if not self.of["random"]:
            reason = "the runs measured only OCR" if self.runs else "the runs have no cases.zip"
            return f"No case has details: {reason}"
        s = "s" * (self.asked_for != 1)
        parts = [f"all of {self.asked_for} named question{s}"] if self.asked_for else []
        parts += [
            f"{self.drawn[kind]:,} of {self.of[kind]:,} {description}"
            for kind, description in zip(
                KINDS,
                ("with a loss, largest first", "drawn at random", "that failed"),
                strict=True,
            )
            if kind in self.drawn
        ]
        return f"{len(self.cases):,} of {self.of['random']:,} cases have details: " + "; ".join(
            parts
        )


@dataclass(frozen=True)
class Request:
    """The requested cases: a number of each kind (None: all), and questions by ID."""

    of: dict[str, int | None]
    questions: tuple[str, ...] = ()


def parse_selection(text: str) -> Request:
    """``worst:200,random:100,failed:all,question:ID``. Raises ConfigError."""
    numbers: dict[str, int | None] = {}
    questions: list[str] = []
    for part in filter(None, (part.strip(" ,") for part in _PARTS.split(text))):
        if part.startswith(_QUESTION) and len(part) > len(_QUESTION):
            questions.append(part.removeprefix(_QUESTION))
            continue
        match = _PART.fullmatch(part)
        if match is None or match[1] in numbers:
            raise ConfigError(
                f"cases: {part!r} is not worst:N, random:N or failed:N, each once (N may be all), "
                "nor question:ID"
            )
        numbers[match[1]] = None if match[2] == "all" else int(match[2])
    return Request(numbers, tuple(questions))


def select(rows: Rows, request: Request, runs: Sequence[str], seed: int = 0) -> Selection:
    """Select the cases with details from these runs, in the order of the rows.

    The same rows give the same cases. Raises ConfigError for an unknown question.
    """
    frame = rows.frame[rows.questions["run"].isin(runs).to_numpy()[rows.frame["question"]]]
    key = ["question", "condition"]
    every = frame[key].drop_duplicates()
    losses = frame[frame["loss"] > 0].groupby(key, sort=True)["loss"].max()
    failed = frame[frame["status"] >= STATUSES.index("error")][key].drop_duplicates()
    pools: dict[str, pd.DataFrame] = {
        "worst": losses.sort_values(ascending=False, kind="stable").reset_index()[key],
        "random": every,
        "failed": failed,
    }
    chosen: dict[tuple[int, int], None] = {}
    drawn: dict[str, int] = {}
    for qid in request.questions:
        places = np.flatnonzero(rows.questions["qid"] == qid)
        cases = every[every["question"].isin(places)].to_numpy(dtype=np.int64)
        if not len(cases):
            raise ConfigError(f"cases: unknown question {qid!r}")
        chosen.update(dict.fromkeys((int(q), int(c)) for q, c in cases))
    for kind, count in request.of.items():
        pool = pools[kind].to_numpy(dtype=np.int64)
        if kind == "random":
            pool = np.random.default_rng(seed).permutation(pool)
        selected = pool if count is None else pool[:count]
        drawn[kind] = len(selected)
        chosen.update(dict.fromkeys((int(q), int(c)) for q, c in selected))
    of = {kind: len(pool) for kind, pool in pools.items()}
    return Selection(tuple(sorted(chosen)), drawn, of, len(request.questions), len(runs))


def numbered(cases: Sequence[tuple[int, int]]) -> dict[tuple[int, int], int]:
    """Case -> its number, from 1 in order."""
    return {case: number for number, case in enumerate(cases, start=1)}
