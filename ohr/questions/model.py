"""A language model that writes and checks questions: its answers are stored, counted and priced."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ohr.errors import EngineError, MissingDependencyError, RefusedError
from ohr.models.replies import drop_thoughts
from ohr.plugins.chat import Chat, Message
from ohr.store.identity import digest
from ohr.store.journal import Journal

_MOST_TOKENS = 1024


@dataclass
class Cost:
    """Cost of the answers, also of those from earlier runs."""

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
    """A chat that stores its answers in a journal, and asks nothing twice."""

    chat: Chat
    journal: Journal
    cost: Cost = field(default_factory=Cost)

    def say(self, system: str, user: str, *, temperature: float = 0.0, seed: int = 0) -> str:
        """The answer's text, without thoughts; empty if it failed: the next run asks again."""
        key = digest([system, user, temperature, seed])
        stored = self.journal.get(key)
        if not isinstance(stored, Mapping):
            stored = self._request(system, user, temperature, seed)
            if stored is None:
                self.cost.calls += 1
                self.cost.failed += 1
                return ""
            self.journal.put(key, stored)
        usage = stored.get("usage", {})
        self.cost.calls += 1
        self.cost.prompt_tokens += usage.get("prompt_tokens", 0)
        self.cost.completion_tokens += usage.get("completion_tokens", 0)
        self.cost.money += usage.get("cost", 0)
        self.cost.seconds += stored.get("seconds", 0)
        return drop_thoughts(str(stored.get("text", "")))

    def _request(
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
            if not self.cost.calls:  # refused at the first request: all will be
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
        """The JSON objects in an answer; empty if there are none."""
        return read_objects(self.say(system, user))


def read_objects(text: str) -> list[Mapping[str, Any]]:
    """The objects of the first JSON list with objects or without items, or the first object.

    ``text`` is a model's answer; a list of other values, such as ``[1]``, is skipped.
    """
    decoder = json.JSONDecoder()
    for index, char in enumerate(text):
        if char not in "[{":
            continue
        try:
            value, _ = decoder.raw_decode(text, index)
        except (ValueError, RecursionError):
            continue
        items: Sequence[Any] = value if isinstance(value, list) else [value]
        objects = [item for item in items if isinstance(item, Mapping)]
        if objects or not items:
            return objects
    return []
