"""The hook of metrics. Each declares what it scores, its title, and which direction is better.

These declarations tell a study what to measure, how to score a failed page or answer, and what
name to use in tables and figures.
"""

from __future__ import annotations

import inspect
from abc import ABC
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar, Literal, TypeVar, get_args

from ohr.errors import PluginError
from ohr.plugins.base import P, Plugin, check_class
from ohr.types import Answer, Document, Hit, Outcome, Question

Of = Literal["page", "evidence", "hits", "answer"]
"""What a metric scores: page text, a question's evidence in the knowledge base, the chunks
retrieved for a question, or an answer."""
Need = Literal[
    "text", "table", "formula", "evidence", "page", "several answers", "formats", "judge", "fact"
]
"""What a metric needs in order to apply: running text, a table or a formula on the page (in the
ground truth); a question with evidence text, with a known page, or with several accepted answers;
knowledge bases that differ in their format; a judge; or a question with a fact."""
Judge = Callable[[Sequence[str], Sequence[Sequence[Hit]]], list[Outcome[str]]]
"""Asks the study's judge: takes questions, each with its exhibits, and returns the replies."""
TextScore = Callable[[str, str], float]
Tokens = Callable[[str], list[str]]
F = TypeVar("F", bound=Callable[..., float])


@dataclass(frozen=True)
class Scoring:
    """One protocol's functions; every score takes (prediction, reference)."""

    name: Literal["default", "reference"]
    tokens: Tokens
    content_tokens: Tokens
    """Tokens of a text without its mark-up."""
    published_tokens: Tokens
    """Tokens of the published evaluation, whatever the protocol."""
    token_lcs: Callable[[Sequence[str], Sequence[str]], float]
    f1: TextScore
    em: TextScore
    rouge_l: TextScore
    lcs: TextScore
    edit_distance: TextScore


@dataclass(frozen=True)
class PageCase:
    """A page: its page text, and its ground truth.

    Words of the truth that may be wrong are left out of both.
    """

    text: str
    truth: str
    scoring: Scoring


@dataclass(frozen=True)
class EvidenceCase:
    """The texts of a question's evidence pages in a knowledge base."""

    pages: tuple[str, ...]
    question: Question
    scoring: Scoring

    @cached_property
    def lcs(self) -> float:
        """Word-level LCS of the evidence with its pages, divided by the evidence's length."""
        return self._lcs(self.scoring.tokens)

    def lcs_of(self, tokens: Tokens) -> float:
        """:attr:`lcs` of other tokens."""
        return self.lcs if tokens is self.scoring.tokens else self._lcs(tokens)

    def _lcs(self, tokens: Tokens) -> float:
        page = _joined([tokens(text) for text in self.pages])
        return self.scoring.token_lcs(page, tokens(self.question.evidence_text))


@dataclass(frozen=True)
class HitsCase:
    """The best hits for a question, at most ``k``."""

    hits: tuple[Hit, ...]
    k: int
    question: Question
    scoring: Scoring

    @property
    def evidence_hits(self) -> list[Hit]:
        """The hits on the pages of the evidence, in rank order."""
        gold = set(self.question.evidence_pages)
        return [hit for hit in self.hits if hit.ref in gold]

    @cached_property
    def lcs(self) -> float:
        """Word-level LCS of the evidence with the text retrieved from its pages, divided by the
        evidence's length."""
        return self.lcs_of(self.scoring.tokens)

    def lcs_of(self, tokens: Tokens) -> float:
        """:attr:`lcs` of other tokens; chunks are joined in rank order; 0 without any."""
        chunks = self.evidence_hits
        if not chunks:
            return 0.0
        words = _joined([tokens(hit.text) for hit in chunks])
        return self.scoring.token_lcs(words, tokens(self.question.evidence_text))


def _joined(tokens: Sequence[list[str]]) -> list[str]:
    """One list after the other; a single one is not copied."""
    return tokens[0] if len(tokens) == 1 else list(chain.from_iterable(tokens))


@dataclass(frozen=True)
class AnswerCase:
    """An answer, with the quote, headers, sources and trace of the system that gave it.

    ``documents`` and ``truth`` are documents by id: with the page texts of the knowledge base that
    the answer comes from, and with the ground truth. Both have every document of the study; for a
    closed-book answer, ``documents`` is empty.
    """

    answer: Answer
    question: Question
    scoring: Scoring
    documents: Mapping[str, Document] = field(default_factory=dict)
    truth: Mapping[str, Document] = field(default_factory=dict)


Case = PageCase | EvidenceCase | HitsCase | AnswerCase


class Metric(Plugin[P], ABC, abstract=True):
    """A score in [0, 1]. Define one of three methods.

    ``score(prediction, reference)`` scores two texts, ``measure(case)`` everything that is known
    about one case, and ``measure_many(cases)`` all cases at once. The two texts depend on ``of``:
    page text and ground truth; the text of the evidence pages and the evidence; the text retrieved
    from these pages and the evidence; an answer and an accepted answer, of which the best counts.
    """

    either = ("score", "measure", "measure_many")
    of: ClassVar[Of] = "answer"
    title: ClassVar[str] = ""
    """Its name in tables and figures; by default ``name``."""
    higher_is_better: ClassVar[bool] = True
    worst: ClassVar[float]
    """By default 0, or 1 if lower is better."""
    best: ClassVar[float]
    """By default 1, or 0 if lower is better."""
    missing: ClassVar[float]
    """The score of a failed page or a missing answer; by default the worst value."""
    needs: ClassVar[frozenset[Need]] = frozenset()
    """Pages or questions without these are left out of the mean, whatever the page text is."""
    order_free: ClassVar[bool] = False
    """For metrics of pages: whether the order of the truth's words does not matter. The others are
    not scored on pages for which it is not known."""
    protocols: ClassVar[frozenset[str]] = frozenset({"default", "reference"})
    """The protocols under which it is defined."""
    at_k: ClassVar[bool] = False
    """For metrics of hits: whether their number is part of the name, as in ``hit@2``."""
    without_context: ClassVar[bool] = True
    """For metrics of answers: whether closed-book answers are measured too."""
    headline: ClassVar[bool] = False
    """Whether figures and comparisons show it by default."""
    part_of: ClassVar[str] = ""
    """The metric whose loss it is a part of. Tables show the parts next to that metric."""
    basis: ClassVar[str] = ""
    """What it counts, if other metrics count the same (``words of the evidence``). Two metrics of
    one basis share part of their definition, so neither is tested as a predictor of the other."""
    splits: ClassVar[bool] = True
    """Whether copies of it may measure parts of the cases in separate processes. Set it to False
    for a metric that holds a model on a GPU or a connection. A metric with ``measure_many`` is
    never split."""
    beside: ClassVar[tuple[str, ...]] = ()
    """Names of metrics that a study measures together with this one."""

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
            check_class(cls, _check)

    def score(self, prediction: str, reference: str) -> float:
        """Score one pair of texts.

        Args:
            prediction: An engine's page text, or a reader's answer.
            reference: The ground truth, or an accepted answer.
        """
        raise NotImplementedError(f"metric {self.name!r} needs more than two texts")

    def __call__(self, prediction: str, reference: str) -> float:
        """:meth:`score`."""
        return self.score(prediction, reference)

    def measure(self, case: Any) -> float:
        """Score a case of the kind :attr:`of`; NaN if the metric does not apply."""
        match case:
            case PageCase():
                return self.score(case.text, case.truth)
            case EvidenceCase():
                return self.score("\n".join(case.pages), case.question.evidence_text)
            case HitsCase():
                retrieved = "\n".join(hit.text for hit in case.evidence_hits)
                return self.score(retrieved, case.question.evidence_text)
            case _:
                answers = case.question.answers
                return max(self.score(case.answer.text, answer) for answer in answers)

    @property
    def takes_all(self) -> bool:
        """Whether it defines :meth:`measure_many`, and so takes all cases at once."""
        return type(self).measure_many is not Metric.measure_many

    def measure_many(
        self, cases: Sequence[Any], judge: Judge | None = None
    ) -> list[Outcome[float]]:
        """Score all cases at once. A study calls it instead of :meth:`measure` if it is defined."""
        raise NotImplementedError(f"metric {self.name!r} measures one case after the other")

    def is_verdict(self, reply: str) -> bool:
        """Whether a judge's reply is a verdict.

        Other replies are counted as errors, and asked for again with ``retry_failed``.
        """
        return True


def _check(cls: type[Metric[Any]]) -> None:
    """Raise PluginError for a wrong declaration."""
    where = f"metric {cls.__module__}.{cls.__qualname__}"
    if cls.of not in get_args(Of):
        raise PluginError(f"{where}: of is {cls.of!r}; known: {', '.join(get_args(Of))}")
    for name in ("worst", "best", "missing"):
        if not 0 <= getattr(cls, name) <= 1:
            raise PluginError(f"{where}: {name} is {getattr(cls, name)!r}: scores lie in [0, 1]")
    if unknown := set(cls.needs) - set(get_args(Need)):
        known_values = ", ".join(get_args(Need))
        raise PluginError(f"{where}: unknown need {min(unknown)!r}; known: {known_values}")


def metric(
    of: Of = "answer", *, title: str = "", higher_is_better: bool = True, **declared: Any
) -> Callable[[F], F]:
    """Declare a function of two texts, or of one case, as a metric.

    Write ``@ohr.metric(of="page", title="Numbers found")`` above
    ``def numbers(text, truth) -> float``. A function of one parameter gets the case (see
    :class:`Metric`). ``declared`` are further attributes of :class:`Metric`, such as
    ``version="2"``. The function itself is unchanged. Name it in a study by its dotted path,
    ``metrics=[default, my_metrics.numbers]``. Raises PluginError for a wrong declaration.
    """

    def declare(function: F) -> F:
        name = function.__name__
        parameters = list(inspect.signature(function).parameters)
        if unknown := set(declared) - set(Metric.__annotations__) - {"name", "version"}:
            raise PluginError(f"metric {name!r}: unknown attribute {min(unknown)!r}")
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
            attributes["score"] = lambda self, text, truth: type(self).declared(text, truth)
        else:
            raise PluginError(
                f"metric {name!r} takes {', '.join(parameters) or 'nothing'}: a metric takes two "
                "texts (prediction, reference), or one case"
            )
        function.metric = type(name, (Metric,), attributes)  # type: ignore[attr-defined]
        return function

    return declare
