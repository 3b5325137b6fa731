"""Prints the predicted errors of your PDFs' OCR output."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from itertools import combinations

import pandas as pd
from rich.table import Table
from rich.text import Text

from ohr.adviser.quality.table import (
    DECIDES,
    documents_clause,
    engine_estimate,
    engine_verdict,
    is_assessed,
    known_coverage,
)
from ohr.display.terminal import empty_table
from ohr.display.wording import not_shown
from ohr.files.safe_text import plain
from ohr.quality.assessing import ONLY_TEXT
from ohr.quality.inference import FEWEST_LABELLED, Estimate
from ohr.quality.predictor import shipped
from ohr.quality.signals import SIGNALS
from ohr.quality.truth import TARGETS
from ohr.statistics.inference import ALPHA
from ohr.statistics.numbers import percent
from ohr.types import FAILED, PageRef

WORST = 10
NOT_ASSESSED = (
    "not assessed: they have no text layer, no second engine and no confidences, and the text "
    "alone does not show which pages have many errors. Name a second engine, or one "
    "that gives confidences (tesseract, rapidocr), with --engines, or transcribe pages (--truth)"
)


def engine_table(
    table: pd.DataFrame, seconds: Mapping[str, float], targets: Collection[str] = tuple(TARGETS)
) -> Table:
    """One row per engine: its predicted errors ``targets``, and its seconds per page.

    Seconds are NaN for an engine whose pages were stored without their times.
    """
    title = f"predicted errors, mean{documents_clause(table)} [95 % interval]"
    titles = [TARGETS[target] for target in targets]
    grid = empty_table(
        ["engine"], [*titles, "assessed", "in range", "failed", "s per page"], title=title
    )
    for engine, rows in table.groupby("engine", sort=False):
        took = seconds[str(engine)]
        known_values = rows[rows["assessed"]]
        grid.add_row(
            Text(plain(str(engine))),
            *(_interval(engine_estimate(rows, target)) for target in targets),
            f"{len(known_values)} of {len(rows)}",
            percent(known_values["in_range"].astype(bool).mean()) if len(known_values) else "",
            str(int(rows["status"].isin([str(status) for status in FAILED]).sum())),
            "stored" if math.isnan(took) else f"{took:.1f}",
        )
    return grid


def _interval(estimate: Estimate | None) -> str:
    if estimate is None:
        return "not assessed"
    corrected = "*" if estimate.labelled else ""
    low, high = max(0.0, estimate.low), min(1.0, estimate.high)
    return f"{estimate.mean:.3f}{corrected} [{low:.3f}, {high:.3f}]"


def verdict_lines(table: pd.DataFrame) -> list[str]:
    """Lines that compare each two engines, name the family, and mention transcribed pages."""
    engines = list(dict.fromkeys(table["engine"]))
    pairs = list(combinations(engines, 2))
    lines = [verdict_line(table, *pair, len(pairs)) for pair in pairs]
    if len(pairs) > 1:
        lines.append(f"intervals of these {len(pairs)} comparisons hold at 95 % together")
    is_known = table[table[f"true_{DECIDES}"].notna()]
    transcribed = len(is_known[["doc_id", "page_no"]].drop_duplicates())
    if transcribed >= FEWEST_LABELLED:
        lines.append("*: corrected by the pages that were transcribed")
    elif transcribed:
        lines.append(
            f"not corrected: {transcribed} transcribed pages of the sample, at least "
            f"{FEWEST_LABELLED} are needed"
        )
    return lines


def verdict_line(table: pd.DataFrame, first: str, second: str, comparisons: int = 1) -> str:
    """One of several comparisons of two engines, in a sentence."""
    verdict = engine_verdict(table, first, second, DECIDES, ALPHA / comparisons)
    if verdict is None:
        return (
            f"{first} and {second} are not compared: they share no page that is assessed for both"
        )
    gap = verdict.difference
    count = int((table["engine"] == first).sum())
    on = f"on {count} pages{documents_clause(table)}"
    if verdict.winner is not None:
        better, worse = (first, second) if verdict.winner == 0 else (second, first)
        low, high = sorted((abs(gap.low), abs(gap.high)))
        return (
            f"{better} has fewer errors than {worse} {on}: {TARGETS[DECIDES]} lower by "
            f"{abs(gap.mean):.3f} [{low:.3f}, {high:.3f}]"
        )
    transcribed = f", {verdict.transcribed:,} of them transcribed," if verdict.transcribed else ""
    more = (
        f"about {verdict.pages:,} pages{transcribed} would show a difference as large as this"
        if verdict.pages
        else "only transcribed pages could show one (--truth)"
    )
    return (
        f"{first} and {second} {not_shown(gap.low, gap.high)} {on}: {TARGETS[DECIDES]} differs by "
        f"{abs(gap.mean):.3f} [{gap.low:.3f}, {gap.high:.3f}]; {more}"
    )


def assessed_lines(table: pd.DataFrame, no_layer: Mapping[PageRef, str]) -> list[str]:
    """Lines about signals and pages that were not assessed, the coverage of intervals, and pages
    without a usable text layer.
    """
    lines = []
    for engine, rows in table.groupby("engine", sort=False):
        absent = [name for name in SIGNALS if rows[name].isna().all()]
        if absent:
            lines.append(f"signals not assessed for {engine}: {', '.join(absent)}")
        against = rows["not_assessed"][~rows["assessed"]].value_counts()
        for reason, count in against.items():
            why = NOT_ASSESSED if reason == ONLY_TEXT else f"not assessed: {reason}"
            lines.append(f"{engine}: {count} of {len(rows)} pages are {why}")
        beyond = int((rows["in_range"] == False).sum())  # noqa: E712 - empty where not assessed
        if beyond:
            lines.append(
                f"{engine}: {beyond} of {len(rows)} pages lie outside the range that the "
                "predictions were fitted on: do not rely on them"
            )
    lines += coverage_lines(table)
    if no_layer:
        lines.append(
            f"{len(no_layer)} pages have no usable text layer, such as page "
            f"{next(iter(no_layer)).page_no + 1} of {next(iter(no_layer)).doc_id}: "
            f"{next(iter(no_layer.values()))}"
        )
    return lines


def coverage_lines(table: pd.DataFrame) -> list[str]:
    """A line about the 90 % intervals that are known to be too short."""
    named = [
        percent(low) + (f" to {percent(high)}" if high > low else "") + f" ({TARGETS[target]})"
        for target, low, high in known_coverage(table)
    ]
    if not named:
        return []
    return [
        f"the 90 % intervals of pages are too short: they contained {', '.join(named)} of the "
        f"{shipped().covered}"
    ]


def worst_lines(table: pd.DataFrame) -> list[str]:
    """A line with the pages with the most errors, by the best engine; empty if none is assessed."""
    assessed = [name for name, rows in table.groupby("engine", sort=False) if is_assessed(rows)]
    known_values = table[table["engine"].isin(assessed) & table["assessed"]]
    if known_values.empty:
        return []
    best = str(known_values.groupby("engine", sort=False)[f"{DECIDES}_mean"].mean().idxmin())
    rows = known_values[known_values["engine"] == best].sort_values(
        DECIDES, ascending=False, kind="stable"
    )
    named = [
        f"{row['doc_id']} page {int(row['page_no']) + 1} ({row[DECIDES]:.2f})"
        for row in rows.head(WORST).to_dict("records")
    ]
    return [f"pages with the most errors by {best}: {', '.join(named)}"]
