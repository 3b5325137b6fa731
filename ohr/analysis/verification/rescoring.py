"""Scores the cases of a run again, and compares the values with its rows.

Only metrics that this version has in the run's version are applied, and only where the run keeps
all that they look at: not those that ask a judge. A page or question that failed must have the
score of a failure, and its status in the rows must be that of its case.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from statistics import fmean
from typing import Any, TypeVar

from ohr import registry
from ohr.collection import is_answered
from ohr.errors import OhrError
from ohr.metrics.scores import SCORING
from ohr.plugins import Metric
from ohr.plugins.metric import AnswerCase, Case, EvidenceCase, HitsCase, PageCase
from ohr.scoring.cases import worst_status
from ohr.scoring.documents import LazyDocuments
from ohr.scoring.units import ON_PAGE
from ohr.study.metrics import NO_CONTEXT, NOISE_COLUMNS, SETS, MetricInfo, metric_info
from ohr.study.notices.truth import is_case_folded
from ohr.study.output.cases import FILE as CASES
from ohr.study.output.cases import read_cases, read_questions, read_statuses, read_texts
from ohr.study.output.rows import read_rows
from ohr.study.results import StudyRun
from ohr.types import FAILED, Answer, Document, Hit, Page, PageRef, Question, Status

CLEAN = "gt, clean"
TOLERANCE = 1e-9

Row = Mapping[str, Any]
T = TypeVar("T")


@dataclass(frozen=True)
class _Scored:
    """What the value of a row comes from."""

    case: Case
    failed: bool
    """Whether it scores as a failure."""
    statuses: frozenset[Status]
    """The statuses that its row may have."""
    applies: bool | None = True
    """Whether the unit has what all metrics of this kind need; None if the run does not say."""


@dataclass
class Rescored:
    """Values that were scored again, and those that differ."""

    equal: int = 0
    differing: list[str] = field(default_factory=list)
    """A line for each value that differs from its row."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Values that were not scored again, by reason."""


def rescore(run: StudyRun) -> Rescored:
    """Score again what can be. Raises OhrError if the cases cannot be read."""
    cases, rescored = _Cases(run), Rescored()
    rows = read_rows(run.path)
    for column in rows.columns[rows.dtypes == "category"]:
        rows[column] = rows[column].astype(str)
    declared = {(str(info.stage), info.metric): info for info in run.metric_infos}
    versions = run.manifest.get("metrics", {})
    for key, group in rows.groupby(["stage", "metric"], sort=False):
        stage, name = map(str, key)
        info = declared.get((stage, name)) or _noise_info(name, versions)
        metric = _metric(info) if info is not None else None
        if info is None or metric is None:
            rescored.left_out[f"{stage}:{name}: other version, or not kept"] += len(group)
            continue
        for record in group.to_dict("records"):
            row = {str(column): value for column, value in record.items()}
            _compare(cases, info, metric, row, rescored)
    return rescored


def _noise_info(name: str, versions: Mapping[str, str]) -> MetricInfo | None:
    """A metric of noise that a study without the stage measured for its axis."""
    if name not in NOISE_COLUMNS:
        return None
    info = metric_info("ocr", name)
    return info if versions.get(name) == info.version else None


def _compare(cases: _Cases, info: MetricInfo, metric: Metric, row: Row, rescored: Rescored) -> None:
    try:
        repeats = cases.find(info, row)
        # A metric may look at texts that the run does not keep.
        values = [metric.measure(scored.case) for scored in repeats]
    except _NotKeptError as reason:
        rescored.left_out[str(reason)] += 1
        return
    except LookupError:
        rescored.differing.append(f"{_unit(info, row)}: {CASES} has no such case")
        return
    statuses = frozenset[Status]().union(*(scored.statuses for scored in repeats))
    if Status(row["status"]) not in statuses:
        rescored.differing.append(
            f"{_unit(info, row)}: the row has the status {row['status']}, its case "
            f"{min(statuses, key=lambda status: status.severity)}"
        )
        return
    stated = row["value"]
    value = fmean(
        info.missing if scored.failed and not math.isnan(each) else each
        for scored, each in zip(repeats, values, strict=True)
    )
    if math.isnan(stated) and not _surely_applies(metric, info, repeats[0]):
        rescored.left_out["does not apply"] += 1
        return
    if abs(value - stated) <= TOLERANCE or (math.isnan(value) and math.isnan(stated)):
        rescored.equal += 1
        return
    rescored.differing.append(
        f"{_unit(info, row)}: the row has {stated:g}, its case gives {value:g}"
    )


def _unit(info: MetricInfo, row: Row) -> str:
    unit = row["qid"] or f"{row['doc_id']} page {row['page_no'] + 1}"
    return f"{info.stage}:{info.metric} of {unit}, {row['engine']}"


def _surely_applies(metric: Metric, info: MetricInfo, scored: _Scored) -> bool:
    """Whether a metric must have a value for a case; False where the run does not say."""
    needs = metric.needs - {"judge", "formats"}
    case = scored.case
    if isinstance(case, PageCase):
        has = all(ON_PAGE[need](case.truth) for need in needs if need in ON_PAGE)
        return bool(scored.applies) and has and needs <= set(ON_PAGE)
    question = case.question
    has_page = bool(question.evidence_pages)
    has_evidence = has_page and bool(question.evidence_text.strip())
    present = {"page": has_page, "evidence": has_evidence and bool(scored.applies)}
    present |= {"several answers": len(question.answers) > 1, "fact": bool(question.fact)}
    if info.of == "answer":
        gold = info.stage == "generation" and not info.is_closed_book
        return (
            all(present.get(need, False) for need in needs)
            and is_answered(question)
            and (has_page or (not gold and info.is_closed_book))
        )
    implied = {"page", "evidence"} if info.of == "evidence" else {"page"}
    return all(present.get(need, False) for need in needs | implied)


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


class _NotKeptError(Exception):
    """A value that cannot be scored again, since the run does not keep all of it; says why."""


class _Cases:
    """The cases of a run, found by its rows."""

    def __init__(self, run: StudyRun) -> None:
        self._run = run
        self._texts = read_texts(run.path)
        self._statuses = read_statuses(run.path)
        self._questions: dict[str, Question] = {q.qid: q for q in read_questions(run.path)}
        self._documents: dict[str, _Documents] = {}
        self._true_documents = _Documents(lambda: self._truth)
        facts = run.manifest.get("dataset", {})
        self._has_holes = "truth_holes" in facts
        self._truth_is_whole = not (self._has_holes or facts.get("pages_without_truth", 0))

    def find(self, info: MetricInfo, row: Row) -> list[_Scored]:
        """What the value of a row comes from: its case, or that of each repeat.

        Raises _NotKeptError, and LookupError for no case.
        """
        if info.of == "answer":
            return self._repeats(info, row)
        make: Callable[[MetricInfo, Row], _Scored] = {
            "page": self._page,
            "evidence": self._evidence,
            "hits": self._hits,
        }[info.of]
        return [make(info, row)]

    def _page(self, info: MetricInfo, row: Row) -> _Scored:
        if self._has_holes:
            raise _NotKeptError("pages whose truth has holes, which the run does not keep")
        ref, base = PageRef(row["doc_id"], int(row["page_no"])), self._base(row)
        status = self._status(base, ref)
        if ref not in self._truth:
            raise _NotKeptError("pages without truth")
        text, truth = self._texts[base].get(ref, ""), self._truth[ref]
        if is_case_folded(self._run.manifest):
            text, truth = text.lower(), truth.lower()
        case = PageCase(text, truth, SCORING[row["protocol"]])
        return _Scored(case, status in FAILED, frozenset({status}), self._truth_is_whole)

    @cached_property
    def _truth(self) -> Mapping[PageRef, str]:
        """The ground truth: of the run, or else of its data."""
        if CLEAN in self._texts:
            return self._texts[CLEAN]
        try:
            return {ref: page.text for ref, page in self._run.dataset.pages.items()}
        except OhrError as error:
            raise _NotKeptError(f"the ground truth is not in the run, and {error}") from error

    def _evidence(self, info: MetricInfo, row: Row) -> _Scored:
        question, base = self._questions[row["qid"]], self._base(row)
        texts, refs = self._texts[base], question.evidence_pages
        pages = tuple(texts.get(ref, "") for ref in refs)
        lost = (
            row["protocol"] == "default"
            and bool(refs)
            and all(self._status(base, ref) in FAILED for ref in refs)
        )
        case = EvidenceCase(pages, question, SCORING[row["protocol"]])
        statuses = self._statuses_of(Status.OK, question, base)
        return _Scored(case, lost, statuses, not self._has_holes)

    def _hits(self, info: MetricInfo, row: Row) -> _Scored:
        k, base = int(row["top_k"]), self._base(row)
        question = self._questions[row["qid"]]
        hits = self._ranked.get((base, row["chunker"], row["retriever"], row["qid"]), [])[:k]
        case = HitsCase(tuple(hits), k, question, SCORING[row["protocol"]])
        statuses = self._statuses_of(Status.OK if hits else Status.EMPTY, question, base)
        return _Scored(case, not hits, statuses, not self._has_holes)

    def _repeats(self, info: MetricInfo, row: Row) -> list[_Scored]:
        closed_book = info.metric.endswith(NO_CONTEXT)
        base = "" if closed_book else self._base(row)
        source = [row[name] for name in ("system", "chunker", "retriever", "reader")]
        stage = "no_context" if closed_book else row["stage"]
        answers = self._answers[(base, stage, *source, row["qid"])]
        question, scoring = self._questions[row["qid"]], SCORING[row["protocol"]]
        if base not in self._documents:
            self._documents[base] = _Documents(lambda: self._texts[base] if base else {})
        documents, truth = self._documents[base], self._true_documents
        return [
            _Scored(
                AnswerCase(Answer(text), question, scoring, documents, truth),
                status is not Status.OK,
                self._statuses_of(status, question, self._base(row)),
                not self._has_holes,
            )
            for text, status in answers
        ]

    def _status(self, base: str, ref: PageRef) -> Status:
        """How a page was read; a page that a knowledge base lacks is missing, which is an error."""
        return self._statuses[base].get(ref, Status.ERROR)

    def _statuses_of(self, status: Status, question: Question, base: str) -> frozenset[Status]:
        """A status, and the worst of it and those of the question's evidence pages."""
        pages = (self._status(base, ref) for ref in question.evidence_pages)
        return frozenset({status, worst_status([status, *pages])})

    def _base(self, row: Row) -> str:
        columns = ("engine", "perturbation", "level", "intensity", "draw")
        return self._run.name_in_cases(*(row[name] for name in columns))

    @cached_property
    def _ranked(self) -> dict[tuple[str, ...], list[Hit]]:
        ranked: dict[tuple[str, ...], list[Hit]] = {}
        for row in _records(self._run, "hits"):
            ref, span = PageRef(row["doc_id"], row["page_no"]), (row["start"], row["end"])
            text = self._texts.get(row["knowledge_base"], {}).get(ref, "")[slice(*span)]
            key = tuple(row[n] for n in ("knowledge_base", "chunker", "retriever", "qid"))
            ranked.setdefault(key, []).append(Hit(ref, text, row["score"], row["rank"], span))
        return ranked

    @cached_property
    def _answers(self) -> dict[tuple[str, ...], list[tuple[str, Status]]]:
        """The answer of each case; those of all repeats, where there are several."""
        names = ("knowledge_base", "stage", "system", "chunker", "retriever", "reader", "qid")
        first, repeats = (
            _grouped(
                (tuple(row[n] for n in names), (row["text"] or "", Status(row["status"])))
                for row in _records(self._run, table)
            )
            for table in ("answers", "calls")
        )
        return {key: [*answers, *repeats.get(key, [])[1:]] for key, answers in first.items()}


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


def _grouped(pairs: Iterable[tuple[tuple[str, ...], T]]) -> dict[tuple[str, ...], list[T]]:
    groups: dict[tuple[str, ...], list[T]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups
