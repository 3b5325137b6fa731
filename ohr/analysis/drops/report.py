"""What noise costs each retriever."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
from rich.table import Table
from rich.text import Text

from ohr.analysis.drops.table import (
    BASE,
    SETTING,
    paired_drops,
)
from ohr.display.labels import group_label, parts_of
from ohr.display.terminal import number, p_value, show
from ohr.files.safe_text import plain
from ohr.store.csv import write_csv
from ohr.study.results import Run


def report(run: Run) -> None:
    """Write the drops, and print one row per retriever and evidence source."""
    drops = paired_drops(run)
    write_csv(run.path / "drops.csv", drops)
    for table in _tables(run, drops):
        show(table)
    print(f"drops: {run.path / 'drops.csv'}")


def _tables(run: Run, drops: pd.DataFrame) -> Iterator[Table]:
    """One table per noisy knowledge base, at the readers' number of hits."""
    if drops.empty:
        return
    k = run.plan.config.top_k
    metrics = [
        (info.metric, info.title, parts_of(info, run.metric_infos))
        for info in run.metric_infos
        if info.stage == "retrieval"
        and info.top_k in (None, k)
        and (info.shown or info.name in ("hit", "mrr"))
    ]
    for base, noisy in drops[drops["top_k"] == k].groupby(list(BASE), observed=True, sort=False):
        engine, perturbation, level, intensity = base
        noise = "" if perturbation == "none" else f", {perturbation} {level or intensity}"
        table = Table(
            header_style="bold",
            box=None,
            pad_edge=False,
            title=plain(f"{engine}{noise}, less {noisy['baseline'].iloc[0]}"),
            caption=f"p after Holm over each metric's {_tests(drops, k)} drops of this run",
            caption_justify="left",
        )
        for name in ("chunker", "retriever", "questions on"):
            table.add_column(name)
        for _, title, parts in metrics:
            table.add_column("drop", justify="right")
            table.add_column("95 %", justify="right")
            table.add_column("p", justify="right")
            for part in parts:
                table.add_column(f"drop: {part.title}", justify="right")
            table.add_column(title, justify="right")
            table.add_column("kept", justify="right")
        for key, of_group in noisy.groupby([*SETTING, "group"], observed=True, sort=False):
            chunker, retriever, group = map(str, key)
            cells = []
            for metric, _, parts in metrics:
                of_metric = of_group[of_group["metric"] == metric]
                if of_metric.empty:  # no question has a score that counts
                    cells += ["-"] * (5 + len(parts))
                    continue
                row = of_metric.iloc[0]
                low, high = number(row["drop_low"]), number(row["drop_high"])
                cells += [number(row["drop"]), f"{low} to {high}", p_value(row["drop_p_holm"])]
                for part in parts:
                    cells.append(
                        number(of_group.loc[of_group["metric"] == part.metric, "drop"].iloc[0])
                    )
                cells += [number(row["noisy"]), number(row["kept"])]
            first = group == "all"
            table.add_row(
                Text(plain(chunker) if first else ""),
                Text(plain(retriever) if first else ""),
                Text(plain(group_label(group))),
                *cells,
            )
        yield table


def _tests(drops: pd.DataFrame, k: int) -> int:
    """The number of drops of one metric over which p is corrected."""
    tested = drops[(drops["top_k"] == k) & drops["drop_p"].notna()]
    return int(tested.groupby("metric", observed=True).size().max()) if len(tested) else 0
