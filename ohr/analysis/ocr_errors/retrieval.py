"""Retrieval and answers over real and made pages: what errors cost, and which retrievers lead."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from ohr import registry
from ohr.analysis.ocr_errors.table import DRAWN, LEARNED, REAL, UNIFORM, CheckedPage
from ohr.metrics.default import f1
from ohr.metrics.scores import R_NOISE_THRESHOLD, SCORING
from ohr.plugins import Chunker, Reader, Retriever
from ohr.plugins.metric import EvidenceCase, HitsCase
from ohr.statistics import kendall_correlations
from ohr.types import Chunk, Hit, PageRef, Question

TOP_K = 2
TRUTH = "truth"
RANKED = (LEARNED, DRAWN, UNIFORM)
"""Kinds of errors by which retrievers are ranked."""
CHUNKERS: tuple[Mapping[str, object], ...] = (
    {"name": "tokens"},
    {"name": "tokens", "params": {"size": 256}},
    {"name": "sentences"},
    {"name": "page"},
)
TERMS = ("english", "english_unstemmed", "ngrams")
"""What BM25 compares."""
_DIGITS = 9
"""Means that differ by rounding alone are tied."""

Texts = Mapping[PageRef, str]


def question_scores(checked: Sequence[CheckedPage], questions: Sequence[Question]) -> pd.DataFrame:
    """One row per level, kind and question: means over the draws.

    ``r_noise``; ``hit`` and ``lcs`` of BM25's two best chunks of 1,024 tokens from the knowledge
    base of the question's domain; ``f1`` of the extractive reader's answer from them. The columns
    ``domain`` and ``source`` are the question's; ``truth`` is a kind at each level.
    """
    domains = {page.page.pair.ref: page.page.pair.domain for page in checked}
    chunker, reader = _chunker(CHUNKERS[0]), registry.create("reader", "extractive")
    assert isinstance(reader, Reader)
    rows = []
    known_values: dict[int, list[dict[str, object]]] = {}
    for level, kind, draw, texts in _bases(checked):
        # The truth is the same at every level, and the real output in every draw.
        key = id(texts) if kind == REAL else 0
        if kind not in (TRUTH, REAL) or key not in known_values:
            chunks = _chunks(chunker, texts, domains)
            hits = _hits(chunks, questions, "english")
            scored = _scored(texts, hits, questions, reader)
            if kind in (TRUTH, REAL):
                known_values[key] = scored
        else:
            scored = known_values[key]
        rows += [{"level": level, "kind": kind, "draw": draw} | row for row in scored]
    keys = ["level", "kind", "qid", "doc_id", "page_no", "domain", "source"]
    return pd.DataFrame(rows).groupby(keys, sort=False, as_index=False).mean().drop(columns="draw")


def _bases(checked: Sequence[CheckedPage]) -> Iterator[tuple[str, str, int, Texts]]:
    """Level, kind, draw, and the pages of this knowledge base."""
    levels: dict[str, dict[tuple[str, int], dict[PageRef, str]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    for page in checked:
        pair = page.page.pair
        levels[pair.level][TRUTH, 0][pair.ref] = pair.truth
        for kind, text in page.texts.items():
            levels[pair.level][kind, 0 if kind == REAL else page.draw][pair.ref] = text
    for level, bases in levels.items():
        for (kind, draw), texts in bases.items():
            yield level, kind, draw, texts


def _scored(
    texts: Texts, hits: Sequence[Sequence[Hit]], questions: Sequence[Question], reader: Reader
) -> list[dict[str, object]]:
    scoring = SCORING["default"]
    replies = reader.answer_many([question.text for question in questions], hits)
    answers = {reply.index: reply.outcome.value or "" for reply in replies}
    rows: list[dict[str, object]] = []
    for number, (question, of_question) in enumerate(zip(questions, hits, strict=True)):
        pages = tuple(texts[ref] for ref in question.evidence_pages if ref in texts)
        case = HitsCase(tuple(of_question), TOP_K, question, scoring)
        evidence = EvidenceCase(pages, question, scoring)
        is_noisy = evidence.lcs_of(scoring.published_tokens) <= R_NOISE_THRESHOLD
        rows.append(
            {
                "qid": question.qid,
                "doc_id": question.doc_id,
                "page_no": question.place.page_no,
                "domain": question.domain,
                "source": question.evidence_source,
                "r_noise": float(is_noisy),
                "hit": float(bool(case.evidence_hits)),
                "lcs": case.lcs,
                "f1": max(f1(answers[number], answer) for answer in question.answers),
            }
        )
    return rows


def _chunker(spec: Mapping[str, object]) -> Chunker:
    chunker = registry.create("chunker", dict(spec))
    assert isinstance(chunker, Chunker)
    return chunker


def _chunks(
    chunker: Chunker, texts: Texts, domains: Mapping[PageRef, str]
) -> dict[str, list[Chunk]]:
    """Domain -> the chunks of its pages."""
    pages: dict[str, list[tuple[PageRef, str]]] = defaultdict(list)
    for ref, text in texts.items():
        pages[domains[ref]].append((ref, text))
    return {domain: list(chunker.chunks(own, sections=False)) for domain, own in pages.items()}


def _hits(
    chunks: Mapping[str, Sequence[Chunk]], questions: Sequence[Question], terms: str
) -> list[list[Hit]]:
    """The best chunks of each question's domain, by BM25."""
    retriever = registry.create("retriever", {"name": "bm25", "params": {"terms": terms}})
    assert isinstance(retriever, Retriever)
    result: dict[str, list[Hit]] = {}
    for domain in sorted({question.domain for question in questions}):
        own = [question for question in questions if question.domain == domain]
        retriever.index(chunks[domain])
        hits_of_domain = retriever.search_many([question.text for question in own], TOP_K)
        result |= {question.qid: hits for question, hits in zip(own, hits_of_domain, strict=True)}
    return [result[question.qid] for question in questions]


def rank_retrievers(checked: Sequence[CheckedPage], questions: Sequence[Question]) -> pd.DataFrame:
    """One row per kind of made errors: whether it ranks retrievers as the real ones do.

    ``tau_b`` is Kendall's correlation of the mean losses of LCS, over all levels, of twelve
    conditions (:data:`CHUNKERS` with :data:`TERMS`), of the first draw. It has no interval:
    percentiles of a correlation of means can exclude the truth (``docs/reference/intervals.md``).
    """
    domains = {page.page.pair.ref: page.page.pair.domain for page in checked}
    scoring = SCORING["default"]
    losses: dict[str, np.ndarray] = {}
    truth = np.zeros(0)
    for chunker in map(_chunker, CHUNKERS):
        scores: dict[str, list[np.ndarray]] = defaultdict(list)
        for _, kind, draw, texts in _bases(checked):
            if draw or kind not in (TRUTH, REAL, *RANKED):
                continue
            if kind == TRUTH and scores[TRUTH]:
                continue
            chunks = _chunks(chunker, texts, domains)
            columns = []
            for terms in TERMS:
                hits = _hits(chunks, questions, terms)
                cases = (
                    HitsCase(tuple(own), TOP_K, question, scoring)
                    for own, question in zip(hits, questions, strict=True)
                )
                columns.append([case.lcs for case in cases])
            scores[kind].append(np.array(columns).T)
        truth = np.mean(scores[TRUTH], axis=0)
        for kind in (REAL, *RANKED):
            loss = truth - np.mean(scores[kind], axis=0)
            losses[kind] = np.hstack([losses[kind], loss]) if kind in losses else loss
    documents = np.array([question.doc_id for question in questions])
    names, owners = np.unique(documents, return_inverse=True)
    member = np.zeros((len(names), len(documents)))
    member[owners, np.arange(len(documents))] = 1
    rows = []
    for kind in RANKED:
        real, imitated = (member @ losses[k] for k in (REAL, kind))
        tau = _tau(np.ones((1, len(names))), real, imitated)[0]
        rows.append({"kind": kind, "tau_b": float(tau)})
    return pd.DataFrame(rows)


def _tau(counts: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Tau-b of the sums over documents that are counted ``(k, n)``; losses ``(n, conditions)``."""
    return kendall_correlations(*(np.round(counts @ losses, _DIGITS) for losses in (x, y)))
