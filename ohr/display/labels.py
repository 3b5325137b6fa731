"""How columns and groups are called in tables and figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from ohr.files.safe_text import plain
from ohr.statistics import DOCUMENT, PAGE
from ohr.study.notices.truth import metric_infos_of
from ohr.study.output.select import cells_of
from ohr.study.scoring.metrics import NOISE_COLUMNS, MetricInfo, metric_info

SOURCES = {
    "text": "text",
    "table": "table",
    "formula": "formula",
    "chart": "chart",
    "reading_order": "reading order",
}
STAGE_METRICS = (
    ("retrieval", "lcs", "Retrieval LCS"),
    ("generation", "f1", "Generation F1"),
    ("overall", "f1", "Overall F1"),
)
"""The three measures of the paper's figure 3."""

MARK_UP_LEFT_OUT = "_stripped"
"""What a metric ends with that is another with mark-up left out on both sides."""
NOISE_AXES = NOISE_COLUMNS
"""What damage can be measured by on the axis of a curve."""

_PLURALS = {DOCUMENT: "documents", PAGE: "pages of these documents"}


def interval_units(units: Iterable[str]) -> str:
    """What intervals of these units are over, in the plural; empty where there is none."""
    return " or ".join(_PLURALS[unit] for unit in dict.fromkeys(units) if unit in _PLURALS)


def shown_measures(cells: pd.DataFrame, *, parts: bool = False) -> list[tuple[str, str, str]]:
    """(stage, metric, label) of what tables and figures show: retrieval LCS and the F1 of answers,
    and whatever of these stages a study was asked for by name.

    Where LCS and its like apply to less than half of the questions, for lack of evidence, also
    whether the page is found: hit, MRR and nDCG need nothing but the page.

    ``parts``: each measure is followed by those that its loss splits into, as retrieval LCS by
    page not found and text missing.
    """
    infos = [
        info for info in metric_infos_of(cells) if info.stage != "ocr" and len(_of_all(cells, info))
    ]
    page_metrics = _pages_found(cells, infos)
    selected = [info for info in infos if info.shown or info in page_metrics]
    if parts:
        with_parts = (info for whole in selected for info in (whole, *parts_of(whole, infos)))
        selected = list(dict.fromkeys(with_parts))
    return [(info.stage, info.metric, info.label) for info in selected]


def parts_of(whole: MetricInfo, infos: Iterable[MetricInfo]) -> list[MetricInfo]:
    """The measures that a measure's loss splits into: its value and theirs add up to 1."""
    return [info for info in infos if info.stage == whole.stage and info.part_of == whole.metric]


def loss_parts(cells: pd.DataFrame, stage: str, metric: str) -> list[MetricInfo]:
    """The parts of a measure's loss that cells hold, as :func:`parts_of` has them."""
    infos = metric_infos_of(cells)
    wholes = (info for info in infos if (info.stage, info.metric) == (stage, metric))
    return [part for whole in wholes for part in parts_of(whole, infos)]


def _pages_found(cells: pd.DataFrame, infos: Sequence[MetricInfo]) -> list[MetricInfo]:
    """The measures of finding the page, at the readers' number of hits, where they are needed."""
    if "n" not in cells:
        return []
    of_hits = [info for info in infos if info.of == "hits"]
    at_k = [info for info in of_hits if info.top_k is not None]
    most_units = [_most_units(cells, info) for info in of_hits if info.shown]
    if (
        not at_k
        or not most_units
        or 2 * max(most_units) >= max(_most_units(cells, info) for info in at_k)
    ):
        return []
    return [info for info in at_k if info.top_k == at_k[0].top_k]


def _most_units(cells: pd.DataFrame, info: MetricInfo) -> float:
    return float(_of_all(cells, info)["n"].fillna(0).max())


def shown_readings(cells: pd.DataFrame) -> list[tuple[str, str, str]]:
    """(stage, metric, label) of the noise that stands beside all means, and of the other metrics
    of reading that a study was asked for by name."""
    by_metric = {
        info.metric: (info.stage, info.metric, info.label)
        for info in metric_infos_of(cells)
        if info.stage == "ocr"
        and (info.shown or info.metric in NOISE_COLUMNS)
        and len(_of_all(cells, info))
    }
    names = dict.fromkeys([*NOISE_COLUMNS, *by_metric])
    return [by_metric[name] for name in names if name in by_metric]


def _of_all(cells: pd.DataFrame, info: MetricInfo) -> pd.DataFrame:
    return cells_of(cells, info.stage, info.metric, "all")


def noise_title(metric: str) -> str:
    """What a metric of reading is called: ``r_noise of the content``."""
    return metric_info("ocr", metric).title


def mathematical(title: str) -> str:
    """A title as matplotlib draws it, with r_noise as the symbol that it is."""
    return mathless(title).replace("r_noise", "$r_{noise}$")


def group_label(group: str) -> str:
    """``source:reading_order`` -> ``reading order``; ``domain:law`` -> ``law``."""
    name = group.partition(":")[2] or group
    return SOURCES.get(name, name)


def mathless(text: str) -> str:
    """Text for matplotlib, which would read a formula between dollar signs."""
    return plain(text).replace("$", r"\$")
