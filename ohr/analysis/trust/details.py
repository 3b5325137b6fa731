"""What can be said of each condition of a trust analysis, as Markdown."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from ohr.analysis.trust.signals import CONFIDENT, SETTING
from ohr.analysis.trust.table import CHECKED, COMBINED, FEWEST, name_of
from ohr.display.text_tables import TextTable, escape_markdown
from ohr.display.wording import counted
from ohr.statistics.numbers import ends, number, percent, prose, prose_interval

Row = Mapping[Hashable, Any]


def details(
    verdict: str,
    table: TextTable,
    signals: pd.DataFrame,
    promises: pd.DataFrame,
    risks: Sequence[float],
    notes: Sequence[str],
) -> str:
    """The whole result as Markdown: verdict, table, a sentence per condition, every signal."""
    lines = [f"- {escape_markdown(line)}" for line in sentences(signals, promises)]
    parts = [
        "# Which answers can be trusted",
        escape_markdown(verdict),
        table.markdown().strip(),
        "## By condition",
        "\n".join(lines),
        "## By signal",
        signals_table(signals, risks).markdown().strip(),
        *map(escape_markdown, notes),
    ]
    return "\n\n".join(parts) + "\n"


def sentences(signals: pd.DataFrame, promises: pd.DataFrame) -> list[str]:
    """What can be said of each condition, by its best signal; what is the same of several, once."""
    names: dict[str, list[str]] = {}
    for name, text in _statements(signals, promises):
        names.setdefault(text, []).append(name)
    return [f"{', '.join(dict.fromkeys(own))}: {text}" for text, own in names.items()]


def _statements(signals: pd.DataFrame, promises: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """Of which knowledge base, and what."""
    signals, promises = name_conditions(signals), name_conditions(promises)
    for _, group in signals.groupby("name", sort=False):
        rows = group.to_dict("records")
        base = next((row for row in rows if row["signal"] == COMBINED), rows[0])
        for text in (_check(base), *_broken_line(base)):
            yield str(base["name"]), text
        own = next((row for row in rows if row["signal"] == CONFIDENT), None)
        if own is not None and not math.isnan(own["ece"]):
            yield (
                str(own["name"]),
                f"the reader's own confidence is off by {estimate(own, 'ece')} on average "
                "(expected calibration error).",
            )
    for row in promises.to_dict("records"):
        if row["signal"] == COMBINED or _is_alone(promises, row):
            yield str(row["name"]), _promise(row)


def _is_alone(promises: pd.DataFrame, row: Row) -> bool:
    mine = promises[promises["name"] == row["name"]]
    return COMBINED not in set(mine["signal"])


def name_conditions(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame of conditions with their names: the knowledge base, and what else differs."""
    parts = [part for part in SETTING if part in frame and frame[part].nunique() > 1]
    columns = [frame[part].astype(str) for part in ("knowledge_base", *parts) if part in frame]
    names = [", ".join(part for part in row if part) for row in zip(*columns, strict=True)]
    return frame.assign(name=names)


def size_of(row: Row) -> str:
    """``636 answers on 60 documents``."""
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
            f"which answers to check cannot be said with {size_of(row)}: it takes {FEWEST} "
            "documents, and wrong answers."
        )
    ends = percent(row["found_ci_low"]), percent(row["found_ci_high"])
    return (
        f"check the {percent(CHECKED)} least sure answers by hand: that finds "
        f"{percent(row['found'])} of the wrong ones (95 % CI {ends[0]} to {ends[1]}; at most "
        f"{percent(min(1.0, CHECKED / row['wrong']))} are possible); "
        f"{percent(row['wrong'])} of {size_of(row)} are wrong (by {row['signal']})."
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
        return f"{head}: cannot be said with {size_of(row)}: no threshold keeps it."
    return (
        f"{head}: {kept_word(row)} ({estimate(row, 'noisy_risk')} wrong); "
        f"{percent(row['noisy_coverage'])} of the questions are answered, on "
        f"{row['baseline']} {percent(row['clean_coverage'])}."
    )


def kept_word(row: Row) -> str:
    """Whether a promise holds under noise."""
    if row["noisy_risk_ci_high"] <= row["risk"]:
        return "is kept"
    return "is broken" if row["noisy_risk_ci_low"] > row["risk"] else "may be kept"


def signals_table(signals: pd.DataFrame, risks: Sequence[float]) -> TextTable:
    """One row per condition and signal, with intervals."""
    most = [f"answered at {percent(risk)} wrong" for risk in risks]
    header = ["knowledge base", "signal", "wrong", "AURC", "excess", *most]
    rows = [
        [
            str(row["name"]),
            str(row["signal"]),
            percent(row["wrong"]),
            *(_value(row, name) for name in ("aurc", "excess", *map(name_of, risks))),
            share_cell(row, "found"),
            broken_cell(row),
        ]
        for row in name_conditions(signals).to_dict("records")
    ]
    caption = (
        "AURC: area under the curve of risk and coverage; excess: over the best possible order; "
        f"found: of the wrong answers, in the {percent(CHECKED)} that are least sure; AUROC "
        "broken: do broken answers look less sure than those still right (0.5 is chance); in "
        "brackets: 95 % intervals"
    )
    return TextTable(
        [*header, f"found in {percent(CHECKED)}", "AUROC broken"], rows, caption, left=2
    )


def _value(row: Row, name: str) -> str:
    return number(row[name]) + ends(row[f"{name}_ci_low"], row[f"{name}_ci_high"])


def share_cell(row: Row, name: str) -> str:
    """A share in per cent with its interval, for a table."""
    return percent(row[name]) + ends(row[f"{name}_ci_low"], row[f"{name}_ci_high"], percent)


def broken_cell(row: Row) -> str:
    """How well a signal finds answers that OCR broke, for a table."""
    return _value(row, "broken")
