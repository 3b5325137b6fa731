"""Scores a variant's knowledge base, stage by stage."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from ohr.metrics.holes import known_texts
from ohr.metrics.scores import SCORING
from ohr.plugins import ImageRetriever
from ohr.plugins.metric import AnswerCase, EvidenceCase, HitsCase, PageCase
from ohr.store.artefacts import ArtefactStore
from ohr.study.conditions import Condition, condition_of, condition_of_system
from ohr.study.config import BUILT_IN, Stage
from ohr.study.output.cases import AnswerSource, Cases
from ohr.study.plan import Plan, Variant
from ohr.study.scoring.answers import Answering
from ohr.study.scoring.elsewhere import hits_in
from ohr.study.scoring.measuring import Measuring, Scores
from ohr.study.scoring.rankings import Rankings
from ohr.study.scoring.texts import ReadDocuments
from ohr.types import (
    FAILED,
    Answer,
    Document,
    Hit,
    KnowledgeBase,
    Outcome,
    PageRef,
    Question,
    ShownHit,
    Status,
)


@dataclass
class Scorer:
    """Scores the variants of a plan; keeps tokens of texts that variants share."""

    plan: Plan
    store: ArtefactStore
    answering: Answering
    texts_of: Callable[[Variant], KnowledgeBase] | None = None
    """The knowledge base of another variant, where readers get other texts than were searched."""
    _closed_answers: dict[str, list[Outcome[Answer]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rankings = Rankings(self.plan, self.store)
        self.scopes = self.rankings.scopes
        for system in self.plan.systems.values():
            system.use_store(self.store)
        self.measuring = Measuring(self.plan, self.answering)
        documents = self.plan.dataset.documents.items()
        domains = {doc_id: document.domain for doc_id, document in documents}
        self.cases = Cases(self.plan.questions, domains)
        self.scoring = SCORING[self.plan.config.scoring]

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
            self.cases.add_hits(self.plan.label(variant), setting, ranking)
            if "retrieval" in stages:
                for k in self.plan.config.cutoffs:
                    yield self.retrieval(variant, kb, setting, ranking, k)
            if "overall" in stages and self.plan.has_built_in:
                hits = [ranked[: self.plan.config.top_k] for ranked in ranking]
                for reader in self.plan.readers:
                    yield self._overall(variant, kb, setting, reader, hits)
                for label, reader, texts in elsewhere:
                    moved = [hits_in(kb, texts, ranked) for ranked in hits]
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
        condition = condition_of(self.plan, variant).at("ocr")
        statuses = [kb.status(ref) for ref in self.plan.reread]
        scores = self.measuring.scores(
            condition,
            "ocr",
            "page",
            [self._page_case(kb, ref) for ref in self.plan.reread],
            statuses,
            [status in FAILED for status in statuses],
        )
        return scores + self.measuring.scores(
            condition,
            "ocr",
            "evidence",
            [
                EvidenceCase(
                    tuple(kb.text(ref) for ref in question.evidence_pages), question, self.scoring
                )
                for question in self.plan.questions
            ],
            [self._evidence_status(question, kb) for question in self.plan.questions],
            [self._lost(question, kb) for question in self.plan.questions],
        )

    def _page_case(self, kb: KnowledgeBase, ref: PageRef) -> PageCase:
        """A page and its truth, without what is not known of the truth."""
        dataset = self.plan.dataset
        texts = known_texts(kb.text(ref), dataset.pages[ref].text, dataset.holes.get(ref))
        return PageCase(*texts, self.scoring)

    def _lost(self, question: Question, kb: KnowledgeBase) -> bool:
        """Whether all evidence pages of a question failed; never in the reference protocol."""
        refs = question.evidence_pages
        return (
            self.plan.config.scoring == "default"
            and bool(refs)
            and all(kb.status(ref) in FAILED for ref in refs)
        )

    def _evidence_status(self, question: Question, kb: KnowledgeBase) -> Status:
        """The worst status of the question's evidence pages.

        A row's status is the worse of this and the status of its outcome; the published evaluation
        uses only the latter.
        """
        if self.plan.config.scoring == "reference":
            return Status.OK
        statuses = (kb.status(ref) for ref in question.evidence_pages)
        return max(statuses, key=_severity, default=Status.OK)

    # --- retrieval ---------------------------------------------------------------------

    def retrieve(self, kb: KnowledgeBase, chunker: str, name: str) -> list[list[Hit]]:
        """The ranking of every question, from the pages of its scope."""
        hits: dict[str, list[Hit]] = {}
        for scope, questions in self.scopes.questions.items():
            rankings = self.rankings.of_scope(kb, chunker, name, scope, questions)
            hits.update((q.qid, h) for q, h in zip(questions, rankings, strict=True))
        return [hits[question.qid] for question in self.plan.questions]

    def retrieval(
        self,
        variant: Variant,
        kb: KnowledgeBase,
        setting: tuple[str, str],
        ranking: Sequence[Sequence[Hit]],
        k: int,
    ) -> list[Scores]:
        questions = self.plan.questions
        cases = [
            HitsCase(tuple(hits[:k]), k, question, self.scoring)
            for question, hits in zip(questions, ranking, strict=True)
        ]
        own = [Status.OK if case.hits else Status.EMPTY for case in cases]
        own = self._with_ranked(own, setting)
        if isinstance(self.plan.retrievers[setting[1]], ImageRetriever):
            statuses = self._with_seen(own, setting[1])
        else:
            statuses = self._with_evidence(own, kb)
        return self.measuring.scores(
            condition_of(self.plan, variant, *setting, top_k=k).at("retrieval"),
            "retrieval",
            "hits",
            cases,
            statuses,
            [not case.hits for case in cases],
        )

    def _with_evidence(self, statuses: Sequence[Status], kb: KnowledgeBase) -> list[Status]:
        """The worse of each question's status and that of its evidence pages."""
        return [
            max(status, self._evidence_status(question, kb), key=_severity)
            for question, status in zip(self.plan.questions, statuses, strict=True)
        ]

    def _with_ranked(self, statuses: Sequence[Status], setting: tuple[str, str]) -> list[Status]:
        """The statuses, with an error for each question that the retriever left out, or whose
        evidence pages have a chunk that it left out.
        """
        left_out = self.rankings.left_out(*setting)
        pages = {ref for ref, _, _ in left_out.chunks}
        return [
            Status.ERROR
            if question.text in left_out.questions or pages.intersection(question.evidence_pages)
            else status
            for question, status in zip(self.plan.questions, statuses, strict=True)
        ]

    def _with_seen(self, statuses: Sequence[Status], retriever: str) -> list[Status]:
        """The statuses, with an error for each question with an evidence page not indexed."""
        return [
            status
            if all(self.rankings.is_seen(retriever, ref) for ref in question.evidence_pages)
            else Status.ERROR
            for question, status in zip(self.plan.questions, statuses, strict=True)
        ]

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
        if name not in self._closed_answers:
            self._closed_answers[name] = self._read_answers(name, [[] for _ in contexts])
            self.cases.add_answers(
                "", AnswerSource("no_context", reader=name), self._closed_answers[name]
            )
        # A closed-book answer does not depend on the page, so a failed page does not matter.
        closed_answers = self._answer_scores(
            condition, "generation", self._closed_answers[name], None
        )
        answers = self._read_answers(name, self._shown(name, contexts, kb))
        self.cases.add_answers(
            self.plan.label(variant), AnswerSource("generation", reader=name), answers
        )
        return self._answer_scores(condition, "generation", answers, kb) + closed_answers

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
        condition = condition_of(self.plan, variant, *setting, reader=label).at("overall")
        answers = self._read_answers(name, self._shown(name, hits, kb))
        source = AnswerSource("overall", BUILT_IN, *setting, label)
        self.cases.add_answers(self.plan.label(variant), source, answers)
        return self._answer_scores(condition, "overall", answers, kb)

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
        ordered = [answers[question.qid] for question in self.plan.questions]
        self.cases.add_answers(self.plan.label(variant), AnswerSource("overall", name), ordered)
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

    def answers(self, name: str, contexts: Sequence[Sequence[Hit]]) -> list[Outcome[str]]:
        """A reader's answers to the plan's questions, each with its context."""
        questions = [question.text for question in self.plan.questions]
        return self.answering.answers(name, self.plan.readers[name], questions, contexts)

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

    def _read_answers(self, name: str, contexts: Sequence[Sequence[Hit]]) -> list[Outcome[Answer]]:
        """:meth:`answers`, with the pages of the context as sources."""
        return [
            Outcome(_answer(outcome.value, context), outcome.status, outcome.detail)
            for outcome, context in zip(self.answers(name, contexts), contexts, strict=True)
        ]

    def _answer_scores(
        self,
        condition: Condition,
        stage: Stage,
        answers: Sequence[Outcome[Answer]],
        kb: KnowledgeBase | None,
    ) -> list[Scores]:
        """The scores of answers from a knowledge base; of closed-book answers if ``kb`` is None."""
        own = [outcome.status for outcome in answers]
        truth = self.plan.dataset.documents
        documents = {} if kb is None else ReadDocuments(kb, truth)
        return self.measuring.scores(
            condition,
            stage,
            "answer",
            [
                AnswerCase(outcome.value or Answer(""), question, self.scoring, documents, truth)
                for question, outcome in zip(self.plan.questions, answers, strict=True)
            ],
            self._with_evidence(own, kb) if kb is not None and self._reads_text(condition) else own,
            [status is not Status.OK for status in own],
            closed_book=kb is None,
        )


def _answer(text: str | None, context: Sequence[Hit]) -> Answer | None:
    sources = tuple(dict.fromkeys(hit.ref for hit in context))
    return None if text is None else Answer(text, sources=sources)


def _severity(status: Status) -> int:
    return status.severity
