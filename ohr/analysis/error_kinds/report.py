"""Prints, writes and draws what each kind of error costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import pandas as pd

from ohr.analysis.error_kinds.figure import draw_kinds
from ohr.analysis.error_kinds.repairs import Repairs
from ohr.analysis.error_kinds.table import NAMES, TITLES, kind_costs, kind_table
from ohr.display.columns import Column, Row, make_table, number_column, text_column, value_column
from ohr.display.labels import interval_units
from ohr.display.terminal import print_caption, say, say_files, show, terminal_table
from ohr.display.text_tables import TextTable, write_table
from ohr.display.verdicts import effect_text
from ohr.display.wording import is_shown
from ohr.metrics.labels import heading
from ohr.ocr.progress import Progress
from ohr.ocr_errors.words import cached_page_words
from ohr.statistics import too_few
from ohr.statistics.numbers import ends, number, percent, prose
from ohr.store.csv import write_csv
from ohr.study.opening import open_runs


def report_kinds(
    path: Path,
    out: Path,
    engine: str,
    documents: int,
    each: int,
    orders: int,
    seed: int,
    distances: Sequence[int] = (),
    noise: str = "",
    chosen: Sequence[str] = (),
    halves: bool = True,
) -> int:
    """Print the cost of each kind of error in a run, and write it; returns 0. Raises OhrError.

    With ``chosen`` kinds no places are measured.
    """
    [run] = open_runs([path])
    with run.loading():
        costs = kind_costs(
            run.plan,
            Progress(),
            engine,
            documents=documents,
            each=each,
            orders=orders,
            seed=seed,
            distances=distances,
            noise=noise,
            kinds=chosen,
            by_place=not chosen,
            halves=halves,
        )
    losses, places = costs.losses, costs.places
    kinds = kind_table(costs.repairs, _words(costs.repairs))
    setting, questions = costs.setting, costs.plan.questions
    documents = len({question.doc_id for question in questions})
    described = (
        f"{costs.variant.label}; {setting.chunker}, {setting.retriever}, {setting.reader}; "
        f"{len(questions)} questions of {documents} documents"
    )
    for line in verdict_lines(losses, places):
        say(line)
    say(f"Measured on {described}.")
    print()
    if count := costs.repairs.uncompared:
        print(f"not compared: {count:,} pages whose truth has no known order of words")
    files = [out / "error_losses.csv"]
    write_csv(files[0], losses)
    if not places.empty:
        files.append(out / "error_places.csv")
        write_csv(files[-1], places)
    table = kinds_text(kinds, losses)
    show(terminal_table(table, title="errors by kind"))
    print_caption(table.caption)
    for name, rows in (("kinds", losses), ("places", places)):
        if rows.empty:
            continue
        files += write_table(out, f"loss_by_{name}", rows, losses_text(rows))
    print_caption("loss per question of each kind and place, with intervals: loss_by_*.md")
    files += write_table(out, "error_kinds", kinds, table)
    say_files([*files, *draw_kinds(kinds, losses, out / "figures", [described])])
    return 0


def verdict_lines(losses: pd.DataFrame, places: pd.DataFrame) -> Iterator[str]:
    """Of each outcome, the kind and the place of errors that cost most per question."""
    whole = losses[losses["group"] == "all"]
    if reason := too_few(int(whole["n_documents"].max())):
        yield f"Nothing can be shown: {reason}."
    for outcome in dict.fromkeys(whole["outcome"]):
        parts = [f"most is lost to {_costliest(whole, outcome)} per question"]
        if not places.empty:
            place_rows = places[places["group"] == "all"]
            parts.append(f"by place, to {_costliest(place_rows, outcome)}")
        yield f"{heading(outcome_title(outcome))}: {'; '.join(parts)}."


def _costliest(losses: pd.DataFrame, outcome: str) -> str:
    """The kind with the largest mean loss, with its test if one is possible."""
    rows = losses[losses["outcome"] == outcome]
    worst = rows.sort_values("loss", ascending=False, kind="stable").iloc[0]
    name, documents = NAMES.get(worst["kind"], worst["kind"]), int(worst["n_documents"])
    if too_few(documents):
        return f"{name}, {prose(worst['loss'])}"
    low, high, p = (worst[f"loss_{part}"] for part in ("ci_low", "ci_high", "p"))
    return f"{name}, {effect_text(worst['loss'], low, high, p, documents)}"


def _words(repairs: Repairs) -> int:
    dataset, scopes = repairs.plan.dataset, set(repairs.plan.units.scopes)
    return sum(
        len(cached_page_words(page.text).words)
        for ref, page in dataset.pages.items()
        if repairs.plan.units.scope_of_document(ref.doc_id) in scopes
    )


def kinds_text(kinds: pd.DataFrame, losses: pd.DataFrame) -> TextTable:
    """One line per kind: how frequent it is, and its shares of characters and losses."""
    overall = losses[losses["group"] == "all"]
    shares = overall.pivot(index="kind", columns="outcome", values="share")
    rows = kinds.assign(name=kinds["kind"].map(NAMES)).join(shares, on="kind")
    columns = [
        text_column("name", "kind"),
        value_column("errors"),
        Column("per 1,000 words", lambda row: f"{row['errors_per_1000_words']:.1f}"),
        Column("wrong characters", lambda row: percent(row["share_of_characters"])),
        *(
            Column(outcome_title(name), partial(_share, name=name))
            for name in dict.fromkeys(losses["outcome"])
        ),
    ]
    return make_table(
        columns,
        rows,
        "wrong characters and losses: each kind's share; shares add up to 100 %; a kind whose "
        "repair lowers the score has a negative share; no share where the whole loss may be 0",
    )


def _share(row: Row, name: str) -> str:
    return "-" if pd.isna(row[name]) else percent(row[name])


def outcome_title(outcome: str) -> str:
    """The name of an outcome in tables and figures."""
    return TITLES.get(outcome, outcome.partition(":")[2])


def losses_text(losses: pd.DataFrame) -> TextTable:
    """One line per outcome and label, over all questions."""
    rows = losses[losses["group"] == "all"].copy()
    rows["name"] = [NAMES.get(kind, kind) for kind in rows["kind"]]
    rows["title"] = rows["outcome"].map(outcome_title)
    half = Column("gain if half are repaired", partial(_tested, name="half"))
    columns = [
        text_column("title", "score"),
        text_column("name", "errors"),
        Column("loss per question", partial(_tested, name="loss")),
        Column("share", _share_with_ends),
        *([half] if "half" in rows else []),
        Column("loss if alone in the truth", partial(_tested, name="alone")),
        number_column("per_1000_errors", "loss per 1,000 errors"),
        Column("over orders", _orders),
    ]
    units = interval_units(losses["ci_unit"])
    caption = [
        "losses per question add up to the whole loss",
        f"in brackets 95 % intervals for further {units}" if units else "too few documents",
        "*: shown (adjusted p at most 0.05, all kinds as one family)",
        "loss per 1,000 errors: summed over the questions",
        "over orders: the lowest and the highest loss",
    ]
    return make_table(columns, rows, "; ".join(caption))


def _share_with_ends(row: Row) -> str:
    if pd.isna(row["share"]):
        return "-"
    return percent(row["share"]) + ends(row["share_ci_low"], row["share_ci_high"], percent)


def _orders(row: Row) -> str:
    return f"{number(row['order_low'])} to {number(row['order_high'])}"


def _tested(row: Row, name: str) -> str:
    star = "*" if is_shown(row[f"{name}_p"]) else ""
    return number(row[name]) + star + ends(row[f"{name}_ci_low"], row[f"{name}_ci_high"])
