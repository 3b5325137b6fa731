"""Labels of metrics and groups in tables and figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ohr.display.choices import INTENSITY
from ohr.files.safe_text import plain
from ohr.metrics.labels import GIVEN, R_NOISE, heading, stage_label
from ohr.statistics import DOCUMENT, PAGE
from ohr.study.metrics import NOISE_COLUMNS, MetricInfo, metric_info, r_noise_title
from ohr.study.notices.truth import metric_infos_of

if TYPE_CHECKING:
    import pandas as pd


SOURCES = {
    "text": "text",
    "table": "table",
    "formula": "formula",
    "chart": "chart",
    "reading_order": "reading order",
}
STAGE_METRICS = (
    ("retrieval", "lcs", stage_label("retrieval", "LCS")),
    ("generation", "f1", stage_label("generation", "F1")),
    ("overall", "f1", stage_label("overall", "F1")),
)
"""The three metrics of the paper's figure 3."""

MARK_UP_LEFT_OUT = "_stripped"
"""Suffix of a metric that leaves out mark-up on both sides."""

MostUnits = dict[tuple[str, str], float]
"""Stage and metric -> the most pages or questions of any cell."""
_PLURALS = {DOCUMENT: "documents", PAGE: "pages of these documents"}


def interval_units(units: Iterable[str]) -> str:
    """The units of intervals in the plural; empty without any."""
    return " or ".join(_PLURALS[unit] for unit in dict.fromkeys(units) if unit in _PLURALS)


def shown_measures(cells: pd.DataFrame, *, parts: bool = False) -> list[tuple[str, str, str]]:
    """(stage, metric, label) of the metrics in tables and figures, except those of the stage ocr.

    These are retrieval LCS, the F1 of answers, and metrics that the study names. If LCS and the
    like apply to less than half of the questions, for lack of evidence, hit, MRR and nDCG are
    included, which need only the page.

    ``parts``: each metric is followed by the parts of its loss, such as retrieval LCS by page not
    found and text missing.
    """
    units = _units_of_all(cells)
    infos = [
        info
        for info in metric_infos_of(cells)
        if info.stage != "ocr" and (info.stage, info.metric) in units
    ]
    page_metrics = _pages_found(units, infos) if "n" in cells else []
    selected = [info for info in infos if info.shown or info in page_metrics]
    if parts:
        with_parts = (info for whole in selected for info in (whole, *parts_of(whole, infos)))
        selected = list(dict.fromkeys(with_parts))
    return [(info.stage, info.metric, info.label) for info in selected]


def parts_of(whole: MetricInfo, infos: Iterable[MetricInfo]) -> list[MetricInfo]:
    """The metrics that are parts of a metric's loss: its value and theirs add up to 1."""
    return [info for info in infos if info.stage == whole.stage and info.part_of == whole.metric]


def _pages_found(units: MostUnits, infos: Sequence[MetricInfo]) -> list[MetricInfo]:
    """The metrics of finding the page, at the readers' number of hits, if they are needed."""
    of_hits = [info for info in infos if info.of == "hits"]
    at_k = [info for info in of_hits if info.top_k is not None]
    most_units = [units[info.stage, info.metric] for info in of_hits if info.shown]
    if (
        not at_k
        or not most_units
        or 2 * max(most_units) >= max(units[info.stage, info.metric] for info in at_k)
    ):
        return []
    return [info for info in at_k if info.top_k == at_k[0].top_k]


def shown_readings(cells: pd.DataFrame) -> list[tuple[str, str, str]]:
    """(stage, metric, label) of the noise metrics, and of other OCR metrics that a study names."""
    units = _units_of_all(cells)
    by_metric = {
        info.metric: (info.stage, info.metric, info.label)
        for info in metric_infos_of(cells)
        if info.stage == "ocr"
        and (info.shown or info.metric in NOISE_COLUMNS)
        and (info.stage, info.metric) in units
    }
    names = dict.fromkeys([*NOISE_COLUMNS, *by_metric])
    return [by_metric[name] for name in names if name in by_metric]


def _units_of_all(cells: pd.DataFrame) -> MostUnits:
    """The most units of any cell of all questions or pages, by stage and metric."""
    columns = ["stage", "metric", "group", *(["n"] if "n" in cells else [])]
    units: MostUnits = {}
    for stage, metric, group, *n in zip(*(cells[name].tolist() for name in columns), strict=True):
        if group == "all":
            most = n[0] if n and n[0] == n[0] else 0  # not NaN
            units[stage, metric] = max(units.get((stage, metric), 0), most)
    return units


INTENSITY_TITLE = "intensity of the noise"


def noise_title(metric: str, cells: pd.DataFrame | None = None) -> str:
    """Title of an OCR metric: ``content r_noise``.

    ``cells`` are those of the run: under ``reference`` scoring, ``r_noise`` is the published one.
    """
    if metric == R_NOISE and cells is not None and "protocol" in cells and len(cells):
        protocols = cells["protocol"].unique().tolist()
        return r_noise_title("reference" if protocols == ["reference"] else "default")
    return INTENSITY_TITLE if metric == INTENSITY else metric_info("ocr", metric).title


def added_noise_title(title: str) -> str:
    """Title of the axis of losses: the noise above that of the same engine's clean pages."""
    return title if title == INTENSITY_TITLE else f"{title} above clean pages"


def mathematical(title: str) -> str:
    """A label as a title for matplotlib, with r_noise as a symbol; a long one has two lines."""
    text = mathless(heading(title))
    for given in GIVEN.values():
        text = text.replace(f", {given}", f",\n{given}")
    text = text.replace(" (default", "\n(default")
    return text.replace("r_noise", "$r_{noise}$")


def broken_label(label: str) -> str:
    """A label as the heading of a column: what the reader is given has a line of its own."""
    return label.replace(", ", ",\n")


def group_label(group: str) -> str:
    """``source:reading_order`` -> ``reading order``; ``domain:law`` -> ``law``."""
    name = group.partition(":")[2] or group
    return SOURCES.get(name, name)


def mathless(text: str) -> str:
    """Text for matplotlib, with dollar signs escaped, which would start a formula."""
    return plain(text).replace("$", r"\$")
