"""``ohr.evaluate``: scores a knowledge base against a truth, without a study."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pandas as pd

from ohr import registry
from ohr.api.given import (
    Given,
    Place,
    Texts,
    make_dataset,
    make_knowledge_base,
    make_questions,
)
from ohr.collection import Dataset
from ohr.errors import ConfigError, did_you_mean
from ohr.metrics.protocol import Protocol
from ohr.plugins import Oracle, Retriever
from ohr.registry import PluginSpec, PluginValue
from ohr.scoring.evaluating import Chosen, Search, evaluate_units
from ohr.scoring.names import MetricName, check_cut_off, metric_class
from ohr.scoring.units import Scope, Units
from ohr.store.artefacts import ArtefactStore
from ohr.study.config import STAGES
from ohr.study.metrics import stages_of
from ohr.study.published import published_chunker, published_retriever
from ohr.types import Answer, KnowledgeBase, Outcome, Question, Status

DEFAULT_METRICS = ("lcs@2", "hit@2", "r_noise")


def evaluate(
    kb: KnowledgeBase | Mapping[Place, str | Outcome[str]] | Path | str,
    truth: Dataset | Texts | Path | str,
    questions: Given | None = None,
    metrics: Sequence[PluginValue] = DEFAULT_METRICS,
    *,
    chunker: PluginValue = "tokens",
    retriever: PluginValue = "bm25",
    scope: Scope = "domain",
    scoring: Protocol = "default",
    answers: Mapping[str, str] | None = None,
    cache: Path | str | None = None,
) -> pd.DataFrame:
    """Score a knowledge base, with the values that a study would write for the same input.

    One row per question and metric, with the columns ``qid``, ``doc_id``, ``page_no``, ``metric``,
    ``value`` (NaN where the metric does not apply) and ``status``. Metrics of pages, such as
    ``edit_distance``, have one row per page and an empty ``qid``. ``r_noise`` is one value per
    question: 1 if noise damaged its evidence; its mean is the noise ratio.

    Args:
        kb: Texts by (document, page number from 0), a folder as ``ohr read`` writes it, or a
            knowledge base. A page that is missing counts as failed.
        truth: Texts by (document, page), such a folder, or a dataset. The domain of a document is
            the part of its name before the first slash.
        questions: Questions, mappings with the fields of a question (``text``, ``doc_id``,
            ``evidence_pages``, ``evidence_text``, ``answers`` …) or of OHR-Bench, or a JSON file of
            these; by default those of the dataset.
        metrics: Names; metrics of hits with their cut-off, as in ``lcs@2`` and ``hit@5``.
        chunker: Splits pages into chunks.
        retriever: Ranks chunks for each question.
        scope: What a question searches: all documents of its ``domain``, or its ``document``.
        scoring: The protocol: ``default``, or ``reference`` for the published evaluation.
        answers: Answers by question id, for metrics of answers such as ``f1``, which are measured
            as in the stage overall. A question without one counts as failed.
        cache: Folder that keeps rankings and embeddings; by default nothing is kept.

    Raises:
        ConfigError: An unknown metric, a wrong cut-off, or input that does not fit together.
        DatasetError: A folder or file that cannot be read.
    """
    chosen = _choose(metrics, scoring)
    dataset = make_dataset(truth)
    all_questions = make_questions(questions, dataset)
    kinds = {each.metric.of for each in chosen}
    if not all_questions and kinds - {"page"}:
        raise ConfigError("no questions: only metrics of pages, such as edit_distance, need none")
    _check_answers(answers, all_questions, [each for each in chosen if each.metric.of == "answer"])
    domains = {question.domain for question in all_questions}
    pages = tuple(
        ref
        for ref in dataset.pages
        if not all_questions or dataset.documents[ref.doc_id].domain in domains
    )
    units = Units(dataset, all_questions, pages, scoring, scope)
    base = make_knowledge_base(kb, units)
    given = [_answer(question, answers or {}) for question in all_questions]
    chunker_spec, retriever_spec = PluginSpec.parse(chunker), PluginSpec.parse(retriever)
    if scoring == "reference":
        chunker_spec = published_chunker(chunker_spec)
        retriever_spec = published_retriever(retriever_spec)
    with _store(cache) as store:
        search = Search(registry.create("chunker", chunker_spec), _retriever(retriever_spec), store)
        return evaluate_units(base, units, chosen, search, given)


def _choose(metrics: Sequence[PluginValue], scoring: Protocol) -> list[Chosen]:
    """The metrics by name. Raises ConfigError."""
    if isinstance(metrics, str):
        raise ConfigError(f"metrics is a text: write metrics=[{metrics!r}]")
    if scoring not in ("default", "reference"):
        raise ConfigError(f"unknown scoring {scoring!r}; known: default, reference")
    chosen: dict[str, Chosen] = {}
    for value in metrics:
        each = _chosen(value)
        label = each.label
        if label in chosen:
            raise ConfigError(f"metric {label!r} is given twice")
        if scoring not in each.metric.protocols:
            raise ConfigError(f"metric {label!r} has no meaning under scoring={scoring}")
        if "judge" in each.metric.needs:
            raise ConfigError(f"metric {label!r} needs a judge: run a study, with judge=…")
        chosen[label] = each
    if not chosen:
        raise ConfigError("no metric is named: write metrics=['lcs@2', 'r_noise']")
    return list(chosen.values())


def _chosen(value: PluginValue) -> Chosen:
    spec = PluginSpec.parse(value)
    if spec.argument is not None and spec.name in STAGES:  # overall:f1 is no metric with argument
        spec = PluginSpec(name=spec.argument)
        stage = PluginSpec.parse(value).name
    else:
        stage = ""
    parsed = MetricName.parse(spec.name)
    name = MetricName(parsed.metric, parsed.k, stage)
    cls = metric_class(name)
    check_cut_off(name, cls)
    if stage and stage not in stages_of(cls):
        near = did_you_mean(stage, stages_of(cls))
        raise ConfigError(f"metric {str(name)!r}: {cls.name} is not of the stage {stage}; {near}")
    if stage == "generation":
        raise ConfigError(
            f"metric {str(name)!r}: answers that are given are measured as overall: write "
            f"{name.metric}"
        )
    if cls.of == "hits" and name.k is None:
        raise ConfigError(
            f"metric {str(name)!r} scores the first hits: write how many, as in {name.metric}@2"
        )
    label = str(name) if spec.label in (spec.name, value) else spec.label
    metric = registry.create("metric", spec.model_copy(update={"name": name.metric}))
    return Chosen(label, metric, name.k)


def _retriever(spec: PluginSpec) -> Retriever | Oracle:
    search = registry.create("retriever", spec)
    if search.sees_images or not isinstance(search, Retriever | Oracle):
        raise ConfigError(f"retriever {spec.label!r} needs page images, which only a study draws")
    return search


def _check_answers(
    answers: Mapping[str, str] | None, questions: Sequence[Question], chosen: Sequence[Chosen]
) -> None:
    if answers is None:
        if chosen:
            raise ConfigError(
                f"metric {chosen[0].label!r} scores answers: give answers={{question id: text}}"
            )
        return
    ids = [question.qid for question in questions]
    for qid, text in answers.items():
        if qid not in ids:
            raise ConfigError(f"answers: no question {qid!r}; {did_you_mean(str(qid), ids[:20])}")
        if not isinstance(text, str):
            raise ConfigError(f"answers: that of {qid!r} is a {type(text).__name__}, not a text")


def _answer(question: Question, answers: Mapping[str, str]) -> Outcome[Answer]:
    if question.qid not in answers:
        return Outcome.error("no answer")
    text = answers[question.qid]
    return Outcome(Answer(text), Status.OK if text.strip() else Status.EMPTY)


@contextmanager
def _store(cache: Path | str | None) -> Iterator[ArtefactStore]:
    if cache is not None:
        yield ArtefactStore(Path(cache))
        return
    with tempfile.TemporaryDirectory(prefix="ohr-evaluate-") as folder:
        yield ArtefactStore(Path(folder))
