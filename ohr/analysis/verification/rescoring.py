"""Scores the cases of a run again, and compares the values with its rows.

Only metrics that this version has in the run's version are applied, and only where the run keeps
all that they look at: not those that ask a judge, and no value of a page or question that failed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ohr import registry
from ohr.errors import OhrError
from ohr.metrics.scores import SCORING
from ohr.plugins import Metric
from ohr.plugins.metric import AnswerCase, Case, EvidenceCase, HitsCase, PageCase
from ohr.scoring.documents import LazyDocuments
from ohr.study.metrics import NO_CONTEXT, SETS, MetricInfo
from ohr.study.notices.truth import is_case_folded
from ohr.study.output.cases import read_cases, read_questions, read_texts
from ohr.study.output.rows import read_rows
from ohr.study.results import StudyRun
from ohr.types import Answer, Document, Hit, Page, PageRef, Question, Status

CLEAN = "gt, clean"
TOLERANCE = 1e-9

Row = Mapping[str, Any]


@dataclass
class Rescored:
    """Values that were scored again, and those that differ."""

    equal: int = 0
    differing: list[str] = field(default_factory=list)
    """A line for each value that differs from its row."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Values that were not scored again, by reason."""


def rescore(run: StudyRun) -> Rescored:
    """Score again what can be. Raises OhrError if the run keeps no cases."""
    cases, rescored = _Cases(run), Rescored()
    rows = read_rows(run.path)
    for column in rows.columns[rows.dtypes == "category"]:
        rows[column] = rows[column].astype(str)
    declared = {(str(info.stage), info.metric): info for info in run.metric_infos}
    for key, group in rows.groupby(["stage", "metric"], sort=False):
        stage, name = map(str, key)
        info = declared.get((stage, name))
        metric = _metric(info) if info is not None else None
        if info is None or metric is None:
            rescored.left_out[f"{stage}:{name}: other version, or not kept"] += len(group)
            continue
        for record in group.to_dict("records"):
            row = {str(column): value for column, value in record.items()}
            _compare(cases, info, metric, row, rescored)
    return rescored


def _compare(cases: _Cases, info: MetricInfo, metric: Metric, row: Row, rescored: Rescored) -> None:
    if math.isnan(row["value"]):
        rescored.left_out["does not apply"] += 1
        return
    if row["status"] != str(Status.OK):
        rescored.left_out[f"status {row['status']}"] += 1
        return
    try:
        value = metric.measure(cases.find(info, row))
    except _NoCaseError as missing:
        rescored.left_out[str(missing)] += 1
        return
    if abs(value - row["value"]) <= TOLERANCE:
        rescored.equal += 1
        return
    unit = row["qid"] or f"{row['doc_id']} page {row['page_no'] + 1}"
    rescored.differing.append(
        f"{info.stage}:{info.metric} of {unit}, {row['engine']}: the row has {row['value']:g}, "
        f"its case gives {value:g}"
    )


def _metric(info: MetricInfo) -> Metric | None:
    """The metric, if this version has it in the version of the run and needs no more than cases."""
    specs = {spec.label: spec for specs in SETS.values() for spec in specs}
    spec = specs.get(info.name)
    if spec is None:
        return None
    metric = registry.create("metric", spec)
    if metric.version != info.version or metric.of != info.of or metric.takes_all:
        return None
    return metric


class _NoCaseError(Exception):
    """A row whose case the run does not keep; says why."""


class _Cases:
    """The cases of a run, found by its rows."""

    def __init__(self, run: StudyRun) -> None:
        self._run = run
        self._texts = read_texts(run.path)
        self._questions: dict[str, Question] = {q.qid: q for q in read_questions(run.path)}
        self._documents: dict[str, _Documents] = {}
        self._true_documents = _Documents(lambda: self._truth)

    def find(self, info: MetricInfo, row: Row) -> Case:
        """The case of a row. Raises _NoCaseError."""
        make: Callable[[MetricInfo, Row], Case] = {
            "page": self._page,
            "evidence": self._evidence,
            "hits": self._hits,
            "answer": self._answer,
        }[info.of]
        try:
            return make(info, row)
        except KeyError as error:
            raise _NoCaseError(f"{info.stage}:{info.metric}: not in the run's cases") from error

    def _page(self, info: MetricInfo, row: Row) -> Case:
        if "truth_holes" in self._run.manifest.get("dataset", {}):
            raise _NoCaseError("pages whose truth has holes, which the run does not keep")
        ref = PageRef(row["doc_id"], int(row["page_no"]))
        text, truth = self._texts[self._base(row)][ref], self._truth[ref]
        if is_case_folded(self._run.manifest):
            text, truth = text.lower(), truth.lower()
        return PageCase(text, truth, SCORING[row["protocol"]])

    @cached_property
    def _truth(self) -> Mapping[PageRef, str]:
        """The ground truth: of the run, or else of its data."""
        if CLEAN in self._texts:
            return self._texts[CLEAN]
        try:
            return {ref: page.text for ref, page in self._run.dataset.pages.items()}
        except OhrError as error:
            raise _NoCaseError(f"the ground truth is not in the run, and {error}") from error

    def _evidence(self, info: MetricInfo, row: Row) -> Case:
        question, texts = self._questions[row["qid"]], self._texts[self._base(row)]
        pages = tuple(texts.get(ref, "") for ref in question.evidence_pages)
        return EvidenceCase(pages, question, SCORING[row["protocol"]])

    def _hits(self, info: MetricInfo, row: Row) -> Case:
        k = int(row["top_k"])
        key = self._base(row), row["chunker"], row["retriever"], row["qid"]
        question = self._questions[row["qid"]]
        hits = self._ranked.get(key, [])[:k]
        return HitsCase(tuple(hits), k, question, SCORING[row["protocol"]])

    def _answer(self, info: MetricInfo, row: Row) -> Case:
        stage = "no_context" if info.metric.endswith(NO_CONTEXT) else row["stage"]
        base = "" if stage == "no_context" else self._base(row)
        source = [row[name] for name in ("system", "chunker", "retriever", "reader")]
        text = self._answers[(base, stage, *source, row["qid"])]
        question, scoring = self._questions[row["qid"]], SCORING[row["protocol"]]
        if base not in self._documents:
            self._documents[base] = _Documents(lambda: self._texts[base] if base else {})
        return AnswerCase(
            Answer(text), question, scoring, self._documents[base], self._true_documents
        )

    def _base(self, row: Row) -> str:
        columns = ("engine", "perturbation", "level", "intensity", "draw")
        return self._run.name_in_cases(*(row[name] for name in columns))

    @cached_property
    def _ranked(self) -> dict[tuple[str, ...], list[Hit]]:
        ranked: dict[tuple[str, ...], list[Hit]] = {}
        for row in _records(self._run, "hits"):
            ref, span = PageRef(row["doc_id"], row["page_no"]), (row["start"], row["end"])
            text = self._texts[row["knowledge_base"]].get(ref, "")[slice(*span)]
            key = tuple(row[n] for n in ("knowledge_base", "chunker", "retriever", "qid"))
            ranked.setdefault(key, []).append(Hit(ref, text, row["score"], row["rank"], span))
        return ranked

    @cached_property
    def _answers(self) -> dict[tuple[str, ...], str]:
        names = ("knowledge_base", "stage", "system", "chunker", "retriever", "reader", "qid")
        return {
            tuple(row[name] for name in names): row["text"]
            for row in _records(self._run, "answers")
            if row["text"] is not None
        }


class _Documents(LazyDocuments):
    """Documents with some page texts."""

    def __init__(self, texts: Callable[[], Mapping[PageRef, str]]) -> None:
        self._texts = texts

    def make(self) -> dict[str, Document]:
        """The documents of the texts."""
        pages: dict[str, list[Page]] = {}
        for ref, text in self._texts().items():
            pages.setdefault(ref.doc_id, []).append(Page(ref, text))
        return {name: Document(name, "", tuple(own)) for name, own in pages.items()}


def _records(run: StudyRun, table: str) -> Iterator[Row]:
    yield from read_cases(run.path, table).to_pylist()
