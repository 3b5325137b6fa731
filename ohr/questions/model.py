"""A model that is asked for questions and about them: what it says is kept, counted and priced."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ohr.errors import EngineError, MissingDependencyError, RefusedError
from ohr.models.replies import without_thoughts
from ohr.plugins.chat import Chat, Message
from ohr.store.identity import digest
from ohr.store.journal import Journal

_MOST_TOKENS = 1024


@dataclass
class Cost:
    """What the answers took, those included that were kept from an earlier run."""

    calls: int = 0
    failed: int = 0
    prompt_tokens: float = 0
    completion_tokens: float = 0
    money: float = 0
    seconds: float = 0

    def line(self) -> str:
        """The cost in one line."""
        money = f", cost {self.money:.4f}" if self.money else ""
        return (
            f"{self.calls} answers ({self.failed} failed), {self.prompt_tokens:,.0f} prompt and "
            f"{self.completion_tokens:,.0f} completion tokens, {self.seconds:.1f} s{money}"
        )


@dataclass
class Model:
    """A chat whose answers are kept in a journal: what was answered is not asked again."""

    chat: Chat
    journal: Journal
    cost: Cost = field(default_factory=Cost)

    def say(self, system: str, user: str, *, temperature: float = 0.0, seed: int = 0) -> str:
        """The answer's text, without thoughts; empty for one that failed, which is asked again by
        the next run.
        """
        key = digest([system, user, temperature, seed])
        kept = self.journal.get(key)
        if not isinstance(kept, Mapping):
            kept = self._asked(system, user, temperature, seed)
            if kept is None:
                self.cost.calls += 1
                self.cost.failed += 1
                return ""
            self.journal.put(key, kept)
        usage = kept.get("usage", {})
        self.cost.calls += 1
        self.cost.prompt_tokens += usage.get("prompt_tokens", 0)
        self.cost.completion_tokens += usage.get("completion_tokens", 0)
        self.cost.money += usage.get("cost", 0)
        self.cost.seconds += kept.get("seconds", 0)
        return without_thoughts(str(kept.get("text", "")))

    def _asked(
        self, system: str, user: str, temperature: float, seed: int
    ) -> dict[str, Any] | None:
        start = time.monotonic()
        try:
            done = self.chat.complete(
                [Message("system", system), Message("user", user)],
                max_tokens=_MOST_TOKENS,
                temperature=temperature,
                seed=seed,
            )
        except RefusedError as error:
            if not self.cost.calls:  # the first request: so will all be
                raise MissingDependencyError(str(error)) from error
            return None
        except EngineError:
            return None
        return {
            "text": done.text,
            "usage": dict(done.usage),
            "seconds": round(time.monotonic() - start, 3),
        }

    def objects(self, system: str, user: str) -> list[Mapping[str, Any]]:
        """The JSON objects of an answer; none where it holds none."""
        return read_objects(self.say(system, user))


def read_objects(text: str) -> list[Mapping[str, Any]]:
    """The objects of the first JSON list that has any or is empty, or the first object, in a
    model's answer: the number of a passage in brackets is none.
    """
    decoder = json.JSONDecoder()
    for at, char in enumerate(text):
        if char not in "[{":
            continue
        try:
            value, _ = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            continue
        items: Sequence[Any] = value if isinstance(value, list) else [value]
        found = [one for one in items if isinstance(one, Mapping)]
        if found or not items:
            return found
    return []
