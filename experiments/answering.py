"""Asks readers, keeps each answer as it comes, and adds up what the answers took."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from experiments.progress import Progress
from ohr.errors import OhrError
from ohr.identity import digest
from ohr.journal import Journal
from ohr.plugins import Reader, Reply
from ohr.store import ArtefactStore
from ohr.types import FAILED, Hit, Outcome, Status

log = logging.getLogger("ohr.answering")

_SILENT_S = 5.0  # no progress is shown for what takes no longer


@dataclass
class Tally:
    """What one reader was asked: ``used`` answers in all, ``asked`` for the first time now."""

    identity: Mapping[str, object]
    note: str = ""
    used: dict[str, Status] = field(default_factory=dict)
    usage: Counter[str] = field(default_factory=Counter)
    asked: int = 0
    usage_now: Counter[str] = field(default_factory=Counter)

    def summary(self) -> dict[str, Any]:
        """For the manifest: counts of distinct answers, and tokens, cost and cuts."""
        return {
            "identity": self.identity,
            "note": self.note,
            "answers": len(self.used),
            "by_status": dict(sorted(Counter(map(str, self.used.values())).items())),
            "usage": _rounded(self.usage),
            "asked_in_this_run": self.asked,
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

        Raises what :meth:`ohr.plugins.Reader.answer_many` does on purpose.
        """
        if label not in self.tallies:
            identity = reader.identity()
            self.tallies[label] = Tally(identity, reader.note)
            self._journals[label] = self.store.journal("answers", {"reader": identity})
        tally, journal = self.tallies[label], self._journals[label]
        keys = [
            digest([question, [hit.text for hit in context]])
            for question, context in zip(questions, contexts, strict=True)
        ]
        first = {key: at for at, key in reversed(list(enumerate(keys)))}
        to_ask = sorted(at for key, at in first.items() if not self._kept(tally, journal, key))
        asked = [questions[at] for at in to_ask], [contexts[at] for at in to_ask]
        for reply in self._shown(label, _replies(reader, *asked), len(to_ask)):
            key, outcome = keys[to_ask[reply.index]], reply.outcome
            usage = dict(reply.usage)
            journal.put(key, [outcome.value, str(outcome.status), outcome.detail, usage])
            tally.asked += 1
            tally.usage_now.update(usage)
        found = {}
        for key in first:
            value, status, detail, usage = journal.get(key) or (None, "error", "no answer", {})
            found[key] = Outcome(value, Status(status), detail)
            if key not in tally.used:
                tally.usage.update(usage)
            tally.used[key] = found[key].status
        return [found[key] for key in keys]

    def _kept(self, tally: Tally, journal: Journal, key: str) -> bool:
        entry = journal.get(key)
        if entry is None:
            return False
        # What failed in this run has had its second chance.
        return not (self.retry_failed and key not in tally.used and Status(entry[1]) in FAILED)

    def _shown(self, label: str, replies: Iterable[Reply], total: int) -> Iterator[Reply]:
        started = time.monotonic()
        if self.progress is not None:
            self.progress.begin(label)
        for done, reply in enumerate(replies, start=1):
            yield reply
            if self.progress is not None and time.monotonic() - started > _SILENT_S:
                self.progress(label, done, total)


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
