"""How far predictions of quality hold on domains with truth that they were not fitted on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.table import Table

from ohr.adviser.own_pages import with_predictions
from ohr.adviser.quality.known_truth import auroc, spearman
from ohr.adviser.quality.signal_runs import labelled, read_signals
from ohr.display.terminal import number, show
from ohr.errors import OhrError
from ohr.files.safe_text import plain
from ohr.quality.fit import fit
from ohr.quality.inference import compare
from ohr.quality.predictor import Predictor, shipped
from ohr.quality.truth import TARGETS
from ohr.store.csv import write_csv

OF_LAYER = ["layer", "lost_passages"]
"""Signals that need a text layer."""
BESIDE_TEXT = [
    *OF_LAYER,
    *("disagreement", "disputed_passages", "wobble", "confidence", "unsure_words"),
]
"""Signals that need more than the text itself."""
KINDS = {
    "layer": "with layer",
    "scan": "as scans",
    "text": "by the text alone, never shown",
}
WRONG = 0.2
"""An edit distance above this is a badly read page."""
GAP = 0.03
"""Means of two readings that differ by so much should be told apart."""
DRAWS = 100
PAGES = 30
FEWEST_DOMAINS = 3


def report_check(runs: Sequence[Path], out: Path, *, left_out: bool = False) -> int:
    """Check the shipped model on the pages of runs of ``confidence``. Raises OhrError.

    With ``left_out``, each domain by a model of the others in its place.
    """
    table = read_signals(runs)
    models = _others(table) if left_out else dict.fromkeys(set(table["group"]), shipped())
    checks, beside = check(table, models), against_engines(table, models)
    write_csv(out / "checks.csv", checks)
    show(_shown(checks))
    print(
        f"means over domains, beside the lowest; coverage of the 90 % intervals, and the "
        "share of pages whose prediction is too low for them; winners: "
        f"{DRAWS} draws of {PAGES} pages of each two engines or noises; no winner: of those that "
        f"differ by {GAP:g} or more"
    )
    for line in [] if left_out else _fitted_lines(table):
        print(plain(line))
    print(f"checks: {out / 'checks.csv'}")
    if len(beside):
        write_csv(out / "beside_engines.csv", beside)
        show(_shown_beside(beside))
        print(f"edit distance, beside the engines' own doubt: {out / 'beside_engines.csv'}")
    return 0


def _fitted_lines(table: pd.DataFrame) -> list[str]:
    """Which domains the shipped predictions were fitted on too, on these or other pages."""
    readings = shipped().fitted_on.get("readings", {})
    fitted = {str(name).partition(", ")[0].partition(": ")[2] for name in readings}
    here = [name for name in dict.fromkeys(table["domain"].astype(str)) if name in fitted]
    if not here:
        return []
    return [
        f"the shipped predictions were fitted on pages of {', '.join(here)} too: these domains are "
        "not left out, and new ones may be harder (--left-out leaves each out)"
    ]


def _others(table: pd.DataFrame) -> dict[str, Predictor]:
    """For each domain, a model of all the others. Raises OhrError."""
    groups = sorted(set(table["group"]))
    if len(groups) < FEWEST_DOMAINS:
        raise OhrError(
            f"--left-out needs pages of {FEWEST_DOMAINS} domains: a fit of all others leaves one "
            "of them out itself"
        )
    pages = labelled(table)
    return {group: fit([page for page in pages if page.domain != group], {}) for group in groups}


def _predicted(table: pd.DataFrame, models: Mapping[str, Predictor]) -> pd.DataFrame:
    """The table with predictions, each group's by its model."""
    parts = [with_predictions(of, models[str(group)]) for group, of in table.groupby("group")]
    order = np.concatenate([of.index for _, of in table.groupby("group")])
    return pd.concat(parts).set_axis(order).loc[table.index]


def check(table: pd.DataFrame, models: Mapping[str, Predictor]) -> pd.DataFrame:
    """A row for each error: with the text layer, as if there were none (``scan``), and by the text
    alone, of which ``quality`` shows nothing.

    ``table`` has a row for each engine's text of a page, with its signals and true errors
    (``true_…``), and the ``group``, a domain, whose model predicts it. Every domain counts the
    same: Spearman, AUROC and coverage are means over the domains, beside the ``_lowest``.
    ``too_low`` is the share of pages whose truth lies above the interval.
    """
    records = []
    for which in KINDS:
        seen = _as(table, which)
        if seen.empty:
            continue
        known = table.loc[seen.index]
        predictions = _predicted(seen, models)
        for target in TARGETS:
            pages = pd.DataFrame(
                {
                    "group": known["group"],
                    "true": known[f"true_{target}"],
                    "predicted": predictions[target],
                    "mean": predictions[f"{target}_mean"],
                    "below": known[f"true_{target}"] < predictions[f"{target}_low"] - 1e-9,
                    "above": known[f"true_{target}"] > predictions[f"{target}_high"] + 1e-9,
                }
            )
            doubts = _doubts(known, models, "layer" if which == "layer" else "scan", target)
            records.append(
                {"kind": which, "error": target, "n": len(pages)}
                | _by_domain(pages)
                | _winners(known, predictions, target, doubts)
            )
    return pd.DataFrame(records)


def _as(table: pd.DataFrame, which: str) -> pd.DataFrame:
    """The pages that have signals of a kind, without those of the kinds before it."""
    if which == "layer":
        return table[table["layer"].notna()]
    if which == "scan":
        engines = table["confidence"].notna() | table["disagreement"].notna()
        return table[engines].assign(**dict.fromkeys(OF_LAYER, np.nan))
    return table.assign(**dict.fromkeys(BESIDE_TEXT, np.nan))


def _by_domain(pages: pd.DataFrame) -> dict[str, float]:
    domains = pd.DataFrame(
        [
            {
                "spearman": spearman(of["predicted"].to_numpy(float), of["true"].to_numpy(float)),
                "auroc": auroc(of["predicted"].to_numpy(float), (of["true"] > WRONG).to_numpy()),
                "coverage": float((~of["below"] & ~of["above"]).mean()),
                "too_low": float(of["above"].mean()),
                "true": float(of["true"].mean()),
                "predicted": float(of["mean"].mean()),
            }
            for _, of in pages.groupby("group", sort=False)
        ]
    )
    lowest = {f"{name}_lowest": domains[name].min() for name in ("spearman", "coverage")}
    means = {str(name): float(value) for name, value in domains.mean().items()}
    return {"domains": len(domains), **means, **lowest}


def _doubts(
    table: pd.DataFrame, models: Mapping[str, Predictor], kind: str, target: str
) -> np.ndarray:
    """Of each row: how far its model lets differences lie from true ones."""
    return np.array([models[str(group)].doubt[kind][target] for group in table["group"]])


def against_engines(table: pd.DataFrame, models: Mapping[str, Predictor]) -> pd.DataFrame:
    """Predicted edit distance beside the engine's own doubt and docling's rules, for each engine
    and noise whose words have a confidence.
    """
    known = table[table["confidence"].notna()]
    records = []
    for (engine, noise), of in known.groupby(["engine", "noise"], sort=False):
        true = of["true_edit_distance"].to_numpy(float)
        ways = {
            "predicted": _predicted(of, models),
            "as_scans": _predicted(of.assign(**dict.fromkeys(OF_LAYER, np.nan)), models),
        }
        ranked = {way: found["edit_distance"].to_numpy(float) for way, found in ways.items()}
        ranked |= {name: of[name].to_numpy(float) for name in ("confidence", "docling")}
        records.append(
            {"engine": engine, "noise": noise, "n": len(of)}
            | {f"spearman_{way}": spearman(values, true) for way, values in ranked.items()}
            | {f"auroc_{way}": auroc(values, true > WRONG) for way, values in ranked.items()}
        )
    return pd.DataFrame(records)


def _winners(
    table: pd.DataFrame, predictions: pd.DataFrame, target: str, doubts: np.ndarray
) -> dict[str, Any]:
    """How often a stated winner is wrong, and how often none is stated, over draws of pages."""
    pages = ["doc_id", "page_no"]
    values = table[[*pages, "engine", "noise", "draw"]].assign(
        mean=predictions[f"{target}_mean"].to_numpy(float),
        spread=predictions[f"{target}_spread"].to_numpy(float),
        true=table[f"true_{target}"].to_numpy(float),
        doubt=doubts,
    )
    readings = [
        (of, one.set_index(pages))
        for (*of, _), one in values.groupby(["engine", "noise", "draw"], sort=False)
    ]
    rng = np.random.default_rng(0)
    wrong = drawn = 0
    untold: list[float] = []
    for (of, first), (of_other, second) in combinations(readings, 2):
        both = first.index.intersection(second.index)
        if of == of_other or len(both) < PAGES:
            continue
        a, b = first.loc[both], second.loc[both]
        gap = float((a["true"] - b["true"]).mean())
        means = a["mean"].to_numpy(), b["mean"].to_numpy()
        documents = [doc for doc, _ in both]
        doubt = (a["doubt"] * (a["spread"] + b["spread"])).to_numpy() / 2
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
        "spearman_lowest": "lowest",
        "auroc": f"AUROC > {WRONG:g}",
        "coverage": "coverage",
        "coverage_lowest": "lowest",
        "too_low": "too low",
        "true": "true mean",
        "predicted": "predicted",
        "wrong": "wrong winner",
        "cannot_tell": "no winner",
    }
    for title in ("n", "domains", *names.values()):
        shown.add_column(title, justify="right")
    for row in checks.to_dict("records"):
        title = f"{TARGETS[str(row['error'])]}, {KINDS[str(row['kind'])]}"
        counts = (f"{row['n']:,}", str(row["domains"]))
        shown.add_row(title, *counts, *(number(row[name]) for name in names))
    return shown


def _shown_beside(beside: pd.DataFrame) -> Table:
    shown = Table(header_style="bold", box=None, pad_edge=False)
    shown.add_column("Spearman / AUROC")
    for title in ("n", "predicted", "as scans", "confidence", "docling's rules"):
        shown.add_column(title, justify="right")
    for row in beside.to_dict("records"):
        shown.add_row(
            f"{row['engine']}, {row['noise']}",
            f"{row['n']:,}",
            *(
                f"{number(row[f'spearman_{way}'])} / {number(row[f'auroc_{way}'])}"
                for way in ("predicted", "as_scans", "confidence", "docling")
            ),
        )
    return shown
