"""How wrong readings of one's own PDFs probably are: what is printed and written."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from rich.table import Table
from rich.text import Text

from experiments.reports.terminal import show
from experiments.studies.own_pages import (
    OwnPages,
    OwnReadings,
    Reading,
    page_ref,
    read_own,
    read_truth,
    sample_pages,
    transcription_name,
    with_predictions,
    with_truth,
)
from ohr.printable import plain
from ohr.quality.inference import Estimate, Verdict, compare, estimate, pages_to_transcribe
from ohr.quality.predictor import kind, shipped
from ohr.quality.signals import SIGNALS
from ohr.quality.truth import TARGETS
from ohr.store.atomic import write_text
from ohr.store.locking import locked
from ohr.study.csv import write_csv
from ohr.study.progress import Progress
from ohr.types import PageRef

TRANSCRIBED = 25
"""Pages that a person is asked to transcribe."""
WORST = 10
DECIDES = "edit_distance_content"
"""The error by which engines are told apart: mark-up that an engine does not write is none."""


def report_quality(
    inputs: Sequence[Path],
    reading: Reading,
    out: Path,
    *,
    pages: int,
    dpi: int,
    seed: int,
    truth: Path | None,
) -> int:
    """Read a sample, print and write what its readings are probably worth. Raises OhrError."""
    sample = sample_pages(inputs, dpi, pages, seed)
    with locked(out):
        for line in sample_lines(sample, out):
            print(plain(line))
        with Progress() as progress:
            readings = read_own(sample, reading, progress)
        table = judged(sample, readings, truth)
        write_quality(out, sample, table, seed)
    show(engine_table(table, readings))
    for line in (*verdict_lines(table), *assessed_lines(table, sample), *worst_lines(table)):
        print(plain(line))
    for name in sorted(readings.of_layer):
        print(plain(f"{name} reads the text layer, so the layer says nothing of how wrong it is"))
    print(f"pages: {out / 'quality.csv'}")
    if truth is None:
        print(
            f"{out / 'to_transcribe.csv'} names {min(TRANSCRIBED, len(sample.pages))} pages: "
            "transcribe them, and give their folder with --truth to correct the estimates"
        )
    return int((table["status"] == "error").all())


def judged(sample: OwnPages, readings: OwnReadings, truth: Path | None) -> pd.DataFrame:
    """The table of signals with predictions, and true errors where pages were transcribed."""
    known = {} if truth is None else read_truth(truth, [page_ref(one) for one in sample.pages])
    return with_truth(with_predictions(readings.table), readings, known)


def sample_lines(sample: OwnPages, out: Path) -> list[str]:
    """Which pages were drawn of how many, what cannot be opened, what changed since the last
    run into the same folder.
    """
    drawn: dict[str, int] = {}
    for source in sample.pages:
        doc_id = page_ref(source).doc_id
        drawn[doc_id] = drawn.get(doc_id, 0) + 1
    lines = [
        f"{len(sample.pages)} of {sample.total} pages of {len(sample.counts)} documents, spread "
        f"evenly over each: {', '.join(f'{name} {count}' for name, count in drawn.items())}"
    ]
    lines += [f"left out: {name}: {reason}" for name, reason in sample.left_out.items()]
    before = _before(out)
    lines += [
        f"changed since the last run: {name}: its pages are read again, and transcriptions of "
        "it may no longer hold"
        for name, digest in sample.digests.items()
        if before.get(name, digest) != digest
    ]
    lines += [f"gone since the last run: {name}" for name in before if name not in sample.digests]
    return lines


def _before(out: Path) -> dict[str, str]:
    try:
        found = json.loads((out / "quality.json").read_text("utf-8"))["documents"]
        return {str(name): str(digest) for name, digest in found.items()}
    except (OSError, ValueError, KeyError, AttributeError):
        return {}


def write_quality(out: Path, sample: OwnPages, table: pd.DataFrame, seed: int) -> None:
    """``quality.csv``, ``to_transcribe.csv`` and ``quality.json`` with the documents' digests."""
    shown = table.rename(columns={"doc_id": "document"})
    shown.insert(2, "page", shown.pop("page_no") + 1)
    write_csv(out / "quality.csv", shown)
    refs = [page_ref(source) for source in sample.pages]
    predicted = [_page_error(table, ref) for ref in refs]
    chosen = [refs[place] for place in pages_to_transcribe(predicted, TRANSCRIBED, seed)]
    write_csv(
        out / "to_transcribe.csv",
        pd.DataFrame(
            [(ref.doc_id, ref.page_no + 1, transcription_name(ref)) for ref in chosen],
            columns=["document", "page", "file"],
        ),
    )
    known = {"documents": dict(sample.digests), "left_out": dict(sample.left_out)}
    write_text(out / "quality.json", json.dumps(known, indent=2, ensure_ascii=False) + "\n")


def _page_error(table: pd.DataFrame, ref: PageRef) -> float:
    mine = table[(table["doc_id"] == ref.doc_id) & (table["page_no"] == ref.page_no)]
    return float(mine[DECIDES].mean())


def engine_estimate(rows: pd.DataFrame, target: str) -> Estimate:
    """The mean error of one engine's pages."""
    return estimate(
        rows[f"{target}_mean"].to_numpy(float),
        rows["doc_id"].tolist(),
        _bias(rows, target),
        _truth(rows, target),
    )


def _truth(rows: pd.DataFrame, target: str) -> np.ndarray:
    return rows[f"true_{target}"].to_numpy(float)


def _bias(rows: pd.DataFrame, target: str) -> float:
    """How far a mean of these predictions may lie from the truth: a deviation."""
    factors = [
        shipped().bias[kind({"layer": layer})][target] * spread
        for layer, spread in zip(rows["layer"], rows[f"{target}_spread"], strict=True)
    ]
    return float(np.mean(factors))


def engine_verdict(table: pd.DataFrame, first: str, second: str, target: str) -> Verdict:
    """Which of two engines reads the sample better."""
    pair = [table[table["engine"] == name].reset_index(drop=True) for name in (first, second)]
    return compare(
        pair[0][f"{target}_mean"].to_numpy(float),
        pair[1][f"{target}_mean"].to_numpy(float),
        pair[0]["doc_id"].tolist(),
        (_bias(pair[0], target) + _bias(pair[1], target)) / 2,
        (_truth(pair[0], target), _truth(pair[1], target)),
    )


def engine_table(table: pd.DataFrame, readings: OwnReadings) -> Table:
    """A row for each engine: its errors as they are predicted, and what it takes."""
    shown = Table(header_style="bold", box=None, pad_edge=False, title="predicted errors")
    shown.add_column("engine")
    for name in (*TARGETS.values(), "in range", "failed", "s a page"):
        shown.add_column(name, justify="right")
    for engine, rows in table.groupby("engine", sort=False):
        seconds = readings.seconds[str(engine)]
        shown.add_row(
            Text(plain(str(engine))),
            *(_interval(engine_estimate(rows, target)) for target in TARGETS),
            f"{rows['in_range'].mean():.0%}",
            str(int(rows["status"].isin(["error", "timeout"]).sum())),
            "stored" if math.isnan(seconds) else f"{seconds:.1f}",
        )
    return shown


def _interval(one: Estimate) -> str:
    corrected = "*" if one.labelled else ""
    return f"{one.mean:.3f}{corrected} [{max(0.0, one.low):.3f}, {min(1.0, one.high):.3f}]"


def verdict_lines(table: pd.DataFrame) -> list[str]:
    """For each two engines, which reads better, or that it cannot be told."""
    engines = list(dict.fromkeys(table["engine"]))
    lines = []
    for first, second in combinations(engines, 2):
        lines.append(verdict_line(table, first, second))
    if (table[f"true_{DECIDES}"].notna()).any():
        lines.append("*: corrected by the pages that were transcribed")
    return lines


def verdict_line(table: pd.DataFrame, first: str, second: str) -> str:
    """One comparison in a sentence."""
    one = engine_verdict(table, first, second, DECIDES)
    gap = one.difference
    count = int((table["engine"] == first).sum())
    if one.winner is not None:
        better, worse = (first, second) if one.winner == 0 else (second, first)
        low, high = sorted((abs(gap.low), abs(gap.high)))
        return (
            f"{better} reads better than {worse}: {TARGETS[DECIDES]} lower by {abs(gap.mean):.3f} "
            f"[{low:.3f}, {high:.3f}]"
        )
    more = (
        f"about {one.pages:,} pages would"
        if one.pages
        else "only transcribed pages would (--truth)"
    )
    return (
        f"cannot tell {first} and {second} apart on {count} pages: {TARGETS[DECIDES]} differs by "
        f"{abs(gap.mean):.3f}, the interval is [{gap.low:.3f}, {gap.high:.3f}]; {more}"
    )


def assessed_lines(table: pd.DataFrame, sample: OwnPages) -> list[str]:
    """Which signals were not assessed, and for how many pages there is no text layer."""
    lines = []
    for engine, rows in table.groupby("engine", sort=False):
        absent = [name for name in SIGNALS if rows[name].isna().all()]
        if absent:
            lines.append(f"not assessed for {engine}: {', '.join(absent)}")
        beyond = int((~rows["in_range"].astype(bool)).sum())
        if beyond:
            lines.append(
                f"{engine}: {beyond} of {len(rows)} pages lie outside what the predictions were "
                "fitted on: do not rely on them"
            )
    if sample.no_layer:
        lines.append(f"{len(sample.no_layer)} pages have no text layer that could stand for them")
    return lines


def worst_lines(table: pd.DataFrame) -> list[str]:
    """The worst-read pages of the best engine."""
    means = table.groupby("engine", sort=False)[f"{DECIDES}_mean"].mean()
    best = str(means.idxmin())
    rows = table[table["engine"] == best].sort_values(DECIDES, ascending=False, kind="stable")
    named = [
        f"{row['doc_id']} page {int(row['page_no']) + 1} ({row[DECIDES]:.2f})"
        for row in rows.head(WORST).to_dict("records")
    ]
    return [f"worst-read pages of {best}: {', '.join(named)}"]
