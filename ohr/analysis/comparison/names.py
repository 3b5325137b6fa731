"""Names of metrics that finished runs measured, as people write them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from ohr.errors import ConfigError, OhrError, did_you_mean
from ohr.scoring.names import MetricName
from ohr.study.results import StudyRun, rows_of

HITS = "retrieval"
"""The stage whose metrics have a cut-off."""


def measured_pairs(runs: Sequence[StudyRun]) -> list[tuple[str, str]]:
    """(stage, metric) of everything that the runs measured, in order."""
    pairs = (run.rows[["stage", "metric"]].drop_duplicates() for run in runs)
    return list(
        dict.fromkeys(
            (str(stage), str(metric))
            for of_run in pairs
            for stage, metric in of_run.itertuples(index=False)
        )
    )


def measured_metric(runs: Sequence[StudyRun], text: str) -> tuple[str, str]:
    """(stage, metric) of a name: ``retrieval:hit@2``, ``hit@2``, ``lcs@2``, ``overall:f1``.

    A stage is needed only where several have a metric of the name. A metric that is measured at
    several numbers of hits under one name, such as ``lcs``, may have one of them. Raises OhrError
    for a name or a cut-off that was not measured, or a name of several stages.
    """
    available = measured_pairs(runs)
    stage, _, metric = text.rpartition(":")
    if (stage, metric) in available:
        return stage, metric
    try:
        name = MetricName.parse(text)
    except ConfigError as error:
        raise _unknown(text, available, runs) from error
    matching = [
        pair
        for pair in available
        if (not name.stage or pair[0] == name.stage)
        and (
            pair[1] == metric
            or (pair[1] == name.metric and name.k in cut_offs(runs, *pair) and pair[0] == HITS)
        )
    ]
    if len(matching) > 1:
        options = " or ".join(":".join(pair) for pair in matching)
        raise OhrError(f"metric {text!r} is of several stages: write {options}")
    if not matching:
        raise _unknown(text, available, runs)
    return matching[0]


def cut_runs(runs: Sequence[StudyRun], names: Sequence[str]) -> list[StudyRun]:
    """The runs, with each named metric only at the number of hits that its name has.

    ``lcs`` has rows for every number of hits; of a run that is asked for ``lcs@5``, those of the
    others are left out. Runs without such a metric are the same objects. Raises OhrError.
    """
    cut_by_pair: dict[tuple[str, str], set[int]] = {}
    for text in names:
        pair = measured_metric(runs, text)
        k = MetricName.parse(text).k if "@" in text and "@" not in pair[1] else None
        if k is not None:
            cut_by_pair.setdefault(pair, set()).add(k)
    whole = {measured_metric(runs, text) for text in names if "@" not in text}
    cut_by_pair = {pair: numbers for pair, numbers in cut_by_pair.items() if pair not in whole}
    return [_cut(run, cut_by_pair) for run in runs] if cut_by_pair else list(runs)


def cut_offs(runs: Sequence[StudyRun], stage: str, metric: str) -> list[int]:
    """The numbers of hits at which runs measured a metric, sorted."""
    numbers = {k for run in runs for k in rows_of(run.rows, stage, metric)["top_k"].dropna()}
    return sorted(map(int, numbers))


def _cut(run: StudyRun, cut_by_pair: dict[tuple[str, str], set[int]]) -> StudyRun:
    def select(frame: pd.DataFrame) -> pd.DataFrame:
        keep = pd.Series(True, frame.index)
        for (stage, metric), numbers in cut_by_pair.items():
            named = (frame["stage"] == stage) & (frame["metric"] == metric)
            keep &= ~named | frame["top_k"].isin(numbers)
        return frame[keep].reset_index(drop=True)

    cached = {name: value for name, value in vars(run).items() if name in ("plan", "dataset")}
    cut = replace(run, cells=select(run.cells))
    return cut.cache_values(drawn=select(run.drawn), **cached)


def _unknown(text: str, available: Sequence[tuple[str, str]], runs: Sequence[StudyRun]) -> OhrError:
    names = [":".join(pair) for pair in available]
    if ":" not in text:  # what is near is a metric, whatever its stage
        names = list(dict.fromkeys(metric for _, metric in available))
    metric, position, _ = text.rpartition(":")[2].partition("@")
    measured = sorted(
        {f"@{k}" for pair in available if pair == (HITS, metric) for k in cut_offs(runs, *pair)}
    )
    if position and measured:
        return OhrError(f"no metric {text!r} in these runs: {metric} has {', '.join(measured)}")
    return OhrError(f"no metric {text!r} in these runs; {did_you_mean(text, names)}")
