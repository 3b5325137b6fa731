"""What noise costs each retriever."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd
from rich.table import Table
from rich.text import Text

from ohr.analysis.drops.table import (
    BASE,
    SETTING,
    paired_drops,
)
from ohr.display.labels import group_label, parts_of
from ohr.display.notes import reader_notes
from ohr.display.terminal import (
    NARROW,
    add_columns,
    empty_table,
    noise_table,
    print_caption,
    say,
    say_files,
    show,
)
from ohr.display.verdicts import MOST_NAMED, effect_text, size_text
from ohr.display.wording import add_letters, listed, printed_letters
from ohr.files.safe_text import plain
from ohr.metrics.labels import heading
from ohr.statistics.numbers import number, p_value
from ohr.store.csv import write_csv
from ohr.study.metrics import MetricInfo
from ohr.study.results import StudyRun, knowledge_base_name


def report(run: StudyRun) -> None:
    """Write the drops, and print one row per retriever and evidence source."""
    drops = paired_drops(run)
    write_csv(run.path / "drops.csv", drops)
    for line in verdict_lines(run, drops):
        say(line)
    if drops.empty:
        print()
        show(noise_table(run.cells, reader_notes(run.readers)), NARROW)
    for table in _tables(run, drops):
        print()
        show(table, NARROW)
    if line := printed_letters(drops.attrs["ties"]):
        print_caption(line)
    say_files([run.path / "drops.csv"])


def verdict_lines(run: StudyRun, drops: pd.DataFrame) -> Iterator[str]:
    """What the worst knowledge base costs each retriever in the first metric; and the sizes."""
    if drops.empty:
        yield "No loss is measured: name an engine besides gt, or a noise."
        return
    info = _metrics(run)[0]
    rows = drops[
        (drops["top_k"] == run.plan.config.top_k)
        & (drops["metric"] == info.metric)
        & (drops["group"] == "all")
        & drops["drop"].notna()
    ]
    if rows.empty:
        yield f"No question has a {info.label} that counts."
        return
    bases = dict(list(rows.groupby(list(BASE), observed=True, sort=False)))
    worst = max(bases.values(), key=lambda base: float(base["drop"].mean()))
    ranked = worst.sort_values("drop", ascending=False).to_dict("records")
    several = worst["chunker"].nunique() > 1
    names = [
        f"{row['chunker']} + {row['retriever']}" if several else row["retriever"] for row in ranked
    ]
    losses = [
        f"{name} loses "
        + effect_text(
            row["drop"],
            row["drop_low"],
            row["drop_high"],
            row["drop_p_adjusted"],
            row["n_documents"],
        )
        for name, row in zip(names[:MOST_NAMED], ranked, strict=False)
    ]
    base = knowledge_base_name(worst.iloc[0])
    yield f"{base}, compared with {ranked[0]['baseline']}: of {info.label}, {'; '.join(losses)}."
    if others := names[MOST_NAMED:]:
        yield f"They lose less by measured score, see the table: {listed(others)}."
    yield size_text(int(ranked[0]["n"]), int(ranked[0]["n_documents"]))


def _metrics(run: StudyRun) -> list[MetricInfo]:
    """The metrics of retrieval that are printed, at the readers' number of hits."""
    k = run.plan.config.top_k
    return [
        info
        for info in run.metric_infos
        if info.stage == "retrieval"
        and info.top_k in (None, k)
        and (info.shown or info.name in ("hit", "mrr"))
    ]


def _tables(run: StudyRun, drops: pd.DataFrame) -> Iterator[Table]:
    """One table per noisy knowledge base and metric, at the readers' number of hits."""
    if drops.empty:
        return
    k = run.plan.config.top_k
    metrics = _metrics(run)
    for base, noisy in drops[drops["top_k"] == k].groupby(list(BASE), observed=True, sort=False):
        engine, perturbation, level, intensity = base
        noise = "" if perturbation == "none" else f", {perturbation} {level or intensity}"
        title = f"{engine}{noise}, less {noisy['baseline'].iloc[0]}"
        for info in metrics:
            yield _table(noisy, info, parts_of(info, run.metric_infos), title, _tests(drops, k))


def _table(
    noisy: pd.DataFrame, info: MetricInfo, parts: Sequence[MetricInfo], title: str, tests: int
) -> Table:
    """One row per chunker, retriever and group of questions, of one metric."""
    table = empty_table(
        ["chunker", "retriever", "questions on"],
        ["drop"],
        title=plain(f"{heading(info.label)}: {title}"),
        caption=f"p and intervals: each metric's {tests} drops of this run together",
    )
    add_columns(table, ["95 %"], justify="right", no_wrap=True)
    add_columns(table, ["p", *(f"drop: {part.title}" for part in parts)], justify="right")
    add_columns(table, [info.title], no_wrap=True)
    add_columns(table, ["kept"], justify="right")
    for key, of_group in noisy.groupby([*SETTING, "group"], observed=True, sort=False):
        chunker, retriever, group = map(str, key)
        metric_rows = of_group[of_group["metric"] == info.metric]
        if metric_rows.empty:  # no question has a score that counts
            cells = ["-"] * (5 + len(parts))
        else:
            row = metric_rows.iloc[0]
            of_parts = (of_group[of_group["metric"] == part.metric] for part in parts)
            cells = [
                number(row["drop"]),
                f"{number(row['drop_low'])} to {number(row['drop_high'])}",
                p_value(row["drop_p_adjusted"]),
                *(number(part["drop"].iloc[0]) for part in of_parts),
                add_letters(number(row["noisy"]), row["letters"]),
                number(row["kept"]),
            ]
        first = group == "all"
        table.add_row(
            Text(plain(chunker) if first else ""),
            Text(plain(retriever) if first else ""),
            Text(plain(group_label(group))),
            *cells,
        )
    return table


def _tests(drops: pd.DataFrame, k: int) -> int:
    """The number of drops of one metric over which p is corrected."""
    tested = drops[(drops["top_k"] == k) & drops["drop_p"].notna()]
    return int(tested.groupby("metric", observed=True).size().max()) if len(tested) else 0
