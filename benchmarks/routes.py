"""What routing pages by predicted error keeps of the slower engine's gain, and at what cost.

    python -m benchmarks.routes WORK [--data DATA] [--pages 42] [--filings 6] [--slow ENGINE]

Pages are of the generated sample, whose truth is exact (a third of them as they were made, a third
scanned, a third distorted), and of filings, scanned or distorted, whose truth is their text layer.
WORK keeps the pages and the OCR output, so that a second call reads nothing. Target: .95 of the
gain of the slower engine on every page, at .40 of its seconds.

A threshold is never judged on a document that it was chosen on: for each document it is chosen on
all others, by the target's gain in true errors, by that in predicted ones, and as the lowest that
keeps the target's seconds, for which no error counts. Seconds are CPU seconds of the median page of
each engine. Pages with a usable layer take no engine. A third of the pages are such, as in the
sample; of filings they are counted, not read. They count with no gain, and with the slower engine's
seconds where it reads every page. ``short`` is the error by which the target's gain is missed
(negative if it is exceeded), ``low`` to ``high`` its 95 % interval over documents.

The predictions were also fitted on sample pages of other seeds, and ``LEAST_LENGTH`` was chosen on
pages of this benchmark: other documents may be harder.
"""

from __future__ import annotations

import argparse
import json
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from rich.table import Table

from benchmarks._mixed_pages import DIGITAL, DPI, filing_pages, sample_pages
from ohr import registry
from ohr.adviser.own_pages import keep_assessed, with_predictions
from ohr.adviser.quality.table import DECIDES
from ohr.adviser.routes.figure import routes_figure
from ohr.adviser.routes.table import (
    GAIN,
    Pair,
    affordable_threshold,
    choose_threshold,
    curve,
    is_reread,
    page_predictions,
    takes_slow,
)
from ohr.display.terminal import show
from ohr.ocr.files import FilePage, file_pages
from ohr.ocr.observe import Observing
from ohr.ocr.progress import Progress
from ohr.ocr.sources import find_pages
from ohr.ocr.store import stored_cost, sum_costs
from ohr.ocr.worker import PageTask
from ohr.plugins import OcrBackend
from ohr.quality.table import Observation, signal_table
from ohr.quality.truth import targets
from ohr.registry import PluginSpec
from ohr.store.artefacts import ArtefactStore
from ohr.store.csv import write_csv
from ohr.study.config import parse_plugin
from ohr.types import PageRef
from ohr.workers import Limits

SECONDS = 0.4
"""Target: the share of the slower engine's seconds."""
DRAWS = 2000
SCANS = 2 / 3
"""Share of the pages without a usable layer."""
Truths = Mapping[PageRef, tuple[str, str]]
Threshold = Callable[[pd.DataFrame], float]


def mixed_documents(work: Path, data: Path, pages: int, filings: int) -> Truths:
    """Each page's kind and truth, from WORK if they are there."""
    index = work / "pages.json"
    if not index.is_file():
        own = sorted((data / "own").glob("*.pdf"))[:filings]
        pages_by_ref = sample_pages(work / "docs", work / "sample", pages)
        pages_by_ref |= filing_pages(work / "docs", own)
        rows = [[ref.doc_id, ref.page_no, *both] for ref, both in pages_by_ref.items()]
        index.write_text(json.dumps(rows), "utf-8")
    rows = json.loads(index.read_text("utf-8"))
    return {PageRef(doc_id, page_no): (kind, truth) for doc_id, page_no, kind, truth in rows}


@dataclass(frozen=True)
class Output:
    """An engine's output of pages, and CPU seconds of the median page."""

    seen: Mapping[PageRef, Observation]
    seconds: float


def read(work: Path, spec: PluginSpec, truths: Truths) -> Output:
    """Read and observe every page without a layer that is not kept."""
    backend = registry.create("engine", spec)
    assert isinstance(backend, OcrBackend)
    sources = list(find_pages([work / "docs"], DPI))
    pages = [
        page
        for page in file_pages(sources, spec, backend, hand_over_pdfs=False)
        if truths[page.ref][0] != DIGITAL
    ]
    store = ArtefactStore(work / "cache")
    observing = Observing(spec, backend, store, Limits(300, 1800), 1, instability=False)
    with Progress() as progress:
        observations = observing.observe([_task(page) for page in pages], progress)
    costs = sum_costs(stored_cost(store, page.key, backend.identity()) for page in pages)
    seen = dict(zip((page.ref for page in pages), observations, strict=True))
    return Output(seen, costs["median_cpu_s"])


def _task(page: FilePage) -> PageTask:
    source = page.source
    return PageTask(page.ref, source.path, source.dpi, None, 0.0, 0, page.key, page.as_pdf)


def predictions(outputs: Mapping[str, Output], truths: Truths, pair: Pair) -> pd.DataFrame:
    """The table of :func:`~ohr.adviser.routes.table.page_predictions`, with true errors."""
    seen = {label: output.seen for label, output in outputs.items()}
    table = keep_assessed(with_predictions(signal_table(seen, {})))
    table[f"true_{DECIDES}"] = [
        targets(seen[row["engine"]][ref].text, truths[ref][1])[DECIDES]
        for row in table.to_dict("records")
        for ref in [PageRef(row["doc_id"], row["page_no"])]
    ]
    own = {pair.fast: seen[pair.fast]}
    alone = keep_assessed(with_predictions(signal_table(own, {})))
    pages = page_predictions(alone, table, {}, pair)
    filing = pages["doc_id"].str.startswith("filings/")
    pages["of"] = np.where(filing, "filings", "sample")
    return pages


def by_document(pages: pd.DataFrame, choose: Threshold) -> pd.DataFrame:
    """The pages with ``reread`` and ``slow_taken`` by the threshold of the other documents."""
    parts = []
    for doc_id, own in pages.groupby("doc_id", sort=False):
        threshold = choose(pages[pages["doc_id"] != doc_id])
        parts.append(
            own.assign(reread=is_reread(own, threshold), slow_taken=takes_slow(own, threshold))
        )
    return pd.concat(parts)


def summary(name: str, pages: pd.DataFrame, pair: Pair) -> dict[str, object]:
    """One row: errors, the share of the gain, and of the seconds without and with layers."""
    fast, slow = pages["fast_true"], pages["slow_true"]
    routed = slow.where(pages["slow_taken"], fast)
    seconds = pair.fast_s + float(pages["reread"].mean()) * pair.slow_s
    gain = float((fast - slow).mean())
    short = (routed - fast + GAIN * (fast - slow)).groupby(pages["doc_id"])
    sums, counts = short.sum().to_numpy(), short.size().to_numpy()
    draws = np.random.default_rng(0).integers(len(sums), size=(DRAWS, len(sums)))
    low, high = np.quantile(sums[draws].sum(axis=1) / counts[draws].sum(axis=1), (0.025, 0.975))
    return {
        "threshold": name,
        "n": len(pages),
        "reread": float(pages["reread"].mean()),
        "fast": float(fast.mean()),
        "slow": float(slow.mean()),
        "routed": float(routed.mean()),
        "gain": float((fast - routed).mean()) / gain if gain else math.nan,
        "short": float(sums.sum() / counts.sum()),
        "low": float(low),
        "high": float(high),
        "seconds": seconds / pair.slow_s,
        "with layers": seconds / pair.slow_s * SCANS,
    }


def evaluate(pages: pd.DataFrame, pair: Pair) -> pd.DataFrame:
    """One row per group of pages and way to choose the threshold."""

    def by(error: str) -> Threshold:
        return lambda others: choose_threshold(curve(others, pair), pair, error)

    def by_seconds(others: pd.DataFrame) -> float:
        return affordable_threshold(curve(others, pair), pair, SECONDS, SCANS)

    rows = []
    every = is_reread(pages, 0.0)
    best = (pages["fast_true"] - pages["slow_true"]).clip(lower=0)
    ways = {
        "by truth": by_document(pages, by("true_error")),
        "by predictions": by_document(pages, by("predicted_error")),
        "by seconds": by_document(pages, by_seconds),
        "all re-read": pages.assign(reread=every, slow_taken=takes_slow(pages, 0.0)),
        "known truth": pages.assign(reread=best > 0, slow_taken=best > 0),
    }
    for group in ("all", "sample", "filings"):
        for name, routed in ways.items():
            own = routed if group == "all" else routed[routed["of"] == group]
            if len(own):
                rows.append({"pages": group} | summary(name, own, pair))
    return pd.DataFrame(rows)


def report(table: pd.DataFrame, pair: Pair) -> None:
    """Print the table, and whether the target is reached."""
    print(
        f"CPU seconds of the median page: {pair.fast} {pair.fast_s:.2f}, "
        f"{pair.slow} {pair.slow_s:.2f}"
    )
    grid = Table(*table.columns, box=None, header_style="bold")
    for row in table.to_dict("records"):
        grid.add_row(*(f"{v:.3f}" if isinstance(v, float) else str(v) for v in row.values()))
    show(grid)
    for row in table[table["pages"] == "all"].head(3).to_dict("records"):
        reached = row["gain"] >= GAIN and row["with layers"] <= SECONDS
        print(
            f"threshold {row['threshold']}: {row['gain']:.2f} of the gain at "
            f"{row['with layers']:.2f} of the seconds ({row['seconds']:.2f} without pages "
            f"with layers): target {GAIN:g} at {SECONDS:g} "
            f"{'reached' if reached else 'not reached'}"
        )


def main() -> None:
    """Make and read the pages, evaluate their routes, and write the table and the curve."""
    parser = argparse.ArgumentParser()
    parser.add_argument("work", type=Path)
    default = os.environ.get("OHR_DATA", "../shared/data")
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--pages", type=int, default=42)
    parser.add_argument("--filings", type=int, default=6)
    parser.add_argument("--fast", default="tesseract")
    parser.add_argument("--slow", default="{name: rapidocr, params: {runtime: openvino}}")
    options = parser.parse_args()
    truths = mixed_documents(options.work, options.data, options.pages, options.filings)
    fast, slow = (parse_plugin("engine", text) for text in (options.fast, options.slow))
    outputs = {spec.label: read(options.work, spec, truths) for spec in (fast, slow)}
    seconds = [outputs[spec.label].seconds for spec in (fast, slow)]
    pair = Pair(fast.label, slow.label, *seconds)
    pages = predictions(outputs, truths, pair)
    table = evaluate(pages, pair)
    report(table, pair)
    write_csv(options.work / "routes_benchmark.csv", table)
    write_csv(options.work / "routes_pages.csv", pages)
    of_rule = curve(pages, pair)
    write_csv(options.work / "routes_curve.csv", of_rule)
    threshold = choose_threshold(of_rule, pair)
    print(routes_figure(of_rule, pair, threshold, options.work)[0])


if __name__ == "__main__":
    main()
