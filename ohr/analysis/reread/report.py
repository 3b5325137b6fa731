"""Prints which pages to read again first, and writes their order."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ohr.analysis.reread.figure import draw_orders
from ohr.analysis.reread.table import ANSWERS, FEWEST, RULES, WORST, reread
from ohr.display.notes import note_lines, run_notes
from ohr.display.terminal import empty_table, print_caption, say_files, show
from ohr.display.wording import counted
from ohr.errors import ConfigError
from ohr.files.safe_text import plain
from ohr.ocr.routes import write_routes
from ohr.statistics.numbers import number, percent
from ohr.store.csv import write_csv
from ohr.study.config import parse_plugin
from ohr.study.opening import open_runs

PAGES_FILE, ORDERS_FILE, ROUTES = "reread.csv", "reread_orders.csv", "routes.csv"
SHARE = 0.2
"""The share of the pages that the sentence is about."""
Row = Mapping[Hashable, Any]


def report_reread(
    path: Path,
    engine: str,
    second: str,
    damage: str,
    metric: str,
    out: Path,
    *,
    slow: str = "",
    share: float | None = None,
) -> int:
    """Print and write the order of a finished run's pages. Raises OhrError.

    With ``slow``, an engine, also ``routes.csv``: it reads the first ``share`` of the pages, by
    default :data:`SHARE`.
    """
    if share is not None and not slow:
        raise ConfigError("--share: of what --slow reads: name an engine with --slow")
    [run] = open_runs([path])
    # A run of another version has no configuration that can be read, but pages in order.
    specs = {spec.label: spec for spec in run.config.engines} if slow else {}
    again = parse_plugin("engine", slow) if slow else None
    if again is not None and again.label in specs and again != specs[again.label]:
        raise ConfigError(f"--slow: {again.label!r} is another engine of the run: give it a label")
    result = reread(run, engine, second, damage, metric)
    if again is not None and again.label == result.engine:
        raise ConfigError(f"--slow: {again.label!r} has read these pages: name another engine")
    share = SHARE if share is None else share
    write_csv(out / PAGES_FILE, result.pages)
    write_csv(out / ORDERS_FILE, result.orders)
    print(plain(sentence(result.orders)))
    print()
    shares = sorted(result.orders["pages_read"].unique())
    printed = empty_table(["pages in the order of"], [f"{percent(s)} read again" for s in shares])
    for name in RULES:
        rows = result.orders[result.orders["order"] == name].to_dict("records")
        printed.add_row(name, *map(_cell, rows))
    show(printed)
    print("share of the lost answers that is won back; in brackets 95 % intervals over documents")
    for line in note_lines([], run_notes([run])):
        print_caption(line)
    figures = draw_orders(result.orders, out)
    say_files([out / PAGES_FILE, out / ORDERS_FILE, *figures])
    if again is not None:
        routes = routes_of(result.pages, result.engine, again.label, share)
        fast = specs[result.engine]
        write_routes(out / ROUTES, routes, {fast.label: fast, again.label: again}, {"share": share})
        count = int((routes["route"] == again.label).sum())
        print(
            f"routes: {out / ROUTES}: {again.label} reads {count:,} of {len(routes):,} pages, "
            f"{fast.label} the others (ohr read FILES --routes {out / ROUTES} --out KB)"
        )
    return 0


def routes_of(pages: pd.DataFrame, fast: str, slow: str, share: float) -> pd.DataFrame:
    """The table of ``routes.csv``: the first ``share`` of ``pages``, which are in the order of the
    expected answers, are read by the ``slow`` engine, the others by the ``fast`` one."""
    first = math.ceil(share * len(pages) - 1e-9)
    is_first = np.arange(len(pages)) < first
    return pd.DataFrame(
        {
            "document": pages["doc_id"],
            "page": pages["page_no"] + 1,
            "route": np.where(is_first, slow, fast),
            "reason": [f"expected answers {number(value)}" for value in pages["expected"]],
            **dict.fromkeys(("predicted_error", "low", "high", "seconds"), math.nan),
        }
    )


def sentence(orders: pd.DataFrame) -> str:
    """What the order by answers wins back at a fifth of the pages, beside the worst OCR first."""
    rows = orders[orders["pages_read"] == SHARE].to_dict("records")
    by_order: dict[str, Row] = {str(row["order"]): row for row in rows}
    mine, worst = by_order[ANSWERS], by_order[WORST]
    on = f"{mine['n']:,} questions on {counted(mine['n_clusters'], mine['unit'] or 'document')}"
    if math.isnan(mine["won_back"]):
        return (
            f"which pages to read again cannot be said with {on}: it takes {FEWEST} documents, and "
            "answers that were lost"
        )
    return (
        f"Read {percent(SHARE)} of {mine['n_pages']:,} pages again, those with the most expected "
        f"answers first: that wins back {_interval(mine)} of the answers that OCR lost; the worst "
        f"pages first win back {_interval(worst)} ({on})."
    )


def _interval(row: Row) -> str:
    ends = percent(row["won_back_ci_low"]), percent(row["won_back_ci_high"])
    return f"{percent(row['won_back'])} (95 % CI {ends[0]} to {ends[1]})"


def _cell(row: Row) -> str:
    if math.isnan(row["won_back"]):
        return "cannot be said"
    low, high = percent(row["won_back_ci_low"]), percent(row["won_back_ci_high"])
    return f"{percent(row['won_back'])} [{low}, {high}]"
