"""Prints what each mitigation wins back, and writes its tables and figure."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from rich.table import Table
from rich.text import Text

from ohr.analysis.mitigations.arms import Arm
from ohr.analysis.mitigations.costs import arm_costs
from ohr.analysis.mitigations.figure import gains_figure
from ohr.analysis.mitigations.table import unpaired_lines, won_back
from ohr.display.columns import Column, make_table, text_column
from ohr.display.labels import interval_units, shown_measures
from ohr.display.terminal import empty_table, print_caption, say, say_files, show, terminal_table
from ohr.display.verdicts import effect_text
from ohr.display.wording import counted, is_shown
from ohr.errors import OhrError
from ohr.files.safe_text import plain
from ohr.metrics.labels import heading
from ohr.statistics.numbers import number, percent
from ohr.store.csv import write_csv
from ohr.study.results import StudyRun

UNBOUNDED = "unbounded"
GAINS, COSTS = "mitigations.csv", "mitigation_costs.csv"


def report(run: StudyRun, arms: Sequence[Arm], left_out: Sequence[str], natural: str) -> None:
    """Write the tables, draw the figure, and print all questions and pages. Raises OhrError."""
    table = won_back(run, arms, natural)
    if table.empty:
        raise OhrError("there is no noise: set noise=[…], or --natural for photographs")
    costs = arm_costs(run, arms, natural)
    write_csv(run.path / GAINS, table)
    write_csv(run.path / COSTS, costs)
    titles = _titles(run)
    names = list(dict.fromkeys(arm.name for arm in arms))
    of_all = table[table["group"] == "all"]
    for line in _verdicts(of_all, titles):
        say(line)
    say(f"Pages and questions of {counted(int(of_all['n_documents'].max()), 'document')}.")
    print()
    for (engine, noise), rows in of_all.groupby(["engine", "noise"], sort=False):
        show(_gains(f"{engine}, {noise}", rows, titles))
    for engine, rows in costs.groupby("engine", sort=False):
        show(_costs(str(engine), rows))
    lines = [*left_out, *unpaired_lines(run, natural)]
    for line in (f"left out: {line}" for line in lines):
        print_caption(line)
    figures = gains_figure(of_all, titles, names, run.path / "figures")
    say_files([run.path / GAINS, run.path / COSTS, *figures])


def _titles(run: StudyRun) -> dict[tuple[str, str], str]:
    """Stage and metric -> its title."""
    shown = {(stage, metric): title for stage, metric, title in shown_measures(run.cells)}
    return {
        (str(info.stage), info.metric): shown.get((str(info.stage), info.metric), info.title)
        for info in run.metric_infos
    }


def _gains(title: str, rows: pd.DataFrame, titles: dict[tuple[str, str], str]) -> Table:
    table = empty_table(
        ["arm"],
        ["gain (95 %)", "won back (95 %)", "harm (95 %)"],
        title=plain(title),
        caption=(
            f"95 % intervals over {interval_units(rows['ci_unit'])}; * p at most 0.05, all gains "
            f"of a metric together. Won back: gain over loss; {UNBOUNDED} where the loss may be 0. "
            "Harm: lost on clean pages."
        ),
    )
    for (stage, metric, retriever), group in rows.groupby(
        ["stage", "metric", "retriever"], sort=False
    ):
        lost = group.iloc[0]
        loss = _value_with_ends(lost["loss"], lost["loss_low"], lost["loss_high"])
        several = rows["retriever"].replace("", pd.NA).nunique() > 1
        of_retriever = f", {retriever}" if several and retriever else ""
        heading = f"{titles[str(stage), str(metric)]}{of_retriever}: loss"
        table.add_row(Text(plain(heading), style="bold"), Text(f"{loss} ", style="bold"))
        for row in group.to_dict("records"):
            star = "*" if is_shown(row["p_adjusted"]) else " "
            table.add_row(
                Text(plain(f"  {row['arm']}")),
                _value_with_ends(row["gain"], row["gain_low"], row["gain_high"]) + star,
                _value_with_ends(row["share"], row["share_low"], row["share_high"]),
                _value_with_ends(row["harm"], row["harm_low"], row["harm_high"]),
            )
    return table


def _value_with_ends(value: float, low: float, high: float) -> str:
    """``0.028 (−0.029 to 0.086)``; a dash for NaN."""
    if pd.isna(value):
        return "-"
    if np.isinf(low):
        return f"{number(value)} ({UNBOUNDED})"
    return number(value) if pd.isna(low) else f"{number(value)} ({number(low)} to {number(high)})"


def _costs(engine: str, rows: pd.DataFrame) -> Table:
    return terminal_table(
        make_table(_COSTS, rows),
        title=plain(f"{engine}: numbers changed, words added and CPU seconds of a page"),
        caption="Numbers changed: numbers of the page texts that the arm replaces or drops. Words "
        "added: words with the arm that the page texts without it lack.",
    )


def _seconds(key: str, heading: str) -> Column:
    return Column(heading, lambda row: "-" if pd.isna(row[key]) else f"{row[key]:.2f}")


_COSTS = (
    text_column("arm"),
    text_column("noise"),
    Column("numbers changed", lambda row: percent(row["numbers_changed"])),
    Column("words added", lambda row: percent(row["words_added"])),
    _seconds("cpu_s", "CPU s"),
    _seconds("base_cpu_s", "without"),
)


def _verdicts(rows: pd.DataFrame, titles: dict[tuple[str, str], str]) -> Iterator[str]:
    """A line for each metric: arms shown to help or harm under noise, and any harm when clean."""
    for (stage, metric), group in rows.groupby(["stage", "metric"], sort=False):
        shown = group[group["p_adjusted"].map(is_shown)]
        harms = group[group["harm_low"] > 0]
        parts = [
            _named("better under noise", shown[shown["gain"] > 0]),
            _named("worse under noise", shown[shown["gain"] < 0]),
            _named(
                "worse on clean pages, by an interval that is not corrected",
                harms.assign(noise="").drop_duplicates(_ARM),
            ),
        ]
        text = "; ".join(filter(None, parts)) or "no arm is shown to help or to harm"
        yield f"{heading(titles[str(stage), str(metric)])}: {text}."


_ARM = ["engine", "retriever", "arm"]


def _named(what: str, rows: pd.DataFrame) -> str:
    names = [
        f"{row['engine']} + {row['arm']}"
        + _brackets(row["noise"], row["retriever"])
        + (f" by {_tested(row)}" if row["noise"] else "")
        for row in rows.to_dict("records")
    ]
    return f"{what}: {', '.join(names)}" if names else ""


def _tested(row: Mapping[Hashable, Any]) -> str:
    """The gain of an arm, as it is shown."""
    sign = 1 if row["gain"] > 0 else -1
    low, high = sorted(sign * row[f"gain_{end}"] for end in ("low", "high"))
    documents = int(row["n_documents"])
    return effect_text(abs(row["gain"]), low, high, row["p_adjusted"], documents)


def _brackets(*parts: str) -> str:
    text = ", ".join(part for part in parts if part)
    return f" ({text})" if text else ""
