"""Checks predictions of quality on domains with ground truth that they were not fitted on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ohr.adviser.own_pages import add_predictions
from ohr.adviser.quality.fit_report import LEFT_OUT
from ohr.adviser.quality.known_truth import auroc, spearman
from ohr.adviser.quality.signal_runs import labelled, read_unfitted, unfitted_half
from ohr.display.columns import Column, make_table, number_column, value_column
from ohr.display.terminal import say_files, show, terminal_table
from ohr.errors import OhrError
from ohr.files.safe_text import plain
from ohr.quality.fit import fit, remove_layers
from ohr.quality.inference import compare
from ohr.quality.predictor import Predictor, parse, shipped
from ohr.quality.table import APART
from ohr.quality.truth import TARGETS
from ohr.quality.validation import left_out_error
from ohr.statistics.numbers import number
from ohr.store.csv import write_csv

OF_LAYER = ["layer", "lost_passages"]
"""Signals that need a text layer."""
BESIDE_TEXT = [
    *OF_LAYER,
    *("disagreement", "disputed_passages", "instability", "confidence", "unsure_words"),
]
"""Signals that need more than the text."""
KINDS = {
    "layer": "with layer",
    "scan": "as scans",
    "text": "by the text alone, never shown",
}
WRONG = 0.2
"""An edit distance above this is a badly read page."""
GAP = 0.03
"""Two OCR outputs whose true means differ by so much should have a winner."""
DRAWS = 100
PAGES = 30
FEWEST_DOMAINS = 3


def report_check(
    runs: Sequence[Path],
    out: Path,
    *,
    left_out: bool = False,
    other_half: bool = False,
    model: Path | None = None,
    fitted: Sequence[Path] = (),
) -> int:
    """Check the shipped ``model``, or another, on pages of runs of ``confidence``. Raises OhrError.

    With ``left_out``, each domain is predicted by a model of the others instead. With
    ``other_half``, only the documents are checked that ``ohr dev fit-quality --half`` leaves out,
    after those that a fit to half of the runs ``fitted`` has seen.
    """
    table = read_unfitted(runs, fitted)
    table = unfitted_half(table) if other_half else table
    checked = shipped() if model is None else read_model(model)
    models = _others(table) if left_out else dict.fromkeys(set(table["group"]), checked)
    checks, beside = check(table, models), compare_with_engines(table, models)
    write_csv(out / "checks.csv", checks)
    show(terminal_table(make_table(_CHECKS, checks)))
    print(
        f"means over domains, and the lowest; coverage of the 90 % intervals, and the "
        "share of pages whose true error is above them; winners: "
        f"{DRAWS} draws of {PAGES} pages for each pair of engines or noises; no winner: of the "
        f"pairs that differ by {GAP:g} or more"
    )
    for line in [] if left_out else _fitted_lines(table):
        print(plain(line))
    files = [out / "checks.csv"]
    if not left_out and len(by_kind := kind_scores(table, checked)):
        write_csv(out / "kinds.csv", by_kind)
        show(terminal_table(make_table(LEFT_OUT, by_kind)))
        print("by kind of page, each document counts the same")
        files.append(out / "kinds.csv")
    if len(beside):
        write_csv(out / "beside_engines.csv", beside)
        show(terminal_table(make_table(_BESIDE, beside)))
        print("edit distance, compared with engines' confidence")
        files.append(out / "beside_engines.csv")
    say_files(files)
    return 0


def _fitted_lines(table: pd.DataFrame) -> list[str]:
    """A line about the domains that the shipped predictions were also fitted on."""
    readings = shipped().fitted_on.get("readings", {})
    fitted = {str(name).partition(", ")[0].partition(": ")[2] for name in readings}
    domains = [name for name in dict.fromkeys(table["domain"].astype(str)) if name in fitted]
    if not domains:
        return []
    return [
        f"the shipped predictions were also fitted on pages of {', '.join(domains)}: new domains "
        "may be harder (--left-out predicts each domain by the others)"
    ]


def _others(table: pd.DataFrame) -> dict[str, Predictor]:
    """For each domain, a model of all the others. Raises OhrError."""
    groups = sorted(set(table["group"]))
    if len(groups) < FEWEST_DOMAINS:
        raise OhrError(
            f"--left-out needs pages of {FEWEST_DOMAINS} domains: a fit needs two others"
        )
    pages = labelled(table)
    return {group: fit([page for page in pages if page.domain != group], {}) for group in groups}


def _predicted(table: pd.DataFrame, models: Mapping[str, Predictor]) -> pd.DataFrame:
    """The table with predictions, each group by its model."""
    parts = [add_predictions(of, models[str(group)]) for group, of in table.groupby("group")]
    order = np.concatenate([of.index for _, of in table.groupby("group")])
    return pd.concat(parts).set_axis(order).loc[table.index]


def check(table: pd.DataFrame, models: Mapping[str, Predictor]) -> pd.DataFrame:
    """One row per error and kind of page.

    The kinds are with text layer (``layer``), as if there were none (``scan``), and by the text
    only, which ``quality`` does not show. ``table`` has one row per engine and page, with signals,
    true errors (``true_…``) and ``group``, the domain, whose model predicts the page. All domains
    weigh the same: Spearman, AUROC and coverage are means over the domains, with the ``_lowest``.
    ``too_low`` is the share of pages whose truth is above the interval.
    """
    records = []
    for which in KINDS:
        seen = _select_signals(table, which)
        if seen.empty:
            continue
        known_values = table.loc[seen.index]
        predictions = _predicted(seen, models)
        for target in TARGETS:
            pages = pd.DataFrame(
                {
                    "group": known_values["group"],
                    "true": known_values[f"true_{target}"],
                    "predicted": predictions[target],
                    "mean": predictions[f"{target}_mean"],
                    "below": known_values[f"true_{target}"] < predictions[f"{target}_low"] - 1e-9,
                    "above": known_values[f"true_{target}"] > predictions[f"{target}_high"] + 1e-9,
                }
            )
            doubts = _doubts(known_values, models, "layer" if which == "layer" else "scan", target)
            records.append(
                {"kind": which, "error": target, "n": len(pages)}
                | _domain_scores(pages)
                | _winners(known_values, predictions, target, doubts)
            )
    return pd.DataFrame(records)


def read_model(path: Path, option: str = "--model") -> Predictor:
    """A model of ``ohr dev fit-quality``, given by an option. Raises OhrError."""
    try:
        return parse(path.read_text("utf-8"))
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise OhrError(f"{option}: {path} is no model of ohr dev fit-quality: {error}") from error


def kind_scores(table: pd.DataFrame, model: Predictor) -> pd.DataFrame:
    """How well a model predicts the errors of each kind of page, assessed or not."""
    pages = labelled(table)
    pages += remove_layers(pages)
    rows = [
        left_out_error(model, "", name, target, [p for p in pages if p.page_kind == name])
        for name in sorted({page.page_kind for page in pages} - {""})
        for target in TARGETS
    ]
    return pd.DataFrame([asdict(row) for row in rows])


def _select_signals(table: pd.DataFrame, which: str) -> pd.DataFrame:
    """The pages with the signals of a kind; other signals become NaN."""
    if which == "layer":
        return table[table["layer"].notna()]
    if which == "scan":
        engines = table["confidence"].notna() | table["disagreement"].notna()
        return table[engines].assign(**dict.fromkeys(OF_LAYER, np.nan))
    nothing: dict[str, Any] = dict.fromkeys(BESIDE_TEXT, np.nan)
    return table.assign(**nothing, **{APART: ""})


def _domain_scores(pages: pd.DataFrame) -> dict[str, float]:
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
    """For each row, the ``doubt`` of its model."""
    return np.array([models[str(group)].doubt[kind][target] for group in table["group"]])


def compare_with_engines(table: pd.DataFrame, models: Mapping[str, Predictor]) -> pd.DataFrame:
    """Compares predicted edit distance with engines' confidence and docling's rules.

    One row per engine and noise with confidences.
    """
    is_known = table[table["confidence"].notna()]
    records = []
    for (engine, noise), of in is_known.groupby(["engine", "noise"], sort=False):
        true = of["true_edit_distance"].to_numpy(float)
        ways = {
            "predicted": _predicted(of, models),
            "as_scans": _predicted(of.assign(**dict.fromkeys(OF_LAYER, np.nan)), models),
        }
        ranked = {
            way: predictions["edit_distance"].to_numpy(float) for way, predictions in ways.items()
        }
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
    """The share of wrong winners, and of draws of pages without a winner."""
    pages = ["doc_id", "page_no"]
    values = table[[*pages, "engine", "noise", "draw"]].assign(
        mean=predictions[f"{target}_mean"].to_numpy(float),
        spread=predictions[f"{target}_spread"].to_numpy(float),
        true=table[f"true_{target}"].to_numpy(float),
        doubt=doubts,
    )
    outputs = [
        (of, rows.set_index(pages))
        for (*of, _), rows in values.groupby(["engine", "noise", "draw"], sort=False)
    ]
    rng = np.random.default_rng(0)
    wrong = drawn = 0
    unstated: list[float] = []
    for (of, first), (of_other, second) in combinations(outputs, 2):
        both = first.index.intersection(second.index)
        if of == of_other or len(both) < PAGES:
            continue
        a, b = first.loc[both], second.loc[both]
        gap = float((a["true"] - b["true"]).mean())
        means = a["mean"].to_numpy(), b["mean"].to_numpy()
        documents = [doc for doc, _ in both]
        doubt = (a["doubt"] * (a["spread"] + b["spread"])).to_numpy() / 2
        stated = 0
        for _ in range(DRAWS):
            some = rng.choice(len(both), PAGES, replace=False)
            verdict = compare(
                means[0][some], means[1][some], [documents[position] for position in some],
                float(doubt[some].mean()),
            )  # fmt: skip
            if verdict.winner is not None:
                stated += 1
                wrong += (verdict.winner == 1) != (gap > 0)
        drawn += DRAWS
        if abs(gap) >= GAP:
            unstated.append(1 - stated / DRAWS)
    return {
        "draws": drawn,
        "wrong": wrong / drawn if drawn else np.nan,
        "cannot_tell": float(np.mean(unstated)) if unstated else np.nan,
    }


_CHECKS = (
    Column(
        "error",
        lambda row: f"{TARGETS[str(row['error'])]}, {KINDS[str(row['kind'])]}",
        is_text=True,
    ),
    Column("n", lambda row: f"{row['n']:,}"),
    value_column("domains"),
    number_column("spearman", "Spearman"),
    number_column("spearman_lowest", "lowest"),
    number_column("auroc", f"AUROC > {WRONG:g}"),
    number_column("coverage"),
    number_column("coverage_lowest", "lowest"),
    number_column("too_low"),
    number_column("true", "true mean"),
    number_column("predicted"),
    number_column("wrong", "wrong winner"),
    number_column("cannot_tell", "no winner"),
)


def _both(way: str, heading: str) -> Column:
    return Column(
        heading,
        lambda row: f"{number(row[f'spearman_{way}'])} / {number(row[f'auroc_{way}'])}",
    )


_BESIDE = (
    Column("Spearman / AUROC", lambda row: f"{row['engine']}, {row['noise']}", is_text=True),
    Column("n", lambda row: f"{row['n']:,}"),
    _both("predicted", "predicted"),
    _both("as_scans", "as scans"),
    _both("confidence", "confidence"),
    _both("docling", "docling's rules"),
)
