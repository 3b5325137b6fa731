"""Scores of every question under knowledge bases in which some errors are repaired."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations

import numpy as np

from ohr.analysis.attribution.table import answer_f1, units_with_truth
from ohr.analysis.error_kinds.repairs import REST, Repairs
from ohr.errors import ConfigError
from ohr.ocr_errors.error_kinds import ERROR_KINDS
from ohr.statistics.shapley import Coalition, coalitions, mirrored_orders
from ohr.study.plan import Plan, Variant
from ohr.study.scoring.conditions import Scorer
from ohr.types import Hit, KnowledgeBase, Question

Column = dict[str, np.ndarray]
"""Outcome, as ``stage:metric`` -> the score of each question, float ``(questions,)``."""


@dataclass(frozen=True)
class Setting:
    """The chunker, retriever and reader whose scores are compared, and the number of hits."""

    chunker: str
    retriever: str
    reader: str
    top_k: int


def setting_of(plan: Plan) -> Setting:
    """The first chunker, retriever and reader of a plan. Raises ConfigError if one is missing."""
    if not plan.retrievers or not plan.readers:
        raise ConfigError("error-kinds needs a run with the stages retrieval, generation, overall")
    if plan.vision_plugins:
        raise ConfigError(
            f"error-kinds repairs page texts, but {plan.vision_plugins[0]} looks at images"
        )
    chunker, retriever, reader = (
        next(iter(each)) for each in (plan.chunkers, plan.retrievers, plan.readers)
    )
    return Setting(chunker, retriever, reader, plan.config.top_k)


def draw_questions(plan: Plan, documents: int, each: int, seed: int) -> Plan:
    """The plan with the questions of some documents, drawn evenly from the domains by the seed.

    ``documents`` is their number and ``each`` the most questions of one; 0: all. Only questions
    whose evidence pages have a known truth stay. All documents stay in the knowledge base. Raises
    ConfigError without a question.
    """
    questions = [plan.questions[place] for place in units_with_truth(plan).groups["all"]]
    if not questions:
        raise ConfigError("error-kinds needs ground truth, and no question's pages have one")
    rng = np.random.default_rng(seed)
    by_domain: dict[str, dict[str, list[Question]]] = {}
    for question in questions:
        own = by_domain.setdefault(question.domain, {})
        own.setdefault(question.doc_id, []).append(question)
    queues = []
    for name in sorted(by_domain):
        own = by_domain[name]
        queues.append([own[doc_id] for doc_id in rng.permutation(sorted(own)).tolist()])
    turns = range(max(map(len, queues)))
    ordered = [queue[turn] for turn in turns for queue in queues if turn < len(queue)]
    drawn: set[str] = set()
    for of_document in ordered[: documents or None]:
        chosen = rng.permutation(len(of_document))[: each or None]
        drawn.update(of_document[place].qid for place in chosen)
    return replace(plan, questions=tuple(q for q in questions if q.qid in drawn))


@dataclass
class Scores:
    """Scores knowledge bases under one setting."""

    plan: Plan
    scorer: Scorer
    variant: Variant
    setting: Setting

    def column(self, kb: KnowledgeBase) -> Column:
        """Retrieval LCS, hit@k, F1 over the gold pages and overall F1 of each question."""
        setting = self.setting
        pair = setting.chunker, setting.retriever
        hits = self.scorer.retrieve(kb, *pair)
        measured = {
            score.metric: score.values
            for score in self.scorer.retrieval(self.variant, kb, pair, hits, setting.top_k)
        }
        names = [name for name in ("lcs", f"hit@{setting.top_k}") if name in measured]
        column = {f"retrieval:{name}": measured[name] for name in names}
        gold = [
            [
                Hit(ref, text := kb.text(ref), 1.0, rank, (0, len(text)))
                for rank, ref in enumerate(question.evidence_pages)
            ]
            for question in self.plan.questions
        ]
        column["generation:f1"] = self._f1(gold)
        column["overall:f1"] = self._f1([ranked[: setting.top_k] for ranked in hits])
        return column

    def _f1(self, contexts: Sequence[Sequence[Hit]]) -> np.ndarray:
        answers = self.scorer.answers(self.setting.reader, contexts)
        questions: Sequence[Question] = self.plan.questions
        return np.array(
            [
                answer_f1(self.scorer, question, answer)
                for question, answer in zip(questions, answers, strict=True)
            ]
        )


@dataclass
class Measured:
    """The scores of an experiment: of sets of repaired labels, and of repaired halves."""

    labels: tuple[str, ...]
    """The labels with errors."""
    orders: tuple[tuple[int, ...], ...]
    """The orders in which they are repaired, as places in ``labels``."""
    sets: dict[Coalition, Column] = field(default_factory=dict)
    halves: dict[str, Column] = field(default_factory=dict)
    """Empty if none were measured."""

    @property
    def nothing(self) -> Column:
        """The scores of the engine's output."""
        return self.sets[frozenset()]

    @property
    def everything(self) -> Column:
        """The scores of the truth."""
        return self.sets[frozenset(self.labels)]

    def alone(self, label: str) -> Column:
        """The scores of the truth with the errors of one label."""
        return self.sets[frozenset(self.labels) - {label}]


def measure_kinds(
    repairs: Repairs,
    scores: Scores,
    pairs: int,
    progress: Callable[[str, int, int], None],
    halves: bool = True,
) -> Measured:
    """Score what the experiment needs: orders of kinds, kinds alone, and ``halves`` of kinds."""
    labels = tuple(kind for kind in (*ERROR_KINDS, REST) if kind in repairs.all_labels)
    rng = np.random.default_rng(repairs.seed)
    measured = Measured(labels, mirrored_orders(len(labels), pairs, rng))
    sets = coalitions(labels, measured.orders)
    everything = frozenset(labels)
    sets += [own for label in labels if (own := everything - {label}) not in sets]
    halved = labels if halves else ()
    total = len(sets) + len(halved)
    for number, repaired in enumerate(sets):
        progress("repaired kinds", number, total)
        measured.sets[repaired] = scores.column(repairs.knowledge_base(repaired))
    for number, label in enumerate(halved, len(sets)):
        progress("repaired kinds", number, total)
        measured.halves[label] = scores.column(repairs.knowledge_base((), half=label))
    progress("repaired kinds", total, total)
    return measured


def measure_places(
    repairs: Repairs,
    scores: Scores,
    labels: Sequence[str],
    progress: Callable[[str, int, int], None],
) -> Measured:
    """Score every set of repaired labels."""
    used = tuple(label for label in labels if label in repairs.all_labels)
    orders = tuple(permutations(range(len(used))))
    measured = Measured(used, orders)
    sets = coalitions(used, orders)
    for number, repaired in enumerate(sets):
        progress("repaired places", number, len(sets))
        measured.sets[repaired] = scores.column(repairs.knowledge_base(repaired))
    progress("repaired places", len(sets), len(sets))
    return measured
