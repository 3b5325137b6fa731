"""What noise costs each whole system on the same questions, and which loses least."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ohr.analysis.systems.written_for import WrittenFor, written_for
from ohr.analysis.tested import add_tests
from ohr.statistics import (
    BestOf,
    Paired,
    Standing,
    Ties,
    compare_with_best,
    mean_interval,
    ties,
)
from ohr.study.baselines import clean_of
from ohr.study.config import BUILT_IN
from ohr.study.metrics import MetricInfo
from ohr.study.output.rows import UNIT_COLUMNS
from ohr.study.results import KNOWLEDGE_BASE, StudyRun, clusters_of, knowledge_base_name

SETTING = ("system", "chunker", "retriever", "reader", "top_k")
STAGE = "overall"
MAIN = "f1"
"""The metric that the command prints first."""


@dataclass(frozen=True)
class Scored:
    """One metric of the stage overall: the value of each question under each system and base.

    ``values[label, base]`` are float ``(questions,)``, NaN where a question does not count.
    """

    info: MetricInfo
    questions: pd.DataFrame
    values: Mapping[tuple[str, str], np.ndarray]
    bases: Mapping[str, pd.Series]
    """Knowledge bases by name, in the run's order: their columns."""

    @property
    def systems(self) -> list[str]:
        """The systems' labels, in the run's order."""
        return list(dict.fromkeys(label for label, _ in self.values))


def scored(run: StudyRun) -> Iterator[Scored]:
    """The scores of each metric of whole systems' answers.

    Questions written for the rules of one system (:mod:`ohr.analysis.systems.written_for`) are left
    out.
    """
    return scored_with(run, left_out=written_for(run))


def scored_with(run: StudyRun, left_out: WrittenFor | None = None) -> Iterator[Scored]:
    """The scores of each metric of whole systems' answers, without the questions ``left_out``."""
    rows = run.rows[run.rows["stage"] == STAGE]
    rows = rows if left_out is None else left_out.drop_rows(rows)
    labels = system_labels(rows)
    for info in run.metric_infos:
        metric_rows = rows[rows["metric"] == info.metric]
        if info.stage != STAGE or metric_rows.empty:
            continue
        questions = metric_rows[[*UNIT_COLUMNS, "groups"]].drop_duplicates("qid")
        questions = questions.sort_values("qid").reset_index(drop=True)
        values, bases = {}, {}
        for _, of_kb in metric_rows.groupby(list(KNOWLEDGE_BASE), sort=False, observed=True):
            base = knowledge_base_name(of_kb.iloc[0])
            bases[base] = of_kb.iloc[0]
            for label, of_system in of_kb.groupby(labels[of_kb.index], sort=False):
                of_questions = of_system.set_index("qid")["value"].reindex(questions["qid"])
                values[str(label), base] = of_questions.to_numpy(dtype=float)
        yield Scored(info, questions, values, bases)


def system_labels(rows: pd.DataFrame) -> pd.Series:
    """The name of each row's system: its label, with its parts for the built-in one."""
    parts = [rows[name].astype("string").fillna("").astype(str) for name in SETTING]
    system, *rest = parts
    settings = pd.Series(
        [", ".join(part for part in row if part) for row in zip(*rest, strict=True)], rows.index
    )
    built_in = system == BUILT_IN
    if settings[built_in].nunique() > 1:
        return system.where(~built_in, system + ": " + settings)
    return system


def system_drops(run: StudyRun) -> pd.DataFrame:
    """One row per metric, system and knowledge base.

    ``mean`` with its interval. ``drop`` is the loss compared with the clean base (for noise, the
    same engine on clean pages; for clean pages, the ground truth), ``drop_less_first`` that less
    the first system's on the same questions; both with interval and p of one family within the
    metric (:func:`ohr.statistics.infer`). ``drop_less_least`` is ``drop`` less the smallest of the
    other systems', on questions that count for all, with simultaneous interval and p of
    :func:`least_losses`. NaN without a clean base. ``letters``: systems that share one do not
    differ significantly in ``mean`` under one knowledge base (:func:`ohr.statistics.ties`;
    ``attrs["ties"]``: the results of the metric that the command prints).
    """
    tested: dict[str, list[Ties]] = {}
    records: list[dict[str, Any]] = []
    pairs: dict[tuple[Any, ...], list[Paired]] = {}
    """The other pairs of systems, so that they and those with the first are one family."""
    for scores in scored(run):
        first = scores.systems[0]
        least = {
            (name, of.knowledge_base): standing
            for of in least_losses(scores)
            for name, standing in zip(of.systems, of.compared.standings, strict=True)
        }
        letters, tested[scores.info.metric] = _letters(scores, run.seed)
        for (label, base), values in scores.values.items():
            record = _described(scores, label, base, values)
            clean = clean_of(scores.bases[base], scores.bases)
            record["clean"] = clean or ""
            for name in ("drop", "drop_less_first"):
                record |= {**_nothing(name), f"{name}_paired": None}
            if clean is not None and (label, clean) in scores.values:
                fall = _fall(scores, label, clean, base)
                record |= _paired("drop", scores.questions, fall)
                for other in scores.systems[: scores.systems.index(label)]:
                    if (other, clean) not in scores.values or (other, base) not in scores.values:
                        continue
                    more = _paired(
                        "drop_less_first",
                        scores.questions,
                        fall - _fall(scores, other, clean, base),
                    )
                    if other == first:
                        record |= more
                    elif (paired := more["drop_less_first_paired"]) is not None:
                        pairs.setdefault((scores.info.metric,), []).append(paired)
            record |= _less_least(least.get((label, base)))
            record["letters"] = letters[label, base]
            records.append(record)
    table = pd.DataFrame(records)
    for name in ("drop", "drop_less_first") if len(table) else ():
        columns = {"difference": name, "low": f"{name}_low", "high": f"{name}_high"}
        columns |= {"p": f"{name}_p", "p_adjusted": f"{name}_p_adjusted"}
        less_first = name == "drop_less_first"
        table = add_tests(
            table,
            f"{name}_paired",
            columns,
            ["metric"],
            largest=2.0 if less_first else 1.0,
            others=pairs if less_first else None,
        )
    table.attrs["ties"] = tested.get(MAIN, [])
    return table


def _letters(scores: Scored, seed: int) -> tuple[dict[tuple[str, str], str], list[Ties]]:
    """The letters of each system under each knowledge base, and the tests behind them."""
    letters: dict[tuple[str, str], str] = {}
    tested = []
    for base in scores.bases:
        keys = [key for key in scores.values if key[1] == base]
        result = ties(
            np.array([scores.values[key] for key in keys]),
            clusters_of(scores.questions),
            higher_is_better=scores.info.higher_is_better,
            seed=seed,
        )
        letters |= dict(zip(keys, result.letters, strict=True))
        tested.append(result)
    return letters, tested


def _described(scores: Scored, label: str, base: str, values: np.ndarray) -> dict[str, Any]:
    is_known = ~np.isnan(values)
    condition = {name: scores.bases[base][name] for name in KNOWLEDGE_BASE}
    record: dict[str, Any] = {"metric": scores.info.metric, "title": scores.info.label}
    record |= {"system": label}
    record |= {str(k): v for k, v in condition.items()} | {"knowledge_base": base}
    record |= {
        "n": int(is_known.sum()),
        "mean": float(values[is_known].mean()) if is_known.any() else np.nan,
    }
    if not is_known.any():
        return record | {"ci_low": np.nan, "ci_high": np.nan, "ci_unit": ""}
    clusters = clusters_of(scores.questions[is_known])
    interval = mean_interval(values[is_known], clusters, bounded=True)
    return record | {"ci_low": interval.low, "ci_high": interval.high, "ci_unit": interval.unit}


def _fall(scores: Scored, label: str, clean: str, noisy: str) -> np.ndarray:
    """The loss of each question, positive if the score is worse."""
    sign = 1 if scores.info.higher_is_better else -1
    return np.asarray(sign * (scores.values[label, clean] - scores.values[label, noisy]))


def _less_least(standing: Standing | None) -> dict[str, float]:
    if standing is None:
        return _nothing("drop_less_least")
    ends = {f"drop_less_least_{end}": getattr(standing.interval, end) for end in ("low", "high")}
    return {"drop_less_least": standing.behind, **ends, "drop_less_least_p": standing.p}


def _nothing(name: str) -> dict[str, float]:
    return dict.fromkeys((name, f"{name}_low", f"{name}_high", f"{name}_p"), np.nan)


def _paired(name: str, questions: pd.DataFrame, differences: np.ndarray) -> dict[str, Any]:
    """The columns of a comparison, still without its test."""
    is_known = ~np.isnan(differences)
    paired = (
        Paired(differences[is_known], clusters_of(questions[is_known])) if is_known.any() else None
    )
    return {**_nothing(name), f"{name}_paired": paired}


def system_costs(run: StudyRun) -> pd.DataFrame:
    """The cost of each system's answers: answers, tokens, calls, CPU seconds.

    Sums over all knowledge bases, from the manifest. Cached answers count with their original
    tokens, and without seconds.
    """
    records = []
    for label, summary in run.readers.items():
        usage = summary["usage"]
        answers = summary["answers"]
        records.append(
            {
                "system": label,
                "answers": answers,
                "failed": sum(summary["by_status"].get(s, 0) for s in ("error", "timeout")),
                "empty": summary["by_status"].get("empty", 0),
                **{f"{name}_an_answer": usage[name] / max(answers, 1) for name in sorted(usage)},
                "asked_now": summary["asked_in_this_run"],
                "cpu_s_now": summary.get("cpu_s_of_this_run", np.nan),
            }
        )
    return pd.DataFrame(records)


@dataclass(frozen=True)
class Least:
    """How much more each system loses than the others under one knowledge base.

    Losses are negated in ``compared``: its ``first`` is the system that loses least, and what
    lies behind loses more. Means are of the questions that count for every system.
    """

    knowledge_base: str
    systems: tuple[str, ...]
    compared: BestOf

    @property
    def first(self) -> str:
        """The system with the smallest mean loss."""
        return self.systems[self.compared.first]

    @property
    def drop(self) -> float:
        """The smallest mean loss."""
        return -self.compared.standings[self.compared.first].mean


def least_losses(scores: Scored) -> list[Least]:
    """For each knowledge base with a clean one and two systems: which system loses least.

    All of them are one family: that a system which loses least is said to lose more, under any of
    these knowledge bases, has a chance of at most .05.
    """
    by_base: dict[str, dict[str, np.ndarray]] = {}
    for base, columns in scores.bases.items():
        clean = clean_of(columns, scores.bases)
        labels = [s for s in scores.systems if clean is not None and (s, clean) in scores.values]
        falls = {s: _fall(scores, s, clean, base) for s in labels} if clean is not None else {}
        if len(falls) > 1 and not np.isnan(list(falls.values())).any(axis=0).all():
            by_base[base] = falls
    compared = compare_with_best(
        [-np.array(list(falls.values())) for falls in by_base.values()],
        clusters_of(scores.questions),
        largest=2 * abs(scores.info.best - scores.info.worst),
    )
    return [
        Least(base, tuple(falls), of)
        for (base, falls), of in zip(by_base.items(), compared, strict=True)
    ]
