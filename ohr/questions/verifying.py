"""The checks of a made question that take a model (OHR-Bench, section II.5 and table S15).

In this order, the cheapest first: it is not answered without context; not by one of its pages
alone; the model finds it of its task, supported and clear; and of ten sampled answers from the
evidence, the most frequent is the stated one, three times at least.
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
"""Samples that must agree on the stated answer."""
TEMPERATURE = 0.7
ALIKE = 0.8
"""F1 from which on an answer is the stated one, where it is no number."""
CHECKS = ("needs_context", "needs_every_page", "verified", "samples_agree")


def verified(exam: QuestionSet, model: Model) -> QuestionSet:
    """The exam without the questions that a check with a model finds fault with."""
    kept: list[Question] = []
    rejected: list[Rejected] = []
    for one in exam.accepted:
        fault = fault_of(one, exam.passages[one.qid], model)
        if fault is None:
            kept.append(one)
        else:
            rejected.append(Rejected(one, exam.kinds[one.qid], *fault))
    return replace(exam, accepted=tuple(kept), rejected=(*exam.rejected, *rejected))


def fault_of(question: Question, passages: Sequence[str], model: Model) -> tuple[str, str] | None:
    """The check that a question fails first, and the reason; ``passages`` are its pages'."""
    alone = model.say(ANSWERER, ANSWER_ALONE.format(question=question.text))
    if is_right(alone, question):
        return "needs_context", f"answered without context: {alone}"
    if len(passages) > 1:
        for passage in passages:
            said = model.say(ANSWERER, ANSWER.format(question=question.text, evidence=passage))
            if is_right(said, question):
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
    said = [
        model.say(ANSWERER, prompt, temperature=TEMPERATURE, seed=seed) for seed in range(SAMPLES)
    ]
    counts = Counter(" ".join(default.tokens(answer)) for answer in said if answer.strip())
    if not counts:
        return "samples_agree", "no sample is an answer"
    best, many = counts.most_common(1)[0]
    sample = next(answer for answer in said if " ".join(default.tokens(answer)) == best)
    if not is_right(sample, question):
        return "samples_agree", f"{many} of {SAMPLES} samples say: {sample}"
    right = sum(is_right(answer, question) for answer in said)
    if right < CONSISTENT:
        return "samples_agree", f"{right} of {SAMPLES} samples say what is stated"
    return None


def is_right(said: str, question: Question) -> bool:
    """Whether an answer is one that is accepted: equal numbers, or nearly equal words."""
    for answer in question.answers:
        if wording.is_number(answer) and (numbers := wording.numbers(answer)):
            if wording.numbers(said) == numbers:
                return True
        elif wording.verdict(answer):
            if wording.verdict(said) == wording.verdict(answer):
                return True
        elif default.f1(said, answer) >= ALIKE:
            return True
    return False
