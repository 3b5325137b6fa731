"""Each question's damage under each noise: what was read worse, and what it cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from ohr.analysis.comparison.table import run_names
from ohr.study.baselines import clean_of
from ohr.study.output.groups import GROUP_COLUMNS
from ohr.study.output.rows import UNIT_COLUMNS
from ohr.study.results import KNOWLEDGE_BASE, Run, knowledge_base_name, measured
from ohr.study.scoring.metrics import MetricInfo

SETTING = ("system", "chunker", "retriever", "reader", "top_k")
DIGITS = 9
"""Of differences: equal ones must be ties, whatever rounding did to them."""


@dataclass(frozen=True)
class Damage:
    """One outcome under one setting: a row for each question and noisy condition.

    ``frame`` has the column ``loss``, the clean score less the noisy one, and a column for each
    measure of ``readings``: how much worse the page of the question's evidence (the first, of
    several) was read, or the evidence itself; NaN where the measure does not apply. The columns
    ``condition``, ``noise`` and ``engine`` say under which noise, the others which question.
    """

    outcome: MetricInfo
    setting: Mapping[str, str]
    readings: tuple[MetricInfo, ...]
    frame: pd.DataFrame


def damages(runs: Sequence[Run], outcomes: Sequence[tuple[str, str]]) -> Iterator[Damage]:
    """The damage of each outcome (stage, metric) and setting; runs that share one, together.

    A noisy knowledge base is held against the same engine's reading of the clean pages, an
    engine's clean reading against the ground truth's text.
    """
    known: dict[tuple[str, str], MetricInfo] = {
        (info.stage, info.metric): info for run in runs for info in run.measures
    }
    readings = tuple(info for info in known.values() if info.stage == "ocr")
    parts: dict[tuple[str, str, tuple[str, ...]], list[pd.DataFrame]] = {}
    for run, name in zip(runs, run_names(runs), strict=True):
        bases = _knowledge_bases(run)
        names = {knowledge_base_name(base.iloc[0]): base for base in bases}
        wide = {label: _readings(base, readings) for label, base in names.items()}
        for label, noisy in names.items():
            clean = clean_of(noisy.iloc[0], names)
            if clean is None:
                continue
            worse = _worse(wide[clean], wide[label], readings)
            condition = {"condition": f"{name}: {label}" if len(runs) > 1 else label}
            condition |= {column: noisy[column].iloc[0] for column in ("noise", "engine")}
            for stage, metric in outcomes:
                before, after = (measured(base, stage, metric) for base in (names[clean], noisy))
                for values, losses in _losses(before, after, known.get((stage, metric))):
                    joined = losses.merge(worse, on="qid", how="left").assign(**condition)
                    parts.setdefault((stage, metric, values), []).append(joined)
    for (stage, metric, values), frames in parts.items():
        frame = pd.concat(frames, ignore_index=True)
        there = tuple(info for info in readings if frame[info.metric].notna().any())
        setting = dict(zip(SETTING, values, strict=True))
        yield Damage(known[stage, metric], setting, there, frame)


def _knowledge_bases(run: Run) -> list[pd.DataFrame]:
    rows = run.rows.assign(top_k=run.rows["top_k"].astype("string").fillna("").astype(str))
    return [base for _, base in rows.groupby(list(KNOWLEDGE_BASE), sort=False)]


def _question(rows: pd.DataFrame) -> list[str]:
    """The columns that say which question a row is of, the first ``qid``."""
    return [*UNIT_COLUMNS, *(name for name in GROUP_COLUMNS if name in rows)]


def _readings(base: pd.DataFrame, readings: Sequence[MetricInfo]) -> pd.DataFrame:
    """A row for each question, with its evidence's or its page's value of each measure."""
    wide = base.loc[base["qid"] != "", _question(base)].drop_duplicates("qid")
    for info in readings:
        keys = ["doc_id", "page_no"] if info.unit == "page" else ["qid"]
        values = measured(base, info.stage, info.metric)[[*keys, "value"]]
        wide = wide.merge(values.rename(columns={"value": info.metric}), on=keys, how="left")
    return wide


def _worse(
    clean: pd.DataFrame, noisy: pd.DataFrame, readings: Sequence[MetricInfo]
) -> pd.DataFrame:
    """How much worse each question's evidence was read than in the clean knowledge base."""
    names = [info.metric for info in readings]
    both = clean.set_index("qid")[names], noisy.set_index("qid")[names]
    signs = [1 if info.higher_is_better else -1 for info in readings]
    return ((both[0] - both[1]) * signs).round(DIGITS).reset_index()


def _losses(
    clean: pd.DataFrame, noisy: pd.DataFrame, outcome: MetricInfo | None
) -> Iterator[tuple[tuple[str, ...], pd.DataFrame]]:
    """For each setting of an outcome: the questions, and what each lost."""
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
