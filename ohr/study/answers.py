"""Asks readers, keeps each answer as it comes, and adds up what the answers took."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ohr.errors import OhrError, PluginError
from ohr.plugins import Reader, Reply
from ohr.store.artefacts import ArtefactStore
from ohr.store.identity import digest
from ohr.store.journal import Journal
from ohr.study.failures import Streak, reasons
from ohr.study.progress import Progress
from ohr.types import FAILED, Hit, Outcome, Status

log = logging.getLogger("ohr.answering")

_SILENT_S = 5.0  # no progress is shown for what takes no longer


@dataclass
class Tally:
    """What one reader was asked: ``used`` answers in all, ``asked`` for the first time now."""

    identity: Mapping[str, object]
    note: str = ""
    used: dict[str, Outcome[str]] = field(default_factory=dict)
    usage: Counter[str] = field(default_factory=Counter)
    n_asked: int = 0
    usage_now: Counter[str] = field(default_factory=Counter)

    def summary(self) -> dict[str, Any]:
        """For the manifest: counts of distinct answers, and tokens, cost and cuts."""
        return {
            "identity": self.identity,
            "note": self.note,
            "answers": len(self.used),
            "by_status": dict(sorted(Counter(str(o.status) for o in self.used.values()).items())),
            "reasons": reasons(self.used.values()),
            "usage": _rounded(self.usage),
            "asked_in_this_run": self.n_asked,
            "usage_of_this_run": _rounded(self.usage_now),
        }


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
    tallies: dict[str, Tally] = field(default_factory=dict)
    _journals: dict[str, Journal] = field(default_factory=dict)

    def answers(
        self,
        label: str,
        reader: Reader,
        questions: Sequence[str],
        contexts: Sequence[Sequence[Hit]],
    ) -> list[Outcome[str]]:
        """The outcome of each question with its context, in order; equal ones are asked once.

        Raises what :meth:`ohr.plugins.Reader.answer_many` does on purpose, OhrError when too many
        fail alike, and PluginError for a reader that returns no outcome.
        """
        if label not in self.tallies:
            identity = reader.identity()
            self.tallies[label] = Tally(identity, reader.note)
            self._journals[label] = self.store.journal("answers", {"reader": identity})
        tally, journal = self.tallies[label], self._journals[label]
        keys = [
            _key(reader, question, context)
            for question, context in zip(questions, contexts, strict=True)
        ]
        first = {key: at for at, key in reversed(list(enumerate(keys)))}
        to_ask = sorted(at for key, at in first.items() if not self._kept(tally, journal, key))
        to_send = [questions[at] for at in to_ask], [contexts[at] for at in to_ask]
        streak, held = Streak(label, "questions", self.stop_after_failures), dict[str, Any]()
        for reply in self._shown(label, _replies(reader, *to_send), len(to_ask)):
            key, outcome = keys[to_ask[reply.index]], _checked(label, reply.outcome)
            usage = dict(reply.usage)
            tally.n_asked += 1
            tally.usage_now.update(usage)
            streak.add(outcome)
            if streak.count <= 1:
                _put_all(journal, held)
            # Failures alike are kept once they end: if they stop the run, they are asked again.
            held[key] = [outcome.value, str(outcome.status), outcome.detail, usage]
            if not streak.count:
                _put_all(journal, held)
        _put_all(journal, held)
        outcomes = {}
        for key in first:
            outcomes[key], usage = _parsed(journal.get(key)) or (Outcome.error("no answer"), {})
            if key not in tally.used:
                tally.usage.update(usage)
            tally.used[key] = outcomes[key]
        return [outcomes[key] for key in keys]

    def _kept(self, tally: Tally, journal: Journal, key: str) -> bool:
        entry = _parsed(journal.get(key))
        if entry is None:
            return False
        # What failed in this run has had its second chance.
        return not (self.retry_failed and key not in tally.used and entry[0].status in FAILED)

    def _shown(self, label: str, replies: Iterable[Reply], total: int) -> Iterator[Reply]:
        started = time.monotonic()
        if self.progress is not None:
            self.progress.begin(label)
        for done, reply in enumerate(replies, start=1):
            yield reply
            if self.progress is not None and time.monotonic() - started > _SILENT_S:
                self.progress(label, done, total)


def _key(reader: Reader, question: str, context: Sequence[Hit]) -> str:
    """Digest of all that an answer depends on, beside the reader."""
    if reader.knows_documents:
        return digest([question, [[hit.ref.doc_id, hit.text] for hit in context]])
    return digest([question, [hit.text for hit in context]])


def _put_all(journal: Journal, entries: dict[str, Any]) -> None:
    """Keep answers, and empty ``entries``."""
    for key, entry in entries.items():
        journal.put(key, entry)
    entries.clear()


def _parsed(entry: object) -> tuple[Outcome[str], dict[str, float]] | None:
    """An answer as it was kept, and what it took; None for what is none."""
    match entry:
        case [None | str() as value, str(status), str(detail), dict(usage)] if status in set(
            Status
        ):
            numbers = all(isinstance(number, int | float) for number in usage.values())
            return (Outcome(value, Status(status), detail), usage) if numbers else None
        case _:
            return None


def _checked(label: str, outcome: Any) -> Outcome[str]:
    """The outcome. Raises PluginError for what is none of a text."""
    if isinstance(outcome, Outcome) and isinstance(outcome.value, str | None):
        return outcome
    raise PluginError(
        f"reader {label!r} returned {type(outcome).__name__} in place of an Outcome of a text, "
        "such as Outcome.of_text(answer)"
    )


def _replies(
    reader: Reader, questions: Sequence[str], contexts: Sequence[Sequence[Hit]]
) -> Iterator[Reply]:
    """A reply to every question, whatever the reader raises on one of them."""
    left = dict.fromkeys(range(len(questions)))
    if not left:
        return
    try:
        for reply in reader.answer_many(questions, contexts):
            if reply.index in left:
                del left[reply.index]
                yield reply
    except OhrError:
        raise
    except Exception as error:  # one answer must not cost the others: they are asked alone
        log.warning("%s: %s; asking one by one", reader.name, error)
    for index in left:
        yield Reply(index, reader.answer_or_error(questions[index], contexts[index]))
