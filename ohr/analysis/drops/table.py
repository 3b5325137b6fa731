"""What noise costs each retriever, question by question."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from ohr.analysis.tested import add_tests
from ohr.statistics import (
    Paired,
    Ties,
    jackknife_interval,
    ties,
)
from ohr.study.baselines import own_baseline
from ohr.study.results import (
    StudyRun,
    clusters_of,
    counted_rows,
    knowledge_base_name,
    mean_over_draws,
)

DROP = "drop"
SETTING = ("chunker", "retriever")
BASE = ("engine", "perturbation", "level", "intensity")
QUESTION = ["qid", "doc_id", "page_no", "evidence_source"]


def paired_drops(run: StudyRun) -> pd.DataFrame:
    """One row per setting, number of hits, metric, group and knowledge base with a baseline.

    ``drop`` is the clean score less the noisy one (reversed if less is better), so the drops of the
    parts of a loss add up to the loss. ``drop_less_first`` is that less the first setting's;
    ``equal_drop_less_first`` is the same on the ``n_equal`` questions that both score alike in the
    clean knowledge base, where they do not differ in quality. ``kept`` is the noisy mean divided by
    the clean one, ``kept_less_first`` that less the first's; NaN if the clean mean is 0, or less is
    better. Each has its interval; the drops have a p. ``letters``: settings that share one do not
    differ significantly in ``noisy``, on all questions that count for every setting
    (:func:`ohr.statistics.ties`; ``attrs["ties"]`` has the results).
    """
    rows = pd.read_parquet(run.path / "rows.parquet")
    rows = mean_over_draws(counted_rows(rows[rows["stage"] == "retrieval"]))
    sources = list(dict.fromkeys(rows["evidence_source"]))
    lower = {info.metric for info in run.metric_infos if not info.higher_is_better}
    records: list[dict[str, object]] = []
    tested: list[Ties] = []
    for (k, metric), measured in rows.groupby(["top_k", "metric"], observed=True, sort=False):
        questions, values = _question_values(measured)
        bases = list(dict.fromkeys(key[2:] for key in values))
        settings = list(dict.fromkeys(key[:2] for key in values))
        less = metric in lower
        for other in bases:
            base = _baseline(other, bases)
            if base == other:
                continue
            falls = {s: values[*s, *base] - values[*s, *other] for s in settings}
            if less:
                falls = {s: -fall for s, fall in falls.items()}
            first = settings[0]
            tested.append(
                ties(
                    np.array([values[*s, *other] for s in settings]),
                    clusters_of(questions),
                    higher_is_better=not less,
                    seed=run.seed,
                )
            )
            for setting, letters in zip(settings, tested[-1].letters, strict=True):
                alike = np.isclose(values[*setting, *base], values[*first, *base], atol=1e-9)
                for group in ["all", *(f"source:{source}" for source in sources)]:
                    members = _members(questions, group)
                    members = members[~np.isnan(falls[setting][members])]
                    drop = _paired(questions, falls[setting], members)
                    clusters = clusters_of(questions.iloc[members])
                    more_lost = falls[setting] - falls[first]
                    shared = members[~np.isnan(more_lost[members])]
                    more = _paired(questions, more_lost, shared)
                    equal = _paired(questions, more_lost, shared[alike[shared]])
                    pairs = [[values[*s, *kb] for kb in (base, other)] for s in (setting, first)]
                    records.append(
                        dict(zip(SETTING, setting, strict=True))
                        | {"top_k": k, "metric": metric, "group": group}
                        | dict(zip(BASE, other, strict=True))
                        | {"baseline": _name(base)}
                        | {"clean": _mean(values[*setting, *base][members])}
                        | {"noisy": _mean(values[*setting, *other][members])}
                        | _columns("drop", drop)
                        | _columns("drop_less_first", None if setting == first else more)
                        | _columns("equal_drop_less_first", None if setting == first else equal)
                        | {"is_first": setting == first}
                        | {"n_equal": len(equal.differences) if equal else 0}
                        | _kept_share(
                            "kept", questions, pairs[:1], members[:0] if less else members
                        )
                        | _kept_share(
                            "kept_less_first", questions, pairs, shared[:0] if less else shared
                        )
                        | {"ci_unit": clusters.unit, "n": len(members)}
                        | {"n_documents": questions.iloc[members]["doc_id"].nunique()}
                        | {"letters": letters if group == "all" else ""}
                    )
    drops = pd.DataFrame(records)
    for name in (DROP, "drop_less_first", "equal_drop_less_first") if len(drops) else ():
        columns = {"difference": name, "low": f"{name}_low", "high": f"{name}_high"}
        columns |= {"p": f"{name}_p", "p_adjusted": f"{name}_p_adjusted"}
        drops["everyone"] = drops["group"] == "all"
        drops = add_tests(
            drops,
            f"{name}_paired",
            columns,
            ["top_k", "metric", "everyone"],
            largest=1.0 if name == DROP else 2.0,
            seed=run.seed,
        ).drop(columns="everyone")
        if name != DROP:  # the first setting loses as much as itself
            drops.loc[drops["is_first"], name] = 0.0
    drops = drops.drop(columns="is_first", errors="ignore")
    drops.attrs["ties"] = tested
    return drops


_Key = tuple[object, ...]


def _baseline(base: _Key, bases: Sequence[_Key]) -> _Key:
    """The baseline of a knowledge base (:func:`own_baseline`), or itself without one."""
    named = {_name(base): base for base in bases}
    kb = pd.Series(
        [*base, str(base[1])], [*BASE, "noise"]
    )  # without noise, the operator is none too
    own = own_baseline(kb, list(named))
    return base if own is None else named[own[0]]


def _name(base: _Key) -> str:
    return knowledge_base_name(pd.Series(base, BASE))


def _question_values(measured: pd.DataFrame) -> tuple[pd.DataFrame, dict[_Key, np.ndarray]]:
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


def _paired(questions: pd.DataFrame, values: np.ndarray, members: np.ndarray) -> Paired | None:
    """The paired values of some questions; None without any."""
    if not len(members):
        return None
    return Paired(values[members], clusters_of(questions.iloc[members]))


def _kept_share(
    name: str,
    questions: pd.DataFrame,
    pairs: Sequence[Sequence[np.ndarray]],
    members: np.ndarray,
) -> dict[str, float]:
    """The noisy mean over the clean one, less the same of a second pair (clean, noisy)."""
    ends = {f"{name}_low": math.nan, f"{name}_high": math.nan}
    scores = np.array([[part[members] for part in pair] for pair in pairs])
    if not len(members) or not scores[:, 0].any(axis=1).all():
        return {name: math.nan, **ends}
    shares = [float(noisy.mean() / clean.mean()) for clean, noisy in scores]
    share = shares[0] - sum(shares[1:])
    clusters = clusters_of(questions.iloc[members])
    if not clusters.unit:
        return {name: share, **ends}
    with np.errstate(divide="ignore", invalid="ignore"):  # one cluster may have all hits
        without = [np.divide(*clusters.means_without(pair).T[::-1]) for pair in scores]
        interval = jackknife_interval(share, without[0] - sum(without[1:]), clusters)
    return {name: share, f"{name}_low": interval.low, f"{name}_high": interval.high}


def _columns(name: str, paired: Paired | None) -> dict[str, object]:
    """The columns of a comparison, still without its test."""
    empty = dict.fromkeys((name, f"{name}_low", f"{name}_high", f"{name}_p"), math.nan)
    return {**empty, f"{name}_paired": paired}
