"""Scores one knowledge base: the functions that a study schedules, for one condition at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ohr.plugins import Chunker, Metric, Oracle, Retriever
from ohr.scoring.cases import (
    Cases,
    answer_cases,
    evidence_cases,
    evidence_statuses,
    hits_cases,
    page_cases,
    worse_statuses,
)
from ohr.scoring.measuring import Measured, Measuring
from ohr.scoring.rankings import Rankings
from ohr.scoring.units import Units
from ohr.store.artefacts import ArtefactStore
from ohr.types import Answer, KnowledgeBase, Outcome

COLUMNS = ("qid", "doc_id", "page_no", "metric", "value", "status")
"""Columns of the result. Rows of metrics of pages have an empty ``qid``."""


@dataclass(frozen=True)
class Chosen:
    """A metric as it was asked for, and the number of hits that it scores."""

    label: str
    metric: Metric
    k: int | None = None


@dataclass(frozen=True)
class Search:
    """How questions are searched for."""

    chunker: Chunker
    retriever: Retriever | Oracle
    store: ArtefactStore


def evaluate_units(
    kb: KnowledgeBase,
    units: Units,
    chosen: Sequence[Chosen],
    search: Search,
    answers: Sequence[Outcome[Answer]] = (),
) -> pd.DataFrame:
    """One row per page or question and metric, with the columns :data:`COLUMNS`.

    ``answers`` are those of the questions, for metrics of answers. Metrics come in the order in
    which they were chosen. Raises PluginError for a plug-in that fails.
    """
    measuring = Measuring(units)
    measured: dict[str, Measured] = {}

    def measure(cases: Cases, k: int | None = None, *, needs_page: bool = False) -> None:
        metrics = {c.label: c.metric for c in chosen if (c.metric.of, c.k) == (cases.of, k)}
        if metrics:
            measured.update(measuring.measure(cases, metrics, needs_page=needs_page))

    kinds = {each.metric.of for each in chosen}
    if "page" in kinds:
        measure(page_cases(units, kb))
    if "evidence" in kinds:
        measure(evidence_cases(units, kb))
    if cut_offs := sorted({each.k for each in chosen if each.k is not None}):
        rankings = Rankings(
            units, search.store, {"": search.chunker}, {"": search.retriever}, max(cut_offs)
        )
        ranked = rankings.rank(kb, "", "")
        for k in cut_offs:
            statuses = rankings.statuses(kb, "", "", [hits[:k] for hits in ranked])
            measure(hits_cases(units, ranked, k, statuses), k, needs_page=True)
    if "answer" in kinds:
        own = [outcome.status for outcome in answers]
        statuses = worse_statuses(own, evidence_statuses(units, kb))
        measure(answer_cases(units, answers, kb, statuses))
    places = {
        "page": [("", ref.doc_id, ref.page_no) for ref in units.pages],
        "question": [(q.qid, q.doc_id, q.place.page_no) for q in units.questions],
    }
    frames = [
        _frame(places["page" if each.metric.of == "page" else "question"], each.label, measured)
        for each in chosen
    ]
    return pd.concat(frames, ignore_index=True)


def _frame(
    places: Sequence[tuple[str, str, int]], label: str, measured: Mapping[str, Measured]
) -> pd.DataFrame:
    columns = np.array(places, object).reshape(-1, 3)
    return pd.DataFrame(
        {
            "qid": columns[:, 0],
            "doc_id": columns[:, 1],
            "page_no": columns[:, 2].astype(np.int64),
            "metric": label,
            "value": measured[label].values,
            "status": list(map(str, measured[label].statuses)),
        },
        columns=COLUMNS,
    )
