"""Asks readers and systems, keeps each answer as it comes, and adds up what they took."""

from __future__ import annotations

import logging
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Generic, TypeVar

from ohr.errors import OhrError, PluginError
from ohr.ocr.failures import EXAMPLE, Streak, is_explained_empty, reasons
from ohr.ocr.progress import Progress
from ohr.plugins import Reader, Reply, System, SystemReply
from ohr.store.artefacts import ArtefactStore
from ohr.store.identity import digest
from ohr.store.journal import Journal
from ohr.types import FAILED, Answer, Document, Hit, Outcome, PageRef, ShownHit, Status

log = logging.getLogger("ohr.answering")

T = TypeVar("T")
R = TypeVar("R")

UNREAD = "the verdict could not be read"
"""Reason of a judge's reply in which there is no verdict; an example follows."""
_EXAMPLE_CHARS = 80
_SILENT_S = 5.0  # no progress is shown for what takes no longer


@dataclass
class FailureCounts:
    """What one reader was asked: ``used`` answers in all, ``asked`` for the first time now."""

    identity: Mapping[str, object]
    note: str = ""
    used: dict[str, Outcome[Any]] = field(default_factory=dict)
    closed_book: set[str] = field(default_factory=set)
    """Those of ``used`` that had no context."""
    refusals: int = 0
    """Requests that a server refused."""
    usage: Counter[str] = field(default_factory=Counter)
    n_asked: int = 0
    usage_now: Counter[str] = field(default_factory=Counter)
    cpu_s: float = 0.0
    """Of this process, while it was asked now."""

    def summary(self) -> dict[str, Any]:
        """For the manifest: counts of distinct answers, and tokens, cost and cuts."""
        return {
            "identity": self.identity,
            "note": self.note,
            "answers": len(self.used),
            "by_status": dict(sorted(Counter(str(o.status) for o in self.used.values()).items())),
            "reasons": reasons(self.used.values(), empty=True),
            "empty_for_a_reason": sum(map(is_explained_empty, self.used.values())),
            "all_empty": self.all_empty(),
            **({"unread": unread} if (unread := sum(map(is_unread, self.used.values()))) else {}),
            "usage": _rounded(self.usage),
            "asked_in_this_run": self.n_asked,
            "usage_of_this_run": _rounded(self.usage_now),
            "cpu_s_of_this_run": round(self.cpu_s, 3),
        }

    def all_empty(self) -> bool:
        """Whether nothing was answered, though not all failed: of what had a context, if any."""
        answers = [o for key, o in self.used.items() if key not in self.closed_book]
        statuses = {outcome.status for outcome in answers or self.used.values()}
        return Status.EMPTY in statuses and Status.OK not in statuses


def is_unread(outcome: Outcome[Any]) -> bool:
    """Whether a judge replied without a verdict."""
    return outcome.status in FAILED and outcome.detail.startswith(UNREAD)


def _rounded(usage: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 6) for name, value in sorted(usage.items())}


@dataclass
class Answering:
    """Answers of readers by label, each kept under its reader, question and context.

    Kill the run at any time: no answer that had come is asked for again.
    """

    store: ArtefactStore
    retry_failed: bool = False
    progress: Progress | None = None
    stop_after_failures: int = 0
    """Answers that fail in a row for the same reason before OhrError is raised; 0: never."""
    tallies: dict[str, FailureCounts] = field(default_factory=dict)
    _journals: dict[str, Journal] = field(default_factory=dict)

    def answers(
        self,
        label: str,
        reader: Reader,
        questions: Sequence[str],
        contexts: Sequence[Sequence[Hit]],
        readable: Callable[[str], bool] | None = None,
    ) -> list[Outcome[str]]:
        """A reader's outcome of each question with its context; equal ones are asked once.

        ``readable``: an answer for which it is false counts as an error, though it is kept as it
        came: read in another way one day, it need not be asked for again.

        Raises what :meth:`ohr.plugins.Reader.answer_many` does on purpose, OhrError when too many
        fail alike or all are refused, and PluginError for a reader that returns no outcome.
        """
        keys = [
            _key(reader, question, context)
            for question, context in zip(questions, contexts, strict=True)
        ]

        def ask(asked: Sequence[int]) -> Iterator[Reply]:
            texts, hits = [questions[at] for at in asked], [contexts[at] for at in asked]
            return _replies(
                reader.name,
                len(asked),
                lambda: reader.answer_many(texts, hits),
                lambda at: Reply(at, reader.answer_or_error(texts[at], hits[at])),
            )

        kind = _OfText() if readable is None else _OfVerdict(readable)
        closed = {key for key, context in zip(keys, contexts, strict=True) if not context}
        return self._outcomes(label, reader, kind, keys, ask, closed)

    def answers_of_system(
        self, label: str, system: System, questions: Sequence[str], documents: Sequence[Document]
    ) -> list[Outcome[Answer]]:
        """A system's outcome of each question over the same documents, in order.

        Raises what :meth:`answers` does.
        """
        pages = [
            [page.ref.doc_id, page.ref.page_no, page.text]
            for one in documents
            for page in one.pages
        ]
        there = digest(pages)
        keys = [digest([question, there]) for question in questions]

        def ask(asked: Sequence[int]) -> Iterator[SystemReply]:
            texts = [questions[at] for at in asked]
            return _replies(
                system.name,
                len(asked),
                lambda: system.answer_many(texts, documents),
                lambda at: SystemReply(at, system.answer_or_error(texts[at], documents)),
            )

        return self._outcomes(label, system, _ANSWER, keys, ask)

    def _outcomes(
        self,
        label: str,
        asked: Reader | System,
        kind: _Kind[T],
        keys: Sequence[str],
        ask: Callable[[Sequence[int]], Iterator[Any]],
        closed_book: Collection[str] = (),
    ) -> list[Outcome[T]]:
        """The outcome of each key: kept ones, and those that are asked for now and then kept."""
        if label not in self.tallies:
            identity = asked.identity()
            self.tallies[label] = FailureCounts(identity, asked.note)
            self._journals[label] = self.store.journal(kind.journal, {kind.asked: identity})
        tally, journal = self.tallies[label], self._journals[label]
        first = {key: at for at, key in reversed(list(enumerate(keys)))}
        to_ask = sorted(
            at for key, at in first.items() if not self._kept(kind, tally, journal, key)
        )
        began = time.process_time()
        answered = self._answered(kind, tally, journal, keys)
        streak = Streak(label, "questions", self.stop_after_failures, answered, tally.refusals)
        held = dict[str, Any]()
        for reply in self._shown(label, ask(to_ask), len(to_ask)):
            key, outcome = keys[to_ask[reply.index]], kind.checked(label, reply.outcome)
            usage = dict(reply.usage)
            tally.n_asked += 1
            tally.usage_now.update(usage)
            streak.add(kind.read(outcome))
            if streak.count <= 1 and not streak.refused:
                _put_all(journal, held)
            # Failures alike are kept once they end: if they stop the run, they are asked again.
            held[key] = [kind.kept(outcome.value), str(outcome.status), outcome.detail, usage]
            if not (streak.count or streak.refused):
                _put_all(journal, held)
        tally.refusals = streak.refusals
        if isinstance(asked, Reader):  # it has been asked all; a system, of some documents alone
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
            tally.used[key] = outcomes[key]
        tally.closed_book |= set(closed_book)
        return [outcomes[key] for key in keys]

    def _answered(
        self, kind: _Kind[Any], tally: FailureCounts, journal: Journal, keys: Iterable[str]
    ) -> bool:
        """Whether anything has come of a reader before."""
        if any(outcome.status not in FAILED for outcome in tally.used.values()):
            return True
        entries = (kind.parsed(journal.get(key)) for key in keys)
        return any(entry is not None and entry[0].status not in FAILED for entry in entries)

    def _kept(self, kind: _Kind[Any], tally: FailureCounts, journal: Journal, key: str) -> bool:
        entry = kind.parsed(journal.get(key))
        if entry is None:
            return False
        # What failed in this run has had its second chance.
        return not (self.retry_failed and key not in tally.used and entry[0].status in FAILED)

    def _shown(self, label: str, replies: Iterable[R], total: int) -> Iterator[R]:
        started = time.monotonic()
        if self.progress is not None:
            self.progress.begin(label)
        for done, reply in enumerate(replies, start=1):
            yield reply
            if self.progress is not None and time.monotonic() - started > _SILENT_S:
                self.progress(label, done, total)


def _key(reader: Reader, question: str, context: Sequence[Hit]) -> str:
    """Digest of all that an answer depends on, beside the reader."""
    if reader.reads_images:
        return digest([question, [_seen(reader, hit) for hit in context]])
    if reader.knows_documents:
        return digest([question, [[hit.ref.doc_id, hit.text] for hit in context]])
    return digest([question, [hit.text for hit in context]])


def _seen(reader: Reader, hit: Hit) -> list[str]:
    """What a reader of page images is given of a hit."""
    text = hit.text if reader.reads_text else ""
    picture = hit.image.digest if isinstance(hit, ShownHit) and hit.image is not None else ""
    return [text, picture, *([hit.ref.doc_id] if reader.knows_documents else [])]


def _put_all(journal: Journal, entries: dict[str, Any]) -> None:
    """Keep answers, and empty ``entries``."""
    for key, entry in entries.items():
        journal.put(key, entry)
    entries.clear()


class _Kind(ABC, Generic[T]):
    """How what one kind of plug-in says is checked and kept."""

    journal: ClassVar[str]
    asked: ClassVar[str]

    @abstractmethod
    def kept(self, value: T | None) -> object:
        """A value as JSON."""

    @abstractmethod
    def value(self, kept: object) -> T | None:
        """The value of what was kept. Raises ValueError, TypeError or KeyError for what is none."""

    @abstractmethod
    def checked(self, label: str, outcome: Any) -> Outcome[T]:
        """The outcome. Raises PluginError for what is none of this kind."""

    def read(self, outcome: Outcome[T]) -> Outcome[T]:
        """An outcome as it counts, which may be less than it was kept as."""
        return outcome

    def parsed(self, entry: object) -> tuple[Outcome[T], dict[str, float]] | None:
        """An outcome as it was kept, and what it took; None for what is none."""
        match entry:
            case [kept, str(status), str(detail), dict(usage)] if status in set(Status):
                if not all(isinstance(number, int | float) for number in usage.values()):
                    return None
                try:
                    return self.read(Outcome(self.value(kept), Status(status), detail)), usage
                except (ValueError, TypeError, KeyError):
                    return None
            case _:
                return None


class _OfText(_Kind[str]):
    journal, asked = "answers", "reader"

    def kept(self, value: str | None) -> object:
        return value

    def value(self, kept: object) -> str | None:
        if not isinstance(kept, str | None):
            raise TypeError("an answer is a text")
        return kept

    def checked(self, label: str, outcome: Any) -> Outcome[str]:
        if isinstance(outcome, Outcome) and isinstance(outcome.value, str | None):
            return outcome
        raise PluginError(
            f"reader {label!r} returned {type(outcome).__name__} in place of an Outcome of a "
            "text, such as Outcome.of_text(answer)"
        )


@dataclass(frozen=True)
class _OfVerdict(_OfText):
    """Texts of a judge that must be ``readable``."""

    readable: Callable[[str], bool]

    def read(self, outcome: Outcome[str]) -> Outcome[str]:
        text = outcome.value or ""
        if outcome.status in FAILED or self.readable(text):
            return outcome
        said = repr(" ".join(text.split())[:_EXAMPLE_CHARS]) if text.strip() else "an empty reply"
        detail = f" ({outcome.detail})" if outcome.detail else ""
        return replace(outcome, status=Status.ERROR, detail=f"{UNREAD}{EXAMPLE}{said}{detail}")


class _OfAnswer(_Kind[Answer]):
    journal, asked = "system_answers", "system"

    def kept(self, value: Answer | None) -> object:
        if value is None:
            return None
        sources = [[ref.doc_id, ref.page_no] for ref in value.sources]
        headers = {"headers": list(value.headers)} if value.headers else {}
        return {"text": value.text, "quote": value.quote, "sources": sources,
                "trace": list(value.trace), **headers}  # fmt: skip

    def value(self, kept: object) -> Answer | None:
        if kept is None:
            return None
        if not isinstance(kept, dict):
            raise TypeError("an answer is a mapping")
        sources = tuple(PageRef(str(doc_id), int(page_no)) for doc_id, page_no in kept["sources"])
        trace = tuple(str(line) for line in kept["trace"])
        headers = tuple(str(header) for header in kept.get("headers", ()))
        return Answer(str(kept["text"]), str(kept["quote"]), sources, trace, headers)

    def checked(self, label: str, outcome: Any) -> Outcome[Answer]:
        if isinstance(outcome, Outcome) and isinstance(outcome.value, Answer | None):
            if outcome.status is Status.OK and not (outcome.value and outcome.value.text.strip()):
                return Outcome(outcome.value, Status.EMPTY, outcome.detail)
            return outcome
        raise PluginError(
            f"system {label!r} returned {type(outcome).__name__} in place of an Outcome of an "
            "Answer, such as Outcome(Answer(text))"
        )


_ANSWER = _OfAnswer()


def _replies(
    name: str, count: int, many: Callable[[], Iterator[R]], alone: Callable[[int], R]
) -> Iterator[R]:
    """A reply (with its ``index``) to every question, whatever is raised on one of them."""
    left = dict.fromkeys(range(count))
    if not left:
        return
    try:
        for reply in many():
            index: int = reply.index  # type: ignore[attr-defined]
            if index in left:
                del left[index]
                yield reply
    except OhrError:
        raise
    except Exception as error:  # one answer must not cost the others: they are asked alone
        log.warning("%s: %s; asking one by one", name, error)
    for index in left:
        yield alone(index)
