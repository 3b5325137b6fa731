"""The tables of the prototypes, as in the paper."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd

from experiments.papers.prototypes.table import GOLD
from ohr.display.columns import Column, make_table, text_column
from ohr.display.text_tables import TextTable
from ohr.display.wording import excluded, is_shown
from ohr.statistics.numbers import ends, number, p_value, signed


def mean_table(means: pd.DataFrame) -> TextTable:
    """Means over the runs: knowledge bases and prototypes in rows, metrics in columns."""
    titles = dict(zip(means["metric"], means["title"], strict=True))
    metrics = [metric for metric in titles if not metric.endswith("_clean")]
    rows = []
    for (base, name), runs_of_prototype in means.groupby(
        ["knowledge_base", "prototype"], sort=False
    ):
        by_metric = runs_of_prototype.groupby("metric")["mean"].mean()
        runs = runs_of_prototype["run"].nunique()
        rows.append(
            [str(base), str(name), str(runs), *(number(by_metric[metric]) for metric in metrics)]
        )
    header = ["knowledge base", "prototype", "runs", *(titles[metric] for metric in metrics)]
    return TextTable(header, rows, "Means over the runs of each prototype", left=2)


def step_table(tests: pd.DataFrame) -> TextTable:
    """Table 2 over the runs: each step's difference with its interval, p after Holm, (+) better or
    (−) worse, and Cohen's d; or what is excluded.
    """
    caption = (
        "Successive prototypes over their runs: the later less the earlier with its 95 % interval; "
        "(+) better or (−) worse and Cohen's d where a difference is shown; two-tailed, Welch's "
        f"test if Levene's test finds unequal variances{_family(tests)}"
    )
    return TextTable(*_step_rows(tests, _tested), caption, left=2)


def _tested(row: Mapping[Hashable, Any]) -> str:
    if row["test"] == "none":
        return "equal runs" if row["difference"] == 0 else f"{signed(row['difference'])}, no test"
    if not is_shown(row["p_adjusted"]):
        return _not_shown(row)
    sign = "+" if row["better"] > 0 else "−"
    p = p_value(row["p_adjusted"])
    return f"{_difference(row)} ({sign}), p {p}, d {row['cohens_d']:.2f}"


def paired_table(pairs: pd.DataFrame) -> TextTable:
    """The same steps paired by question, with intervals over documents."""
    caption = (
        "The same steps, paired by question: difference, 95 % interval over documents, p of the "
        f"cluster sign-flip test{_family(pairs)}"
    )
    return TextTable(*_step_rows(pairs, _paired), caption, left=2)


def _paired(row: Mapping[Hashable, Any]) -> str:
    if row["difference"] == 0 and row["ci_low"] == row["ci_high"] == 0:
        return "equal"
    if not is_shown(row["p_adjusted"]):
        return _not_shown(row)
    return f"{_difference(row)}, p {p_value(row['p_adjusted'])}"


def _not_shown(row: Mapping[Hashable, Any]) -> str:
    """A difference that is not shown, and the largest that is not excluded."""
    p = "" if pd.isna(row["p_adjusted"]) else f", p {p_value(row['p_adjusted'])}"
    return f"{_difference(row)}, not shown ({excluded(row['ci_low'], row['ci_high'])}){p}"


def _difference(row: Mapping[Hashable, Any]) -> str:
    interval = ends(row["ci_low"], row["ci_high"], signed)
    return f"{signed(row['difference'])}{interval}"


def _family(frame: pd.DataFrame) -> str:
    named = "" if frame.empty else frame["family"].iloc[0]
    return named and f"; {named}"


def _step_rows(frame: pd.DataFrame, text: Any) -> tuple[list[str], list[list[str]]]:
    if frame.empty:
        return ["knowledge base", "metric"], []
    names = list(dict.fromkeys(frame["step"]))
    rows = []
    for (base, metric), some in frame.groupby(["knowledge_base", "metric"], sort=False):
        by_step = {row["step"]: text(row) for row in some.to_dict("records")}
        rows.append([str(base), str(metric), *(by_step.get(name, "-") for name in names)])
    return ["knowledge base", "metric", *names], rows


def flag_table(flags: pd.DataFrame) -> TextTable:
    """Share of flagged answers, on OCR output and on the ground truth."""
    names = list(dict.fromkeys(flags["flag"]))
    rows = []
    for (base, prototype), some in flags.groupby(["knowledge_base", "prototype"], sort=False):
        by_flag = some.set_index("flag")
        cells = [
            f"{by_flag.loc[name, 'read']:.3f} / {by_flag.loc[name, 'truth']:.3f}" for name in names
        ]
        rows.append([str(base), str(prototype), *cells])
    caption = (
        "Share of answers that are flagged, on OCR output / on the ground truth; "
        f"{GOLD}: answers that quote the evidence itself, where OCR output differs"
    )
    return TextTable(["knowledge base", "prototype", *names], rows, caption, left=2)


def cost_table(costs: pd.DataFrame) -> TextTable:
    """The cost of each prototype."""
    amounts = {
        "answers": "answers",
        "context_tokens": "context tokens per answer",
        "prompt_tokens": "tokens read per answer",
        "completion_tokens": "tokens written per answer",
        "cpu_index_s": "CPU s to index",
        "cpu_answer_s": "CPU s to answer",
        "indexed_texts": "texts indexed",
        "indexed_characters": "characters indexed",
        "contexts_cut": "contexts cut",
        "replies_fixed": "replies fixed",
        "replies_malformed": "malformed",
    }
    columns = [text_column("prototype"), *(_amount(key, title) for key, title in amounts.items())]
    caption = (
        "Cost of each prototype over all knowledge bases and runs; context tokens are estimated"
    )
    return make_table(columns, costs, caption)


def _amount(key: str, title: str) -> Column:
    return Column(title, lambda row: f"{row[key]:,.1f}".removesuffix(".0"))
