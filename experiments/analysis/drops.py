"""What noise costs each retriever, question by question."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from ohr.statistics import NO_INTERVAL, PairedComparison, compare_paired, holm
from ohr.study.results import Run, clusters_of, counted, mean_over_draws

SETTING = ("chunker", "retriever")
BASE = ("engine", "perturbation", "level", "intensity")
QUESTION = ["qid", "doc_id", "page_no", "evidence_source"]


def paired_drops(run: Run) -> pd.DataFrame:
    """A row for each setting, number of hits, metric, group and noisy knowledge base."""
    rows = pd.read_parquet(run.path / "rows.parquet")
    rows = mean_over_draws(counted(rows[rows["stage"] == "retrieval"]))
    sources = list(dict.fromkeys(rows["evidence_source"]))
    records: list[dict[str, object]] = []
    for (k, metric), measured in rows.groupby(["top_k", "metric"], observed=True, sort=False):
        questions, values = _by_question(measured)
        base, *others = dict.fromkeys(key[2:] for key in values)
        settings = list(dict.fromkeys(key[:2] for key in values))
        for other in others:
            falls = {s: values[*s, *base] - values[*s, *other] for s in settings}
            for setting in settings:
                for group in ["all", *(f"source:{source}" for source in sources)]:
                    members = _members(questions, group)
                    members = members[~np.isnan(falls[setting][members])]
                    drop = _paired(questions, falls[setting], members)
                    more_lost = falls[setting] - falls[settings[0]]
                    more = _paired(questions, more_lost, members[~np.isnan(more_lost[members])])
                    records.append(
                        dict(zip(SETTING, setting, strict=True))
                        | {"top_k": k, "metric": metric, "group": group}
                        | dict(zip(BASE, other, strict=True))
                        | {"clean": _mean(values[*setting, *base][members])}
                        | {"noisy": _mean(values[*setting, *other][members])}
                        | _columns("drop", drop)
                        | _columns("drop_less_first", more)
                        | {"ci_unit": drop.interval.unit, "n": len(members)}
                        | {"n_documents": questions.iloc[members]["doc_id"].nunique()}
                    )
    drops = pd.DataFrame(records)
    for name in ("drop", "drop_less_first") if len(drops) else ():
        by_metric = drops.groupby(["top_k", "metric"], observed=True)[f"{name}_p"]
        drops[f"{name}_p_holm"] = by_metric.transform(lambda p: holm(p.to_numpy()))
    return drops


_Key = tuple[object, ...]


def _by_question(measured: pd.DataFrame) -> tuple[pd.DataFrame, dict[_Key, np.ndarray]]:
    """The questions, and each condition's values in their order; NaN where one does not count."""
    questions = measured[QUESTION].drop_duplicates().sort_values("qid").reset_index(drop=True)
    grouped = measured.groupby([*SETTING, *BASE], observed=True, sort=False)
    return questions, {
        tuple(key): rows.set_index("qid")["value"].reindex(questions["qid"]).to_numpy(dtype=float)
        for key, rows in grouped
    }


def _members(questions: pd.DataFrame, group: str) -> np.ndarray:
    source = group.partition(":")[2]
    return np.flatnonzero((questions["evidence_source"] == source) | (group == "all"))


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else math.nan


def _paired(questions: pd.DataFrame, values: np.ndarray, members: np.ndarray) -> PairedComparison:
    """The mean of paired values of some questions, with interval and p; NaN for none."""
    if not len(members):
        nan = math.nan
        return PairedComparison(nan, NO_INTERVAL, nan, nan, nan, 0)
    return compare_paired(values[members], clusters_of(questions.iloc[members]))


def _columns(name: str, comparison: PairedComparison) -> dict[str, object]:
    low, high = comparison.interval.low, comparison.interval.high
    return {
        name: comparison.difference,
        f"{name}_low": low,
        f"{name}_high": high,
        f"{name}_p": comparison.p,
    }
