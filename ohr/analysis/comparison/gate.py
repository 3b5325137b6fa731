"""A gate: whether a loss between two runs is beyond a margin, with confidence."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import pandas as pd

from ohr.analysis.comparison.names import cut_runs, measured_metric
from ohr.analysis.comparison.planned import planned_comparisons
from ohr.analysis.comparison.table import split_by_signature
from ohr.errors import ConfigError, OhrError
from ohr.files.safe_text import plain
from ohr.scoring.names import MetricName
from ohr.statistics import DOCUMENT, PairedComparison, compare_family, too_few
from ohr.statistics.clusters import FEWEST
from ohr.statistics.numbers import interval as interval_text
from ohr.statistics.numbers import number
from ohr.statistics.pairs import double_worst
from ohr.study.conditions import CONDITION_COLUMNS
from ohr.study.results import KNOWLEDGE_BASE, StudyRun, knowledge_base_name, rows_of, run_names

_CONDITION = re.compile(r"\s*(?:(\w+):)?([^\s:]+?)\s*([<>])\s*([-+−]?(?:\d+\.?\d*|\.\d+))\s*")
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
    k: int | None = None
    """The number of hits of a metric that is measured at several under one name."""

    @property
    def name(self) -> str:
        """Stage and metric, as in ``--metric``."""
        stage = f"{self.stage}:" if self.stage else ""
        return stage + self.metric + ("" if self.k is None else f"@{self.k}")

    def __str__(self) -> str:
        return f"{self.name} {self.sign} {self.margin:g}"

    @classmethod
    def parse(cls, text: str) -> FailIf:
        """The condition in a text such as ``retrieval:hit@2 < -0.02``; the stage may be empty.

        Raises ConfigError.
        """
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
        return cls(stage or "", metric, sign, margin)

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
    is_equal: bool = False
    """Whether both have the same score on every question."""
    passes_at: float = math.nan
    """The smallest margin at which this change would pass; NaN if none in [-1, 1] would."""
    smallest: float = math.nan
    """The smallest margin, without its sign, at which a change that loses nothing would pass, with
    this spread over documents; NaN where it is not known."""

    @property
    def line(self) -> str:
        """``failed: retrieval:hit@2 < -0.02: −0.083 [−0.120, −0.046] …``."""
        documents = f"{self.n_documents} document{'s' * (self.n_documents != 1)}"
        if math.isnan(self.low):
            interval = f"no interval: {documents}, and it takes {FEWEST}"
        else:
            interval = interval_text(self.low, self.high)
            if self.is_equal:
                interval = "on every question"
            elif reason := too_few(self.n_documents):
                interval = f"[nothing is excluded: {reason}]"
        if self.verdict is Verdict.NOT_DECIDED and not math.isnan(self.passes_at):
            interval += f", would pass {self.condition.sign} {number(self.passes_at)}"
        unpaired = f"; {self.n_unpaired} count on one side only" if self.n_unpaired else ""
        return plain(
            f"{self.verdict}: {self.condition}: {number(self.difference)} {interval}; {self.pair}; "
            f"n = {self.n}, {documents}{unpaired}"
        )


def parse_conditions(texts: Sequence[str], runs: Sequence[StudyRun]) -> list[FailIf]:
    """The conditions of ``--fail-if``. Raises OhrError for a metric that the runs do not have, or
    a condition that describes a gain, by its ``<`` or by the sign of its margin.
    """
    conditions = [_measured(FailIf.parse(text), runs) for text in texts]
    infos = {(str(info.stage), info.metric): info for run in runs for info in run.metric_infos}
    for condition in conditions:
        info = infos.get((condition.stage, condition.metric))
        sign, of = ("<", "more") if info is None or info.higher_is_better else (">", "less")
        if condition.sign != sign:
            raise ConfigError(
                f"--fail-if '{condition}' describes a gain: {of} is better in "
                f"{condition.metric}, so a loss is '{sign}'"
            )
        if condition.margin * (-1 if sign == "<" else 1) < 0:
            turned = replace(condition, margin=-condition.margin)
            raise ConfigError(
                f"--fail-if '{condition}' has the sign of a gain: {of} is better in "
                f"{condition.metric}, so write '{turned}' for a loss of {abs(condition.margin):g}"
            )
    return conditions


def _measured(condition: FailIf, runs: Sequence[StudyRun]) -> FailIf:
    """The condition with the stage and metric as the runs have them. Raises OhrError."""
    stage, metric = measured_metric(runs, condition.name)
    k = MetricName.parse(condition.metric).k if "@" not in metric else None
    return replace(condition, stage=stage, metric=metric, k=k)


def check(
    runs: Sequence[StudyRun], by: str, conditions: Sequence[FailIf], baseline: str = ""
) -> list[Checked]:
    """Check each condition for each pair of the runs' conditions that differ by ``by``.

    Pairs share their questions, and all of them are one family (:func:`ohr.statistics.infer`), with
    intervals over documents. A condition only passes if it would also pass with its worst document
    counted twice: where few documents lose much, intervals end too early
    (``docs/reference/intervals.md``). Raises OhrError for a metric of which nothing can be paired,
    or that the runs measured in different ways.
    """
    metrics = [(condition.stage, condition.metric) for condition in conditions]
    if reasons := split_by_signature(runs, metrics)[1]:
        raise OhrError("; ".join(dict.fromkeys(reasons)))
    planned = [
        (condition, each)
        for condition in conditions
        for each in planned_comparisons(
            cut_runs(runs, [condition.name]),
            by,
            [(condition.stage, condition.metric)],
            baseline=baseline,
        )
        if each.record
    ]
    family = [each.paired for _, each in planned]
    seed = runs[0].seed
    results = compare_family(family, seed=seed)
    harsher = compare_family(
        [double_worst(each.paired, lowest=condition.sign == "<") for condition, each in planned],
        seed=seed,
    )
    return [
        _checked(condition, each.record, result, worse)
        for (condition, each), result, worse in zip(planned, results, harsher, strict=True)
    ]


def _checked(
    condition: FailIf,
    record: Mapping[str, Any],
    comparison: PairedComparison,
    harsher: PairedComparison,
) -> Checked:
    low, high = comparison.interval.low, comparison.interval.high
    verdict = Verdict.NOT_DECIDED
    passes_at = smallest = math.nan
    if comparison.interval.unit != DOCUMENT:  # pages of two documents say nothing about others
        low, high = math.nan, math.nan
    elif comparison.is_equal:  # nothing changed, so there is nothing to lose
        verdict = condition.verdict(0.0, 0.0)
    else:
        verdict = condition.verdict(low, high)
        doubled = condition.verdict(
            min(low, harsher.interval.low), max(high, harsher.interval.high)
        )
        if verdict is Verdict.PASSED and doubled is not Verdict.PASSED:
            verdict = Verdict.NOT_DECIDED
        end = (
            min(low, harsher.interval.low)
            if condition.sign == "<"
            else max(high, harsher.interval.high)
        )
        passes_at, smallest = _margins(condition, end, comparison.difference)
    return Checked(
        condition,
        verdict,
        _pair_name(record),
        comparison.difference,
        low,
        high,
        comparison.n,
        int(record["n_documents"]),
        int(record["n_baseline_only"] + record["n_other_only"]),
        comparison.is_equal,
        passes_at,
        smallest,
    )


def _margins(condition: FailIf, end: float, difference: float) -> tuple[float, float]:
    """The margins of a :class:`Checked`, from the end of the interval that decides whether it
    passes; rounded so that what is printed would pass."""
    if abs(end) >= 1:
        return math.nan, math.nan
    sign = -1 if condition.sign == "<" else 1
    loss = max(0.0, sign * end)
    return sign * _rounded_up(loss), _rounded_up(sign * (end - difference))


def _rounded_up(value: float) -> float:
    """To three decimals, upwards."""
    return math.ceil(value * 1000 - 1e-9) / 1000


def smallest_margin_lines(checked: Sequence[Checked]) -> list[str]:
    """A line for each condition: the smallest margin that the documents of its pairs can decide."""
    lines = []
    for condition in dict.fromkeys(each.condition for each in checked):
        pairs = [each for each in checked if each.condition == condition and not each.is_equal]
        if not pairs:
            continue
        undecidable = (each for each in pairs if math.isnan(each.smallest))
        widest = next(undecidable, max(pairs, key=lambda each: each.smallest))
        documents = f"{widest.n_documents} document{'s' * (widest.n_documents != 1)}"
        if math.isnan(widest.smallest):
            lines.append(f"{condition.name}: {documents} decide no margin")
            continue
        sign = "−" if condition.sign == "<" else ""
        lines.append(
            f"{condition.name}: the smallest margin that these {documents} can decide is "
            f"{sign}{number(widest.smallest)}: a change that loses nothing, with this spread, "
            "passes from there on"
        )
    return [plain(line) for line in lines]


def _pair_name(row: Mapping[str, Any]) -> str:
    """``new less old (tesseract, clean, tokens, bm25, 2)``: with the settings that both have."""
    named = [row.get(name) for name in KNOWLEDGE_BASE]
    settings = [row.get(name) for name in _SETTINGS]
    if any(pd.isna(value) for value in named):
        settings.insert(0, row.get("engine"))
    else:
        settings.insert(0, knowledge_base_name(pd.Series(dict(row))))
    texts = [str(value) for value in settings if not pd.isna(value) and value != ""]
    return f"{row['other']} less {row['baseline']}" + (f" ({', '.join(texts)})" if texts else "")


def unpaired_lines(runs: Sequence[StudyRun], checked: Sequence[Checked]) -> list[str]:
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
            "passes_at": result.passes_at,
            "smallest_margin": result.smallest,
            "intervals": len(checked),
        }
        for result in checked
    )
