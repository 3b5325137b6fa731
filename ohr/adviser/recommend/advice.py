"""Puts a recommendation together from predicted errors, questions and a run of retrieval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from ohr import registry
from ohr.adviser.own_pages import OcrSettings, SampleOutputs, reads_images
from ohr.adviser.quality.report import assessed_lines, worst_lines
from ohr.adviser.quality.study import TO_TRANSCRIBE
from ohr.adviser.recommend.batches import Reading
from ohr.adviser.recommend.decision import Decision, decide
from ohr.adviser.recommend.layers import LayerSummary, summarise_layers
from ohr.adviser.recommend.made_questions import Request
from ohr.adviser.recommend.noise_budget import NoiseBudget, noise_budget
from ohr.adviser.recommend.read_command import ReadCommand
from ohr.adviser.recommend.report import (
    OWN,
    Advice,
    EngineCost,
    correction_sentence,
    doubts,
    family_sentence,
    further_units,
    retrieval_lines,
    table_lines,
    take_sentence,
    verdict_sentence,
)
from ohr.adviser.recommend.table import Choice, choose
from ohr.adviser.recommend.table_questions import (
    FEWEST_TABLES,
    TableVerdict,
    layer_engines,
    table_questions,
    table_verdict,
)
from ohr.adviser.recommend.verdicts import (
    TARGETS_OF,
    MeasureVerdict,
    basis,
    error_verdict,
    not_assessed,
    retrieval_verdict,
    speak_for_ocr,
)
from ohr.adviser.sampling import PageSample
from ohr.errors import OhrError
from ohr.ocr.observe import REPEATS
from ohr.registry import PluginSpec
from ohr.study.results import StudyRun
from ohr.types import PageRef, Question

SCHEMA = 1
"""Version of ``recommendation.json``; a field that goes or changes its meaning raises it."""
FEWEST_QUESTIONS = 10
"""Least number of questions for retrieval to be assessed."""


@dataclass(frozen=True)
class Recommendation:
    """What to use for some PDFs and images, and why.

    ``table`` has one row per page and engine, as ``quality.csv``.
    """

    decision: Decision
    layers: LayerSummary | None
    tables: TableVerdict | None
    verdicts: tuple[MeasureVerdict, ...]
    costs: tuple[EngineCost, ...]
    advice: Advice
    table: pd.DataFrame
    sample: PageSample
    reading: Reading
    run: StudyRun | None = None
    following: ReadCommand | None = None
    """The command that reads all files as recommended."""

    def add_command(self, command: ReadCommand) -> Recommendation:
        """The recommendation with the command; without an engine, it is part of the first line."""
        first, *rest = self.advice.verdict
        if not self.decision.engine:
            does = command.engines_sentence
            # What to do comes first; text layers are part of it.
            first = f"{first} {does}" if self.takes_layers else f"{does} {first}"
        advice = replace(self.advice, verdict=(first.strip(), *rest))
        return replace(self, following=command, advice=advice)

    @property
    def takes_layers(self) -> bool:
        """Whether the text layer is to be taken on some pages."""
        return self.layers is not None and self.layers.is_usable

    @property
    def budget(self) -> NoiseBudget | None:
        """Whether the recommended engine is within the noise budget; None without one."""
        return noise_budget(self.verdicts, self.decision.engine)

    @property
    def sentences(self) -> list[str]:
        """All sentences: the verdicts, the reasons, the cost, and what would make it surer."""
        return self.advice.sentences

    def json_content(self) -> dict[str, Any]:
        """The content of ``recommendation.json``."""
        sample, layers = self.sample, self.layers
        return {
            "schema": SCHEMA,
            "sample": {
                "documents": len(sample.counts),
                "pages": len(sample.pages),
                "pages_planned": self.reading.planned,
                "looks": self.reading.looks,
                "stopped_by": self.reading.stop,
                "pages_in_all": sample.total,
                "left_out": dict(sample.left_out),
                "other_files": dict(sample.others),
            },
            "take": {
                "text_layer": self.takes_layers,
                "engine": self.decision.engine or None,
                "retriever": self.decision.retriever or None,
                "by": self.decision.by or None,
                "reason": self.decision.reason,
                "shown": self.decision.is_shown,
                "own_engine": self.decision.engine == OWN,
            },
            "never_taken": [
                veto.json_content() for veto in self.reading.inventions.vetoes.values()
            ],
            "text_layer": layers.json_content() if layers is not None else None,
            "tables": self.tables.json_content() if self.tables is not None else None,
            "verdicts": [
                verdict.json_content(sentence)
                for verdict, sentence in zip(self.verdicts, self._measure_sentences, strict=True)
            ],
            "cost": [cost.json_content() for cost in self.costs],
            "noise_budget": self.budget.json_content() if self.budget is not None else None,
            "next": self.following.json_content() if self.following is not None else None,
            "sentences": {
                name: list(lines)
                for name, lines in zip(
                    ("verdict", "why", "cost", "to_be_sure"),
                    (lines for _, lines in self.advice.parts()),
                    strict=True,
                )
            },
        }

    @property
    def _measure_sentences(self) -> tuple[str, ...]:
        return self.advice.verdict[-len(self.verdicts) :]


def pdf_engines(settings: OcrSettings) -> frozenset[str]:
    """The engines that read PDFs, not page images."""
    return frozenset(spec.label for spec in settings.engines if not reads_images(spec))


def decided(
    reading: Reading,
    settings: OcrSettings,
    request: Request,
    out: Path,
    questions: Sequence[Question],
    origin: str,
    run: StudyRun | None,
) -> Recommendation:
    """Decide, by the predicted errors and a ``run`` of retrieval, if there is one.

    ``origin`` says what the questions were made of.
    """
    outputs, table = reading.outputs, reading.table
    sample = outputs.sample
    vetoes = reading.inventions.vetoes
    rows, which = basis(table[~table["engine"].isin(list(vetoes))], outputs.of_layer)
    names = list(dict.fromkeys(rows["engine"])) if len(rows) else []
    if names:
        verdicts = [error_verdict(rows, target, reading.alpha) for target in TARGETS_OF]
    else:
        reason = "no engine of page images was given"
        verdicts = [not_assessed(measure, reason, ()) for measure in TARGETS_OF.values()]
    retrieval, choice, where, no_questions = _retrieval(
        run,
        names,
        questions,
        origin,
        sample,
        reading,
        only_without=which.startswith(", those"),
    )
    verdicts.append(retrieval)
    decision = decide(
        verdicts,
        outputs.comparable_seconds,
        _page_s(outputs, settings),
        unread=sample.total - len(sample.pages),
        vetoed=list(vetoes),
    )
    layers = summarise_layers(sample)
    tables = None
    if layers is not None and layers.is_usable:
        tables = _tables(run, questions, sample)
    costs = tuple(_cost(name, outputs, settings) for name in outputs.cost)
    to_read = pages_for_ocr(layers, sample)
    of_measures = [verdict_sentence(verdict, which) for verdict in verdicts[:2]]
    of_measures.append(verdict_sentence(verdicts[2], where))
    several = len(request.retrievers) > 1
    verdict = [
        take_sentence(layers, decision, several=several),
        *(veto.sentence for veto in vetoes.values()),
        *table_lines(layers, tables),
        *of_measures,
    ]
    budget = noise_budget(verdicts, decision.engine)
    advice = Advice(
        tuple(verdict),
        (*_reasons(rows, verdicts, reading, run), *([budget.sentence] if budget else [])),
        tuple(cost.sentence(settings.workers, to_read) for cost in costs),
        tuple(
            doubts(
                verdicts,
                choice,
                correction_sentence(
                    out / TO_TRANSCRIBE, rows, is_corrected=request.truth is not None
                ),
                no_questions,
                can_read_more=sample.total > len(sample.pages),
            )
        ),
    )
    return Recommendation(
        decision, layers, tables, tuple(verdicts), costs, advice, table, sample, reading, run
    )


def pages_for_ocr(layers: LayerSummary | None, sample: PageSample) -> int:
    """The estimated number of all pages without a usable text layer."""
    images = sum(n for name, n in sample.counts.items() if name not in sample.pdfs)
    return images if layers is None else images + layers.pages - layers.estimated


def _retrieval(
    run: StudyRun | None,
    engines: Sequence[str],
    questions: Sequence[Question],
    origin: str,
    sample: PageSample,
    reading: Reading,
    *,
    only_without: bool,
) -> tuple[MeasureVerdict, Choice | None, str, str]:
    """The verdict on retrieval; the comparison; which questions it is about; why there is none."""
    if run is None:
        if not sample.pdfs:
            reason = "questions are made of PDFs only, and there are none"
            return not_assessed("retrieval", reason, engines), None, "", reason
        count = len(questions)
        could = f"{count} question{'s' * (count != 1)} could be made {origin}"
        reason = f"{could}, at least {FEWEST_QUESTIONS} are needed"
        more = reason
        if sample.total > len(sample.pages):
            option = "--read-all" if reading.stop == "settled" else "--budget"
            more = f"{could}; read more pages ({option})"
        return not_assessed("retrieval", reason, engines), None, "", more
    qids = None
    where = ""
    if only_without:
        without = [
            q.qid for q in questions if all(_has_no_layer(sample, ref) for ref in q.evidence_pages)
        ]
        if len(without) >= FEWEST_QUESTIONS:
            qids, where = without, ", on pages without a usable layer"
        elif without:
            where = ", on pages with and without a usable layer"
        else:
            where = ", none of them on a page without a usable layer"
    try:
        choice = choose(run, engines, qids)
    except OhrError as error:
        return not_assessed("retrieval", str(error), engines), None, "", ""
    chosen = [question for question in questions if qids is None or question.qid in set(qids)]
    documents = len({question.doc_id for question in chosen})
    against = f"questions made {origin}"
    evidence = {ref for question in chosen for ref in question.evidence_pages}
    ocr_pages = sum(_has_no_layer(sample, ref) for ref in evidence)
    verdict = retrieval_verdict(
        choice,
        against,
        documents,
        further_units(choice),
        needs_ocr=speak_for_ocr(ocr_pages, len(evidence)),
        ocr_pages=ocr_pages,
    )
    return verdict, choice, where, ""


def _page_s(outputs: SampleOutputs, settings: OcrSettings) -> float:
    """Wall seconds of a page image with all engines and workers; NaN if they are not known."""
    times = 1 + len(REPEATS) if settings.instability else 1
    seconds = [s for name, s in outputs.seconds.items() if name not in outputs.of_layer]
    return times * sum(seconds) / settings.workers


def _has_no_layer(sample: PageSample, ref: PageRef) -> bool:
    return sample.layers.get(ref) is None


def _questions_on_layers(questions: Sequence[Question], sample: PageSample) -> list[Question]:
    """The questions whose pages all have a usable layer."""
    return [
        question
        for question in questions
        if all(sample.layers.get(ref) is not None for ref in question.evidence_pages)
    ]


def layer_specs(sample: PageSample, questions: Sequence[Question]) -> list[PluginSpec]:
    """The engines of layers to compare, if there are enough questions on tables."""
    if len(table_questions(_questions_on_layers(questions, sample))) < FEWEST_TABLES:
        return []
    return layer_engines()


def _tables(
    run: StudyRun | None, questions: Sequence[Question], sample: PageSample
) -> TableVerdict:
    qids = table_questions(_questions_on_layers(questions, sample))
    reason = ""
    if len(qids) < FEWEST_TABLES:
        count = f"{len(qids)} question{'s' * (len(qids) != 1)} on tables could be made"
        reason = f"{count}, at least {FEWEST_TABLES} are needed"
    elif not layer_engines():
        reason = "structured over the layer is not installed (pip install pdfminer.six)"
    return table_verdict(run, qids, reason)


def _reasons(
    rows: pd.DataFrame,
    verdicts: Sequence[MeasureVerdict],
    reading: Reading,
    run: StudyRun | None,
) -> list[str]:
    outputs = reading.outputs
    lines = [*reading.sentences, family_sentence(verdicts, reading.looks)]
    vetoed = {veto.sentence for veto in reading.inventions.vetoes.values()}
    lines += [line for line in reading.inventions.lines() if line not in vetoed]
    if run is not None:
        lines += retrieval_lines(run, {"pdf_text": "text layer (pdf_text)"})
    if len(rows):
        # Pages with a layer are not read again under distortions, so that signal is not missed.
        assessed = assessed_lines(rows, {})
        lines += [line for line in assessed if not line.endswith(": instability")]
        lines += worst_lines(rows)
    for name in sorted(outputs.of_layer):
        lines.append(
            f"{name} reads the text layer: it counts with the layer, and is not compared with the "
            "OCR engines, whose truth the layer is"
        )
    left_out = len(outputs.sample.pages) - len(outputs.table.drop_duplicates(["doc_id", "page_no"]))
    if left_out:
        lines.append(f"not assessed: {left_out} images, which none of these engines reads")
    return lines


def _cost(name: str, outputs: SampleOutputs, settings: OcrSettings) -> EngineCost:
    [spec] = [spec for spec in settings.engines if spec.label == name]
    cost = outputs.cost[name]
    wall = cost.get("wall_s", math.nan)
    licence = str(getattr(registry.plugin_class("engine", spec.name), "license", ""))
    return EngineCost(
        name,
        cost.get("cpu_s", math.nan),
        wall,
        3600 * settings.workers / wall if wall > 0 else math.nan,
        licence,
        spec.name == OWN,
    )
