"""Pages' edit distances at each level of noise, and those of the same pages with natural noise."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ohr.analysis.realism.distributions import alike
from ohr.analysis.tested import add_tests
from ohr.errors import OhrError
from ohr.ocr.noise import noise_name
from ohr.statistics import Clusters, Paired, mean_interval
from ohr.study.metrics import metric_info
from ohr.study.output.rows import read_rows

CLEAN, NATURAL = "clean", "natural"
EDIT_DISTANCE = "edit_distance"
QUARTILES = (0.25, 0.5, 0.75)
QUANTILES = (0.1, *QUARTILES, 0.9)
SEPARATORS = "_- ."
PAGE = ["shows", "page_no"]
"""What identifies a page, with natural noise or without."""


def page_errors(
    runs: Sequence[Path], natural: str = "", metric: str = EDIT_DISTANCE
) -> pd.DataFrame:
    """One row per page and draw of the noise, from one run or several.

    Columns: engine, noise (clean, ``semantic mild``, ..., natural), ``doc_id``, ``page_no``,
    ``shows`` and value. The value is the page's error by a metric of the stage ocr; for a metric
    whose higher values are better, it is 1 less the metric. ``shows`` is the document whose page is
    visible. For a document with natural noise it is a document of the same name in another folder,
    or one whose name begins its name (``en_paper_13`` for ``en_paper_13_outdoor``; the longest,
    then the first); for all others it is the document itself. A page that several runs have under
    the same condition is taken from the first of them. Raises OhrError if a run does not have the
    metric, or if no document matches.
    """
    pages = pd.concat([_run_errors(run, metric) for run in runs], ignore_index=True)
    if len(runs) > 1:
        first = pages.groupby(["engine", "noise", "doc_id", "page_no"], sort=False)["run"]
        pages = pages[pages["run"] == first.transform("first")]
    pages = pages.drop(columns="run")
    truth = pages["engine"] == "gt"
    if not truth.all() and set(pages["noise"][truth]) <= {CLEAN}:  # compared with itself
        pages = pages[~truth]
    if not natural:
        return pages.reset_index(drop=True)
    documents = pages["doc_id"]
    degraded = documents.map(lambda name: fnmatch.fnmatchcase(name, natural))
    if not degraded.any():
        raise OhrError(f"no document of {_named(runs)} matches {natural!r}")
    same = same_pages(list(documents[degraded].unique()), list(documents[~degraded].unique()))
    by_nature = pages[degraded & (pages["noise"] == CLEAN)].assign(noise=NATURAL)
    by_nature["shows"] = by_nature["doc_id"].map(lambda name: same.get(name, name))
    return pd.concat([pages[~degraded], by_nature], ignore_index=True)


def _run_errors(run: Path, metric: str) -> pd.DataFrame:
    """The errors of one run's pages, with the run's folder in the column ``run``."""
    info = metric_info("ocr", metric)
    rows = read_rows(run)
    rows = rows[(rows["metric"] == metric) & (rows["stage"] == "ocr")]
    if rows.empty:
        if metric == EDIT_DISTANCE:
            raise OhrError(f"{run} has no edit distances: its stages must include ocr")
        raise OhrError(
            f"{run} has no {metric}: its stages must include ocr and its metrics {metric} "
            '("metrics=[default,reading]" has the most)'
        )
    if "qid" in rows and (rows["qid"].astype(str) != "").any():
        raise OhrError(f"{metric} is a metric of questions: name one of pages, as {EDIT_DISTANCE}")
    rows = rows[rows["value"].notna()]
    if rows.empty:
        raise OhrError(f"no page of {run} has a ground truth to compare its text with")
    points = rows[["perturbation", "level", "intensity"]].itertuples(index=False, name=None)
    documents = rows["doc_id"].astype(str)
    return pd.DataFrame(
        {
            "engine": rows["engine"].astype(str),
            "noise": [noise_name(*point) for point in points],
            "doc_id": documents,
            "page_no": rows["page_no"].astype(int),
            "shows": documents,
            "value": 1 - rows["value"] if info.higher_is_better else rows["value"],
            "run": str(run),
        }
    )


def _named(runs: Sequence[Path]) -> str:
    return ", ".join(str(run) for run in runs)


def same_pages(degraded: Sequence[str], rest: Sequence[str]) -> dict[str, str]:
    """The documents that show the same pages as others, by their names; see
    :func:`page_errors`.
    """
    matches: dict[str, str] = {}
    for name in degraded:
        alike = [other for other in rest if _is_same(file_of(name), file_of(other))]
        if alike:
            matches[name] = max(alike, key=lambda other: _likeness(name, other))
    return matches


def _likeness(name: str, other: str) -> tuple[int, bool]:
    """The longer name first, then the one whose folder begins the other's: ``receipt-scan`` is of
    ``receipt``.
    """
    return len(file_of(other)), name.startswith(other.partition("/")[0])


def _is_same(name: str, other: str) -> bool:
    """Whether a name is another, or that and a condition; ``note_42`` is not ``note``."""
    rest = name.removeprefix(other)
    if not rest or name == rest:
        return not rest
    return rest[0] in SEPARATORS and not rest[1:2].isdecimal()


def file_of(doc_id: str) -> str:
    """A document's name without its folder."""
    return doc_id.partition("/")[2] or doc_id


def select_same_pages(pages: pd.DataFrame) -> pd.DataFrame:
    """The rows of pages that occur both with and without natural noise."""
    keys = pd.MultiIndex.from_frame(pages[PAGE])
    by_nature = pages["noise"] == NATURAL
    return pages[keys.isin(keys[by_nature]) & keys.isin(keys[~by_nature])]


def pairs(pages: pd.DataFrame) -> pd.DataFrame:
    """The documents with natural noise, and the document that each ``shows``."""
    shared = select_same_pages(pages)
    by_nature = shared[shared["noise"] == NATURAL]
    return by_nature[["doc_id", "shows"]].drop_duplicates().rename(columns={"doc_id": "document"})


def summarise(pages: pd.DataFrame) -> pd.DataFrame:
    """Mean with its 95 % interval over documents (over pages where these are few), quartiles
    and outer deciles of each engine and noise.
    """
    records = []
    for (engine, noise), group in pages.groupby(["engine", "noise"], sort=False):
        values = group["value"].to_numpy(float)
        quantiles = np.quantile(values, QUANTILES)
        interval = mean_interval(values, _clusters(group), bounded=True)
        records.append(
            {
                "engine": engine,
                "noise": noise,
                "documents": group["shows"].nunique(),
                "pages": len(group[PAGE].drop_duplicates()),
                "mean": float(values.mean()),
                "ci_low": interval.low,
                "ci_high": interval.high,
                "ci_unit": interval.unit,
                "lower_decile": quantiles[0],
                "lower_quartile": quantiles[1],
                "median": quantiles[2],
                "upper_quartile": quantiles[3],
                "upper_decile": quantiles[4],
            }
        )
    return pd.DataFrame(records)


def differences(pages: pd.DataFrame) -> pd.DataFrame:
    """For each engine and noise: the edit distance less that of the same page with natural noise.

    A page that occurs several times (draws of the noise, photographs) counts once, by its mean.
    ``ks_distance`` is the Kolmogorov-Smirnov distance of the two distributions on those pages, and
    ``spearman`` the correlation of the documents' errors, each with its ends
    (:func:`~ohr.analysis.realism.distributions.alike`). The other intervals and ``p_adjusted`` are
    those of all rows together (:func:`ohr.statistics.infer`).
    """
    records: list[dict[str, Any]] = []
    shared = select_same_pages(pages)
    for engine, of_engine in shared.groupby("engine", sort=False):
        by_nature = of_engine[of_engine["noise"] == NATURAL]
        natural = by_nature.groupby(PAGE)["value"].mean()
        for noise, group in of_engine[of_engine["noise"] != NATURAL].groupby("noise", sort=False):
            both = pd.concat([group.groupby(PAGE)["value"].mean(), natural], axis=1, join="inner")
            if both.empty:
                continue
            page_keys = both.index.to_frame(index=False)
            changes = (both.iloc[:, 0] - both.iloc[:, 1]).to_numpy(float)
            resemblance = alike(group, by_nature)
            records.append(
                {
                    "engine": engine,
                    "noise": noise,
                    "difference": float(changes.mean()),
                    "ci_low": np.nan,
                    "ci_high": np.nan,
                    "ci_unit": "",
                    "p": np.nan,
                    "p_adjusted": np.nan,
                    "mean": float(both.iloc[:, 0].mean()),
                    "natural_mean": float(both.iloc[:, 1].mean()),
                    "pages": len(changes),
                    "documents": page_keys["shows"].nunique(),
                    "ks_distance": resemblance.ks,
                    "ks_low": resemblance.ks_interval.low,
                    "ks_high": resemblance.ks_interval.high,
                    "spearman": resemblance.spearman,
                    "spearman_low": resemblance.spearman_interval.low,
                    "spearman_high": resemblance.spearman_interval.high,
                    "paired": Paired(changes, _clusters(page_keys)),
                }
            )
    if not records:
        return pd.DataFrame()
    columns = {"low": "ci_low", "high": "ci_high", "unit": "ci_unit"}
    return add_tests(
        pd.DataFrame(records), "paired", columns | {"p": "p", "p_adjusted": "p_adjusted"}
    )


def _clusters(rows: pd.DataFrame | Mapping[str, pd.Series]) -> Clusters:
    names = np.array(
        [f"{doc}\n{page}" for doc, page in zip(rows["shows"], rows["page_no"], strict=True)]
    )
    return Clusters.from_labels(rows["shows"].to_numpy(), names)
