"""QASPER's evaluation: F1 of answers and of evidence paragraphs over several annotators.

As Dasigi et al., "A Dataset of Information-Seeking Questions and Answers Anchored in Research
Papers" (2021), publish it. An answer's words are normalised as SQuAD's are; the annotator that
agrees best counts, for answer and evidence apart; a question's type is that of the answer that its
prediction comes closest to, the first of equal ones; a question without a prediction scores 0 and
belongs to no type.
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
"""What evidence that is a figure or table begins with, before its caption."""

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")


@dataclass(frozen=True, slots=True)
class Reference:
    """An annotator's answer and the paragraphs that it rests on."""

    answer: str
    type: AnswerType
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a system answered, and the paragraphs that it names."""

    answer: str
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scores:
    """Means in [0, 1] over ``questions``; 0 of a type that no question has.

    ``missing``: questions without a prediction, ``of_type`` how many questions each type has.
    """

    answer_f1: float
    evidence_f1: float
    by_type: Mapping[AnswerType, float]
    of_type: Mapping[AnswerType, int]
    questions: int
    missing: int


def answer_f1(prediction: str, answer: str) -> float:
    """F1 of two answers' words; 0 without a common one, so also of two empty answers."""
    return token_f1(_words(prediction), _words(answer))


def _words(text: str) -> list[str]:
    return _ARTICLE.sub(" ", text.lower().translate(_PUNCTUATION)).split()


def evidence_f1(predicted: Sequence[str], gold: Sequence[str]) -> float:
    """F1 of two lists of paragraphs, equal to the letter; 1 where both are empty."""
    if not predicted and not gold:
        return 1.0
    shared = len(set(predicted) & set(gold))
    if not shared:
        return 0.0
    precision, recall = shared / len(predicted), shared / len(gold)
    return 2 * precision * recall / (precision + recall)


def text_evidence(reference: Reference) -> Reference:
    """A reference whose evidence is text alone, without figures and tables."""
    kept = tuple(text for text in reference.evidence if FLOAT not in text)
    return Reference(reference.answer, reference.type, kept)


def answerable(
    gold: Mapping[str, Sequence[Reference]],
) -> dict[str, list[Reference]]:
    """The gold standard without answers of type ``none``, nor questions that have no other."""
    kept = {
        qid: [reference for reference in references if reference.type != "none"]
        for qid, references in gold.items()
    }
    return {qid: references for qid, references in kept.items() if references}


def evaluate(
    gold: Mapping[str, Sequence[Reference]],
    predictions: Mapping[str, Prediction],
    *,
    text_evidence_only: bool = False,
) -> Scores:
    """The published scores. ``gold``: at least one reference a question.

    ``text_evidence_only`` leaves figures and tables out of the references' evidence. Predictions
    for other questions are passed over.
    """
    answers: list[float] = []
    evidence: list[float] = []
    of_type: dict[AnswerType, list[float]] = {name: [] for name in TYPES}
    missing = 0
    for qid, given in gold.items():
        predicted = predictions.get(qid)
        if predicted is None:
            missing += 1
            answers.append(0.0)
            evidence.append(0.0)
            continue
        references = [text_evidence(one) for one in given] if text_evidence_only else given
        scores = [answer_f1(predicted.answer, one.answer) for one in references]
        best = scores.index(max(scores))
        answers.append(scores[best])
        of_type[references[best].type].append(scores[best])
        evidence.append(max(evidence_f1(predicted.evidence, one.evidence) for one in references))
    return Scores(
        _mean(answers),
        _mean(evidence),
        {name: _mean(values) for name, values in of_type.items()},
        {name: len(values) for name, values in of_type.items()},
        len(gold),
        missing,
    )


def answer_f1_by_type(prediction: str, references: Sequence[Reference]) -> dict[AnswerType, float]:
    """For each type that an annotator gave, the F1 of the most similar answer of that type.

    So the DRC paper takes them (section 2.2): a question may belong to several types.
    """
    found: dict[AnswerType, float] = {}
    for one in references:
        found[one.type] = max(found.get(one.type, 0.0), answer_f1(prediction, one.answer))
    return found


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
