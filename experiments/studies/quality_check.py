"""How far predictions of quality hold on pages with truth that they were not fitted on."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.table import Table

from experiments.reports.terminal import number, show
from experiments.studies.own_pages import with_predictions
from experiments.studies.signals import auroc, spearman
from ohr.errors import OhrError
from ohr.quality.inference import compare
from ohr.quality.predictor import Predictor, shipped
from ohr.quality.truth import TARGETS
from ohr.study.csv import write_csv

OF_LAYER = ["layer", "lost_passages"]
"""Signals that need a text layer."""
WRONG = 0.2
"""An edit distance above this is a badly read page."""
GAP = 0.03
"""Means of two readings that differ by so much should be told apart."""
DRAWS = 100
PAGES = 30


def report_check(runs: Sequence[Path], out: Path) -> int:
    """Check the shipped model on the pages of runs of ``confidence``. Raises OhrError."""
    table = pd.concat([_read(run) for run in runs], ignore_index=True)
    checks = check(table, shipped())
    write_csv(out / "checks.csv", checks)
    show(_shown(checks))
    print(
        f"{len(table):,} readings; coverage of the 90 % intervals; winners: {DRAWS} draws of "
        f"{PAGES} pages of each two readings; cannot tell: of those that differ by {GAP:g} or more"
    )
    print(f"checks: {out / 'checks.csv'}")
    return 0


def _read(run: Path) -> pd.DataFrame:
    try:
        table = pd.read_csv(run / "signals.csv")
    except (OSError, ValueError) as error:
        raise OhrError(f"{run} holds no signals.csv of experiments.confidence: {error}") from error
    return table.drop(columns=[name for name in table if str(name).startswith("predicted_")])


def check(table: pd.DataFrame, model: Predictor) -> pd.DataFrame:
    """A row for each error, with the text layer and as if there were none (``scan``).

    ``table`` has a row a reading of a page, with its signals and true errors (``true_…``).
    """
    records = []
    for kind in ("layer", "scan"):
        seen = table if kind == "layer" else table.assign(**dict.fromkeys(OF_LAYER, np.nan))
        predictions = with_predictions(seen, model)
        for target in TARGETS:
            true = table[f"true_{target}"].to_numpy(float)
            predicted = predictions[target].to_numpy(float)
            low, high = (predictions[f"{target}_{end}"].to_numpy(float) for end in ("low", "high"))
            records.append(
                {
                    "kind": kind,
                    "error": target,
                    "n": len(true),
                    "spearman": spearman(predicted, true),
                    "auroc": auroc(predicted, true > WRONG),
                    "coverage": float(((true >= low - 1e-9) & (true <= high + 1e-9)).mean()),
                    "true": float(true.mean()),
                    "predicted": float(predictions[f"{target}_mean"].mean()),
                    **_winners(table, predictions, target, model.bias[kind][target]),
                }
            )
    return pd.DataFrame(records)


def _winners(
    table: pd.DataFrame, predictions: pd.DataFrame, target: str, bias: float
) -> dict[str, Any]:
    """How often a stated winner is wrong, and how often none is stated, over draws of pages."""
    pages = ["doc_id", "page_no"]
    values = table[[*pages, "engine", "noise"]].assign(
        mean=predictions[f"{target}_mean"].to_numpy(float),
        spread=predictions[f"{target}_spread"].to_numpy(float),
        true=table[f"true_{target}"].to_numpy(float),
    )
    readings = [one.set_index(pages) for _, one in values.groupby(["engine", "noise"], sort=False)]
    rng = np.random.default_rng(0)
    wrong = drawn = 0
    untold: list[float] = []
    for first, second in combinations(readings, 2):
        both = first.index.intersection(second.index)
        if len(both) < PAGES:
            continue
        a, b = first.loc[both], second.loc[both]
        gap = float((a["true"] - b["true"]).mean())
        means = a["mean"].to_numpy(), b["mean"].to_numpy()
        documents = [doc for doc, _ in both]
        doubt = bias * (a["spread"] + b["spread"]).to_numpy() / 2
        told = 0
        for _ in range(DRAWS):
            some = rng.choice(len(both), PAGES, replace=False)
            verdict = compare(
                means[0][some], means[1][some], [documents[at] for at in some],
                float(doubt[some].mean()),
            )  # fmt: skip
            if verdict.winner is not None:
                told += 1
                wrong += (verdict.winner == 1) != (gap > 0)
        drawn += DRAWS
        if abs(gap) >= GAP:
            untold.append(1 - told / DRAWS)
    return {
        "draws": drawn,
        "wrong": wrong / drawn if drawn else np.nan,
        "cannot_tell": float(np.mean(untold)) if untold else np.nan,
    }


def _shown(checks: pd.DataFrame) -> Table:
    shown = Table(header_style="bold", box=None, pad_edge=False)
    shown.add_column("error")
    names = {
        "spearman": "Spearman",
        "auroc": f"AUROC > {WRONG:g}",
        "coverage": "coverage",
        "true": "true mean",
        "predicted": "predicted",
        "wrong": "wrong winner",
        "cannot_tell": "cannot tell",
    }
    for title in names.values():
        shown.add_column(title, justify="right")
    for row in checks.to_dict("records"):
        title = TARGETS[str(row["error"])]
        of = "with layer" if row["kind"] == "layer" else "as scans"
        shown.add_row(f"{title}, {of}", *(number(row[name]) for name in names))
    return shown
