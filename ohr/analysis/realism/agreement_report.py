"""Prints whether losses under the distortions predict the losses under natural noise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.table import Table
from rich.text import Text

from ohr.analysis.realism.agreement import GOOD, agreement, document_correlations
from ohr.analysis.realism.agreement_figure import agreement_figure
from ohr.analysis.realism.losses import (
    LOST,
    SMALL,
    document_losses,
    matrix,
    nearest_by_tag,
    noises_of,
    page_losses,
    shape,
)
from ohr.analysis.realism.table import CLEAN, EDIT_DISTANCE, NATURAL, page_errors
from ohr.display.columns import Column, Row, make_table, number_column, text_column, value_column
from ohr.display.terminal import NARROW, empty_table, say, show, terminal_table
from ohr.display.text_tables import TextTable
from ohr.files.safe_text import plain
from ohr.statistics.numbers import ends, number, percent, prose
from ohr.store.csv import write_csv
from ohr.study.metrics import metric_info

COLUMNS = 5
"""Distortions beside each other in the table of mean losses."""


def report_agreement(
    runs: Sequence[Path], out: Path, natural: str, metric: str = EDIT_DISTANCE
) -> list[Path]:
    """Write, print and draw how losses under distortions agree with natural ones.

    Returns the paths, for the line of files. Raises OhrError. Without a page that is clean,
    distorted and with natural noise, it says so.
    """
    rows = page_losses(page_errors(runs, natural, metric))
    info = metric_info("ocr", metric)
    if rows.empty:
        print("losses: no engine has a page clean, distorted and with natural noise")
        return []
    losses = document_losses(rows)
    ranks, conditions, tags, shapes = (
        agreement(losses), document_correlations(losses), nearest_by_tag(rows), shape(rows)
    )  # fmt: skip
    files = {"agreement": ranks, "by_document": conditions, "shape": shapes, "by_tag": tags}
    for name, frame in (files | {"losses": losses}).items():
        write_csv(out / f"{name}.csv", frame)
    for sentence in sentences(ranks, shapes, tags):
        say(sentence)
    side = "lower" if info.higher_is_better else "higher"
    print(f"\nMean losses: how much {side} the {info.title} is than on the same clean pages")
    for table in _loss_tables(losses):
        show(table, NARROW)
    print("\nAgreement with natural noise: of conditions (tau_b), and of documents (Spearman)")
    show(terminal_table(_agreement_table(ranks, conditions)), NARROW)
    print(
        "same order, opposite: pairs of conditions of which both noises show which loses more; "
        "Spearman: median over conditions"
    )
    for reason, of_reason in ranks[ranks["reason"] != ""].groupby("reason", sort=False)["noise"]:
        print(f"not assessed: {plain(', '.join(of_reason))}: {reason}")
    print("\nShare of pages that are lost, over all conditions")
    show(terminal_table(make_table(_SHAPES, shapes[shapes["engine"] == "all"])), NARROW)
    limit = f"{info.title} below {prose(1 - LOST)}" if info.higher_is_better else (
        f"{info.title} above {prose(LOST)}"
    )  # fmt: skip
    print(f"lost: {limit}; small loss: {prose(SMALL)} or less")
    print("\nThe nearest distortion, by tags in the names of documents with natural noise")
    show(terminal_table(make_table(_TAGS, tags)), NARROW)
    print("no distortion is named for a tag of one document")
    figures = agreement_figure(conditions, ranks, out / "figures") if len(conditions) else []
    return [*(out / f"{name}.csv" for name in (*files, "losses")), *figures]


def sentences(ranks: pd.DataFrame, shapes: pd.DataFrame, tags: pd.DataFrame) -> Iterator[str]:
    """The results in three sentences: agreement, share of pages lost, nearest distortion."""
    yield _agreement_sentence(ranks)
    lost = shapes[shapes["engine"] == "all"].set_index("noise")["lost"]
    worst = max(lost.index.drop([CLEAN, NATURAL]), key=lambda noise: lost[noise])
    of_distortions = (
        f"{percent(lost[worst])} under `{worst}`, the distortion that loses the most"
        if lost[worst] > 0
        else "none under any distortion"
    )
    yield (
        f"Of the pages, {percent(lost[NATURAL])} are lost under natural noise, "
        f"{percent(lost[CLEAN])} when clean, and {of_distortions}."
    )
    every = tags.iloc[0]
    if not every["nearest"]:
        yield "The nearest distortion is not assessed: there are too few documents."
        return
    beyond = ranks["loss"].max() < every["natural_loss"]
    yield (
        f"The mean loss under natural noise is {_value_with_ends(every, 'natural_loss')}; nearest "
        f"is `{every['nearest']}` with {prose(every['nearest_loss'])}"
        f"{'; no distortion loses as much' if beyond else ''}."
    )


def _agreement_sentence(ranks: pd.DataFrame) -> str:
    assessed = ranks[ranks["tau_b"].notna()]
    if assessed.empty:
        return f"The rank agreement is not assessed ({ranks['reason'].iloc[0]})."
    best = max(assessed.to_dict("records"), key=lambda row: row["tau_b"])
    among = f", the best of {len(assessed)} distortions" if len(assessed) > 1 else ""
    end = "" if best["tau_b"] >= GOOD else f"; good agreement begins at {prose(GOOD)}"
    return (
        f"Mean losses under `{best['noise']}` {_verb(best)} the {best['conditions']} conditions "
        f"like natural noise does: tau_b {prose(best['tau_b'])} ({_pairs(best)}, "
        f"{best['documents']} documents){among}{end}."
    )


def _verb(best: Mapping[Any, Any]) -> str:
    if not best["same_order"] > best["opposite_order"]:
        return "are not shown to rank"
    is_good = best["tau_b"] >= GOOD and not best["opposite_order"]
    return (
        "rank" if is_good and 2 * best["same_order"] >= best["natural_settled"] else "partly rank"
    )


def _pairs(row: Mapping[Any, Any]) -> str:
    """How many of the pairs that natural noise settles the distortion settles alike."""
    opposite = f", {row['opposite_order']:.0f} the other way" if row["opposite_order"] else ""
    return (
        f"of {row['natural_settled']:.0f} pairs that natural noise settles it settles "
        f"{row['same_order']:.0f} alike{opposite}"
    )


def _loss_tables(losses: pd.DataFrame) -> Iterator[Table]:
    """Conditions by noises, natural noise first; a few distortions per table."""
    noises = noises_of(losses)
    means = {noise: matrix(losses, noise).mean() for noise in [NATURAL, *noises]}
    for start in range(0, len(noises), COLUMNS):
        shown = [NATURAL, *noises[start : start + COLUMNS]]
        table = empty_table(["condition"], shown)
        for engine in losses["engine"].unique():
            values = (number(means[noise].get(engine, np.nan)) for noise in shown)
            table.add_row(Text(plain(engine)), *values)
        yield table


def _agreement_table(ranks: pd.DataFrame, conditions: pd.DataFrame) -> TextTable:
    def spearman(row: Row) -> str:
        if conditions.empty:
            return number(np.nan)
        return number(conditions[conditions["noise"] == row["noise"]]["spearman"].median())

    columns = (
        text_column("noise"),
        Column("tau_b", lambda row: "not assessed" if row["reason"] else prose(row["tau_b"])),
        Column("same order", lambda row: _settled_share(row, "same_order")),
        Column("opposite", lambda row: _settled_share(row, "opposite_order")),
        Column("Spearman", spearman),
        number_column("loss"),
        number_column("natural_loss", "natural"),
        value_column("conditions"),
        value_column("documents"),
    )
    return make_table(columns, ranks)


def _settled_share(row: Row, name: str) -> str:
    return "" if row["reason"] else f"{row[name]:.0f} of {row['natural_settled']:.0f}"


_SHAPES = (
    text_column("noise"),
    Column("lost [95 %]", lambda row: _value_with_ends(row, "lost")),
    Column("small loss", lambda row: percent(row["small_loss"])),
    value_column("conditions"),
    value_column("documents"),
    value_column("outputs"),
)


_TAGS = (
    text_column("tag"),
    value_column("photographs"),
    value_column("documents"),
    Column("natural loss [95 %]", lambda row: _value_with_ends(row, "natural_loss")),
    Column(
        "nearest distortion",
        lambda row: row["nearest"] or f"- (n is {row['documents']})",
        is_text=True,
    ),
    number_column("nearest_loss", "its loss"),
)


def _value_with_ends(row: Row | pd.Series, name: str) -> str:
    return prose(row[name]) + ends(row["ci_low"], row["ci_high"], prose)
