"""Losses of pages and documents: errors with noise less errors of the same pages without."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ohr.analysis.realism.table import CLEAN, NATURAL, PAGE, SEPARATORS, file_of
from ohr.statistics import Clusters, Interval, mean_interval

LOST = 0.7
"""A page with a greater error is lost: a word recall below .3, or an edit distance above .7."""
SMALL = 0.05
"""A loss of at most this is small."""
TAGS = ("indoor", "outdoor", "bend", "crease", "wrinkle", "shadow", "underexposure", "hold", "blur",
        "oblique")  # fmt: skip
"""Conditions in the names of photographs, after the name of the page."""
FEWEST_DOCUMENTS = 2
"""With fewer documents, nothing is said of a tag."""
_PARTS = re.compile(f"[{re.escape(SEPARATORS)}]+")


def page_losses(pages: pd.DataFrame) -> pd.DataFrame:
    """The rows of pages that occur clean and with natural noise, with their ``loss``.

    ``pages`` is what :func:`~ohr.analysis.realism.table.page_errors` returns. The loss is the error
    less the same engine's on the same clean page. Clean rows stay, with a loss of 0. Engines that
    read no distorted page are left out.
    """
    keys = ["engine", *PAGE]
    clean = pages[pages["noise"] == CLEAN].groupby(keys)["value"].mean().rename("clean")
    rows = pages.join(clean, on=keys, how="inner")
    rows = rows.assign(loss=rows["value"] - rows["clean"])
    index = pd.MultiIndex.from_frame(rows[keys])
    rows = rows[index.isin(index[rows["noise"] == NATURAL])]
    distorted = rows.loc[~rows["noise"].isin([CLEAN, NATURAL]), "engine"]
    return rows[rows["engine"].isin(distorted)].reset_index(drop=True)


def document_losses(rows: pd.DataFrame, column: str = "loss") -> pd.DataFrame:
    """The mean of a column for each engine, noise and document, whose name is in ``shows``.

    The photographs and draws of a page are averaged first, then the pages of a document.
    """
    keys = ["engine", "noise", *PAGE]
    by_page = rows.groupby(keys, sort=False)[column].mean()
    return by_page.groupby(keys[:-1], sort=False).mean().reset_index()


def noises_of(losses: pd.DataFrame) -> list[str]:
    """The distortions with their levels, without clean pages and natural noise."""
    return [noise for noise in losses["noise"].unique() if noise not in (CLEAN, NATURAL)]


def matrix(losses: pd.DataFrame, noise: str, column: str = "loss") -> pd.DataFrame:
    """Documents by engines, for one noise; NaN where an engine has not read a document."""
    of_noise = losses[losses["noise"] == noise]
    engines = list(of_noise["engine"].unique())
    return of_noise.pivot_table(index="shows", columns="engine", values=column)[engines]


def paired(losses: pd.DataFrame, noise: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Losses under a distortion and under natural noise, documents by engines each.

    Both have the engines that were measured under both, and the documents that all of these have.
    """
    distorted, natural = matrix(losses, noise), matrix(losses, NATURAL)
    engines = [name for name in distorted if name in natural]
    x, y = distorted[engines].dropna(), natural[engines].dropna()
    documents = x.index.intersection(y.index)
    return x.loc[documents], y.loc[documents]


def interval_of(by_document: pd.Series, *, bounded: bool = False) -> Interval:
    """The 95 % interval of the mean of one value per document."""
    names = by_document.index.to_numpy(str)
    return mean_interval(
        by_document.to_numpy(float), Clusters.from_labels(names, names), bounded=bounded
    )


def shape(rows: pd.DataFrame) -> pd.DataFrame:
    """The share of pages that are lost, and that lose little, for all engines and for each.

    A document counts once, however many photographs it has. ``ci_low`` and ``ci_high`` are the
    interval of the share lost.
    """
    marked = rows.assign(lost=rows["value"] > LOST, small=rows["loss"] <= SMALL)
    lost, small = (document_losses(marked, column) for column in ("lost", "small"))
    both = lost.assign(small=small["small"])
    records: list[dict[str, Any]] = []
    for engine in ["all", *rows["engine"].unique()]:
        chosen = both if engine == "all" else both[both["engine"] == engine]
        read = marked if engine == "all" else marked[marked["engine"] == engine]
        for noise, group in chosen.groupby("noise", sort=False):
            by_document = group.groupby("shows")[["lost", "small"]].mean()
            interval = interval_of(by_document["lost"], bounded=True)
            records.append(
                {
                    "engine": engine,
                    "noise": noise,
                    "lost": float(by_document["lost"].mean()),
                    "ci_low": interval.low,
                    "ci_high": interval.high,
                    "small_loss": float(by_document["small"].mean()),
                    "conditions": group["engine"].nunique(),
                    "documents": len(by_document),
                    "outputs": int((read["noise"] == noise).sum()),
                }
            )
    return pd.DataFrame(records)


def tags_of(document: str, page: str) -> set[str]:
    """The :data:`TAGS` in a photograph's name, after the name of the page that it shows."""
    return set(_PARTS.split(file_of(document).removeprefix(file_of(page)))) & set(TAGS)


def nearest_by_tag(rows: pd.DataFrame, tags: Sequence[str] = TAGS) -> pd.DataFrame:
    """For each tag the mean natural loss, and the distortion with the nearest on those documents.

    The first row is of all photographs. Of fewer than two documents no distortion is named.
    """
    natural = rows[rows["noise"] == NATURAL]
    names = natural[["doc_id", "shows"]].drop_duplicates()
    tags_by_name = {
        name: tags_of(name, page)
        for name, page in zip(names["doc_id"], names["shows"], strict=True)
    }
    distorted = document_losses(rows[rows["noise"] != NATURAL])
    records: list[dict[str, Any]] = []
    for tag in ["all", *tags]:
        has_tag = natural["doc_id"].map(lambda name, tag=tag: tag in tags_by_name[name])
        photographs = natural if tag == "all" else natural[has_tag]
        if photographs.empty:
            continue
        losses = matrix(document_losses(photographs), NATURAL)
        by_document = losses.mean(axis=1)
        interval = interval_of(by_document)
        record = {
            "tag": tag,
            "photographs": photographs["doc_id"].nunique(),
            "documents": len(by_document),
            "natural_loss": float(by_document.mean()),
            "ci_low": interval.low,
            "ci_high": interval.high,
            "nearest": "",
            "nearest_loss": np.nan,
        }
        if len(by_document) >= FEWEST_DOCUMENTS:
            record |= _nearest(distorted, losses)
        records.append(record)
    return pd.DataFrame(records)


def _nearest(distorted: pd.DataFrame, natural: pd.DataFrame) -> Mapping[str, Any]:
    """The distortion whose mean loss over the same documents and engines is nearest."""
    means: dict[str, float] = {}
    for noise in noises_of(distorted):
        values = matrix(distorted, noise).reindex(index=natural.index, columns=natural.columns)
        if values.notna().to_numpy().all():
            means[noise] = float(values.to_numpy().mean())
    if not means:
        return {}
    loss = float(natural.mean(axis=1).mean())
    nearest = min(means, key=lambda noise: abs(means[noise] - loss))
    return {"nearest": nearest, "nearest_loss": means[nearest]}
