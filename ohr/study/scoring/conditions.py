"""Scores a variant's knowledge base, stage by stage."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Protocol

from ohr.scoring.answers import Answering
from ohr.scoring.cases import (
    answer_cases,
    evidence_cases,
    evidence_statuses,
    hits_cases,
    page_cases,
    worse_statuses,
)
from ohr.scoring.elsewhere import move_hits
from ohr.scoring.rankings import Rankings
from ohr.store.artefacts import ArtefactStore
from ohr.study.conditions import Condition, condition_of, condition_of_system
from ohr.study.config import BUILT_IN, Stage
from ohr.study.plan import Plan, Variant
from ohr.study.scoring.measuring import Measuring, Scores, confidences_of
from ohr.study.scoring.repeats import Repeats, is_repeated
from ohr.types import Answer, Document, Hit, KnowledgeBase, Outcome, ShownHit


@dataclass(frozen=True)
class AnswerSource:
    """The stage, system and plug-ins that gave an answer; those without a part in it are empty."""

    stage: str
    system: str = ""
    chunker: str = ""
    retriever: str = ""
    reader: str = ""


@dataclass(frozen=True)
class Replies:
    """A reader's answers to every question in one repeat, and what each counted."""

    answers: Sequence[Outcome[Answer]]
    usages: Sequence[Mapping[str, float]] = ()


class Recorder(Protocol):
    """Gets the hits and answers behind scores, in the order of the plan's questions."""

    def add_hits(
        self, knowledge_base: str, setting: tuple[str, str], rankings: Sequence[Sequence[Hit]]
    ) -> None:
        """Add the hits of every question under a chunker and a retriever."""

    def add_answers(
        self, knowledge_base: str, source: AnswerSource, answers: Sequence[Outcome[Answer]]
    ) -> None:
        """Add the answer of ``source`` to every question."""

    def add_calls(
        self,
        knowledge_base: str,
        source: AnswerSource,
        prompts: Mapping[str, str],
        replies: Sequence[Replies],
    ) -> None:
        """Add what a language model was told and what each of its answers counted, by repeat."""


def make_rankings(plan: Plan, store: ArtefactStore) -> Rankings:
    """The rankings of a plan's questions by its retrievers."""
    config = plan.config
    return Rankings(
        plan.units,
        store,
        plan.chunkers,
        plan.retrievers,
        max(config.cutoffs),
        config.retry_failed,
        config.stop_after_failures,
    )


@dataclass
class Scorer:
    """Scores the variants of a plan; keeps tokens of texts that variants share."""

    plan: Plan
    store: ArtefactStore
    answering: Answering
    recorder: Recorder | None = None
    """Keeps the hits and answers that are scored, if anybody wants them."""
    texts_of: Callable[[Variant], KnowledgeBase] | None = None
    """The knowledge base of another variant, where readers get other texts than were searched."""
    _closed_answers: dict[str, list[Replies]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rankings = make_rankings(self.plan, self.store)
        self.scopes = self.rankings.scopes
        for system in self.plan.systems.values():
            system.use_store(self.store)
        self.measuring = Measuring(self.plan, self.answering, self.store)
        self.repeats = Repeats(self.plan)

    def use(self, variant: Variant, kb: KnowledgeBase) -> Iterator[list[Scores]]:
        """The scores of all stages but ``ocr`` for a variant, stage by stage."""
        for scores in self._used(variant, kb):
            yield [replace(score, draw=variant.seed) for score in scores]

    def _used(self, variant: Variant, kb: KnowledgeBase) -> Iterator[list[Scores]]:
        stages = self.plan.config.stages
        if "generation" in stages:
            for name in self.plan.readers:
                yield self._generation(variant, kb, name)
        elsewhere = self._texts_elsewhere(variant) if "overall" in stages else []
        for setting in product(self.plan.chunkers, self.plan.retrievers):
            ranking = self.retrieve(kb, *setting)
            self._record_hits(variant, setting, ranking)
            if "retrieval" in stages:
                for k in self.plan.config.cutoffs:
                    yield self.retrieval(variant, kb, setting, ranking, k)
            if "overall" in stages and self.plan.has_built_in:
                hits = [ranked[: self.plan.config.top_k] for ranked in ranking]
                for reader in self.plan.readers:
                    yield self._overall(variant, kb, setting, reader, hits)
                for label, reader, texts in elsewhere:
                    moved = [move_hits(kb, texts, ranked) for ranked in hits]
                    yield self._overall(variant, texts, setting, reader, moved, label)
        for name in self.plan.systems:
            yield self._whole(variant, kb, name)

    def _texts_elsewhere(self, variant: Variant) -> list[tuple[str, str, KnowledgeBase]]:
        """The readers that get other texts than were searched: label, reader, and these texts."""
        readings = self.plan.readings_elsewhere(variant)
        assert self.texts_of is not None or not readings  # a study sets it
        bases: dict[str, KnowledgeBase] = {}
        for _, _, other in readings:
            if self.texts_of is not None and other.engine.label not in bases:
                bases[other.engine.label] = self.texts_of(other)
        return [(label, reader, bases[other.engine.label]) for label, reader, other in readings]

    def take_cpu_s(self) -> float:
        """CPU seconds of other processes that score for this one, since the last call."""
        return 0.0

    def close(self) -> None:
        """End other processes; nothing can be scored afterwards."""

    # --- OCR ---------------------------------------------------------------------------

    def ocr(self, variant: Variant, kb: KnowledgeBase) -> list[Scores]:
        """The scores of page text; without the stage ``ocr``, only those of its noise."""
        return [replace(scores, draw=variant.seed) for scores in self._read(variant, kb)]

    def _read(self, variant: Variant, kb: KnowledgeBase) -> list[Scores]:
        condition = condition_of(self.plan, variant).restricted("ocr")
        units = self.plan.units
        return [
            *self.measuring.scores(condition, "ocr", page_cases(units, kb)),
            *self.measuring.scores(condition, "ocr", evidence_cases(units, kb)),
        ]

    # --- retrieval ---------------------------------------------------------------------

    def retrieve(self, kb: KnowledgeBase, chunker: str, name: str) -> list[list[Hit]]:
        """The ranking of every question, from the pages of its scope."""
        return self.rankings.rank(kb, chunker, name)

    def retrieval(
        self,
        variant: Variant,
        kb: KnowledgeBase,
        setting: tuple[str, str],
        ranking: Sequence[Sequence[Hit]],
        k: int,
    ) -> list[Scores]:
        statuses = self.rankings.statuses(kb, *setting, [hits[:k] for hits in ranking])
        return self.measuring.scores(
            condition_of(self.plan, variant, *setting, top_k=k).restricted("retrieval"),
            "retrieval",
            hits_cases(self.plan.units, ranking, k, statuses),
        )

    def _record_hits(
        self, variant: Variant, setting: tuple[str, str], ranking: Sequence[Sequence[Hit]]
    ) -> None:
        if self.recorder is not None:
            self.recorder.add_hits(self.plan.label(variant), setting, ranking)

    # --- answers -----------------------------------------------------------------------

    def _generation(self, variant: Variant, kb: KnowledgeBase, name: str) -> list[Scores]:
        condition = condition_of(self.plan, variant, reader=name).restricted("generation")
        contexts = gold_contexts(self.plan, kb)
        if name not in self._closed_answers:
            self._closed_answers[name] = self._ask(name, [[] for _ in contexts])
            source = AnswerSource("no_context", reader=name)
            self._record_answers("", source, self._closed_answers[name], name)
        # A closed-book answer does not depend on the page, so a failed page does not matter.
        closed_answers = self._answer_scores(
            condition, "generation", self._closed_answers[name], None
        )
        replies = self._ask(name, self._shown(name, contexts, kb))
        source = AnswerSource("generation", reader=name)
        self._record_answers(self.plan.label(variant), source, replies, name)
        return self._answer_scores(condition, "generation", replies, kb) + closed_answers

    def _overall(
        self,
        variant: Variant,
        kb: KnowledgeBase,
        setting: tuple[str, str],
        name: str,
        hits: list[list[Hit]],
        label: str = "",
    ) -> list[Scores]:
        """``label``: the reader's in results, if it is not its name."""
        label = label or name
        condition = condition_of(self.plan, variant, *setting, reader=label).restricted("overall")
        replies = self._ask(name, self._shown(name, hits, kb))
        source = AnswerSource("overall", BUILT_IN, *setting, label)
        self._record_answers(self.plan.label(variant), source, replies, name)
        return self._answer_scores(condition, "overall", replies, kb)

    def _whole(self, variant: Variant, kb: KnowledgeBase, name: str) -> list[Scores]:
        """The scores of a system, which answers from the documents of each scope."""
        answers: dict[str, Outcome[Answer]] = {}
        for scope, questions in self.scopes.questions.items():
            outcomes = self.answering.answers_of_system(
                name,
                self.plan.systems[name],
                [question.text for question in questions],
                self.documents(kb, scope),
            )
            answers.update((q.qid, o) for q, o in zip(questions, outcomes, strict=True))
        ordered = [Replies([answers[question.qid] for question in self.plan.questions])]
        self._record_answers(self.plan.label(variant), AnswerSource("overall", name), ordered)
        condition = condition_of_system(self.plan, variant, name)
        return self._answer_scores(condition, "overall", ordered, kb)

    def _reads_text(self, condition: Condition) -> bool:
        """Whether an answer depends on page text."""
        reader = self.plan.readers.get(condition.reader)
        return reader is None or reader.reads_text

    def documents(self, kb: KnowledgeBase, scope: str) -> list[Document]:
        """The documents of a scope with the page text of a knowledge base.

        They have no PDF and no page that failed.
        """
        return self.scopes.documents(kb, scope)

    def answers(
        self, name: str, contexts: Sequence[Sequence[Hit]], repeat: int = 0
    ) -> list[Outcome[str]]:
        """A reader's answers to the plan's questions, each with its context."""
        reader, questions = self.plan.readers[name], self._texts
        return self.answering.answers(name, reader, questions, contexts, repeat=repeat)

    @property
    def _texts(self) -> list[str]:
        return [question.text for question in self.plan.questions]

    def _shown(
        self, name: str, contexts: Sequence[Sequence[Hit]], kb: KnowledgeBase
    ) -> Sequence[Sequence[Hit]]:
        """The contexts for a reader, with page images if it looks at them."""
        if not self.plan.readers[name].reads_images:
            return contexts
        return [
            [
                ShownHit(hit.ref, hit.text, hit.score, hit.rank, hit.span, kb.images.get(hit.ref))
                for hit in hits
            ]
            for hits in contexts
        ]

    def _ask(self, name: str, contexts: Sequence[Sequence[Hit]]) -> list[Replies]:
        """:meth:`answers` of each repeat, with the pages of the context as sources."""
        reader = self.plan.readers[name]
        repeats = self.plan.config.repeats if is_repeated(self.plan, reader) else 1
        replies = []
        for repeat in range(repeats):
            outcomes = self.answers(name, contexts, repeat)
            usages = self.answering.usages(name, reader, self._texts, contexts, repeat)
            answers = [
                Outcome(_answer(each.value, context), each.status, each.detail, each.confidence)
                for each, context in zip(outcomes, contexts, strict=True)
            ]
            replies.append(Replies(answers, usages))
        return replies

    def _answer_scores(
        self,
        condition: Condition,
        stage: Stage,
        replies: Sequence[Replies],
        kb: KnowledgeBase | None,
    ) -> list[Scores]:
        """The scores of answers from a knowledge base; of closed-book answers if ``kb`` is None.

        Each repeat of the judge grades another repeat of the reader.
        """
        judge, repeats = self.plan.judge, len(replies)
        if judge is not None and is_repeated(self.plan, judge):
            repeats = self.plan.config.repeats
        answers = [each.answers for each in replies]
        scores = [
            self._scores_of(condition, stage, answers[min(repeat, len(replies) - 1)], kb, repeat)
            for repeat in range(repeats)
        ]
        return self.repeats.joined(scores, answers)

    def _scores_of(
        self,
        condition: Condition,
        stage: Stage,
        answers: Sequence[Outcome[Answer]],
        kb: KnowledgeBase | None,
        repeat: int,
    ) -> list[Scores]:
        """The scores of the answers of one repeat."""
        statuses = [outcome.status for outcome in answers]
        if kb is not None and self._reads_text(condition):
            statuses = worse_statuses(statuses, evidence_statuses(self.plan.units, kb))
        cases = answer_cases(self.plan.units, answers, kb, statuses)
        scores = self.measuring.scores(
            condition, stage, cases, closed_book=kb is None, repeat=repeat
        )
        confidences = confidences_of(answers)
        return [replace(score, confidences=confidences) for score in scores]

    def _record_answers(
        self,
        knowledge_base: str,
        source: AnswerSource,
        replies: Sequence[Replies],
        reader: str = "",
    ) -> None:
        if self.recorder is None:
            return
        self.recorder.add_answers(knowledge_base, source, replies[0].answers)
        prompts = self.plan.readers[reader].prompts() if reader else {}
        if prompts or len(replies) > 1:
            self.recorder.add_calls(knowledge_base, source, prompts, replies)


def gold_contexts(plan: Plan, kb: KnowledgeBase) -> list[list[Hit]]:
    """The evidence pages of each question, as a knowledge base has them."""
    return [
        [
            Hit(ref, kb.text(ref), 1.0, rank, (0, len(kb.text(ref))))
            for rank, ref in enumerate(question.evidence_pages)
        ]
        for question in plan.questions
    ]


def _answer(text: str | None, context: Sequence[Hit]) -> Answer | None:
    sources = tuple(dict.fromkeys(hit.ref for hit in context))
    return None if text is None else Answer(text, sources=sources)
