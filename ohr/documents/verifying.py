"""Verifies text layers of PDFs: one function for all parts of the toolkit that use them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ohr.documents.layers import (
    LayerVerdict,
    Line,
    TextLayer,
    choose_lines,
    judge_layers,
    read_lines,
    suspects,
    text_layers,
)
from ohr.documents.opening import LIMITS, Report, layers_of, lines_read
from ohr.types import Outcome
from ohr.workers import Limits


def verified_layers(
    paths: Sequence[Path],
    limits: Limits = LIMITS,
    pages: Mapping[Path, Sequence[int]] | None = None,
    report: Report = lambda what, done, total: None,
) -> list[Outcome[list[LayerVerdict]]]:
    """The verdict on each page of each PDF, in order. A file that cannot be opened is a failure.

    ``pages`` are the 0-based pages of each PDF, in the order of the result; by default all. Fonts
    are judged by all of these pages, and a few lines are read again by the OCR engines that are
    installed. ``report`` gets what is done, and the number of pages of which it is done.
    """
    opened = layers_of(paths, limits, pages, report)
    chosen: dict[Path, list[Line]] = {}
    requests = {}
    for path, outcome in zip(paths, opened, strict=True):
        if outcome.value is None or path in chosen:
            continue
        layers = [layer.value for layer in outcome.value]
        lines = choose_lines(layers, suspects(layers), only_suspects=False)
        numbers = range(len(layers)) if pages is None else pages[path]
        chosen[path] = lines
        requests[path] = [(numbers[line.page], line.box, line.shown) for line in lines]
    lines_of = {path: lines for path, lines in requests.items() if lines}
    readings = lines_read(lines_of, limits, report)
    return [
        Outcome(None, outcome.status, outcome.detail)
        if outcome.value is None
        else Outcome(judge_layers(outcome.value, chosen[path], readings.get(path, [])))
        for path, outcome in zip(paths, opened, strict=True)
    ]


def verified_page(path: Path, page_no: int) -> LayerVerdict:
    """The verdict on the layer of one page (0-based), by this page alone, in this process.

    Only lines with glyphs that are in doubt are read again. Raises EngineError.
    """
    layers: list[TextLayer | None] = [*text_layers(path, [page_no])]
    lines = choose_lines(layers, suspects(layers), only_suspects=True)
    readings = read_lines(path, [(page_no, line.box, line.shown) for line in lines])
    [verdict] = judge_layers([Outcome(layer) for layer in layers], lines, readings)
    return verdict
