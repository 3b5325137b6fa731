"""Each question's damage and loss under each noise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from ohr.study.baselines import clean_of
from ohr.study.metrics import MetricInfo
from ohr.study.output.groups import GROUP_COLUMNS
from ohr.study.output.rows import UNIT_COLUMNS
from ohr.study.results import KNOWLEDGE_BASE, StudyRun, knowledge_base_name, rows_of, run_names

SETTING = ("system", "chunker", "retriever", "reader", "top_k")
DIGITS = 9
"""Of differences, so that equal ones are ties in spite of rounding."""


@dataclass(frozen=True)
class Damage:
    """One outcome under one setting: one row per question and noisy condition.

    ``frame`` has the column ``loss``, the clean score less the noisy one, and a column for each of
    ``metrics``: how much worse it is for the page of the question's evidence (the first, of
    several), or for the evidence itself; NaN where the metric does not apply. The columns
    ``condition``, ``noise`` and ``engine`` name the noise, the others the question.
    """

    outcome: MetricInfo
    setting: Mapping[str, str]
    metrics: tuple[MetricInfo, ...]
    frame: pd.DataFrame


def damages(
    runs: Sequence[StudyRun], outcomes: Sequence[tuple[str, str]], *, with_metrics: bool = True
) -> Iterator[Damage]:
    """The damage of each outcome (stage, metric) and setting, over all runs that share it.

    A noisy knowledge base is compared with the same engine on clean pages, and a clean engine with
    the ground truth. Without ``with_metrics`` the frames have the losses alone.
    """
    infos: dict[tuple[str, str], MetricInfo] = {
        (info.stage, info.metric): info for run in runs for info in run.metric_infos
    }
    metrics = tuple(info for info in infos.values() if info.stage == "ocr" and with_metrics)
    parts: dict[tuple[str, str, tuple[str, ...]], list[pd.DataFrame]] = {}
    for run, name in zip(runs, run_names(runs), strict=True):
        bases = _knowledge_bases(run)
        names = {knowledge_base_name(base.iloc[0]): base for base in bases}
        wide = {label: _values(base, metrics) for label, base in names.items() if metrics}
        for label, noisy in names.items():
            clean = clean_of(noisy.iloc[0], names)
            if clean is None:
                continue
            worse = _worse(wide[clean], wide[label], metrics) if metrics else None
            condition = {"condition": f"{name}: {label}" if len(runs) > 1 else label}
            condition |= {column: noisy[column].iloc[0] for column in ("noise", "engine")}
            for stage, metric in outcomes:
                before, after = (rows_of(base, stage, metric) for base in (names[clean], noisy))
                for values, losses in _losses(before, after, infos.get((stage, metric))):
                    joined = losses.assign(**condition)
                    if worse is not None:
                        joined = losses.merge(worse, on="qid", how="left").assign(**condition)
                    parts.setdefault((stage, metric, values), []).append(joined)
    for (stage, metric, values), frames in parts.items():
        frame = pd.concat(frames, ignore_index=True)
        measured_metrics = tuple(info for info in metrics if frame[info.metric].notna().any())
        setting = dict(zip(SETTING, values, strict=True))
        yield Damage(infos[stage, metric], setting, measured_metrics, frame)


def _knowledge_bases(run: StudyRun) -> list[pd.DataFrame]:
    rows = run.rows.assign(top_k=run.rows["top_k"].astype("string").fillna("").astype(str))
    return [base for _, base in rows.groupby(list(KNOWLEDGE_BASE), sort=False)]


def _question(rows: pd.DataFrame) -> list[str]:
    """The columns that identify a row's question, ``qid`` first."""
    return [*UNIT_COLUMNS, *(name for name in GROUP_COLUMNS if name in rows)]


def _values(base: pd.DataFrame, metrics: Sequence[MetricInfo]) -> pd.DataFrame:
    """One row per question, with the value of each metric for its evidence or page."""
    wide = base.loc[base["qid"] != "", _question(base)].drop_duplicates("qid")
    for info in metrics:
        keys = ["doc_id", "page_no"] if info.unit == "page" else ["qid"]
        values = rows_of(base, info.stage, info.metric)[[*keys, "value"]]
        wide = wide.merge(values.rename(columns={"value": info.metric}), on=keys, how="left")
    return wide


def _worse(clean: pd.DataFrame, noisy: pd.DataFrame, metrics: Sequence[MetricInfo]) -> pd.DataFrame:
    """How much worse each metric is for each question than in the clean knowledge base."""
    names = [info.metric for info in metrics]
    both = clean.set_index("qid")[names], noisy.set_index("qid")[names]
    signs = [1 if info.higher_is_better else -1 for info in metrics]
    return ((both[0] - both[1]) * signs).round(DIGITS).reset_index()


def _losses(
    clean: pd.DataFrame, noisy: pd.DataFrame, outcome: MetricInfo | None
) -> Iterator[tuple[tuple[str, ...], pd.DataFrame]]:
    """For each setting of an outcome: the questions and their losses."""
    if outcome is None or clean.empty or noisy.empty:
        return
    keys = [*SETTING, "qid"]
    before = clean[[*keys, "value"]].rename(columns={"value": "clean"})
    question = _question(noisy)
    pairs = noisy[[*keys, *question[1:], "value"]].merge(before, on=keys)
    sign = 1 if outcome.higher_is_better else -1
    pairs["loss"] = (sign * (pairs["clean"] - pairs["value"])).round(DIGITS)
    for setting, losses in pairs.groupby(list(SETTING), sort=False):
        yield tuple(map(str, setting)), losses[[*question, "loss"]]
