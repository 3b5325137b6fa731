"""The share of the loss to noise that each arm wins back, and what it harms on clean pages."""

from __future__ import annotations

import fnmatch
import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ohr.analysis.mitigations.arms import IDENTITY, ORACLE, Arm
from ohr.analysis.realism.table import CLEAN, NATURAL, same_pages
from ohr.analysis.tested import add_tests
from ohr.errors import OhrError
from ohr.ocr.noise import noise_name
from ohr.statistics import (
    NO_INTERVAL,
    Clusters,
    Interval,
    Paired,
    mean_interval,
)
from ohr.statistics.ratios import ratio_interval
from ohr.study.metrics import MetricInfo
from ohr.study.output.groups import known_first
from ohr.study.plan import READING
from ohr.study.results import StudyRun, clusters_of

PAGE_METRICS = ("edit_distance", "text_recall")
"""Metrics of the table beside the usual ones of each stage, if the run has them."""
UNIT = ["qid", "doc_id", "page_no"]
SOURCE = "source:"
_ROUNDING = 1e-12


def won_back(run: StudyRun, arms: Sequence[Arm], natural: str = "") -> pd.DataFrame:
    """One row per arm, noise, metric and group of questions or pages.

    ``loss`` is the score without the arm on clean pages, less that under noise, on the same
    questions or pages; ``gain`` is the score with the arm under noise, less that without. ``share``
    is the gain over the loss, with Fieller's interval over documents, which is infinite where the
    loss may be 0; NaN if the loss is not above 0. ``harm`` is the score without the arm on clean
    pages less that with it. All are so signed that more is better for ``gain`` and worse for
    ``loss`` and ``harm``, whatever the metric's direction. The gains of all arms and noises of a
    metric are one family (:func:`ohr.statistics.infer`), for all questions and for their groups
    apart. ``identity`` and ``oracle`` are not tested.

    ``natural`` matches the names of documents with natural noise, whose clean pages are those of
    the documents that they show (:func:`~ohr.analysis.realism.table.same_pages`). Raises OhrError
    if it matches none.
    """
    rows = _add_points(run.rows, natural)
    records: list[dict[str, Any]] = []
    for info in _measured(run):
        values = _metric_rows(rows, info, run.config.top_k)
        if values.empty:
            continue
        for arm in arms:
            records += _records(values, info, arm)
    table = pd.DataFrame(records, columns=[*COLUMNS[:-1], "paired"])
    # Page texts and answers from the evidence do not depend on the retriever.
    table = table.drop_duplicates(list(COLUMNS[:7]), ignore_index=True)
    table["everyone"] = table["group"] == "all"
    columns = {"low": "gain_low", "high": "gain_high", "p": "p", "p_adjusted": "p_adjusted"}
    untested = table["arm"].isin([IDENTITY, ORACLE])  # nothing to test
    tested = add_tests(table[~untested], "paired", columns, ["stage", "metric", "everyone"])
    return pd.concat([tested, table[untested]]).sort_index().reindex(columns=list(COLUMNS))


COLUMNS = (
    *("engine", "retriever", "arm", "noise", "stage", "metric", "group"),
    *("clean", "noisy", "with_arm", "loss", "loss_low", "loss_high"),
    *("gain", "gain_low", "gain_high", "share", "share_low", "share_high"),
    *("harm", "harm_low", "harm_high", "ci_unit", "n", "n_documents", "p", "p_adjusted"),
)


def _add_points(rows: pd.DataFrame, natural: str) -> pd.DataFrame:
    """The rows with a column ``point``: clean, natural, or the noise with its strength."""
    points = rows[["perturbation", "level", "intensity"]].itertuples(index=False, name=None)
    rows = rows.assign(point=[noise_name(*point) for point in points])
    if not natural:
        return rows
    names = rows["doc_id"].astype(str)
    degraded = names.map(lambda name: fnmatch.fnmatchcase(name, natural))
    if not degraded.any():
        raise OhrError(f"no document matches {natural!r}")
    shown = same_pages(list(names[degraded].unique()), list(names[~degraded].unique()))
    photographs = rows[degraded & (rows["point"] == CLEAN)]
    photographs = photographs.assign(
        point=NATURAL, doc_id=names[photographs.index].map(shown)
    ).dropna(subset=["doc_id"])
    keys = [name for name in photographs if name not in ("value", "status", "groups")]
    means = photographs.groupby(keys, sort=False, observed=True, dropna=False)
    first = means.agg(value=("value", "mean"), groups=("groups", "first")).reset_index()
    return pd.concat([rows[~degraded], first], ignore_index=True)


def unpaired_lines(run: StudyRun, natural: str) -> list[str]:
    """A line that names the documents with natural noise that show no other document, if any."""
    if not natural:
        return []
    names = run.rows["doc_id"].astype(str).drop_duplicates()
    degraded = names.map(lambda name: fnmatch.fnmatchcase(name, natural))
    shown = same_pages(list(names[degraded]), list(names[~degraded]))
    unpaired = [name for name in names[degraded] if name not in shown]
    if not unpaired:
        return []
    some = ", ".join(unpaired[:3])
    more = f" and {len(unpaired) - 3} more" if len(unpaired) > 3 else ""
    return [f"{some}{more}: no other document shows these pages"]


def _measured(run: StudyRun) -> Iterator[MetricInfo]:
    for info in run.metric_infos:
        if info.shown or info.metric in PAGE_METRICS:
            yield info


def _metric_rows(rows: pd.DataFrame, info: MetricInfo, top_k: int) -> pd.DataFrame:
    """The rows of a metric, with ``score``: higher is better."""
    chosen = rows[(rows["stage"] == info.stage) & (rows["metric"] == info.metric)]
    if info.stage == "retrieval":
        chosen = chosen[chosen["top_k"] == top_k]
    sign = 1.0 if info.higher_is_better else -1.0
    return chosen.assign(score=sign * chosen["value"])


def _records(values: pd.DataFrame, info: MetricInfo, arm: Arm) -> Iterator[dict[str, Any]]:
    uses_retriever = info.stage in ("retrieval", "overall")
    if arm.reads_from and info.stage != "overall":
        return
    if not uses_retriever and arm.searches_otherwise and not arm.reads_otherwise:
        return
    retriever = arm.retriever if uses_retriever else ""
    with_arm = _scores(values, arm.engine, retriever, arm.reads_from)
    base = _scores(values, arm.base_engine, arm.base_retriever if uses_retriever else "")
    if CLEAN not in base:
        return
    groups = _groups(values)
    sign = 1.0 if info.higher_is_better else -1.0
    for noise in [name for name in base if name != CLEAN]:
        if noise not in with_arm or CLEAN not in with_arm:
            continue
        parts = {
            "clean": base[CLEAN],
            "noisy": base[noise],
            "with_arm": base[CLEAN] if arm.name == ORACLE else with_arm[noise],
            "clean_with_arm": with_arm[CLEAN],
        }
        scores = pd.concat(parts, axis=1, join="inner").dropna()
        for group, members in groups.items():
            of_group = scores[scores.index.isin(members)]
            if of_group.empty:
                continue
            means = {name: sign * float(of_group[name].mean()) for name in list(parts)[:3]}
            yield (
                {
                    "engine": arm.base_engine,
                    "retriever": arm.base_retriever if uses_retriever else "",
                    "arm": arm.name,
                    "noise": noise,
                    "stage": str(info.stage),
                    "metric": info.metric,
                    "group": group,
                }
                | means
                | compared(of_group)
            )


def _scores(
    values: pd.DataFrame, engine: str, retriever: str, reads_from: str = ""
) -> dict[str, pd.Series]:
    """The scores by noise, each by unit."""
    elsewhere = values["reader"].astype(str).str.partition(READING)[2]
    of_arm = values[
        (values["engine"] == engine)
        & (values["retriever"] == retriever)
        & (elsewhere == reads_from)
    ]
    # Under several readers or chunkers, a question's score is their mean.
    return {
        str(point): group.groupby(UNIT, observed=True)["score"].mean()
        for point, group in of_arm.groupby("point", sort=False, observed=True)
    }


def _groups(values: pd.DataFrame) -> dict[str, pd.MultiIndex]:
    """``all`` and each evidence source, with the units of each."""
    units = values[[*UNIT, "groups"]].drop_duplicates(UNIT)
    tags = [
        [tag for tag in json.loads(text) if tag.startswith(SOURCE)] if text else []
        for text in units["groups"].astype(str)
    ]
    sources = known_first(tag.removeprefix(SOURCE) for each in tags for tag in each)
    index = pd.MultiIndex.from_frame(units[UNIT])
    members = {"all": index}
    for source in sources:
        members[SOURCE + source] = index[[SOURCE + source in each for each in tags]]
    return members


def compared(scores: pd.DataFrame) -> dict[str, Any]:
    """The loss, gain, share and harm of units that have four scores, with their intervals.

    ``scores`` has the columns ``clean``, ``noisy``, ``with_arm`` and ``clean_with_arm``, and the
    index ``qid``, ``doc_id``, ``page_no``.
    """
    clusters = clusters_of(scores.index.to_frame(index=False))
    loss = (scores["clean"] - scores["noisy"]).to_numpy(float)
    gain = (scores["with_arm"] - scores["noisy"]).to_numpy(float)
    harm = (scores["clean"] - scores["clean_with_arm"]).to_numpy(float)
    lost, harmed, gained = (mean_interval(x, clusters, bounded=False) for x in (loss, harm, gain))
    share, ends = _share(gain, loss, clusters)
    return {
        "loss": float(loss.mean()),
        "loss_low": lost.low,
        "loss_high": lost.high,
        "gain": float(gain.mean()),
        "gain_low": gained.low,
        "gain_high": gained.high,
        "share": share,
        "share_low": ends.low,
        "share_high": ends.high,
        "harm": float(harm.mean()),
        "harm_low": harmed.low,
        "harm_high": harmed.high,
        "ci_unit": lost.unit,
        "n": len(scores),
        "n_documents": scores.index.get_level_values("doc_id").nunique(),
        "p": math.nan,
        "paired": Paired(gain, clusters),
    }


def _share(gain: np.ndarray, loss: np.ndarray, clusters: Clusters) -> tuple[float, Interval]:
    """The gain over the loss; where nothing was lost in the mean, there is none to win back.

    Whether the loss is significant does not matter: a table of significant losses alone would show
    larger ones than there are.
    """
    if not loss.mean() > _ROUNDING:
        return math.nan, NO_INTERVAL
    return float(gain.mean() / loss.mean()), ratio_interval(gain, loss, clusters)
