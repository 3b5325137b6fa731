"""A gate: whether a loss between two runs is beyond a margin, with confidence."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import pandas as pd

from ohr.analysis.comparison.table import (
    metrics_of,
    paired_conditions,
    run_names,
    split_by_signature,
)
from ohr.display.wording import short
from ohr.errors import ConfigError, OhrError
from ohr.files.safe_text import plain
from ohr.statistics import DOCUMENT, PairedComparison
from ohr.statistics.clusters import FEWEST
from ohr.study.conditions import CONDITION_COLUMNS
from ohr.study.results import KNOWLEDGE_BASE, Run, knowledge_base_name, rows_of

_CONDITION = re.compile(r"\s*(\w+):(\S+?)\s*([<>])\s*([-+−]?(?:\d+\.?\d*|\.\d+))\s*")
EXAMPLE = "'retrieval:hit@2 < -0.02'"
_SETTINGS = ("system", "chunker", "retriever", "reader", "top_k")


class Verdict(StrEnum):
    """What the interval of a difference says about a condition."""

    PASSED = "passed"
    """The interval excludes a loss beyond the margin."""
    FAILED = "failed"
    """The whole interval is beyond the margin."""
    NOT_DECIDED = "not decided"
    """The margin is inside the interval, or there is no interval over documents."""


@dataclass(frozen=True)
class FailIf:
    """A condition of the gate: ``stage:metric < margin``, of the other run less the baseline."""

    stage: str
    metric: str
    sign: str
    margin: float

    @property
    def name(self) -> str:
        """Stage and metric, as in ``--metric``."""
        return f"{self.stage}:{self.metric}"

    def __str__(self) -> str:
        return f"{self.name} {self.sign} {self.margin:g}"

    @classmethod
    def parse(cls, text: str) -> FailIf:
        """The condition in a text such as ``retrieval:hit@2 < -0.02``. Raises ConfigError."""
        match = _CONDITION.fullmatch(text)
        if match is None:
            raise ConfigError(
                f"--fail-if {text!r} is no condition: write STAGE:METRIC < MARGIN, such as "
                f"{EXAMPLE}"
            )
        stage, metric, sign, number = match.groups()
        margin = float(number.replace("−", "-"))
        if abs(margin) > 1:
            raise ConfigError(
                f"--fail-if {text!r}: scores lie in [0, 1], so the margin must lie in [-1, 1]"
            )
        return cls(stage, metric, sign, margin)

    def verdict(self, low: float, high: float) -> Verdict:
        """What an interval says; no end may be NaN."""
        is_beyond, is_within = (
            (high < self.margin, low >= self.margin)
            if self.sign == "<"
            else (low > self.margin, high <= self.margin)
        )
        if is_beyond:
            return Verdict.FAILED
        return Verdict.PASSED if is_within else Verdict.NOT_DECIDED


@dataclass(frozen=True)
class Checked:
    """A condition, checked for one pair of conditions of the runs."""

    condition: FailIf
    verdict: Verdict
    pair: str
    """What is compared, such as ``new less old (tesseract, bm25)``."""
    difference: float
    low: float
    high: float
    n: int
    n_documents: int
    n_unpaired: int
    """Questions or pages that count in only one of the two."""

    @property
    def line(self) -> str:
        """``failed: retrieval:hit@2 < -0.02: −.083 [−.120, −.046] …``."""
        documents = f"{self.n_documents} document{'s' * (self.n_documents != 1)}"
        if math.isnan(self.low):
            interval = f"no interval: {documents}, and it takes {FEWEST}"
        else:
            interval = f"[{short(self.low)}, {short(self.high)}]"
        unpaired = f"; {self.n_unpaired} count on one side only" if self.n_unpaired else ""
        return plain(
            f"{self.verdict}: {self.condition}: {short(self.difference)} {interval}; {self.pair}; "
            f"n = {self.n}, {documents}{unpaired}"
        )


def parse_conditions(texts: Sequence[str], runs: Sequence[Run]) -> list[FailIf]:
    """The conditions of ``--fail-if``. Raises OhrError for a metric that the runs do not have, or
    a condition that describes a gain.
    """
    conditions = [FailIf.parse(text) for text in texts]
    metrics_of(runs, [condition.name for condition in conditions])
    infos = {(str(info.stage), info.metric): info for run in runs for info in run.metric_infos}
    for condition in conditions:
        info = infos.get((condition.stage, condition.metric))
        sign, of = ("<", "more") if info is None or info.higher_is_better else (">", "less")
        if condition.sign != sign:
            raise ConfigError(
                f"--fail-if '{condition}' describes a gain: {of} is better in "
                f"{condition.metric}, so a loss is '{sign}'"
            )
    return conditions


def check(
    runs: Sequence[Run], by: str, conditions: Sequence[FailIf], baseline: str = ""
) -> list[Checked]:
    """Check each condition for each pair of the runs' conditions that differ by ``by``.

    Pairs share their questions, intervals are over documents, and all of them hold together at
    95 % (Bonferroni). Raises OhrError for a metric of which nothing can be paired, or that the runs
    measured in different ways.
    """
    metrics = [(condition.stage, condition.metric) for condition in conditions]
    if reasons := split_by_signature(runs, metrics)[1]:
        raise OhrError("; ".join(dict.fromkeys(reasons)))
    tables = [
        paired_conditions(runs, by, [(condition.stage, condition.metric)], baseline=baseline)
        for condition in conditions
    ]
    tests = sum(len(table) for table in tables)
    return [
        _checked(condition, row, tests)
        for condition, table in zip(conditions, tables, strict=True)
        for _, row in table.iterrows()
    ]


def _checked(condition: FailIf, row: pd.Series, tests: int) -> Checked:
    comparison: PairedComparison = row["comparison"]
    interval = comparison.interval_of(tests)
    low, high = max(interval.low, -1.0), min(interval.high, 1.0)
    verdict = condition.verdict(low, high)
    if interval.unit != DOCUMENT:  # pages of two documents say nothing about others
        verdict, low, high = Verdict.NOT_DECIDED, math.nan, math.nan
    return Checked(
        condition,
        verdict,
        _pair_name(row),
        comparison.difference,
        low,
        high,
        comparison.n,
        int(row["n_documents"]),
        int(row["n_baseline_only"] + row["n_other_only"]),
    )


def _pair_name(row: pd.Series) -> str:
    """``new less old (tesseract, clean, tokens, bm25, 2)``: with the settings that both have."""
    named = [row.get(name) for name in KNOWLEDGE_BASE]
    settings = [row.get(name) for name in _SETTINGS]
    if any(pd.isna(value) for value in named):
        settings.insert(0, row.get("engine"))
    else:
        settings.insert(0, knowledge_base_name(row))
    texts = [str(value) for value in settings if not pd.isna(value) and value != ""]
    return f"{row['other']} less {row['baseline']}" + (f" ({', '.join(texts)})" if texts else "")


def without_partner(runs: Sequence[Run], checked: Sequence[Checked]) -> list[str]:
    """A line for each metric of which some run has conditions that another one lacks."""
    lines = []
    for condition, pairs in Counter(result.condition for result in checked).items():
        counts = [
            len(
                rows_of(run.rows, condition.stage, condition.metric)[
                    list(CONDITION_COLUMNS)
                ].drop_duplicates()
            )
            for run in runs
        ]
        if pairs < max(counts) * (len(runs) - 1):
            sizes = ", ".join(
                f"{count} in {name}" for count, name in zip(counts, run_names(runs), strict=True)
            )
            lines.append(
                f"note: conditions with {condition.name}: {sizes}; pairs that were checked: {pairs}"
            )
    return [plain(line) for line in dict.fromkeys(lines)]


def gate_table(checked: Sequence[Checked]) -> pd.DataFrame:
    """The checked conditions, one row each, for ``gate.csv``."""
    return pd.DataFrame(
        {
            "condition": str(result.condition),
            "verdict": str(result.verdict),
            "pair": result.pair,
            "difference": result.difference,
            "ci_low": result.low,
            "ci_high": result.high,
            "n": result.n,
            "n_documents": result.n_documents,
            "n_unpaired": result.n_unpaired,
            "intervals": len(checked),
        }
        for result in checked
    )
