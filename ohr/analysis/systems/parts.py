"""Attributes the loss of a whole system to its parts: structure, finding or reading.

A system is asked with parts of its input replaced by the truth. The pages that it finds are the
sources that its answers cite; it is then asked again with only these pages. Three parts can come
from OCR output or from the truth, so each question is asked eight times: the **structure** that
pages are found by (headings), the **text** that they are found by (finding), and the text of the
found pages (**reading**). The Shapley values of the three add up to the loss over the found pages.
``rest`` is the difference between that and the whole loss.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from ohr.analysis.attribution.table import swapping, units_with_truth
from ohr.analysis.systems.written_for import find_written_for
from ohr.markup.outline.read import document_tree
from ohr.markup.outline.transplant import transplant_headings
from ohr.ocr.progress import Progress
from ohr.statistics import Clusters, mean_interval
from ohr.statistics.shapley import Coalition, attribute
from ohr.study.conditions import Condition, condition_of_system
from ohr.study.output.groups import Units
from ohr.study.plan import Plan
from ohr.study.scoring.conditions import Scorer
from ohr.types import Answer, Document, KnowledgeBase, Outcome, Page, PageRef, Status

PARTS = ("structure", "finding", "reading")
ROWS = (*PARTS, "rest")
COALITIONS: tuple[Coalition, ...] = tuple(
    frozenset(true) for count in range(len(PARTS) + 1) for true in combinations(PARTS, count)
)
"""Sets of parts that come from the truth."""
CONDITION = ("noise", "perturbation", "level", "intensity", "engine", "system")


@dataclass
class _Texts:
    """The documents of a scope, in one knowledge base and in the ground truth."""

    read: Sequence[Document]
    true: Sequence[Document]

    def choose(self, structure: bool, text: bool) -> Sequence[Document]:
        """Documents with structure and text from the truth (True) or from OCR output (False)."""
        if structure == text:
            return self.true if text else self.read
        texts, outlines = (self.true, self.read) if text else (self.read, self.true)
        trees = {document.doc_id: document_tree(document) for document in outlines}
        return [
            transplant_headings(document_tree(text), trees[text.doc_id])
            if text.doc_id in trees
            else text
            for text in texts
        ]


def system_parts(plan: Plan, progress: Progress) -> pd.DataFrame:
    """One row per knowledge base other than the truth, system, group and part of the loss.

    ``f1_lost``, with its interval, is compared with the ground truth. The built-in system is left
    out (see ``attribution``). An answer without sources scores 0. Only questions whose evidence
    pages have a truth count.
    """
    units = _counted(plan)
    draws: dict[Condition, list[dict[str, np.ndarray]]] = {}
    with swapping(plan, progress) as swaps:
        for variant in plan.variants:
            if variant.engine.name == "gt" and variant.noise.name == "none":
                continue
            kb = swaps.knowledge_bases.knowledge_base(variant)
            truth = swaps.truth_beside(kb)
            for name in plan.systems:
                condition = condition_of_system(plan, variant, name)
                costs = _parts(swaps.scorer, kb, truth, name)
                draws.setdefault(condition, []).append(costs)
    records: list[dict[str, Any]] = []
    for condition, parts in draws.items():
        key = {name: getattr(condition, name) for name in CONDITION}
        means = {name: np.mean([part[name] for part in parts], axis=0) for name in ROWS}
        records += [key | loss for loss in _losses(means, units)]
    return pd.DataFrame(records)


def _counted(plan: Plan) -> Units:
    """The questions that count; overall without those written for one of the systems."""
    units = units_with_truth(plan)
    names = [system.name for system in plan.config.systems]
    left_out = find_written_for(plan.questions, names).qids
    is_kept = np.array([question.qid not in left_out for question in plan.questions], bool)
    everyone = units.groups["all"]
    return replace(units, groups=units.groups | {"all": everyone[is_kept[everyone]]})


def _parts(
    scorer: Scorer, kb: KnowledgeBase, truth: KnowledgeBase, name: str
) -> dict[str, np.ndarray]:
    """The loss of each question through each part, float ``(questions,)``."""
    scores: dict[Coalition, list[float]] = {coalition: [] for coalition in COALITIONS}
    whole = []
    order: list[int] = []
    for scope in scorer.plan.units.scopes:
        indices = [
            index
            for index, question in enumerate(scorer.plan.questions)
            if scorer.plan.units.scope_of(question) == scope
        ]
        order += indices
        texts = _Texts(scorer.documents(kb, scope), scorer.documents(truth, scope))
        answers_by_input = {
            (structure, text): _answers(scorer, name, indices, texts.choose(structure, text))
            for structure in (False, True)
            for text in (False, True)
        }
        f1 = {key: _scores(scorer, indices, answers) for key, answers in answers_by_input.items()}
        whole += list(f1[True, True] - f1[False, False])
        for coalition in COALITIONS:
            answers = answers_by_input["structure" in coalition, "finding" in coalition]
            documents = texts.true if "reading" in coalition else texts.read
            pages = {page.ref: page for document in documents for page in document.pages}
            scores[coalition] += [
                _reread(scorer, name, index, outcome, pages, documents)
                for index, outcome in zip(indices, answers, strict=True)
            ]
    back = np.argsort(order)
    arrays = {coalition: np.array(values)[back] for coalition, values in scores.items()}
    shares = attribute(arrays, PARTS)
    parts = dict(zip(PARTS, shares.values, strict=True))
    return parts | {"rest": np.array(whole)[back] - sum(parts.values())}


def _answers(
    scorer: Scorer, name: str, indices: Sequence[int], documents: Sequence[Document]
) -> list[Outcome[Answer]]:
    questions = [scorer.plan.questions[index].text for index in indices]
    system = scorer.plan.systems[name]
    return scorer.answering.answers_of_system(name, system, questions, documents)


def _reread(
    scorer: Scorer,
    name: str,
    index: int,
    outcome: Outcome[Answer],
    pages: Mapping[PageRef, Page],
    corpus: Sequence[Document],
) -> float:
    """The F1 of the answer with only the found pages."""
    sources = outcome.value.sources if outcome.value is not None else ()
    domains = {document.doc_id: document.domain for document in corpus}
    by_document: dict[str, list[Page]] = {}
    for ref in sorted(set(sources)):
        if ref in pages:
            by_document.setdefault(ref.doc_id, []).append(pages[ref])
    documents = [
        Document(doc, domains[doc], found_pages) for doc, found_pages in by_document.items()
    ]
    if not documents:
        return 0.0
    [score] = _scores(scorer, [index], _answers(scorer, name, [index], documents))
    return float(score)


def _scores(
    scorer: Scorer, indices: Sequence[int], answers: Sequence[Outcome[Answer]]
) -> np.ndarray:
    return np.array(
        [
            max(
                scorer.plan.units.scoring.f1(outcome.value.text, accepted)
                for accepted in scorer.plan.questions[index].answers
            )
            if outcome.status is Status.OK and outcome.value is not None
            else 0.0
            for index, outcome in zip(indices, answers, strict=True)
        ]
    )


def _losses(parts: Mapping[str, np.ndarray], units: Units) -> Iterator[dict[str, Any]]:
    for group, members in units.groups.items():
        if not len(members):
            continue
        clusters = Clusters.from_labels(units.documents[members], units.pages[members])
        for part in ROWS:
            values = parts[part][members]
            interval = mean_interval(values, clusters, bounded=False)
            yield {
                "group": group,
                "part": part,
                "f1_lost": float(values.mean()),
                "ci_low": interval.low,
                "ci_high": interval.high,
                "ci_unit": interval.unit,
                "n": len(members),
            }
