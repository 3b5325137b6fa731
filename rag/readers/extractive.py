"""The offline reader: answers are spans of the text it is given.

A baseline without a language model: deterministic, a few milliseconds a question, no torch, no
network. It finds the sentences, table rows and formulas that share the question's rarer words,
and takes the span of them that a linear model expects to match a short gold answer best. It
does not reason, calculate or paraphrase, and it does not look past OCR errors: a word misread
in the page is a word lost to it, so that noise can hurt it as it hurts other readers.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import numpy as np

from ohr import plugins
from ohr.store.identity import digest
from ohr.types import Hit, Outcome
from rag.readers._answer import render
from rag.readers._candidates import ParsedPage, read_page
from rag.readers._question_type import QuestionType, question_type
from rag.readers._rank import Ranked, content_stems, local_idf, rank_units
from rag.readers._spans import FEATURES, Spans, spans
from rag.readers._verdict import verdict

WEIGHTS_FILE = "extractive_weights.json"
UNITS = 5
"""Units in which answers are looked for; on the given gold pages, 89 % of the evidence is there."""

_MAX_QUESTION = 4_000  # characters read of a question


class Extractive(plugins.Reader):
    """Extracts a short answer from the context by word overlap and a linear span model.

    The weights of the span model were fitted on the given OHR-Bench Q&As over their ground-truth
    pages (``benchmarks/reader_fit.py``). On questions that do not want yes or no, word F1 is
    0.36 on documents and 0.34 on domains that were not fitted on.
    """

    name = "extractive"
    version = "2"
    note = (
        "fitted on questions of OHR-Bench, on which its F1 is too high and differences in it are "
        "about a tenth too large"
    )

    def identity(self) -> dict[str, object]:
        return super().identity() | {"weights": digest(_weights_text())}

    def answer(self, question: str, context: Sequence[Hit]) -> Outcome[str]:
        """A span of the context, or ``Yes``/``No``.

        With nothing to read it guesses ``Yes`` for a yes/no question and is ``empty`` for any
        other. The same question and context always give the same answer. Never raises on text.
        """
        question = question[:_MAX_QUESTION]
        kind = question_type(question)
        pages = [page for page in (read_page(hit.text) for hit in context) if page.units]
        if not pages:
            guess = "Yes" if kind is QuestionType.YES_NO else ""
            return Outcome.of_text(guess, "nothing to read" if context else "no context")
        ranked, weights = rank(question, pages)
        if kind is QuestionType.YES_NO:
            best = ranked[0]
            unit = pages[best.page].units[best.unit]
            evidence = render(pages[best.page], best.unit, unit.start, unit.end)
            return Outcome.of_text(verdict(question, evidence))
        candidates = spans(ranked, pages, weights, question)
        best_span = int(np.argmax(candidates.features @ span_weights(kind)))
        return Outcome.of_text(span_text(candidates, best_span, ranked, pages))


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


@cache
def _weights_text() -> str:
    return (files("rag.readers") / WEIGHTS_FILE).read_text(encoding="utf-8")


@cache
def _weights() -> dict[str, np.ndarray]:
    table = json.loads(_weights_text())
    return {
        kind: np.array([row[name] for name in FEATURES], dtype=np.float32)
        for kind, row in table.items()
    }


def span_weights(kind: QuestionType) -> np.ndarray:
    """Weights of :data:`FEATURES` for one kind of question."""
    return _weights()[kind.value]
