"""Writes the routes of sampled pages, and their curve with its figure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from ohr.adviser.invented import Inventions
from ohr.adviser.own_pages import SampleOutputs, add_predictions, keep_assessed
from ohr.adviser.routes.figure import routes_figure
from ohr.adviser.routes.offer import judge_routes, offer_line, single_routes
from ohr.adviser.routes.report import route_lines, seconds_lines
from ohr.adviser.routes.table import (
    PERSON_ABOVE,
    affordable_threshold,
    choose_pair,
    choose_threshold,
    curve,
    page_predictions,
    page_routes,
)
from ohr.ocr.routes import write_routes
from ohr.quality.table import signal_table
from ohr.registry import PluginSpec
from ohr.store.csv import write_csv
from ohr.types import PageRef

ROUTES, CURVE = "routes.csv", "routes_curve.csv"


def report_routes(
    out: Path,
    outputs: SampleOutputs,
    table: pd.DataFrame,
    engines: Sequence[PluginSpec],
    most_seconds: float | None = None,
    inventions: Inventions | None = None,
) -> list[str]:
    """Write ``routes.csv``, ``routes_curve.csv`` and the figure; returns lines about them.

    ``table`` has the predicted errors of every engine, and the true ones of transcribed pages. The
    threshold is chosen by the predictions, so that true errors judge it, or with ``most_seconds``
    so that the routes take at most this share of the seconds of the slower engine on every page.
    Nothing is written with fewer than two assessed engines. Routes that are not shown to do better
    than one engine at their price are not offered: that engine then reads all pages without a
    layer.
    """
    inventions = inventions or Inventions()
    # An engine that invents is no choice for any page.
    never = [*outputs.of_layer, *inventions.vetoes]
    pair = choose_pair(table, outputs.seconds, never, outputs.comparable_seconds)
    if pair is None:
        return []
    layers = outputs.sample.layers
    pages = page_predictions(predict_alone(outputs, pair.fast), table, layers, pair)
    for name, label in (("fast", pair.fast), ("slow", pair.slow)):
        refs = zip(pages["doc_id"], pages["page_no"], strict=True)
        pages[f"{name}_invents"] = [
            inventions.invents(label, PageRef(str(d), int(n))) for d, n in refs
        ]
    of_rule = curve(pages, pair)
    without_layer = float((~pages["layer"]).mean())

    def choose(table_of_rule: pd.DataFrame) -> float:
        if table_of_rule.empty:
            return 1.0
        if most_seconds is None:
            return choose_threshold(table_of_rule, pair)
        return affordable_threshold(table_of_rule, pair, most_seconds, without_layer)

    threshold = choose(of_rule)
    offer = None
    if not of_rule.empty:
        most = math.inf if most_seconds is None else most_seconds * pair.slow_s
        dear = [name for name, s in outputs.seconds.items() if s * without_layer > most]
        cheap = [name for name in outputs.seconds if name not in dear]
        offer = judge_routes(
            pages,
            table,
            pair,
            outputs.seconds,
            choose,
            [*never, *(dear if any(name not in never for name in cheap) else ())],
        )
    if offer is None or offer.is_made:
        routes = page_routes(pages, pair, threshold)
    else:
        single = offer.engine
        routes = single_routes(
            pages,
            table,
            offer,
            outputs.seconds,
            lambda doc_id, page_no: inventions.invents(single, PageRef(doc_id, page_no)),
        )
    labels = set(routes["route"]) if offer is not None and not offer.is_made else None
    labels = {pair.fast, pair.slow} if labels is None else labels
    used = {spec.label: spec for spec in engines if spec.label in labels}
    facts = {"threshold": round(threshold, 6), "person_above": PERSON_ABOVE}
    write_routes(out / ROUTES, routes, used, facts)
    if offer is not None and not offer.is_made:
        counts = routes["route"].value_counts()
        parts = [f"{count} {name}" for name, count in counts.items()]
        lines = [offer_line(offer), f"routes of {len(routes)} pages: {', '.join(parts)}"]
    else:
        lines = [*route_lines(routes, of_rule, pair, threshold)]
        lines += [] if offer is None else [offer_line(offer)]
    if most_seconds is not None and len(of_rule):
        lines += seconds_lines(routes, pair, most_seconds)
    lines += [f"routes: {out / ROUTES}"]
    if not of_rule.empty:
        write_csv(out / CURVE, of_rule)
        figures = routes_figure(of_rule, pair, threshold, out)
        lines.append(f"curve of the threshold: {out / CURVE}, {figures[0]}")
    return lines


def predict_alone(outputs: SampleOutputs, engine: str) -> pd.DataFrame:
    """The predictions of one engine by its own output: no other engine, and no repeats."""
    seen = {ref: replace(page, repeats=()) for ref, page in outputs.seen[engine].items()}
    sample = outputs.sample
    table = signal_table({engine: seen}, sample.layers, outputs.of_layer, sample.holes)
    return keep_assessed(add_predictions(table))
