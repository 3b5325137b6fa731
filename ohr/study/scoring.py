"""Scores one variant's knowledge base, stage by stage."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np
from rapidfuzz.distance import Levenshtein

from ohr.collection import GROUND_TRUTH
from ohr.markup.strip import strip_markup
from ohr.metrics import reference
from ohr.metrics.default import wer
from ohr.metrics.reading import READING_METRICS, reading_scores
from ohr.metrics.reference import collapse
from ohr.metrics.refusal import refused
from ohr.metrics.scores import R_NOISE_THRESHOLD, SCORING
from ohr.store.artefacts import ArtefactStore
from ohr.study.answers import Answering
from ohr.study.cases import Cases
from ohr.study.conditions import Condition, condition_of
from ohr.study.config import Stage
from ohr.study.judge import judged
from ohr.study.measures import (
    ANSWER_METRICS,
    NO_CONTEXT,
    compares_formats,
    ranking_metrics,
    ranking_scores,
)
from ohr.study.plan import Plan, Variant
from ohr.study.rankings import Rankings
from ohr.types import FAILED, Hit, KnowledgeBase, Outcome, Question, Status

_CACHED_TEXTS = 8192
JUDGE = "(judge)"
"""What the judge is called beside the readers."""


@dataclass(frozen=True)
class Scores:
    """One metric over one stage's units: a value and a status each, in the plan's order.

    A value is NaN where the metric does not apply to the unit, whatever was read there.
    """

    condition: Condition
    stage: Stage
    metric: str
    values: np.ndarray
    statuses: tuple[Status, ...]
    draw: int = 0
    """The seed that the noise was drawn with."""


@dataclass
class Scorer:
    """Scores variants of one plan; keeps tokens of texts that variants share."""

    plan: Plan
    store: ArtefactStore
    answering: Answering
    _guesses: dict[str, list[Outcome[str]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rankings = Rankings(self.plan, self.store)
        documents = self.plan.dataset.documents.items()
        domains = {doc_id: document.domain for doc_id, document in documents}
        self.cases = Cases(self.plan.questions, domains)
        self.scoring = SCORING[self.plan.config.scoring]
        cached = functools.lru_cache(maxsize=_CACHED_TEXTS)
        self.tokens = cached(self.scoring.tokens)
        self.published_tokens = cached(reference.tokens)
        self.content_tokens = cached(lambda text: self.scoring.tokens(strip_markup(text)))
        without_truth = self.plan.dataset.without_truth
        self._without_truth = np.array([ref in without_truth for ref in self.plan.reread], bool)

    def use(self, variant: Variant, kb: KnowledgeBase) -> list[Scores]:
        """The planned scores of what a variant's knowledge base is used for."""
        return [replace(scores, draw=variant.seed) for scores in self._used(variant, kb)]

    def _used(self, variant: Variant, kb: KnowledgeBase) -> list[Scores]:
        stages = self.plan.config.stages
        scores: list[Scores] = []
        if "generation" in stages:
            for name in self.plan.readers:
                scores += self._generation(variant, kb, name)
        for setting in product(self.plan.chunkers, self.plan.retrievers):
            ranking = self.retrieve(kb, *setting)
            self.cases.add_hits(self.plan.label(variant), setting, ranking)
            if "retrieval" in stages:
                for k in self.plan.config.cutoffs:
                    scores += self._retrieval(variant, kb, setting, ranking, k)
            if "overall" in stages:
                hits = [ranked[: self.plan.config.top_k] for ranked in ranking]
                for reader in self.plan.readers:
                    scores += self._overall(variant, kb, setting, reader, hits)
        return scores

    # --- OCR ---------------------------------------------------------------------------

    def ocr(self, variant: Variant, kb: KnowledgeBase) -> list[Scores]:
        """The scores of the reading, whatever stages are planned: every cell shows its noise."""
        return [replace(scores, draw=variant.seed) for scores in self._read(variant, kb)]

    def _read(self, variant: Variant, kb: KnowledgeBase) -> list[Scores]:
        condition = condition_of(self.plan, variant).at("ocr")
        scores = []
        statuses = tuple(kb.status(ref) for ref in self.plan.reread)
        pairs = [(kb.text(ref), self.plan.dataset.pages[ref].text) for ref in self.plan.reread]
        columns = {"edit_distance": [_edit_rates(*pair) for pair in pairs]}
        distances = np.array(columns["edit_distance"]).reshape(-1, 2)
        values = {"edit_distance": distances[:, 0]}
        if self.plan.config.scoring == "default":
            values["cer"] = distances[:, 1]
            values["wer"] = np.array([0.0 if a == b else wer(a, b) for a, b in pairs])
        failed = np.array([status in FAILED for status in statuses])
        for metric, column in values.items():
            worst = np.where(failed, 1.0, column) if len(column) else column
            worst = np.where(self._without_truth, math.nan, worst)
            scores.append(Scores(condition, "ocr", metric, worst, statuses))
        questions = self.plan.questions
        evidence = tuple(self._evidence_status(question, kb) for question in questions)
        readings = {"r_noise": self.tokens, "r_noise_content": self.content_tokens}
        if self.plan.config.scoring == "default":
            readings["r_noise_reference"] = self.published_tokens
        for metric, tokens in readings.items():
            lcs = np.array([self._evidence_lcs(question, kb, tokens) for question in questions])
            damaged = np.where(np.isnan(lcs), lcs, lcs <= R_NOISE_THRESHOLD)
            scores.append(Scores(condition, "ocr", metric, damaged, evidence))
            if metric == "r_noise":
                scores.append(Scores(condition, "ocr", "evidence_lcs", lcs, evidence))
        if self.plan.config.reading_metrics:
            scores += self._reading(condition, pairs, statuses)
        return scores

    def _reading(
        self,
        condition: Condition,
        pairs: Sequence[tuple[str, str]],
        statuses: tuple[Status, ...],
    ) -> list[Scores]:
        """Metrics of tables, formulas, regions and order; NaN where a page has none."""
        pages = [reading_scores(*pair) for pair in pairs]
        failed = np.array([status in FAILED for status in statuses], dtype=bool)
        scores = []
        for metric, worst in READING_METRICS.items():
            column = np.array([page[metric] for page in pages], dtype=np.float64)
            column[failed & ~np.isnan(column)] = worst
            column[self._without_truth] = math.nan
            scores.append(Scores(condition, "ocr", metric, column, statuses))
        return scores

    def _evidence_lcs(
        self, question: Question, kb: KnowledgeBase, tokens: Callable[[str], list[str]]
    ) -> float:
        if not self._has_evidence(question):
            return math.nan
        page = [token for ref in question.evidence_pages for token in tokens(kb.text(ref))]
        return self.scoring.token_lcs(page, tokens(question.evidence_text))

    def _has_evidence(self, question: Question) -> bool:
        """Whether there is evidence to look for; the published evaluation looks for none, too."""
        published = self.plan.config.scoring == "reference"
        published &= self.plan.dataset.truth == GROUND_TRUTH
        return published or bool(question.evidence_text.strip())

    def _evidence_status(self, question: Question, kb: KnowledgeBase) -> Status:
        """The worst status of the question's evidence pages.

        A row's status is the worse of this and of its own outcome; the published evaluation
        looks at the own outcome alone.
        """
        if self.plan.config.scoring == "reference":
            return Status.OK
        return max((kb.status(ref) for ref in question.evidence_pages), key=_severity)

    # --- retrieval ---------------------------------------------------------------------

    def retrieve(self, kb: KnowledgeBase, chunker: str, name: str) -> list[list[Hit]]:
        """The ranking of every question, from the knowledge base of its domain."""
        hits: dict[str, list[Hit]] = {}
        for domain in self.plan.domains:
            questions = [q for q in self.plan.questions if q.domain == domain]
            rankings = self.rankings.of_domain(kb, chunker, name, domain, questions)
            hits.update((q.qid, h) for q, h in zip(questions, rankings, strict=True))
        return [hits[question.qid] for question in self.plan.questions]

    def _retrieval(
        self,
        variant: Variant,
        kb: KnowledgeBase,
        setting: tuple[str, str],
        ranking: Sequence[Sequence[Hit]],
        k: int,
    ) -> list[Scores]:
        condition = condition_of(self.plan, variant, *setting, top_k=k).at("retrieval")
        readings = {"lcs": self.tokens}
        if compares_formats(self.plan.config):
            readings["lcs_stripped"] = self.content_tokens
        rows, statuses = [], []
        for question, hits in zip(self.plan.questions, ranking, strict=True):
            top, gold = hits[:k], set(question.evidence_pages)
            chunks = [hit for hit in top if hit.ref in gold]
            lcs = [self._retrieved_lcs(question, chunks, read) for read in readings.values()]
            pages = list(dict.fromkeys(hit.ref for hit in top))
            rows.append((*lcs, *ranking_scores([ref in gold for ref in pages], len(gold), k)))
            own = Status.OK if top else Status.EMPTY
            statuses.append(max(own, self._evidence_status(question, kb), key=_severity))
        metrics = (*readings, *ranking_metrics(k))
        columns = np.array(rows).reshape(-1, len(metrics)).T
        return [
            Scores(condition, "retrieval", metric, column, tuple(statuses))
            for metric, column in zip(metrics, columns, strict=True)
        ]

    def _retrieved_lcs(
        self, question: Question, chunks: Sequence[Hit], tokens: Callable[[str], list[str]]
    ) -> float:
        """How much of the evidence the chunks of its pages hold, in rank order."""
        if not self._has_evidence(question):
            return math.nan
        if not chunks:
            return 0.0
        words = [token for hit in chunks for token in tokens(hit.text)]
        return self.scoring.token_lcs(words, tokens(question.evidence_text))

    # --- answers -----------------------------------------------------------------------

    def _generation(self, variant: Variant, kb: KnowledgeBase, name: str) -> list[Scores]:
        condition = condition_of(self.plan, variant, reader=name).at("generation")
        contexts = [
            [
                Hit(ref, kb.text(ref), 1.0, rank, (0, len(kb.text(ref))))
                for rank, ref in enumerate(question.evidence_pages)
            ]
            for question in self.plan.questions
        ]
        if name not in self._guesses:
            self._guesses[name] = self.answers(name, [[] for _ in contexts])
            self.cases.add_answers("", ("no_context", "", "", name), self._guesses[name])
        # A guess owes nothing to the page, so a failed page does not count against it.
        guesses = self._answer_scores(condition, "generation", self._guesses[name], NO_CONTEXT)
        answers = self.answers(name, contexts)
        self.cases.add_answers(self.plan.label(variant), ("generation", "", "", name), answers)
        return self._answer_scores(condition, "generation", answers, "", kb) + guesses

    def _overall(
        self,
        variant: Variant,
        kb: KnowledgeBase,
        setting: tuple[str, str],
        name: str,
        hits: list[list[Hit]],
    ) -> list[Scores]:
        condition = condition_of(self.plan, variant, *setting, reader=name).at("overall")
        answers = self.answers(name, hits)
        self.cases.add_answers(self.plan.label(variant), ("overall", *setting, name), answers)
        return self._answer_scores(condition, "overall", answers, "", kb)

    def answers(self, name: str, contexts: list[list[Hit]]) -> list[Outcome[str]]:
        """A reader's answers to the plan's questions, each with its context."""
        questions = [question.text for question in self.plan.questions]
        return self.answering.answers(name, self.plan.readers[name], questions, contexts)

    def _answer_scores(
        self,
        condition: Condition,
        stage: Stage,
        answers: Sequence[Outcome[str]],
        suffix: str,
        kb: KnowledgeBase | None = None,
    ) -> list[Scores]:
        rows, statuses = [], []
        for question, outcome in zip(self.plan.questions, answers, strict=True):
            status = outcome.status
            rows.append(self._scored(question, outcome))
            if kb is not None:
                status = max(status, self._evidence_status(question, kb), key=_severity)
            statuses.append(status)
        columns = np.array(rows).reshape(-1, len(ANSWER_METRICS)).T
        scores = [
            Scores(condition, stage, metric + suffix, column, tuple(statuses))
            for metric, column in zip(ANSWER_METRICS, columns, strict=True)
        ]
        if self.plan.judge is not None and kb is not None:
            scores.append(self._judged(condition, stage, answers, statuses))
        return scores

    def _scored(self, question: Question, outcome: Outcome[str]) -> tuple[float, ...]:
        """The answer's scores by :data:`ANSWER_METRICS`; the best accepted answer counts."""
        if outcome.status is not Status.OK:
            return (0.0,) * len(ANSWER_METRICS)
        text = outcome.value or ""
        scores = (self.scoring.f1, self.scoring.em, self.scoring.rouge_l)
        best = (max(score(text, answer) for answer in question.answers) for score in scores)
        return (*best, float(refused(text)))

    def _judged(
        self,
        condition: Condition,
        stage: Stage,
        answers: Sequence[Outcome[str]],
        statuses: Sequence[Status],
    ) -> Scores:
        assert self.plan.judge is not None
        verdicts = judged(self.answering, self.plan.judge, JUDGE, self.plan.questions, answers)
        worst = tuple(
            max(status, verdict.status, key=_severity)
            for status, verdict in zip(statuses, verdicts, strict=True)
        )
        values = np.array([verdict.value or 0.0 for verdict in verdicts])
        return Scores(condition, stage, "judged", values, worst)


def _severity(status: Status) -> int:
    return status.severity


def _edit_rates(read: str, truth: str) -> tuple[float, float]:
    """Levenshtein distance over the longer text, and over the truth (at most 1)."""
    if read == truth:
        return 0.0, 0.0
    read, truth = collapse(read), collapse(truth)
    longer = max(len(read), len(truth))
    if longer == 0:
        return 0.0, 0.0
    distance = Levenshtein.distance(read, truth, score_hint=longer // 10)
    return distance / longer, min(1.0, distance / len(truth)) if truth else 1.0
