"""Asks readers and systems, stores each answer as it comes, and adds up their costs."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ohr.errors import OhrError, PluginError
from ohr.ocr.failures import Streak
from ohr.ocr.progress import Progress
from ohr.plugins import Chat, Reader, Reply, System, SystemReply
from ohr.scoring.answer_kinds import ANSWER, AnswerKind, OfText, OfVerdict, is_confidence
from ohr.scoring.budget import Budget
from ohr.scoring.frame_watch import FrameWatch
from ohr.scoring.tallies import ReaderTally
from ohr.store.artefacts import ArtefactStore
from ohr.store.identity import digest
from ohr.store.journal import Journal
from ohr.types import FAILED, Answer, Document, Hit, Outcome, ShownHit

log = logging.getLogger("ohr.answering")

T = TypeVar("T")
R = TypeVar("R")

_ENOUGH_ANSWERS = 20
_SILENT_S = 5.0  # progress is shown only for what takes longer


@dataclass
class Answering:
    """Answers of readers by label, each stored under its reader, question and context.

    A run may be killed at any time: it does not ask again for an answer that it had.
    """

    store: ArtefactStore
    retry_failed: bool = False
    progress: Progress | None = None
    stop_after_failures: int = 0
    """Answers that fail in a row for the same reason before OhrError is raised; 0: never."""
    budget: Budget = field(default_factory=Budget)
    tallies: dict[str, ReaderTally] = field(default_factory=dict)
    _journals: dict[str, Journal] = field(default_factory=dict)

    def answers(
        self,
        label: str,
        reader: Reader,
        questions: Sequence[str],
        contexts: Sequence[Sequence[Hit]],
        readable: Callable[[str], bool] | None = None,
        repeat: int = 0,
    ) -> list[Outcome[str]]:
        """A reader's outcome for each question with its context; equal pairs are asked once.

        Above 0, ``repeat`` asks again with another seed, and stores that answer beside the others
        (:meth:`ohr.plugins.Reader.repeat`).

        An answer for which ``readable`` is false counts as an error. It is still stored, so that
        a later version that can parse it need not ask again.

        Raises what :meth:`ohr.plugins.Reader.answer_many` raises on purpose, OhrError if too many
        fail for the same reason or all are refused, and PluginError for a reader that returns no
        outcome.
        """
        keys = _keys(reader, questions, contexts, repeat)
        reader = (reader.repeat(repeat) or reader) if repeat else reader
        if self.budget.is_limited:
            pairs = zip(questions, contexts, strict=True)
            most = max((reader.expected_usage(*pair).get("cost", 0.0) for pair in pairs), default=0)
            at_once = reader.at_once if isinstance(reader, Chat) else 1
            self.budget.expect(label, most, at_once)

        def ask(places: Sequence[int]) -> Iterator[Reply]:
            texts, hits = (
                [questions[place] for place in places],
                [contexts[place] for place in places],
            )
            return _replies(
                reader.name,
                len(places),
                lambda: reader.answer_many(texts, hits),
                lambda place: Reply(place, reader.answer_or_error(texts[place], hits[place])),
                self.budget,
            )

        kind = OfText() if readable is None else OfVerdict(readable)
        closed = {key for key, context in zip(keys, contexts, strict=True) if not context}
        return self._outcomes(label, reader, kind, keys, ask, closed)

    def usages(
        self,
        label: str,
        reader: Reader,
        questions: Sequence[str],
        contexts: Sequence[Sequence[Hit]],
        repeat: int = 0,
    ) -> list[Mapping[str, float]]:
        """What each answer that :meth:`answers` gave has counted, such as its tokens."""
        usages = self.tallies[label].usages
        return [usages.get(key, {}) for key in _keys(reader, questions, contexts, repeat)]

    def places_to_ask(
        self,
        reader: Reader,
        questions: Sequence[str],
        contexts: Sequence[Sequence[Hit]],
        repeat: int = 0,
    ) -> tuple[dict[str, int], set[str]]:
        """What :meth:`answers` would ask, asking nothing: the keys of the answers to ask for, each
        with a question's place, and the keys of the stored ones.
        """
        journal = self.store.journal(OfText.journal, {"reader": reader.identity()})
        none_used = ReaderTally({})
        keys = _keys(reader, questions, contexts, repeat)
        places = {key: place for place, key in enumerate(keys)}
        stored = {key for key in places if self._is_known(OfText(), none_used, journal, key)}
        return {key: place for key, place in places.items() if key not in stored}, stored

    def mean_answer_tokens(self, reader: Reader) -> float | None:
        """The mean tokens of a reader's stored answers; None for fewer than 20."""
        journal = self.store.journal(OfText.journal, {"reader": reader.identity()})
        entries = filter(None, map(OfText().parsed, journal.values()))
        tokens = [
            usage["completion_tokens"] for _, usage in entries if "completion_tokens" in usage
        ]
        return sum(tokens) / len(tokens) if len(tokens) >= _ENOUGH_ANSWERS else None

    def answers_of_system(
        self, label: str, system: System, questions: Sequence[str], documents: Sequence[Document]
    ) -> list[Outcome[Answer]]:
        """A system's outcome for each question over the same documents, in order.

        Raises the same errors as :meth:`answers`.
        """
        pages = [
            [page.ref.doc_id, page.ref.page_no, page.text]
            for document in documents
            for page in document.pages
        ]
        documents_digest = digest(pages)
        keys = [digest([question, documents_digest]) for question in questions]

        def ask(places: Sequence[int]) -> Iterator[SystemReply]:
            texts = [questions[place] for place in places]
            return _replies(
                system.name,
                len(places),
                lambda: system.answer_many(texts, documents),
                lambda place: SystemReply(place, system.answer_or_error(texts[place], documents)),
            )

        return self._outcomes(label, system, ANSWER, keys, ask)

    def _outcomes(
        self,
        label: str,
        plugin: Reader | System,
        kind: AnswerKind[T],
        keys: Sequence[str],
        ask: Callable[[Sequence[int]], Iterator[Any]],
        closed_book: Collection[str] = (),
    ) -> list[Outcome[T]]:
        """The outcome of each key, stored or asked for now."""
        if label not in self.tallies:
            identity = plugin.identity()
            watch = FrameWatch(isinstance(kind, OfVerdict))
            prompts = plugin.prompts() if isinstance(plugin, Reader) else {}
            self.tallies[label] = ReaderTally(identity, plugin.note, prompts, watch=watch)
            self._journals[label] = self.store.journal(kind.journal, {kind.plugin_kind: identity})
        tally, journal = self.tallies[label], self._journals[label]
        first = {key: place for place, key in reversed(list(enumerate(keys)))}
        to_ask = sorted(
            place for key, place in first.items() if not self._is_known(kind, tally, journal, key)
        )
        began = time.process_time()
        answered = self._answered(kind, tally, journal, keys)
        if to_ask:
            self.budget.check(label, len(to_ask))
        streak = Streak(label, "questions", self.stop_after_failures, answered, tally.refusals)
        held = dict[str, Any]()
        for n_answered, reply in enumerate(self._shown(label, ask(to_ask), len(to_ask)), start=1):
            key, outcome = keys[to_ask[reply.index]], kind.checked(label, reply.outcome)
            _check_confidence(label, outcome.confidence)
            usage = dict(reply.usage)
            tally.n_asked += 1
            tally.usage_now.update(usage)
            spent_up = self.budget.add(label, usage, len(to_ask) - n_answered)
            self._warn(tally.watch.add(label, outcome, usage))
            streak.add(kind.count_outcome(outcome))
            if streak.count <= 1 and not streak.refused:
                _put_all(journal, held)
            # Failures in a row are stored only once they end: if they stop the run, the next run
            # asks again.
            held[key] = [
                kind.stored_value(outcome.value),
                str(outcome.status),
                outcome.detail,
                usage,
                *([] if outcome.confidence is None else [outcome.confidence]),
            ]
            if not (streak.count or streak.refused):
                _put_all(journal, held)
            if spent_up and not self.budget.is_spent:
                self.budget.is_spent = True
                if not (isinstance(plugin, Reader) and plugin.stop_asking()):
                    break
        if self.budget.is_spent:
            _put_all(journal, held)
            self.budget.stop()
        tally.refusals = streak.refusals
        if isinstance(plugin, Reader):  # it was asked everything; a system, one scope only
            streak.end()
        if not streak.refused:
            _put_all(journal, held)
        tally.cpu_s += time.process_time() - began
        outcomes = {}
        for key in first:
            parsed = kind.parsed(held.get(key) or journal.get(key))
            outcomes[key], usage = parsed or (Outcome[T].error("no answer"), {})
            if key not in tally.used:
                tally.usage.update(usage)
                tally.usages[key] = usage
            tally.used[key] = outcomes[key]
        tally.closed_book |= set(closed_book)
        self._warn(tally.watch.look(label, tally.used.values(), tally.usage))
        return [outcomes[key] for key in keys]

    def _warn(self, lines: Iterable[str]) -> None:
        if self.progress is not None:
            list(map(self.progress.say, lines))

    def _answered(
        self, kind: AnswerKind[Any], tally: ReaderTally, journal: Journal, keys: Iterable[str]
    ) -> bool:
        """Whether a reader has answered anything before."""
        if any(outcome.status not in FAILED for outcome in tally.used.values()):
            return True
        entries = (kind.parsed(journal.get(key)) for key in keys)
        return any(entry is not None and entry[0].status not in FAILED for entry in entries)

    def _is_known(
        self, kind: AnswerKind[Any], tally: ReaderTally, journal: Journal, key: str
    ) -> bool:
        entry = kind.parsed(journal.get(key))
        if entry is None:
            return False
        # A failure of this run is not tried again.
        return not (self.retry_failed and key not in tally.used and entry[0].status in FAILED)

    def _shown(self, label: str, replies: Iterable[R], total: int) -> Iterator[R]:
        started = time.monotonic()
        if self.progress is not None:
            self.progress.begin(label)
        for done, reply in enumerate(replies, start=1):
            yield reply
            if self.progress is not None and time.monotonic() - started > _SILENT_S:
                self.progress(label, done, total)


def _keys(
    reader: Reader, questions: Sequence[str], contexts: Sequence[Sequence[Hit]], repeat: int
) -> list[str]:
    keys = [_key(reader, *pair) for pair in zip(questions, contexts, strict=True)]
    # The first answer has the key that it has without repeats.
    return [digest([key, {"repeat": repeat}]) for key in keys] if repeat else keys


def _key(reader: Reader, question: str, context: Sequence[Hit]) -> str:
    """Digest of everything that an answer depends on, except the reader."""
    if reader.reads_images:
        return digest([question, [_seen(reader, hit) for hit in context]])
    if reader.knows_documents:
        return digest([question, [[hit.ref.doc_id, hit.text] for hit in context]])
    return digest([question, [hit.text for hit in context]])


def _seen(reader: Reader, hit: Hit) -> list[str]:
    """The parts of a hit that a reader of page images gets."""
    text = hit.text if reader.reads_text else ""
    picture = hit.image.digest if isinstance(hit, ShownHit) and hit.image is not None else ""
    return [text, picture, *([hit.ref.doc_id] if reader.knows_documents else [])]


def _put_all(journal: Journal, entries: dict[str, Any]) -> None:
    """Store answers, and empty ``entries``."""
    for key, entry in entries.items():
        journal.put(key, entry)
    entries.clear()


def _check_confidence(label: str, confidence: object) -> None:
    """Raise PluginError for a confidence that is neither None nor a number in [0, 1]."""
    if confidence is not None and not is_confidence(confidence):
        raise PluginError(
            f"{label!r} gave an answer with confidence {confidence!r}: it is a number from 0 to 1, "
            "or None"
        )


def _replies(
    name: str,
    count: int,
    many: Callable[[], Iterator[R]],
    alone: Callable[[int], R],
    budget: Budget | None = None,
) -> Iterator[R]:
    """A reply (with its ``index``) to every question, even if one of them raises; no further ones
    once the budget is spent.
    """
    unanswered = dict.fromkeys(range(count))
    if not unanswered:
        return
    try:
        for reply in many():
            index: int = reply.index  # type: ignore[attr-defined]
            if index in unanswered:
                del unanswered[index]
                yield reply
    except OhrError:
        raise
    except Exception as error:  # one error must not cost the other answers: ask them one by one
        log.warning("%s: %s; asking one by one", name, error)
    for index in unanswered:
        if budget is not None and budget.is_spent:
            return
        yield alone(index)
