"""Prints which answers can be trusted, and writes the tables and the figure."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from rich.table import Table
from rich.text import Text

from ohr.analysis.trust.figure import draw_trust
from ohr.analysis.trust.signals import CONFIDENT
from ohr.analysis.trust.table import CHECKED, COMBINED, FEWEST, RISKS, name_of, trust
from ohr.display.notes import note_lines, run_notes
from ohr.display.terminal import empty_table, print_caption, say, show
from ohr.display.wording import counted
from ohr.files.safe_text import plain
from ohr.statistics.numbers import interval, number, percent, prose, prose_interval
from ohr.store.csv import write_csv
from ohr.study.opening import open_runs

SIGNALS_FILE, PROMISES_FILE = "trust.csv", "promises.csv"
Row = Mapping[Hashable, Any]


def report_trust(path: Path, metric: str, right: float, risks: Sequence[float], out: Path) -> int:
    """Print and write the trust of a finished run. Raises OhrError."""
    [run] = open_runs([path])
    chosen = tuple(risks) or RISKS
    result = trust(run, metric, right, chosen)
    write_csv(out / SIGNALS_FILE, result.signals)
    write_csv(out / PROMISES_FILE, result.promises)
    for line in sentences(result.signals, result.promises):
        say(line)
    print()
    show(_table(result.signals, chosen))
    figures = draw_trust(result.answers, result.signals, out)
    readers = result.signals["reader"].unique().tolist()
    for line in note_lines(readers, run_notes([run])):
        print_caption(line)
    for each in figures:
        print(f"figure: {each}")
    print(f"signals: {out / SIGNALS_FILE}\npromises: {out / PROMISES_FILE}")
    return 0


def sentences(signals: pd.DataFrame, promises: pd.DataFrame) -> list[str]:
    """What can be said of each condition, by its best signal; what is the same of several, once."""
    names: dict[str, list[str]] = {}
    for name, text in _statements(signals, promises):
        names.setdefault(text, []).append(name)
    return [f"{', '.join(dict.fromkeys(own))}: {text}" for text, own in names.items()]


def _statements(signals: pd.DataFrame, promises: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """Of which knowledge base, and what."""
    for _, group in signals.groupby(
        ["knowledge_base", "system", "retriever", "reader"], sort=False
    ):
        rows = group.to_dict("records")
        base = next((row for row in rows if row["signal"] == COMBINED), rows[0])
        for text in (_check(base), *_broken_line(base)):
            yield _name(base), text
        own = next((row for row in rows if row["signal"] == CONFIDENT), None)
        if own is not None and not math.isnan(own["ece"]):
            yield (
                _name(own),
                f"the reader's own confidence is off by {estimate(own, 'ece')} on average "
                "(expected calibration error).",
            )
    for row in promises.to_dict("records"):
        if row["signal"] == COMBINED or _is_alone(promises, row):
            yield _name(row), _promise(row)


def _is_alone(promises: pd.DataFrame, row: Row) -> bool:
    mine = promises[promises["knowledge_base"] == row["knowledge_base"]]
    return COMBINED not in set(mine["signal"])


def _name(row: Row) -> str:
    return str(row["knowledge_base"])


def _size(row: Row) -> str:
    return f"{row['n']:,} answers on {counted(row['n_clusters'], row['unit'] or 'document')}"


def estimate(row: Row, name: str) -> str:
    """A value with its interval."""
    ends = row[f"{name}_ci_low"], row[f"{name}_ci_high"]
    if any(map(math.isnan, ends)):
        return prose(row[name])
    return f"{prose(row[name])} (95 % CI {prose_interval(*ends)})"


def _check(row: Row) -> str:
    if math.isnan(row["found"]):
        return (
            f"which answers to check cannot be said with {_size(row)}: it takes {FEWEST} "
            "documents, and wrong answers."
        )
    ends = percent(row["found_ci_low"]), percent(row["found_ci_high"])
    return (
        f"check the {percent(CHECKED)} least sure answers by hand: that finds "
        f"{percent(row['found'])} of the wrong ones (95 % CI {ends[0]} to {ends[1]}; at most "
        f"{percent(min(1.0, CHECKED / row['wrong']))} are possible); "
        f"{percent(row['wrong'])} of {_size(row)} are wrong (by {row['signal']})."
    )


def _broken_line(row: Row) -> list[str]:
    if not row["baseline"]:
        return []
    counts = f"{row['n_broken']:,} answers were right with {row['baseline']} and are wrong now"
    if math.isnan(row["broken"]):
        return [f"{counts}: which ones cannot be said with so few."]
    lines = [
        f"{counts}; they look less sure than those still right in "
        f"{estimate(row, 'broken')} of all pairs (AUROC; 0.5 is chance)."
    ]
    if not math.isnan(row["found_broken"]):
        ends = percent(row["found_broken_ci_low"]), percent(row["found_broken_ci_high"])
        lines.append(
            f"check the {percent(CHECKED)} of the answers that look most like broken "
            f"ones: that finds {percent(row['found_broken'])} of those that OCR broke (95 % CI "
            f"{ends[0]} to {ends[1]})."
        )
    return lines


def _promise(row: Row) -> str:
    head = f"at most {percent(row['risk'])} wrong, promised on {row['baseline']}"
    if not row["has_threshold"]:
        return f"{head}: cannot be said with {_size(row)}: no threshold keeps it."
    high, low = row["noisy_risk_ci_high"], row["noisy_risk_ci_low"]
    verdict = (
        "is kept" if high <= row["risk"] else "is broken" if low > row["risk"] else "may be kept"
    )
    return (
        f"{head}: {verdict} ({estimate(row, 'noisy_risk')} wrong); "
        f"{percent(row['noisy_coverage'])} of the questions are answered, on "
        f"{row['baseline']} {percent(row['clean_coverage'])}."
    )


def _table(signals: pd.DataFrame, risks: Sequence[float]) -> Table:
    most = [f"answered at {percent(risk)} wrong" for risk in risks]
    printed = empty_table(
        ["knowledge base", "signal"],
        ["wrong", "AURC", "excess", *most, "found in 10 %", "AUROC broken"],
    )
    for row in signals.to_dict("records"):
        values = [row["wrong"], row["aurc"], row["excess"], *(row[name_of(risk)] for risk in risks)]
        printed.add_row(
            Text(plain(_name(row))),
            row["signal"],
            *("-" if math.isnan(value) else number(value) for value in values),
            "-" if math.isnan(row["found"]) else percent(row["found"]),
            broken_cell(row),
        )
    return printed


def broken_cell(row: Row) -> str:
    """How well a signal finds answers that OCR broke, for the table."""
    if math.isnan(row["broken"]):
        return "-"
    ends = row["broken_ci_low"], row["broken_ci_high"]
    return f"{number(row['broken'])} {interval(*ends)}"
