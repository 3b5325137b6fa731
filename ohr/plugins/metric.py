"""The hook of metrics: each declares what it is of, what it is called and which way is better.

From these declarations alone a study knows what to measure, what a failed page or answer scores,
and how tables and figures name it.
"""

from __future__ import annotations

import inspect
from abc import ABC
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal, TypeVar, get_args

from ohr.errors import PluginError
from ohr.plugins.base import P, Plugin
from ohr.types import Answer, Document, Hit, Outcome, Question

Of = Literal["page", "evidence", "hits", "answer"]
"""What a metric is of: a page that was read, a question's evidence in the knowledge base, the
chunks retrieved for a question, or an answer."""
Need = Literal[
    "text", "table", "formula", "evidence", "page", "several answers", "formats", "judge"
]
"""What a metric needs to say anything: running text, a table or a formula on the page (in the
ground truth), a question whose evidence is written down, one whose page is known, one with
several accepted answers, knowledge bases that differ in their format, or a judge."""
Judge = Callable[[Sequence[str], Sequence[Sequence[Hit]]], list[Outcome[str]]]
"""Asks the study's judge: questions, each with its exhibits."""
TextScore = Callable[[str, str], float]
Tokens = Callable[[str], list[str]]
F = TypeVar("F", bound=Callable[..., float])


@dataclass(frozen=True)
class Scoring:
    """One protocol's functions; every score takes (prediction, reference)."""

    name: Literal["default", "reference"]
    tokens: Tokens
    content_tokens: Tokens
    """Of a text without its mark-up."""
    published_tokens: Tokens
    """Of the published evaluation, whatever the protocol."""
    token_lcs: Callable[[Sequence[str], Sequence[str]], float]
    f1: TextScore
    em: TextScore
    rouge_l: TextScore
    lcs: TextScore
    edit_distance: TextScore


@dataclass(frozen=True)
class PageCase:
    """A page: what was read there, and what stands there."""

    text: str
    truth: str
    scoring: Scoring


@dataclass(frozen=True)
class EvidenceCase:
    """A question's evidence pages as a knowledge base has them."""

    pages: tuple[str, ...]
    question: Question
    scoring: Scoring

    @cached_property
    def lcs(self) -> float:
        """Word-level LCS of the evidence with its pages, over the evidence's words."""
        return self.lcs_of(self.scoring.tokens)

    def lcs_of(self, tokens: Tokens) -> float:
        """:attr:`lcs` of other tokens."""
        page = [token for text in self.pages for token in tokens(text)]
        return self.scoring.token_lcs(page, tokens(self.question.evidence_text))


@dataclass(frozen=True)
class HitsCase:
    """The ``k`` best hits for a question, or as many as there were."""

    hits: tuple[Hit, ...]
    k: int
    question: Question
    scoring: Scoring

    @property
    def evidence_hits(self) -> list[Hit]:
        """Those on the pages of the evidence, in rank order."""
        gold = set(self.question.evidence_pages)
        return [hit for hit in self.hits if hit.ref in gold]

    @cached_property
    def lcs(self) -> float:
        """Word-level LCS of the evidence with the retrieved text of its pages, over its words."""
        return self.lcs_of(self.scoring.tokens)

    def lcs_of(self, tokens: Tokens) -> float:
        """:attr:`lcs` of other tokens; chunks come in rank order, and without one it is 0."""
        chunks = self.evidence_hits
        if not chunks:
            return 0.0
        words = [token for hit in chunks for token in tokens(hit.text)]
        return self.scoring.token_lcs(words, tokens(self.question.evidence_text))


@dataclass(frozen=True)
class AnswerCase:
    """An answer, with the quote, headers, sources and trace of the system that gave it.

    ``read`` and ``truth``: documents by id, as the knowledge base has them that it was answered
    from, and as they are. Both have every document of the study, and of an answer to nothing
    ``read`` has none.
    """

    answer: Answer
    question: Question
    scoring: Scoring
    read: Mapping[str, Document] = field(default_factory=dict)
    truth: Mapping[str, Document] = field(default_factory=dict)


Case = PageCase | EvidenceCase | HitsCase | AnswerCase


class Metric(Plugin[P], ABC, abstract=True):
    """A score in [0, 1]: ``score(prediction, reference)``, or ``measure(case)`` of all there is;
    ``measure_many(cases)`` where it takes them all at once.

    What the two texts are follows from ``of``: a page's reading and its ground truth; the evidence
    pages' text and the evidence; the text retrieved from these pages and the evidence; an answer
    and an accepted answer, of which the best counts.
    """

    either = ("score", "measure", "measure_many")
    of: ClassVar[Of] = "answer"
    title: ClassVar[str] = ""
    """What tables and figures call it; by default its name."""
    higher_is_better: ClassVar[bool] = True
    worst: ClassVar[float]
    """0, or 1 where less is better, unless it is given."""
    best: ClassVar[float]
    """1, or 0 where less is better, unless it is given."""
    missing: ClassVar[float]
    """What a failed page, or an answer that is none, scores: the worst value unless it is given."""
    needs: ClassVar[frozenset[Need]] = frozenset()
    """A page or question without it is left out of the mean, whatever was read there."""
    protocols: ClassVar[frozenset[str]] = frozenset({"default", "reference"})
    """The scorings under which it has a meaning."""
    at_k: ClassVar[bool] = False
    """Of hits: whether it bears their number in its name, as ``hit@2`` does."""
    without_context: ClassVar[bool] = True
    """Of answers: whether what is answered to nothing is measured too."""
    headline: ClassVar[bool] = False
    """Whether figures and comparisons show it unless they are asked for others."""
    part_of: ClassVar[str] = ""
    """The metric whose loss it is a part of. Tables show the parts beside that metric."""
    basis: ClassVar[str] = ""
    """What it counts, where other metrics count the same (``words of the evidence``). Two metrics
    of one basis share part of their definition, so neither is judged as a predictor of the other.
    """
    splits: ClassVar[bool] = True
    """Whether copies of it may each measure some of the cases in a process of their own. Not one
    that holds a model on a GPU or a connection; one that takes all cases at once never does."""
    beside: ClassVar[tuple[str, ...]] = ()
    """Metrics by name that a study measures too wherever it measures this one."""

    def __init_subclass__(cls, *, abstract: bool = False, **options: Any) -> None:
        super().__init_subclass__(abstract=abstract, **options)
        lowest, highest = (0.0, 1.0) if cls.higher_is_better else (1.0, 0.0)
        for name, value in {"worst": lowest, "best": highest}.items():
            if not hasattr(cls, name) or (
                name not in vars(cls) and "higher_is_better" in vars(cls)
            ):
                setattr(cls, name, value)
        if not hasattr(cls, "missing") or ("missing" not in vars(cls) and "worst" in vars(cls)):
            cls.missing = cls.worst
        if not abstract:
            _check(cls)

    def score(self, prediction: str, reference: str) -> float:
        """Score one pair of texts."""
        raise NotImplementedError(f"metric {self.name!r} is not of two texts alone")

    def __call__(self, prediction: str, reference: str) -> float:
        """:meth:`score`."""
        return self.score(prediction, reference)

    def measure(self, case: Any) -> float:
        """The value of a case of what the metric is :attr:`of`; NaN where it does not apply."""
        match case:
            case PageCase():
                return self.score(case.text, case.truth)
            case EvidenceCase():
                return self.score("\n".join(case.pages), case.question.evidence_text)
            case HitsCase():
                found = "\n".join(hit.text for hit in case.evidence_hits)
                return self.score(found, case.question.evidence_text)
            case _:
                answers = case.question.answers
                return max(self.score(case.answer.text, answer) for answer in answers)

    @property
    def takes_all(self) -> bool:
        """Whether it measures all cases at once."""
        return type(self).measure_many is not Metric.measure_many

    def measure_many(
        self, cases: Sequence[Any], judge: Judge | None = None
    ) -> list[Outcome[float]]:
        """All cases at once: what a study asks of a metric that has it, and of it alone."""
        raise NotImplementedError(f"metric {self.name!r} measures one case after the other")

    def is_verdict(self, reply: str) -> bool:
        """Whether a judge's reply can be read. One that cannot is an error, which is counted, and
        asked for again with ``retry_failed``.
        """
        return True


def _check(cls: type[Metric[Any]]) -> None:
    """Raise PluginError for a declaration that means nothing."""
    where = f"metric {cls.__module__}.{cls.__qualname__}"
    if cls.of not in get_args(Of):
        raise PluginError(f"{where} is of {cls.of!r}: known are {', '.join(get_args(Of))}")
    for name in ("worst", "best", "missing"):
        if not 0 <= getattr(cls, name) <= 1:
            raise PluginError(f"{where}: {name} is {getattr(cls, name)!r}: scores lie in [0, 1]")
    if unknown := set(cls.needs) - set(get_args(Need)):
        known = ", ".join(get_args(Need))
        raise PluginError(f"{where} needs {min(unknown)!r}: known are {known}")


def metric(
    of: Of = "answer", *, title: str = "", higher_is_better: bool = True, **declared: Any
) -> Callable[[F], F]:
    """Declare a function as a metric: of two texts, or of a case.

    ``@ohr.metric(of="page", title="Numbers found")`` over ``def numbers(read, truth) -> float``;
    a function of one parameter is given the case (see :class:`Metric`). ``declared`` are further
    attributes of :class:`Metric`, as ``version="2"``. The function stays what it is; a study names
    it by its dotted path, ``metrics=[default, my_metrics.numbers]``. Raises PluginError.
    """

    def declare(function: F) -> F:
        name = function.__name__
        parameters = list(inspect.signature(function).parameters)
        if unknown := set(declared) - set(Metric.__annotations__) - {"name", "version"}:
            raise PluginError(f"metric {name!r}: there is no {min(unknown)!r} to declare")
        attributes: dict[str, Any] = {
            "__module__": function.__module__,
            "__qualname__": function.__qualname__,
            "__doc__": function.__doc__,
            "name": name,
            "of": of,
            "title": title,
            "higher_is_better": higher_is_better,
            "declared": function,
            **declared,
            **({"needs": frozenset(declared["needs"])} if "needs" in declared else {}),
        }
        if len(parameters) == 1:
            attributes["measure"] = lambda self, case: type(self).declared(case)
        elif len(parameters) == 2:
            attributes["score"] = lambda self, read, true: type(self).declared(read, true)
        else:
            raise PluginError(
                f"metric {name!r} takes {', '.join(parameters) or 'nothing'}: a metric takes two "
                "texts (prediction, reference), or one case"
            )
        function.metric = type(name, (Metric,), attributes)  # type: ignore[attr-defined]
        return function

    return declare
