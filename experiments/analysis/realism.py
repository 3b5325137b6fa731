"""Pages' edit distances at each level of noise."""

from __future__ import annotations

import fnmatch
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import ks_2samp

from ohr.errors import OhrError
from ohr.study.noise import noise_name
from ohr.study.rows import read_rows

CLEAN, NATURAL = "clean", "natural"
QUARTILES = (0.25, 0.5, 0.75)


def page_distances(run: Path, natural: str = "") -> pd.DataFrame:
    """Columns engine, noise (clean, ``semantic mild``, ..., natural) and value, a row a page.

    Raises OhrError if the run measured no edit distances, or if no document matches.
    """
    rows = read_rows(run)
    rows = rows[(rows["metric"] == "edit_distance") & (rows["stage"] == "ocr")]
    if rows.empty:
        raise OhrError(f"{run} has no edit distances: its stages must include ocr")
    rows = rows[rows["value"].notna()]
    if rows.empty:
        raise OhrError(f"no page of {run} has a truth that its reading could be held against")
    points = rows[["perturbation", "level", "intensity"]].itertuples(index=False, name=None)
    noise = pd.Series([noise_name(*point) for point in points], index=rows.index)
    pages = pd.DataFrame(
        {"engine": rows["engine"].astype(str), "noise": noise, "value": rows["value"]}
    )
    if not natural:
        return pages.reset_index(drop=True)
    degraded = rows["doc_id"].astype(str).map(lambda name: fnmatch.fnmatchcase(name, natural))
    if not degraded.any():
        raise OhrError(f"no document of {run} matches {natural!r}")
    by_nature = pages[degraded & (noise == CLEAN)].assign(noise=NATURAL)
    return pd.concat([pages[~degraded], by_nature], ignore_index=True)


def summarise(pages: pd.DataFrame) -> pd.DataFrame:
    """Mean, quartiles and, beside natural pages, the Kolmogorov-Smirnov distance to them."""
    records = []
    for (engine, noise), group in pages.groupby(["engine", "noise"], sort=False):
        values = group["value"].to_numpy()
        low, middle, high = np.quantile(values, QUARTILES)
        by_nature = pages[(pages["engine"] == engine) & (pages["noise"] == NATURAL)]["value"]
        apart = float(ks_2samp(values, by_nature).statistic) if len(by_nature) else float("nan")
        records.append(
            {
                "engine": engine,
                "noise": noise,
                "pages": len(values),
                "mean": float(values.mean()),
                "lower_quartile": low,
                "median": middle,
                "upper_quartile": high,
                "distance_to_natural": apart,
            }
        )
    return pd.DataFrame(records)
