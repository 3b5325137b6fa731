"""What a reader is given when parts of the system are replaced by the truth.

Three parts can be: the **OCR** (pages as the ground truth has them, in the index too), the
**retrieval** (the chunks of the evidence pages that hold most of the evidence, in place of the
chunks found) and the **chunking** (whole pages in place of their chunks). With all three
replaced the reader has the clean evidence pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from experiments.scoring import Scorer
from ohr.attribution import Coalition
from ohr.types import Hit, KnowledgeBase, Outcome, PageRef, Question, Status

CAUSES = ("ocr", "chunking", "retrieval")
COALITIONS: tuple[Coalition, ...] = tuple(
    frozenset(removed)
    for count in range(len(CAUSES) + 1)
    for removed in combinations(CAUSES, count)
)


def swapped_scores(
    scorer: Scorer,
    read: KnowledgeBase,
    truth: KnowledgeBase,
    chunker: str,
    retriever: str,
    reader: str,
) -> dict[Coalition, np.ndarray]:
    """The F1 of each question, float ``(questions,)``, for every set of replaced parts."""
    found = {}
    for kb in (read, truth):
        hits = scorer.retrieve(kb, chunker, retriever)
        for removed in COALITIONS:
            if ("ocr" in removed) == (kb is truth):
                contexts = [
                    _context(scorer, kb, chunker, question, ranked, removed)
                    for question, ranked in zip(scorer.plan.questions, hits, strict=True)
                ]
                answers = scorer.answers(reader, contexts)
                found[removed] = np.array(
                    [
                        _f1(scorer, *pair)
                        for pair in zip(scorer.plan.questions, answers, strict=True)
                    ]
                )
    return found


def _context(
    scorer: Scorer,
    kb: KnowledgeBase,
    chunker: str,
    question: Question,
    ranked: list[Hit],
    removed: Coalition,
) -> list[Hit]:
    found = ranked[: scorer.plan.config.top_k]
    if "chunking" in removed:
        refs = question.evidence_pages if "retrieval" in removed else [hit.ref for hit in found]
        return _whole(kb, list(dict.fromkeys(refs)))
    return gold_chunks(scorer, kb, chunker, question) if "retrieval" in removed else found


def _whole(kb: KnowledgeBase, refs: Sequence[PageRef]) -> list[Hit]:
    texts = [(ref, kb.text(ref)) for ref in refs]
    return [Hit(ref, text, 1.0, rank, (0, len(text))) for rank, (ref, text) in enumerate(texts)]


def gold_chunks(scorer: Scorer, kb: KnowledgeBase, chunker: str, question: Question) -> list[Hit]:
    """The ``top_k`` chunks of the evidence pages with the greatest LCS, best first."""
    evidence = scorer.tokens(question.evidence_text)
    chunks = []
    for ref in question.evidence_pages:
        for chunk in scorer.plan.chunkers[chunker].split(ref, kb.text(ref)):
            lcs = scorer.scoring.token_lcs(scorer.tokens(chunk.text), evidence)
            chunks.append(Hit(ref, chunk.text, lcs, 0, (chunk.start, chunk.end)))
    best = sorted(chunks, key=lambda hit: -hit.score)[: scorer.plan.config.top_k]
    return [Hit(h.ref, h.text, h.score, rank, h.span) for rank, h in enumerate(best)]


def _f1(scorer: Scorer, question: Question, answer: Outcome[str]) -> float:
    if answer.status is not Status.OK:
        return 0.0
    return max(scorer.scoring.f1(answer.value or "", wanted) for wanted in question.answers)
