"""How wrong readings of one's own PDFs probably are, as it is printed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations

import pandas as pd
from rich.table import Table
from rich.text import Text

from ohr.adviser.quality.table import (
    DECIDES,
    engine_estimate,
    engine_verdict,
    is_assessed,
    known_coverage,
    of_documents,
)
from ohr.display.wording import not_shown
from ohr.files.safe_text import plain
from ohr.quality.inference import FEWEST_LABELLED, Estimate
from ohr.quality.predictor import shipped
from ohr.quality.signals import SIGNALS
from ohr.quality.truth import TARGETS
from ohr.types import FAILED, PageRef

WORST = 10
NOT_ASSESSED = (
    "not assessed: they have no text layer, no second engine and no confidences, and the text "
    "alone does not tell pages with many errors from pages with few. Name a second engine, or one "
    "that gives confidences (tesseract, rapidocr), with --engines, or transcribe pages (--truth)"
)


def engine_table(table: pd.DataFrame, seconds: Mapping[str, float]) -> Table:
    """A row for each engine: its errors as they are predicted, and its seconds a page.

    NaN seconds are those of an engine whose pages were stored, and not timed.
    """
    title = f"predicted errors, mean{of_documents(table)} [95 % interval]"
    shown = Table(header_style="bold", box=None, pad_edge=False, title=title)
    shown.add_column("engine")
    for name in (*TARGETS.values(), "assessed", "in range", "failed", "s a page"):
        shown.add_column(name, justify="right")
    for engine, rows in table.groupby("engine", sort=False):
        took = seconds[str(engine)]
        known = rows[rows["assessed"]]
        shown.add_row(
            Text(plain(str(engine))),
            *(_interval(engine_estimate(rows, target)) for target in TARGETS),
            f"{len(known)} of {len(rows)}",
            f"{known['in_range'].astype(bool).mean():.0%}" if len(known) else "",
            str(int(rows["status"].isin([str(status) for status in FAILED]).sum())),
            "stored" if math.isnan(took) else f"{took:.1f}",
        )
    return shown


def _interval(one: Estimate | None) -> str:
    if one is None:
        return "not assessed"
    corrected = "*" if one.labelled else ""
    return f"{one.mean:.3f}{corrected} [{max(0.0, one.low):.3f}, {min(1.0, one.high):.3f}]"


def verdict_lines(table: pd.DataFrame) -> list[str]:
    """For each two engines, which has fewer errors, or what is not excluded; the family; whether
    transcribed pages corrected that.
    """
    engines = list(dict.fromkeys(table["engine"]))
    pairs = list(combinations(engines, 2))
    lines = [verdict_line(table, *pair, len(pairs)) for pair in pairs]
    if len(pairs) > 1:
        lines.append(f"intervals of these {len(pairs)} comparisons hold at 95 % together")
    known = table[table[f"true_{DECIDES}"].notna()]
    transcribed = len(known[["doc_id", "page_no"]].drop_duplicates())
    if transcribed >= FEWEST_LABELLED:
        lines.append("*: corrected by the pages that were transcribed")
    elif transcribed:
        lines.append(
            f"corrected by nothing: transcribed pages of the sample: {transcribed}, at least "
            f"{FEWEST_LABELLED} are needed"
        )
    return lines


def verdict_line(table: pd.DataFrame, first: str, second: str, comparisons: int = 1) -> str:
    """One of so many comparisons in a sentence."""
    one = engine_verdict(table, first, second, DECIDES, comparisons)
    if one is None:
        return (
            f"{first} and {second} are not compared: they share no page that is assessed for both"
        )
    gap = one.difference
    count = int((table["engine"] == first).sum())
    on = f"on {count} pages{of_documents(table)}"
    if one.winner is not None:
        better, worse = (first, second) if one.winner == 0 else (second, first)
        low, high = sorted((abs(gap.low), abs(gap.high)))
        return (
            f"{better} has fewer errors than {worse} {on}: {TARGETS[DECIDES]} lower by "
            f"{abs(gap.mean):.3f} [{low:.3f}, {high:.3f}]"
        )
    transcribed = f", {one.transcribed:,} of them transcribed," if one.transcribed else ""
    more = (
        f"about {one.pages:,} pages{transcribed} would show a difference as large as this"
        if one.pages
        else "only transcribed pages could show one (--truth)"
    )
    return (
        f"{first} and {second} {not_shown(gap.low, gap.high)} {on}: {TARGETS[DECIDES]} differs by "
        f"{abs(gap.mean):.3f} [{gap.low:.3f}, {gap.high:.3f}]; {more}"
    )


def assessed_lines(table: pd.DataFrame, no_layer: Mapping[PageRef, str]) -> list[str]:
    """Which signals and pages were not assessed and how to have them assessed, what intervals are
    worth, and for how many pages there is no text layer, and why.
    """
    lines = []
    for engine, rows in table.groupby("engine", sort=False):
        absent = [name for name in SIGNALS if rows[name].isna().all()]
        if absent:
            lines.append(f"signals not assessed for {engine}: {', '.join(absent)}")
        without = int((~rows["assessed"]).sum())
        if without:
            lines.append(f"{engine}: {without} of {len(rows)} pages are {NOT_ASSESSED}")
        beyond = int((rows["in_range"] == False).sum())  # noqa: E712 - empty where not assessed
        if beyond:
            lines.append(
                f"{engine}: {beyond} of {len(rows)} pages lie outside what the predictions were "
                "fitted on: do not rely on them"
            )
    lines += coverage_lines(table)
    if no_layer:
        lines.append(
            f"{len(no_layer)} pages have no text layer that can stand for them, such as page "
            f"{next(iter(no_layer)).page_no + 1} of {next(iter(no_layer)).doc_id}: "
            f"{next(iter(no_layer.values()))}"
        )
    return lines


def coverage_lines(table: pd.DataFrame) -> list[str]:
    """Which of the pages' 90 % intervals are known to hold fewer pages."""
    named = [
        f"{low:.0%}" + (f" to {high:.0%}" if high > low else "") + f" ({TARGETS[target]})"
        for target, low, high in known_coverage(table)
    ]
    if not named:
        return []
    return [
        f"the 90 % intervals of pages are too short: they held {', '.join(named)} of the "
        f"{shipped().covered}"
    ]


def worst_lines(table: pd.DataFrame) -> list[str]:
    """The pages with the most errors, of the best engine; none where no engine is assessed."""
    assessed = [name for name, rows in table.groupby("engine", sort=False) if is_assessed(rows)]
    known = table[table["engine"].isin(assessed) & table["assessed"]]
    if known.empty:
        return []
    best = str(known.groupby("engine", sort=False)[f"{DECIDES}_mean"].mean().idxmin())
    rows = known[known["engine"] == best].sort_values(DECIDES, ascending=False, kind="stable")
    named = [
        f"{row['doc_id']} page {int(row['page_no']) + 1} ({row[DECIDES]:.2f})"
        for row in rows.head(WORST).to_dict("records")
    ]
    return [f"pages with the most errors by {best}: {', '.join(named)}"]
