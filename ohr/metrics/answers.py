"""Metrics of answers."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence

from ohr import plugins
from ohr.metrics import refusal
from ohr.metrics.judgement import says_correct
from ohr.metrics.scores import SCORING, ProtocolParams
from ohr.plugins.metric import AnswerCase, Judge, TextScore, metric
from ohr.types import FAILED, Hit, Outcome, PageRef

_NOWHERE = PageRef("", 0)


class _Score(plugins.Metric[ProtocolParams], ABC, abstract=True):
    version = "7"
    argument = "protocol"

    def score(self, prediction: str, reference: str) -> float:
        function: TextScore = getattr(SCORING[self.params.protocol], self.name)
        return function(prediction, reference)

    def measure(self, case: AnswerCase) -> float:
        function: TextScore = getattr(case.scoring, self.name)
        return max(function(case.answer.text, answer) for answer in case.question.answers)


class F1(_Score):
    """Token F1 of an answer; the best accepted answer counts."""

    name = "f1"
    title = "F1"
    headline = True


class ExactMatch(_Score):
    """Whether an answer matches an accepted one exactly."""

    name = "em"
    title = "exact match"


class RougeL(_Score):
    """ROUGE-L of an answer: F1 of the longest common subsequence of its tokens."""

    name = "rouge_l"
    title = "ROUGE-L"


@metric(title="refused", version="4", higher_is_better=False, missing=0.0)
def refused(case: AnswerCase) -> float:
    """Whether an answer declines to answer. An empty or failed answer does not, and counts 0."""
    return float(refusal.refused(case.answer.text))


@metric(title="source recall", needs={"page"}, without_context=False)
def source_recall(case: AnswerCase) -> float:
    """Share of the evidence pages among the pages that an answer names as its sources."""
    gold = set(case.question.evidence_pages)
    return len(gold & set(case.answer.sources)) / len(gold)


class Judged(plugins.Metric):
    """Whether a language model, the study's ``judge``, calls an answer correct.

    The judge sees the accepted answers, as all metrics do; readers never do. A judge that fails,
    or a reply without a verdict (:mod:`ohr.metrics.judgement`), is an error.
    """

    name = "judged"
    version = "4"
    title = "judged correct"
    needs = frozenset({"judge"})
    without_context = False

    def measure_many(
        self, cases: Sequence[AnswerCase], judge: Judge | None = None
    ) -> list[Outcome[float]]:
        assert judge is not None
        questions = [case.question.text for case in cases]
        return [verdict(reply) for reply in judge(questions, [_exhibits(case) for case in cases])]

    def is_verdict(self, reply: str) -> bool:
        return says_correct(reply) is not None


def _exhibits(case: AnswerCase) -> tuple[Hit, Hit]:
    accepted = "\n".join(f"- {text}" for text in case.question.answers)
    return (
        Hit(_NOWHERE, f"Accepted answers:\n{accepted}", 1.0, 0),
        Hit(_NOWHERE, f"Answer to be graded:\n{case.answer.text}", 1.0, 1),
    )


def verdict(reply: Outcome[str]) -> Outcome[float]:
    """A judge's reply as 1 or 0, or an error if it has no verdict."""
    if reply.status in FAILED:
        return Outcome(None, reply.status, reply.detail)
    correct = says_correct(reply.value or "")
    if correct is None:
        return Outcome.error("the judge said neither correct nor incorrect")
    return Outcome(float(correct))
