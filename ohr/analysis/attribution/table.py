"""The contexts of a reader when parts of the system are replaced by the truth.

Three parts can be replaced: the **OCR** (by the ground truth, also in the index), the **retrieval**
(hits by the chunks of the evidence pages with most of the evidence) and the **chunking** (chunks by
whole pages). With all three replaced, the reader has the clean evidence pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd

from ohr.analysis.attribution.loss_shares import Share, loss_shares, share_columns
from ohr.errors import ConfigError
from ohr.ocr.progress import Progress
from ohr.statistics import Clusters, mean_interval
from ohr.statistics.shapley import Coalition, attribute
from ohr.store.artefacts import ArtefactStore
from ohr.study.conditions import Condition, condition_of
from ohr.study.knowledge_bases import KnowledgeBases
from ohr.study.output.groups import Units, make_grouping
from ohr.study.plan import Plan
from ohr.study.scoring.asking import make_answering
from ohr.study.scoring.conditions import Scorer
from ohr.types import Hit, KnowledgeBase, Outcome, PageRef, Question, Status

CAUSES = ("ocr", "chunking", "retrieval")
COALITIONS: tuple[Coalition, ...] = tuple(
    frozenset(removed)
    for count in range(len(CAUSES) + 1)
    for removed in combinations(CAUSES, count)
)


@dataclass(frozen=True)
class Swaps:
    """The knowledge bases and scorer of a finished study, and its ground truth."""

    knowledge_bases: KnowledgeBases
    scorer: Scorer
    truth: KnowledgeBase

    def truth_beside(self, read: KnowledgeBase) -> KnowledgeBase:
        """The ground truth; for pages without one, their page text in ``read``."""
        dataset = self.scorer.plan.dataset
        missing = {ref for ref in dataset.pages if not dataset.has_order(ref)}
        if not missing:
            return self.truth
        return KnowledgeBase(
            {
                ref: Outcome.of_text(read.text(ref)) if ref in missing else outcome
                for ref, outcome in self.truth.pages.items()
            }
        )


@contextmanager
def swapping(plan: Plan, progress: Progress) -> Iterator[Swaps]:
    """Ask further questions as the study did: with the same cache, and with progress shown."""
    config = plan.config
    store, asking = ArtefactStore(config.cache), progress.new_stage("asking", "questions")
    answering = make_answering(config, store, asking)
    truth = KnowledgeBase(
        {ref: Outcome.of_text(page.text) for ref, page in plan.dataset.pages.items()}
    )
    with asking:
        yield Swaps(KnowledgeBases(plan, store), Scorer(plan, store, answering), truth)


def swapped_scores(
    scorer: Scorer,
    read: KnowledgeBase,
    truth: KnowledgeBase,
    chunker: str,
    retriever: str,
    reader: str,
) -> dict[Coalition, np.ndarray]:
    """The F1 of each question, float ``(questions,)``, for every set of replaced parts."""
    scores = {}
    for kb in (read, truth):
        hits = scorer.retrieve(kb, chunker, retriever)
        for removed in COALITIONS:
            if ("ocr" in removed) == (kb is truth):
                contexts = [
                    _context(scorer, kb, chunker, question, ranked, removed)
                    for question, ranked in zip(scorer.plan.questions, hits, strict=True)
                ]
                answers = scorer.answers(reader, contexts)
                scores[removed] = np.array(
                    [
                        answer_f1(scorer, *pair)
                        for pair in zip(scorer.plan.questions, answers, strict=True)
                    ]
                )
    return scores


def _context(
    scorer: Scorer,
    kb: KnowledgeBase,
    chunker: str,
    question: Question,
    ranked: list[Hit],
    removed: Coalition,
) -> list[Hit]:
    hits = ranked[: scorer.plan.config.top_k]
    if "chunking" in removed:
        refs = question.evidence_pages if "retrieval" in removed else [hit.ref for hit in hits]
        return _whole(kb, list(dict.fromkeys(refs)))
    return gold_chunks(scorer, kb, chunker, question) if "retrieval" in removed else hits


def _whole(kb: KnowledgeBase, refs: Sequence[PageRef]) -> list[Hit]:
    texts = [(ref, kb.text(ref)) for ref in refs]
    return [Hit(ref, text, 1.0, rank, (0, len(text))) for rank, (ref, text) in enumerate(texts)]


def gold_chunks(scorer: Scorer, kb: KnowledgeBase, chunker: str, question: Question) -> list[Hit]:
    """The ``top_k`` chunks of the evidence pages with the greatest LCS, best first."""
    evidence = scorer.plan.units.scoring.tokens(question.evidence_text)
    chunks = []
    for ref in question.evidence_pages:
        for chunk in scorer.plan.chunkers[chunker].split(ref, kb.text(ref)):
            lcs = scorer.plan.units.scoring.token_lcs(
                scorer.plan.units.scoring.tokens(chunk.text), evidence
            )
            chunks.append(Hit(ref, chunk.text, lcs, 0, (chunk.start, chunk.end)))
    best = sorted(chunks, key=lambda hit: -hit.score)[: scorer.plan.config.top_k]
    return [Hit(h.ref, h.text, h.score, rank, h.span) for rank, h in enumerate(best)]


def answer_f1(scorer: Scorer, question: Question, answer: Outcome[str]) -> float:
    """The F1 of an answer with the accepted answer that it is most like; 0 if there is none."""
    if answer.status is not Status.OK:
        return 0.0
    return max(
        scorer.plan.units.scoring.f1(answer.value or "", accepted) for accepted in question.answers
    )


ROWS = ("reading", *reversed(CAUSES))
"""In the order of the waterfalls, from the perfect score downwards."""
PARTS = ("engine_on_clean_pages", "noise_on_top")
"""Columns of the parts of what OCR costs under noise."""
SETTING = ["engine", "perturbation", "level", "intensity", "chunker", "retriever", "reader"]
CONDITION = ["noise", *SETTING, "top_k", "kb_scope", "protocol", "seed"]


def units_with_truth(plan: Plan) -> Units:
    """The questions whose evidence pages all have a ground truth that is known where they ask."""
    known_values = np.array([_is_known(plan, question) for question in plan.questions], bool)
    questions = make_grouping(plan).questions
    groups = {name: members[known_values[members]] for name, members in questions.groups.items()}
    return replace(questions, groups=groups)


def _is_known(plan: Plan, question: Question) -> bool:
    refs = question.evidence_pages
    return (
        bool(refs)
        and all(map(plan.dataset.has_order, refs))
        and question.qid not in plan.units.doubtful_questions
    )


def count_documents(plan: Plan) -> int:
    """The documents of the questions with a truth, over which intervals are."""
    units = units_with_truth(plan)
    return len(set(units.documents[units.groups["all"]].tolist()))


def left_out_line(plan: Plan) -> str:
    """How many questions :func:`with_truth` leaves out; empty if none."""
    total, counted = len(plan.questions), len(units_with_truth(plan).groups["all"])
    return (
        f"left out: {total - counted} of {total} questions, without ground truth"
        if counted < total
        else ""
    )


def make_losses(plan: Plan, progress: Progress) -> pd.DataFrame:
    """The F1 that each cause costs, over the questions whose evidence pages have a truth.

    Raises ConfigError without such questions, a retriever and a reader, and OhrError where too
    many answers fail alike.
    """
    if not plan.retrievers or not plan.readers:
        raise ConfigError("attribution swaps retrieval and reading: it needs the stage overall")
    if plan.vision_plugins:
        raise ConfigError(
            f"attribution swaps page texts, but {plan.vision_plugins[0]} looks at images"
        )
    questions = units_with_truth(plan)
    if not len(questions.groups["all"]):
        raise ConfigError("attribution needs ground truth, and no question's pages have one")
    draws: dict[Condition, list[dict[Coalition, np.ndarray]]] = {}
    with swapping(plan, progress) as swaps:
        for variant in plan.variants:
            kb = swaps.knowledge_bases.knowledge_base(variant)
            truth = swaps.truth_beside(kb)
            for setting in product(plan.chunkers, plan.retrievers, plan.readers):
                scores = swapped_scores(swaps.scorer, kb, truth, *setting)
                condition = condition_of(plan, variant, *setting, plan.config.top_k)
                draws.setdefault(condition, []).append(scores)
    losses: list[dict[str, Any]] = []
    for condition, parts in draws.items():
        key = {name: getattr(condition, name) for name in CONDITION}
        # Losses are linear in the scores, so the mean loss is the loss of the mean scores.
        means = {
            removed: np.mean([part[removed] for part in parts], axis=0) for removed in parts[0]
        }
        losses += [key | loss for loss in _losses(means, questions)]
    return split_ocr(pd.DataFrame(losses))


def split_ocr(losses: pd.DataFrame) -> pd.DataFrame:
    """Split the cost of OCR under noise into :data:`PARTS`: engine on clean pages, noise on top.

    NaN on clean pages, for other causes, and if the engine read no clean pages.
    """
    keys = ["engine", "chunker", "retriever", "reader", "group", "cause"]
    clean = losses.loc[losses["noise"] == "none", [*keys, "f1_lost"]]
    joined = losses[keys].merge(clean.rename(columns={"f1_lost": "clean"}), how="left", on=keys)
    parted = ((losses["noise"] != "none") & (losses["cause"] == "ocr")).to_numpy()
    engine = np.where(parted, joined["clean"], np.nan)
    on_top = losses["f1_lost"].to_numpy() - engine
    return losses.assign(**{PARTS[0]: engine, PARTS[1]: on_top})


def _losses(scores: dict[Coalition, np.ndarray], questions: Units) -> Iterator[dict[str, Any]]:
    attribution = attribute(scores, CAUSES)
    system, perfect = scores[COALITIONS[0]], scores[COALITIONS[-1]]
    by_cause = dict(zip(CAUSES, attribution.values, strict=True)) | {"reading": 1 - perfect}
    shares = {cause: _shares(by_cause[cause], questions) for cause in ROWS}
    for group, members in questions.groups.items():
        if not len(members):
            continue
        extremes = zip(*attribution.extremes(members), strict=True)
        orders = dict(zip(CAUSES, extremes, strict=True))
        for cause in ROWS:
            values = by_cause[cause][members]
            clusters = Clusters.from_labels(questions.documents[members], questions.pages[members])
            interval = mean_interval(values, clusters, bounded=False)
            mean = float(values.mean())
            low, high = orders.get(cause, (mean, mean))
            yield {
                "group": group,
                "cause": cause,
                "f1_lost": mean,
                "ci_low": interval.low,
                "ci_high": interval.high,
                "ci_unit": interval.unit,
                **share_columns(shares[cause][group]),
                "order_low": low,
                "order_high": high,
                "overall_f1": float(system[members].mean()),
                "n": len(members),
            }


def _shares(losses: np.ndarray, questions: Units) -> dict[str, Share]:
    """Each group's share of the whole cost of one cause."""
    every = questions.groups["all"]
    clusters = Clusters.from_labels(questions.documents[every], questions.pages[every])
    groups = {
        name: np.searchsorted(every, members)
        for name, members in questions.groups.items()
        if len(members)
    }
    return loss_shares(losses[every], groups, clusters)
