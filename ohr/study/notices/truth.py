"""What readings are held against, and how outputs say so."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

import pandas as pd

from ohr.collection import GROUND_TRUTH
from ohr.plugins import KnowledgeBaseSource, OcrBackend
from ohr.study.plan import Plan
from ohr.study.scoring.metrics import MetricInfo, described, metric_info, read_metric_infos

MARK = "*"
"""Stands beside an engine that is the same as the truth."""
_TRUTH, _SAME, _MEASURES = "truth", "same_as_truth", "measures"


def declare(
    cells: pd.DataFrame, truth: str, same: Sequence[str], measures: Iterable[MetricInfo] = ()
) -> None:
    """Note on cells what readings were held against, which engines are no other than that, and
    what their metrics declare.

    Frames made of the cells keep it.
    """
    cells.attrs |= {_TRUTH: truth, _SAME: list(same), _MEASURES: json.dumps(described(measures))}


def metric_infos_of(cells: pd.DataFrame) -> list[MetricInfo]:
    """The measures that cells hold, in their order, as they were declared."""
    declared = _declared(cells.attrs.get(_MEASURES, "[]"))
    there = cells[["stage", "metric"]].drop_duplicates().itertuples(index=False, name=None)
    return [declared.get(pair) or metric_info(*pair) for pair in there]


@lru_cache(maxsize=64)
def _declared(kept: str) -> dict[tuple[str, str], MetricInfo]:
    """Measures as cells keep them: in one text, since frames copy their attributes."""
    measures = read_metric_infos({"measures": json.loads(kept)}) or []
    return {(measure.stage, measure.metric): measure for measure in measures}


def truth_of(cells: pd.DataFrame) -> str:
    """What the readings were held against, such as ``ground truth``."""
    return str(cells.attrs.get(_TRUTH, GROUND_TRUTH))


def truth_note(cells: pd.DataFrame) -> list[str]:
    """The part of a caption that says so; none for ground truth."""
    truth = truth_of(cells)
    return [] if truth == GROUND_TRUTH else [f"measured against the {truth}, not ground truth"]


def truth_notes(runs: Iterable[pd.DataFrame]) -> list[str]:
    """The parts of a caption that say so of the cells of several runs, each once."""
    return list(dict.fromkeys(note for cells in runs for note in truth_note(cells)))


def truth_lines(plan: Plan) -> list[str]:
    """The line for the console that says what readings are held against; none for ground truth."""
    dataset = plan.dataset
    if dataset.truth == GROUND_TRUTH:
        return []
    usable = sum(ref not in dataset.without_truth for ref in plan.reread)
    if usable == len(plan.reread):
        return [f"truth: the {dataset.truth}, not ground truth; usable on all {usable} pages"]
    if not usable:
        return [
            f"truth: none of the {len(plan.reread)} pages has a usable {dataset.truth}: how well "
            "they are read is not measured"
        ]
    return [
        f"truth: the {dataset.truth}, not ground truth; usable on {usable} of {len(plan.reread)} "
        "pages, the others are not held against it"
    ]


def find_same(cells: pd.DataFrame, plan: Plan) -> list[str]:
    """Engines that are the truth over again: they read every clean page exactly as it has it.

    One that reads page images is none of them: it has earned what it reads.
    """
    pages = cells[
        (cells["metric"] == "edit_distance")
        & (cells["stage"] == "ocr")
        & (cells["group"] == "all")
        & (cells["noise"] == "none")
    ]
    equal = [str(engine) for engine in pages.loc[pages["mean"] == 0, "engine"]]
    return [engine for engine in equal if engine != "gt" and not _sees(plan.engines[engine])]


def _sees(engine: OcrBackend | KnowledgeBaseSource) -> bool:
    return isinstance(engine, OcrBackend) and "image" in engine.accepts


def same_as_truth(cells: pd.DataFrame) -> list[str]:
    """The engines of :func:`find_same`, as they were noted on the cells."""
    return list(cells.attrs.get(_SAME, []))


def marked(engine: str, same: Collection[str]) -> str:
    """An engine's name as tables print it."""
    return f"{engine} {MARK}" if engine in same else engine


def same_lines(cells: pd.DataFrame) -> list[str]:
    """What the mark means, for each engine that bears it."""
    return [
        f"{MARK} {engine}: every page reads exactly as the {truth_of(cells)} has it, which says "
        "nothing of how well it reads: it is not ranked"
        for engine in same_as_truth(cells)
    ]
