"""Whether OCR and answer are right, question by question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ohr.analysis.attribution.loss_shares import loss_shares
from ohr.display.choices import AXES, MEASURES
from ohr.errors import ConfigError, OhrError, did_you_mean
from ohr.statistics import mean_interval
from ohr.study.config import BUILT_IN
from ohr.study.output.groups import group_rows
from ohr.study.output.rows import UNIT_COLUMNS
from ohr.study.results import (
    KNOWLEDGE_BASE,
    StudyRun,
    clusters_of,
    knowledge_base_name,
    rows_of,
)

CASES = {
    "ocr_right_answer_right": "OCR right, answer right",
    "ocr_wrong_answer_right": "OCR wrong, answer right",
    "ocr_right_answer_wrong": "OCR right, answer wrong",
    "ocr_wrong_answer_wrong": "OCR wrong, answer wrong",
}
"""Each case with its name."""
WRONG_BY = "ocr_wrong_by_"
"""Begins the name of the column with the share of questions that a measure calls misread."""
SETTING = ("system", "chunker", "retriever", "reader", "top_k", "protocol", "seed")


def measures_of(run: StudyRun) -> dict[str, str]:
    """Measures of misread evidence that a run has, the first the axis of its curves -> its metric.

    A run under ``reference`` scoring has one r_noise, the published one.
    """
    measured = set(run.drawn.loc[run.drawn["stage"] == "ocr", "metric"].unique())
    if "r_noise" in measured and (run.drawn["protocol"] == "reference").all():
        return {"r_noise_reference": "r_noise"} | {
            name: name for name in MEASURES[2:] if name in measured
        }
    return {name: name for name in MEASURES if name in measured}


def common_measures(runs: Sequence[StudyRun], measure: str = "") -> list[str]:
    """The measures that all runs have; the first decides: ``measure``, else the curves' axis.

    Raises ConfigError for an unknown measure, OhrError for one that a run does not have.
    """
    if measure and measure not in MEASURES:
        if measure in AXES:
            raise ConfigError(
                f"{measure} does not say which questions are misread; known: {', '.join(MEASURES)}"
            )
        raise ConfigError(f"unknown --axis {measure!r}; {did_you_mean(measure, MEASURES)}")
    for run in runs:
        if not measures_of(run):
            raise OhrError(f"{run.path} did not measure the stage ocr: run it with that stage")
        if measure and measure not in measures_of(run):
            raise OhrError(
                f"{run.path} did not measure {measure}; it has {', '.join(measures_of(run))}"
            )
    common = [name for name in MEASURES if all(name in measures_of(run) for run in runs)]
    if not common:
        raise OhrError("these runs have no measure of misread evidence in common")
    return [measure, *(name for name in common if name != measure)] if measure else common


def case_shares(run: StudyRun, right: float, stage: str, measure: str = "") -> pd.DataFrame:
    """One row per knowledge base, system, retriever, reader and group: shares and intervals.

    OCR is wrong where ``measure`` is 1, one of :func:`measures_of`; by default the first.
    ``ocr_wrong_by_<measure>`` is the share of questions that each of them calls wrong.

    ``<case>_of_all`` is the group's share of the case, over the groups of one kind.
    ``right_despite_ocr`` is the share of right answers among the questions with wrong OCR. Raises
    OhrError without the stage ``ocr`` or answers.
    """
    measure = common_measures([run], measure)[0]
    answers = rows_of(run.drawn, stage, "f1")
    if answers.empty:
        raise OhrError(f"{run.path} did not measure the stage {stage}: run it with that stage")
    keys = [*KNOWLEDGE_BASE, *UNIT_COLUMNS, "draw"]
    both = answers
    for name, metric in measures_of(run).items():
        misread = rows_of(run.drawn, "ocr", metric)[[*keys, "value"]]
        both = both.merge(misread.rename(columns={"value": f"{WRONG_BY}{name}"}), on=keys)
    both["top_k"] = both["top_k"].astype("string").fillna("")
    both["ocr"] = np.where(both[f"{WRONG_BY}{measure}"] > 0, "ocr_wrong", "ocr_right")
    # An F1 is a ratio of small integers; rounding must not decide.
    both["answer"] = np.where(both["value"] >= right - 1e-9, "answer_right", "answer_wrong")
    both["case"] = both["ocr"] + "_" + both["answer"]
    records = []
    for values, condition in both.groupby([*KNOWLEDGE_BASE, *SETTING], sort=False):
        key = dict(zip([*KNOWLEDGE_BASE, *SETTING], values, strict=True))
        records += [key | row for row in _shares(condition.reset_index(drop=True))]
    return pd.DataFrame(records)


def distinct(
    shares: Sequence[pd.DataFrame], names: Sequence[str], *, groups: bool = False
) -> pd.DataFrame:
    """The shares of all questions in runs of these names, with a ``name`` and a ``setting``.

    Rows that are equal in several runs, such as the clean ground truth, come once. ``groups``: the
    shares of each kind of evidence instead.
    """
    table = pd.concat([share.assign(run=name) for share, name in zip(shares, names, strict=True)])
    table = table[table["group"].str.startswith("source:") if groups else table["group"] == "all"]
    table = table.drop_duplicates([*KNOWLEDGE_BASE, *SETTING, "group", "n", *CASES])
    table = table.assign(
        name=[knowledge_base_name(row) for _, row in table.iterrows()],
        setting=_settings(table),
    )
    twice = table.duplicated(["name", "setting", "group"], keep=False)
    return table.assign(name=table["name"].mask(twice, table["name"] + " (" + table["run"] + ")"))


def _shares(condition: pd.DataFrame) -> Iterator[dict[str, Any]]:
    rows = dict(group_rows(condition))
    members = {group: questions.index.to_numpy() for group, questions in rows.items()}
    every = clusters_of(condition)
    of_all = {
        case: loss_shares((condition["case"] == case).to_numpy(dtype=float), members, every)
        for case in CASES
    }
    for group, questions in rows.items():
        clusters = clusters_of(questions)
        row: dict[str, Any] = {"group": group, "n": questions["qid"].nunique()}
        for case in CASES:
            member = (questions["case"] == case).to_numpy(dtype=float)
            interval = mean_interval(member, clusters, bounded=True)
            row[case] = member.mean()
            row[f"{case}_ci_low"], row[f"{case}_ci_high"] = interval.low, interval.high
            row[f"{case}_of_all"] = of_all[case][group].value
        misread = row["ocr_wrong_answer_right"] + row["ocr_wrong_answer_wrong"]
        row["right_despite_ocr"] = row["ocr_wrong_answer_right"] / misread if misread else np.nan
        for name in condition.columns[condition.columns.str.startswith(WRONG_BY)]:
            row[name] = questions[name].mean()
        row["ci_unit"] = clusters.unit
        yield row


def _settings(shares: pd.DataFrame) -> list[str]:
    """Retriever and reader of each row, or its whole system, and other settings that vary.

    A whole system has no chunker and no number of hits.
    """
    whole = ~shares["system"].isin(["", BUILT_IN])
    rest = ("chunker", "top_k", "protocol", "seed")
    parts = ["retriever", "reader"]
    parts += [name for name in rest if shares[name].replace("", None).nunique() > 1]
    named = {"top_k": "top {}", "seed": "seed {}"}
    return [
        ", ".join(
            [row["system"]] * alone
            + [named.get(name, "{}").format(row[name]) for name in parts if row[name] != ""]
        )
        for alone, (_, row) in zip(whole, shares.iterrows(), strict=True)
    ]
