"""What readers keep of their quality under noise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from ohr.analysis.curves.table import FLOOR_SUFFIX
from ohr.analysis.tested import add_tests
from ohr.errors import OhrError
from ohr.statistics import (
    Clusters,
    Interval,
    Paired,
    Ties,
    compare_paired,
    jackknife_interval,
    ties,
)
from ohr.study.baselines import clean_of
from ohr.study.output.groups import group_rows
from ohr.study.output.rows import UNIT_COLUMNS
from ohr.study.results import (
    KNOWLEDGE_BASE,
    StudyRun,
    clusters_of,
    knowledge_base_name,
    rows_of,
)

METRIC = "f1"
STAGES = ("generation", "overall")


def robustness(run: StudyRun, baseline: str = "") -> pd.DataFrame:
    """One row per stage, retriever, reader, knowledge base that is not clean, and group.

    ``loss`` is the clean less the noisy F1; ``loss_difference`` how much more a reader loses on
    the same questions than the baseline reader, with its sign-flip p, corrected over all rows
    of a group. ``letters``: readers that share one do not differ significantly in ``noisy``, on all
    questions under one setting and knowledge base (:func:`ohr.statistics.ties`).
    Raises OhrError if the run has fewer than two readers, no floor, or no noise.
    """
    rows = run.rows[(run.rows["metric"] == METRIC) & run.rows["stage"].isin(STAGES)]
    rows = rows[rows["reader"] != ""]  # whole systems have none
    rows = rows.assign(top_k=rows["top_k"].astype("string").fillna(""))
    readers = list(dict.fromkeys(rows["reader"]))
    if len(readers) < 2:
        raise OhrError(f"{run.path} has {len(readers)} reader(s): readers=[…] must name two")
    if baseline and baseline not in readers:
        raise OhrError(f"no reader {baseline!r} in {run.path}; known: {', '.join(readers)}")
    first = baseline or readers[0]
    readers = [first, *(name for name in readers if name != first)]
    floors = rows_of(run.rows, "generation", METRIC + FLOOR_SUFFIX)
    if floors.empty:
        raise OhrError(f"{run.path} has no score without context: run it with stage generation")
    floors = floors.drop_duplicates(["reader", *UNIT_COLUMNS])
    records: list[dict[str, Any]] = []
    tested: list[Ties] = []
    fixed = ["stage", "chunker", "retriever", "top_k"]
    for values, setting in rows.groupby(fixed, sort=False):
        key = dict(zip(fixed, values, strict=True))
        bases = {
            knowledge_base_name(kb): kb
            for _, kb in setting[list(KNOWLEDGE_BASE)].drop_duplicates().iterrows()
        }
        for name, kb in bases.items():
            clean = clean_of(kb, bases)
            if clean is None:
                continue
            table = _joined(setting, kb, bases[clean], floors, readers)
            for group, questions in group_rows(table):
                base_key = key | {"knowledge_base": name, "clean_knowledge_base": clean}
                records += [
                    base_key | {"group": group} | r for r in _readers(questions, readers, run)
                ]
                if group == "all" and len(questions):
                    tested.append(_letters(questions, readers, run.seed))
                    for record, text in zip(
                        records[-len(readers) :], tested[-1].letters, strict=True
                    ):
                        record["letters"] = text
    if not records:
        raise OhrError(
            f"{run.path} has no loss to compare readers by: it needs noise=[…], or gt and another "
            "engine"
        )
    result = pd.DataFrame(records)
    columns = {"difference": "loss_difference", "low": "loss_difference_ci_low"}
    columns |= {"high": "loss_difference_ci_high", "p": "p", "p_adjusted": "p_adjusted"}
    columns |= {"cohens_dz": "cohens_dz", "cliffs_delta": "cliffs_delta"}
    result = add_tests(result, "paired", columns, ["group"], largest=2.0, seed=run.seed)
    result["letters"] = result["letters"].fillna("")
    result.attrs["ties"] = tested
    return result


def _letters(questions: pd.DataFrame, readers: list[str], seed: int) -> Ties:
    """The letters of the readers' scores under noise."""
    scores = questions[[f"noisy {i}" for i in range(len(readers))]].to_numpy(dtype=float).T
    return ties(scores, clusters_of(questions), seed=seed)


def _joined(
    setting: pd.DataFrame,
    kb: pd.Series,
    clean: pd.Series,
    floors: pd.DataFrame,
    readers: list[str],
) -> pd.DataFrame:
    """Questions that every reader was asked, with columns ``noisy i``, ``clean i``, ``floor i``."""
    units = list(UNIT_COLUMNS)
    columns = list(KNOWLEDGE_BASE)
    table: pd.DataFrame | None = None
    for i, reader in enumerate(readers):
        of_reader = setting[setting["reader"] == reader]
        parts = {
            f"noisy {i}": of_reader[(of_reader[columns] == kb).all(axis=1)],
            f"clean {i}": of_reader[(of_reader[columns] == clean).all(axis=1)],
            f"floor {i}": floors[floors["reader"] == reader],
        }
        for name, part in parts.items():
            column = part[[*units, "value"]].rename(columns={"value": name})
            table = part.merge(column, on=units) if table is None else table.merge(column, on=units)
    assert table is not None
    return table


def _readers(
    questions: pd.DataFrame, readers: list[str], run: StudyRun
) -> Iterator[dict[str, Any]]:
    """One row per reader; the others are compared with the first."""
    if questions.empty:
        return
    clusters = clusters_of(questions)
    losses = [
        (questions[f"clean {i}"] - questions[f"noisy {i}"]).to_numpy() for i in range(len(readers))
    ]
    means = [
        {name: float(questions[f"{name} {i}"].mean()) for name in PARTS}
        for i in range(len(readers))
    ]
    retentions = [float(_ratio(*(np.array([m[name]]) for name in PARTS))[0]) for m in means]
    without = [_retentions_without(questions, i, clusters) for i in range(len(readers))]
    for i, reader in enumerate(readers):
        loss = compare_paired(losses[i], clusters, seed=run.seed)
        row = {"reader": reader, "n": loss.n} | means[i]
        row["retention"] = retentions[i]
        row |= _ends("retention", jackknife_interval(retentions[i], without[i], clusters))
        row |= {"loss": loss.difference} | _ends("loss", loss.interval)
        row |= {"baseline_reader": readers[0] if i else "", "paired": None}
        if i:
            row["paired"] = Paired(losses[i] - losses[0], clusters)
            ahead, ahead_without = retentions[i] - retentions[0], without[i] - without[0]
            apart = jackknife_interval(ahead, ahead_without, clusters)
            row |= _ends("retention_difference", apart)
        yield row | {"ci_unit": clusters.unit}


PARTS = ("clean", "noisy", "floor")


def _retentions_without(questions: pd.DataFrame, i: int, clusters: Clusters) -> np.ndarray:
    """A reader's retention with one cluster of questions left out after the other."""
    if not clusters.unit:
        return np.array([np.nan])
    values = questions[[f"{name} {i}" for name in PARTS]].to_numpy(dtype=float).T
    return _ratio(*clusters.means_without(values).T)


def _ratio(clean: np.ndarray, noisy: np.ndarray, floor: np.ndarray) -> np.ndarray:
    """Retention; NaN where the clean score is not above the floor."""
    height = np.where(clean - floor > 1e-12, clean - floor, np.nan)
    retentions: np.ndarray = (noisy - floor) / height
    return retentions


def _ends(name: str, interval: Interval) -> dict[str, float]:
    return {f"{name}_ci_low": interval.low, f"{name}_ci_high": interval.high}
