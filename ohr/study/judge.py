"""Has a language model say whether answers are right: metric ``judged``, off by default.

The judge is a reader with a prompt of its own. It sees the accepted answers, as every metric
does; readers never do.
"""

from __future__ import annotations

from collections.abc import Sequence

from ohr import registry
from ohr.errors import ConfigError
from ohr.plugins import Reader
from ohr.registry import PluginSpec
from ohr.study.answers import Answering
from ohr.types import FAILED, Hit, Outcome, PageRef, Question, Status

_NOWHERE = PageRef("", 0)


def make_judge(spec: PluginSpec) -> Reader:
    """The judge that a configuration names. Raises ConfigError."""
    if "prompt" not in registry.plugin_class("reader", spec.name).Params.model_fields:
        raise ConfigError(
            f"judge: reader {spec.label!r} takes no prompt: name a language model, such as "
            "judge={name: openai, params: {model: …}}"
        )
    judge = registry.create(
        "reader", spec.model_copy(update={"params": {"prompt": "judge"} | spec.params})
    )
    return judge


def judged(
    answering: Answering,
    judge: Reader,
    label: str,
    questions: Sequence[Question],
    answers: Sequence[Outcome[str]],
) -> list[Outcome[float]]:
    """1 for an answer that the judge calls correct, else 0.

    An answer that is not ``ok`` is 0 without asking; a judge that fails, or says neither word,
    is an error.
    """
    to_judge = [at for at, answer in enumerate(answers) if answer.status is Status.OK]
    verdicts = answering.answers(
        label,
        judge,
        [questions[at].text for at in to_judge],
        [_exhibits(questions[at], answers[at].value or "") for at in to_judge],
    )
    scores = [Outcome(0.0, answer.status) for answer in answers]
    for at, reply in zip(to_judge, verdicts, strict=True):
        scores[at] = verdict(reply)
    return scores


def _exhibits(question: Question, answer: str) -> tuple[Hit, Hit]:
    accepted = "\n".join(f"- {text}" for text in question.answers)
    return (
        Hit(_NOWHERE, f"Accepted answers:\n{accepted}", 1.0, 0),
        Hit(_NOWHERE, f"Answer to be graded:\n{answer}", 1.0, 1),
    )


def verdict(reply: Outcome[str]) -> Outcome[float]:
    """What a judge said as 1 or 0, or an error where it said neither."""
    if reply.status in FAILED:
        return Outcome(None, reply.status, reply.detail)
    word = (reply.value or "").strip(" \n\t.!*'\"").casefold()
    if word not in ("correct", "incorrect"):
        return Outcome.error("the judge said neither correct nor incorrect")
    return Outcome(float(word == "correct"))
