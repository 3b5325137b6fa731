"""Prints the distribution of pages' edit distances, and its difference from natural noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from ohr.analysis.realism.agreement_report import report_agreement
from ohr.analysis.realism.figure import distance_figure
from ohr.analysis.realism.table import (
    EDIT_DISTANCE,
    NATURAL,
    differences,
    page_errors,
    pairs,
    select_same_pages,
    summarise,
)
from ohr.display.columns import Column, Row, make_table, number_column, text_column, value_column
from ohr.display.terminal import print_caption, say, say_files, show, terminal_table
from ohr.display.wording import excluded, family, is_shown
from ohr.statistics.numbers import ends, number, p_value
from ohr.statistics.paired import FEWEST_TO_SHOW
from ohr.store.csv import write_csv
from ohr.study.results import check_distinct


def compare_distances(
    runs: Sequence[Path], out: Path, natural: str = "", metric: str = EDIT_DISTANCE
) -> int:
    """Write, print and draw the distributions of finished runs. Raises OhrError.

    If some pages have both distortions and natural noise, only these are used, and losses by a page
    metric are compared too.
    """
    check_distinct(runs)
    pages = page_errors(runs, natural)
    compared = differences(pages)
    selected = select_same_pages(pages) if len(compared) else pages
    summary = summarise(selected)
    write_csv(out / "realism.csv", summary)
    paths = distance_figure(selected, out / "figures", paired=len(compared) > 0)
    files = [out / "realism.csv"]
    if len(compared):
        files += report_agreement(runs, out, natural, metric)
        print("\nEdit distance of pages")
    else:
        say("Nothing is compared: no page is both distorted and with natural noise (--natural).")
        print()
    show(terminal_table(make_table(_SUMMARY, summary)))
    if len(compared):
        write_csv(out / "differences.csv", compared)
        write_csv(out / "pairs.csv", pairs(pages))
        show(terminal_table(make_table(_DIFFERENCES, compared)))
        print(
            "difference: the edit distance of distorted pages less that of the same pages with "
            f"natural noise; sign-flip test over {_units(compared)}, {family(_tested(compared))}"
        )
        show(terminal_table(make_table(_ALIKE, compared)))
        print(
            "KS: distance of the two distributions of errors; Spearman: of the documents' errors; "
            "intervals by resampling documents, for KS they can lie too high"
        )
        if (
            compared["documents"].max() < FEWEST_TO_SHOW
            and compared["pages"].max() < FEWEST_TO_SHOW
        ):
            print("no p of a sign-flip test over fewer than six is 0.05 or less")
    for line in _pairing_lines(pages, natural, paired=len(compared) > 0):
        print_caption(line)
    if len(compared):
        files += [out / "differences.csv", out / "pairs.csv"]
    say_files([*files, *paths])
    return 0


def _pairing_lines(pages: pd.DataFrame, natural: str, *, paired: bool) -> list[str]:
    """How many pages with natural noise show the same page as a distorted one."""
    if not natural:
        return []
    if not paired:
        return [
            f"by the names of documents, no page that matches {natural!r} is the same as another "
            "page of the run: natural and distorted pages are different pages, so a difference may "
            "come from the pages, and none is tested"
        ]
    used, every = (
        len(frame[frame["noise"] == NATURAL][["doc_id", "page_no"]].drop_duplicates())
        for frame in (select_same_pages(pages), pages)
    )
    return [
        f"{used} of {every} pages with natural noise are also in the run with distortions, by the "
        "names of their documents (pairs.csv)"
    ]


def _tested(compared: pd.DataFrame) -> int:
    return int(compared["p"].notna().sum())


def _units(compared: pd.DataFrame) -> str:
    units = [f"{str(unit).partition(' ')[0]}s" for unit in compared["ci_unit"].unique() if unit]
    return " and ".join(units) or "none: there are fewer than three pages"


_DIFFERENCES = (
    text_column("engine"),
    text_column("noise"),
    Column("difference [95 %]", lambda row: _value_with_ends(row, "difference")),
    Column("p", lambda row: p_value(row["p_adjusted"])),
    number_column("mean", "distorted"),
    number_column("natural_mean", "natural"),
    value_column("pages"),
    value_column("documents"),
    Column("verdict", lambda row: _verdict(row), is_text=True),
)


_ALIKE = (
    text_column("engine"),
    text_column("noise"),
    Column(
        "KS [95 %]", lambda row: number(row["ks_distance"]) + ends(row["ks_low"], row["ks_high"])
    ),
    Column(
        "Spearman [95 %]",
        lambda row: number(row["spearman"]) + ends(row["spearman_low"], row["spearman_high"]),
    ),
)


def _verdict(row: Mapping[Any, Any]) -> str:
    if is_shown(row["p_adjusted"]):
        return "more errors" if row["difference"] > 0 else "fewer errors"
    return f"not shown ({excluded(row['ci_low'], row['ci_high'])})"


def _value_with_ends(row: Row, name: str) -> str:
    return number(row[name]) + ends(row["ci_low"], row["ci_high"])


_SUMMARY = (
    text_column("engine"),
    text_column("noise"),
    value_column("documents"),
    value_column("pages"),
    Column("mean [95 %]", lambda row: _value_with_ends(row, "mean")),
    number_column("lower_decile", "10 %"),
    number_column("lower_quartile", "25 %"),
    number_column("median", "50 %"),
    number_column("upper_quartile", "75 %"),
    number_column("upper_decile", "90 %"),
)
