"""How often ``ohr recommend`` stops early with the verdict of all pages, and how often it errs.

    ohr quality estimate my_pdfs --engines tesseract,rapidocr --budget 200 --out runs/quality
    python -m benchmarks.stopping runs/quality/quality.csv [--runs 200]

The predicted errors of a table are taken as the pages' errors. Each run reads them in another
random order, in batches, and stops by the rule of ``recommend``. ``equal`` is the share of runs
that end with the engine of all pages; ``same`` counts also those that end with an engine whose mean
error on all pages differs by less than ``CLOSE``. ``pages`` is the mean share of pages that were
read, ``significant`` the share of runs that call an engine significantly worse than another, and
``wrong`` the share that do so although it has fewer errors on all pages.

In the second table no engine is better: in each run the two engines of a pair are exchanged on a
random half of the units, documents or pages, so each significant difference is a false winner.
``each look at 95 %`` is the same without the correction for several looks. Target: ``same`` .95,
``pages`` .35, false winners .05.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from rich.table import Table

from ohr.adviser.quality.table import DECIDES
from ohr.adviser.recommend.batches import look_alpha, look_sizes, spread_order, stop_reason
from ohr.adviser.recommend.decision import decide
from ohr.adviser.recommend.verdicts import CLOSE, MeasureVerdict, error_verdict
from ohr.display.terminal import show
from ohr.statistics.inference import ALPHA
from ohr.types import PageRef

KEYS = ["doc_id", "page_no"]


def read_table(path: Path) -> pd.DataFrame:
    """A ``quality.csv`` with the columns of the table in memory, pages that all engines read."""
    table = pd.read_csv(path).rename(columns={"document": "doc_id", "page": "page_no"})
    table = table[table[f"{DECIDES}_mean"].notna()]
    engines = table["engine"].nunique()
    return table[table.groupby(KEYS)["engine"].transform("size") == engines]


def seconds_of(table: pd.DataFrame) -> Mapping[str, float]:
    """Median CPU seconds of each engine."""
    return {str(name): float(rows["cpu_s"].median()) for name, rows in table.groupby("engine")}


@dataclass(frozen=True)
class End:
    """The end of a simulated run: the verdict, the number of pages read, and why no more."""

    verdict: MeasureVerdict
    pages: int
    stop: str

    def taken(self, seconds: Mapping[str, float]) -> str:
        """The engine that would be recommended for such pages without a layer."""
        return decide([replace(self.verdict, needs_ocr=True)], seconds).engine


def simulate(table: pd.DataFrame, seed: int, *, corrected: bool = True) -> End:
    """Read the pages of ``table`` in batches, in the order of ``seed``."""
    refs = [PageRef(str(doc), int(page)) for doc, page in table[KEYS].drop_duplicates().to_numpy()]
    order = {ref: place for place, ref in enumerate(spread_order(refs, seed))}
    places = np.array([order[PageRef(str(doc), int(page))] for doc, page in table[KEYS].to_numpy()])
    sizes = look_sizes(len(order))
    before = 0
    for size in sizes:
        part = table[places < size]
        alpha = look_alpha(size, before, len(order)) if corrected else ALPHA
        verdict = error_verdict(part, DECIDES, alpha)
        if stop := stop_reason(verdict):
            break
        before = size
    return End(verdict, size, stop or "all pages")


def agreement(table: pd.DataFrame, runs: int) -> list[str]:
    """A row of the first table."""
    seconds, means = seconds_of(table), table.groupby("engine")[f"{DECIDES}_mean"].mean()
    whole = End(error_verdict(table, DECIDES), 0, "").taken(seconds)
    ends = [simulate(table, seed) for seed in range(runs)]
    taken = [end.taken(seconds) for end in ends]
    same = [
        abs(means[name] - means[whole]) < CLOSE if name and whole else name == whole
        for name in taken
    ]
    called = [[each.engine for each in end.verdict.shown_worse] for end in ends]
    wrong = [
        any(means[name] < means[end.verdict.candidates[0].engine] for name in worse)
        for worse, end in zip(called, ends, strict=True)
    ]
    total = len(table[KEYS].drop_duplicates())
    stops = pd.Series([end.stop for end in ends]).value_counts()
    return [
        ", ".join(f"{name} {mean:.3f}" for name, mean in means.items()),
        whole,
        f"{np.mean(taken == np.array(whole)):.3f}",
        f"{np.mean(same):.3f}",
        f"{np.mean([end.pages for end in ends]) / total:.2f}",
        f"{np.mean(list(map(bool, called))):.2f}",
        f"{np.mean(wrong):.3f}",
        ", ".join(f"{name} {count}" for name, count in stops.items()),
    ]


def exchanged(table: pd.DataFrame, unit: Sequence[str], seed: int) -> pd.DataFrame:
    """The table of two engines, whose names are exchanged on a random half of the units."""
    first, second = table["engine"].unique()
    units = table.groupby(list(unit)).ngroup().to_numpy()
    swapped = np.random.default_rng(seed).random(units.max() + 1) < 0.5
    names = table["engine"].map({first: second, second: first})
    return table.assign(engine=table["engine"].where(~swapped[units], names))


def false_winners(table: pd.DataFrame, unit: Sequence[str], runs: int, *, corrected: bool) -> float:
    """The share of runs with a significant difference although no engine is better."""
    ends = [
        simulate(exchanged(table, unit, seed), seed, corrected=corrected) for seed in range(runs)
    ]
    return float(np.mean([bool(end.verdict.shown_worse) for end in ends]))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("quality", type=Path, help="quality.csv of at least two engines")
    parser.add_argument("--runs", type=int, default=200)
    options = parser.parse_args(arguments)
    table = read_table(options.quality)
    engines = list(table["engine"].unique())
    pages, documents = table[KEYS].drop_duplicates(), table["doc_id"].nunique()
    print(
        f"{len(pages)} pages of {documents} documents; looks after {look_sizes(len(pages))} pages"
    )
    groups = [*combinations(engines, 2), *([tuple(engines)] if len(engines) > 2 else [])]
    parts = {group: table[table["engine"].isin(group)] for group in groups}
    summary = Table(title=f"{options.runs} runs, each in another order")
    heads = ("mean errors", "all pages", "equal", "same", "pages", "significant", "wrong", "stops")
    for head in heads:
        summary.add_column(head, overflow="fold")
    for part in parts.values():
        summary.add_row(*agreement(part, options.runs))
    show(summary)
    winners = Table(title="false winners, exchanged by page and by document")
    for head in ("engines", "unit", "of all looks at 95 %", "each look at 95 %"):
        winners.add_column(head)
    for group, part in parts.items():
        if len(group) == 2:
            for unit in (KEYS, KEYS[:1]):
                rates = [
                    f"{false_winners(part, unit, options.runs, corrected=corrected):.3f}"
                    for corrected in (True, False)
                ]
                name = "page" if unit == KEYS else "document"
                winners.add_row(", ".join(group), name, *rates)
    show(winners)


if __name__ == "__main__":
    main()
