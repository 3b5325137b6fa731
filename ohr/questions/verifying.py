"""The checks of a made question that need a model (OHR-Bench, section II.5 and table S15).

In this order, the cheapest first: the model cannot answer it without context; nor from only one of
its pages; the model judges that it fits its task, is supported and clear; and of ten sampled
answers from the evidence, the most frequent is the stated answer, at least three times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ohr.datasets import wording
from ohr.metrics import default
from ohr.questions.making import QuestionSet, Rejected
from ohr.questions.model import Model
from ohr.questions.prompts import ANSWER, ANSWER_ALONE, ANSWERER, CHECK, CHECKER, TASKS
from ohr.types import Question

SAMPLES = 10
CONSISTENT = 3
"""Least number of samples with the stated answer."""
TEMPERATURE = 0.7
ALIKE = 0.8
"""F1 from which on an answer that is no number equals the stated one."""
CHECKS = ("needs_context", "needs_every_page", "verified", "samples_agree")


def verify(question_set: QuestionSet, model: Model) -> QuestionSet:
    """The question set; questions that fail a check with a model are rejected."""
    accepted: list[Question] = []
    rejected: list[Rejected] = []
    for question in question_set.accepted:
        fault = fault_of(question, question_set.passages[question.qid], model)
        if fault is None:
            accepted.append(question)
        else:
            rejected.append(Rejected(question, question_set.kinds[question.qid], *fault))
    return replace(
        question_set, accepted=tuple(accepted), rejected=(*question_set.rejected, *rejected)
    )


def fault_of(question: Question, passages: Sequence[str], model: Model) -> tuple[str, str] | None:
    """The first check that a question fails, and the reason; None if it passes all.

    ``passages`` is the evidence on each page.
    """
    alone = model.say(ANSWERER, ANSWER_ALONE.format(question=question.text))
    if is_right(alone, question):
        return "needs_context", f"answered without context: {alone}"
    if len(passages) > 1:
        for passage in passages:
            answer = model.say(ANSWERER, ANSWER.format(question=question.text, evidence=passage))
            if is_right(answer, question):
                return "needs_every_page", f"one passage is enough: {passage}"
    prompt = CHECK.format(
        question=question.text,
        answer=question.answers[0],
        task=TASKS.get(question.task, question.task),
        evidence=question.evidence_text,
    )
    judged = next(iter(model.objects(CHECKER, prompt)), {})
    if denied := [name for name in ("task", "evidence", "clear") if judged.get(name) is not True]:
        return "verified", f"not confirmed: {', '.join(denied)}"
    return _inconsistent(question, model)


def _inconsistent(question: Question, model: Model) -> tuple[str, str] | None:
    prompt = ANSWER.format(question=question.text, evidence=question.evidence_text)
    samples = [
        model.say(ANSWERER, prompt, temperature=TEMPERATURE, seed=seed) for seed in range(SAMPLES)
    ]
    counts = Counter(" ".join(default.tokens(answer)) for answer in samples if answer.strip())
    if not counts:
        return "samples_agree", "no sample is an answer"
    best, many = counts.most_common(1)[0]
    sample = next(answer for answer in samples if " ".join(default.tokens(answer)) == best)
    if not is_right(sample, question):
        return "samples_agree", f"{many} of {SAMPLES} samples say: {sample}"
    right = sum(is_right(answer, question) for answer in samples)
    if right < CONSISTENT:
        return "samples_agree", f"{right} of {SAMPLES} samples give the stated answer"
    return None


def is_right(text: str, question: Question) -> bool:
    """Whether a text equals an accepted answer: equal numbers, or nearly equal words."""
    for answer in question.answers:
        if wording.is_number(answer) and (numbers := wording.numbers(answer)):
            if wording.numbers(text) == numbers:
                return True
        elif wording.verdict(answer):
            if wording.verdict(text) == wording.verdict(answer):
                return True
        elif default.f1(text, answer) >= ALIKE:
            return True
    return False
