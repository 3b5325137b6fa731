"""The offline reader: its answers are spans of the context.

A baseline without a language model: deterministic, a few milliseconds per question, no torch, no
network. It finds the sentences, table rows and formulas that share the question's rarer words,
and returns the span of them that a linear model expects to match a short gold answer best. It
does not reason, calculate or paraphrase, and it does not see through OCR errors: a misread word
is lost to it, so noise hurts it as it hurts other readers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ohr import plugins
from ohr.plugins.reader import NO_CONTEXT
from ohr.types import Hit, Outcome
from rag.readers._answer import render
from rag.readers._candidates import ParsedPage, read_page
from rag.readers._indirect import direct_question
from rag.readers._question_type import QuestionType, question_type
from rag.readers._rank import Ranked, content_stems, local_idf, rank_units
from rag.readers._spans import Spans, spans
from rag.readers._verdict import verdict
from rag.readers._weights import fold_of, span_weights, weights_digest

UNITS = 5
"""Units searched for answers; on OHR-Bench's gold pages they hold 89 % of the evidence."""

_MAX_QUESTION = 4_000  # characters read of a question


class Extractive(plugins.Reader):
    """Extracts a short answer from the context by word overlap and a linear span model.

    The weights of the span model were fitted on questions of OHR-Bench over their ground-truth
    pages (``benchmarks/reader_fit.py``). It answers those questions with weights that were
    fitted without their documents (:mod:`rag.readers._weights`), all others with weights from
    all of them.
    """

    name = "extractive"
    version = "8"
    note = (
        "a linear model fitted on OHR-Bench; questions of its documents are answered by weights "
        "fitted without them"
    )
    knows_documents = True

    def identity(self) -> dict[str, object]:
        return super().identity() | {"weights": weights_digest()}

    def answer(self, question: str, context: Sequence[Hit]) -> Outcome[str]:
        """A span of the context, or ``Yes``/``No``.

        Without text to read it guesses ``Yes`` for a yes/no question and returns an ``empty``
        outcome for any other. The same question and context always give the same answer. No text
        makes it raise. A span's confidence is the F1 that the model expects of it
        (:func:`expected_overlap`); a verdict, which a rule gives, has none.
        """
        question = direct_question(question[:_MAX_QUESTION])
        kind = question_type(question)
        pages = [page for page in (read_page(hit.text) for hit in context) if page.units]
        if not pages:
            guess = "Yes" if kind is QuestionType.YES_NO else ""
            return Outcome.of_text(guess, "nothing to read" if context else NO_CONTEXT)
        ranked, weights = rank(question, pages)
        if kind is QuestionType.YES_NO:
            best = ranked[0]
            unit = pages[best.page].units[best.unit]
            evidence = render(pages[best.page], best.unit, unit.start, unit.end)
            return Outcome.of_text(verdict(question, evidence))
        candidates = spans(ranked, pages, weights, question)
        model = span_weights(kind, fold_of(question, context))
        scores = candidates.features @ model
        best_span = int(np.argmax(scores))
        return Outcome.of_text(
            span_text(candidates, best_span, ranked, pages),
            confidence=expected_overlap(candidates, scores, best_span),
        )


def expected_overlap(candidates: Spans, scores: np.ndarray, chosen: int) -> float:
    """The F1 of a span's tokens that is expected if the answer is one of the candidates.

    ``scores`` ``(n,)`` are the linear scores; their softmax is the probability of each candidate,
    as in the fit. Spans of other units share no token. Between 0 and 1, to four digits.
    """
    scores = scores.astype(np.float64)
    chances = np.exp(scores - scores.max())
    sizes = candidates.end - candidates.start
    first = np.maximum(candidates.start, candidates.start[chosen])
    shared = np.minimum(candidates.end, candidates.end[chosen]) - first
    f1 = 2 * np.maximum(shared, 0) / (sizes + sizes[chosen])
    f1[candidates.unit != candidates.unit[chosen]] = 0.0
    return round(float((chances * f1).sum() / chances.sum()), 4)


def rank(question: str, pages: Sequence[ParsedPage]) -> tuple[list[Ranked], dict[str, float]]:
    """The best units for a question, and the weight of each of its words."""
    weights = local_idf(content_stems(question), pages)
    return rank_units(weights, pages, UNITS), weights


def span_text(
    candidates: Spans, index: int, ranked: Sequence[Ranked], pages: Sequence[ParsedPage]
) -> str:
    """Words of one candidate span."""
    item = ranked[int(candidates.unit[index])]
    return render(
        pages[item.page], item.unit, int(candidates.start[index]), int(candidates.end[index])
    )
