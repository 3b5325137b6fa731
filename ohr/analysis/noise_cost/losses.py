"""What noise costs each condition in its own units, without a baseline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ohr.analysis.noise_cost.table import PARTS, gathered, split_by_noise
from ohr.statistics import compare_paired, ties
from ohr.study.output.rows import UNIT_COLUMNS
from ohr.study.results import StudyRun, clusters_of


def noise_losses(runs: Sequence[StudyRun], stage: str, metric: str) -> pd.DataFrame:
    """One row per condition: its score on clean pages, and its loss under noise.

    ``loss`` is the mean, over the noises, of the score on the same engine's clean pages less that
    under noise, in [-1, 1]; its sign is turned for metrics of which less is better. ``loss_low``
    and ``loss_high`` are its 95 % interval over documents. ``loss_letters``: conditions that share
    one do not differ significantly, as in :func:`~ohr.analysis.noise_cost.table.noise_costs`. A
    condition without clean pages or without noise has no loss (NaN), and ``no_loss`` says why.
    ``runs`` has the names (:func:`~ohr.analysis.comparison.table.run_names`) of the runs that a
    condition is from, ``noises`` its noises; ``n`` counts questions.
    """
    higher_is_better = next(
        info.higher_is_better
        for run in runs
        for info in run.metric_infos
        if (info.stage, info.metric) == (stage, metric)
    )
    rows = gathered(runs, stage, metric)
    records: list[dict[str, Any]] = []
    units: list[pd.DataFrame] = []
    for key, part in rows.groupby(list(PARTS), sort=False):
        frames = split_by_noise(part)
        losses = _losses(frames, higher_is_better)
        units.append(losses)
        described = {"runs": tuple(dict.fromkeys(part["run"]))} | _described(frames, losses)
        records.append(dict(zip(PARTS, map(str, key), strict=True)) | described)
    table = pd.DataFrame(records)
    table["loss_letters"] = _letters(units, table["noises"], runs[0].seed)
    return table.sort_values(["loss", *PARTS], kind="stable", ignore_index=True)


def _losses(frames: Mapping[str, pd.DataFrame], higher_is_better: bool) -> pd.DataFrame:
    """A row per unit that has a score on clean pages and under each noise, with its mean loss.

    ``frames`` has the rows of a condition by noise, as :func:`split_by_noise` returns them.
    """
    noises = [name for name in frames if name]
    if "" not in frames or not noises:
        return pd.DataFrame(columns=[*UNIT_COLUMNS, "loss"])
    scores = [frame.set_index(list(UNIT_COLUMNS))["value"] for frame in frames.values()]
    table = pd.concat(scores, axis=1, join="inner", keys=list(frames))
    sign = 1.0 if higher_is_better else -1.0
    loss = sign * (table[""] - table[noises].mean(axis=1))
    return loss.rename("loss").reset_index().sort_values(list(UNIT_COLUMNS), ignore_index=True)


def _described(frames: Mapping[str, pd.DataFrame], losses: pd.DataFrame) -> dict[str, Any]:
    noises = [name for name in frames if name]
    rows = pd.concat(list(frames.values())) if losses.empty else losses
    clean = frames[""]["value"] if "" in frames else pd.Series(dtype=float)
    known_values: dict[str, Any] = {
        "clean": float(clean.mean()) if len(clean) else float("nan"),
        "loss": float("nan"),
        "loss_low": float("nan"),
        "loss_high": float("nan"),
        "loss_unit": "",
        "n": len(losses) or len(clean),
        "n_documents": rows["doc_id"].nunique(),
        "n_noises": len(noises),
        "noises": ", ".join(noises),
        "no_loss": "",
    }
    if losses.empty:
        known_values["no_loss"] = (
            "no clean pages" if clean.empty else "no noise" if not noises else "no common questions"
        )
        return known_values
    paired = compare_paired(losses["loss"].to_numpy(float), clusters_of(losses))
    return known_values | {
        "loss": paired.difference,
        "loss_low": paired.interval.low,
        "loss_high": paired.interval.high,
        "loss_unit": paired.interval.unit,
    }


def _letters(units: Sequence[pd.DataFrame], noises: Iterable[str], seed: int) -> list[str]:
    """The letters of most conditions with the same noises and units; empty for the others."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for place, (frame, under) in enumerate(zip(units, noises, strict=True)):
        if len(frame):
            key = (under, *frame[list(UNIT_COLUMNS)].itertuples(index=False, name=None))
            groups.setdefault(key, []).append(place)
    result = [""] * len(units)
    largest = max(groups.values(), key=len, default=[])
    if len(largest) > 1:
        values = np.array([units[place]["loss"].to_numpy(float) for place in largest])
        clusters = clusters_of(units[largest[0]])
        tied = ties(values, clusters, higher_is_better=False, seed=seed)
        for place, text in zip(largest, tied.letters, strict=True):
            result[place] = text
    return result
