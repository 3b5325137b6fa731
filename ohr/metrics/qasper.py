"""QASPER's evaluation: F1 of answers and of evidence paragraphs over several annotators.

As published by Dasigi et al., "A Dataset of Information-Seeking Questions and Answers Anchored in
Research Papers" (2021). Words of answers are normalised as in SQuAD. The best annotator counts, for
answer and evidence separately. A question's type is that of the reference answer closest to the
prediction, the first of equal ones. A question without a prediction scores 0 and has no type.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ohr.metrics.reference import token_f1

AnswerType = Literal["extractive", "abstractive", "boolean", "none"]
TYPES: tuple[AnswerType, ...] = ("extractive", "abstractive", "boolean", "none")
UNANSWERABLE = "Unanswerable"
"""The answer of an annotator who found none; its type is ``none``."""
FLOAT = "FLOAT SELECTED"
"""Marks evidence that is a figure or table; its caption follows."""

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")


@dataclass(frozen=True, slots=True)
class Reference:
    """An annotator's answer and its evidence paragraphs."""

    answer: str
    type: AnswerType
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Prediction:
    """A system's answer and the paragraphs that it cites."""

    answer: str
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scores:
    """Means in [0, 1] over all ``questions``; 0 for a type without questions.

    ``missing`` counts the questions without a prediction, ``of_type`` the questions of each type.
    """

    answer_f1: float
    evidence_f1: float
    by_type: Mapping[AnswerType, float]
    of_type: Mapping[AnswerType, int]
    questions: int
    missing: int


def answer_f1(prediction: str, answer: str) -> float:
    """F1 of two answers' words; 0 without a common word, so also for two empty answers."""
    return token_f1(_words(prediction), _words(answer))


def _words(text: str) -> list[str]:
    return _ARTICLE.sub(" ", text.lower().translate(_PUNCTUATION)).split()


def evidence_f1(predicted: Sequence[str], gold: Sequence[str]) -> float:
    """F1 of two lists of paragraphs, which must match exactly; 1 if both are empty."""
    if not predicted and not gold:
        return 1.0
    shared = len(set(predicted) & set(gold))
    if not shared:
        return 0.0
    precision, recall = shared / len(predicted), shared / len(gold)
    return 2 * precision * recall / (precision + recall)


def text_evidence(reference: Reference) -> Reference:
    """The reference without figures and tables in its evidence."""
    paragraphs = tuple(text for text in reference.evidence if FLOAT not in text)
    return Reference(reference.answer, reference.type, paragraphs)


def answerable(
    gold: Mapping[str, Sequence[Reference]],
) -> dict[str, list[Reference]]:
    """The gold standard without answers of type ``none``, and questions that have only those."""
    with_answer = {
        qid: [reference for reference in references if reference.type != "none"]
        for qid, references in gold.items()
    }
    return {qid: references for qid, references in with_answer.items() if references}


def evaluate(
    gold: Mapping[str, Sequence[Reference]],
    predictions: Mapping[str, Prediction],
    *,
    text_evidence_only: bool = False,
) -> Scores:
    """The published scores. ``gold`` has at least one reference per question.

    ``text_evidence_only`` leaves figures and tables out of the references' evidence. Predictions
    for other questions are ignored.
    """
    answers: list[float] = []
    evidence: list[float] = []
    of_type: dict[AnswerType, list[float]] = {name: [] for name in TYPES}
    missing = 0
    for qid, of_question in gold.items():
        predicted = predictions.get(qid)
        if predicted is None:
            missing += 1
            answers.append(0.0)
            evidence.append(0.0)
            continue
        references = (
            [text_evidence(reference) for reference in of_question]
            if text_evidence_only
            else of_question
        )
        scores = [answer_f1(predicted.answer, reference.answer) for reference in references]
        best = scores.index(max(scores))
        answers.append(scores[best])
        of_type[references[best].type].append(scores[best])
        evidence.append(
            max(evidence_f1(predicted.evidence, reference.evidence) for reference in references)
        )
    return Scores(
        _mean(answers),
        _mean(evidence),
        {name: _mean(values) for name, values in of_type.items()},
        {name: len(values) for name, values in of_type.items()},
        len(gold),
        missing,
    )


def answer_f1_by_type(prediction: str, references: Sequence[Reference]) -> dict[AnswerType, float]:
    """For each type among the references, the F1 of the most similar answer of that type.

    As in the DRC paper (section 2.2): a question may belong to several types.
    """
    best: dict[AnswerType, float] = {}
    for reference in references:
        best[reference.type] = max(
            best.get(reference.type, 0.0), answer_f1(prediction, reference.answer)
        )
    return best


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
