"""Counts and costs of the answers of one reader or system."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ohr.models.origins import split_origins
from ohr.ocr.failures import is_explained_empty, reasons
from ohr.scoring.frame_watch import FrameWatch
from ohr.types import FAILED, Outcome, Status

UNREAD = "the verdict could not be read"
"""Reason of a failure for a judge's reply without a verdict; an example follows."""


@dataclass
class ReaderTally:
    """Counts and costs of one reader: ``used`` answers, of which ``n_asked`` were asked for now."""

    identity: Mapping[str, object]
    note: str = ""
    prompts: Mapping[str, str] = field(default_factory=dict)
    used: dict[str, Outcome[Any]] = field(default_factory=dict)
    usages: dict[str, Mapping[str, float]] = field(default_factory=dict)
    """What each of ``used`` counted."""
    closed_book: set[str] = field(default_factory=set)  # keys of ``used`` without context
    refusals: int = 0  # requests that a server refused
    usage: Counter[str] = field(default_factory=Counter)
    n_asked: int = 0
    usage_now: Counter[str] = field(default_factory=Counter)
    watch: FrameWatch = field(default_factory=FrameWatch)
    cpu_s: float = 0.0
    """CPU seconds of this process while it asked."""

    def summary(self) -> dict[str, Any]:
        """For the manifest: counts of distinct answers, tokens, cost, models that answered."""
        usage, models = split_origins(self.usage)
        return {
            "identity": self.identity,
            "note": self.note,
            **({"prompts": dict(self.prompts)} if self.prompts else {}),
            "answers": len(self.used),
            "by_status": dict(sorted(Counter(str(o.status) for o in self.used.values()).items())),
            "reasons": reasons(self.used.values(), empty=True),
            "empty_for_a_reason": sum(map(is_explained_empty, self.used.values())),
            "all_empty": self.all_empty(),
            **({"unread": unread} if (unread := sum(map(is_unread, self.used.values()))) else {}),
            **({"models": models} if models else {}),
            **self.watch.describe(self.used.values(), usage),
            "usage": _rounded(usage),
            "asked_in_this_run": self.n_asked,
            "usage_of_this_run": _rounded(split_origins(self.usage_now)[0]),
            "cpu_s_of_this_run": round(self.cpu_s, 3),
        }

    def all_empty(self) -> bool:
        """Whether no answer has text, though not all failed; of answers with context, if any."""
        answers = [o for key, o in self.used.items() if key not in self.closed_book]
        statuses = {outcome.status for outcome in answers or self.used.values()}
        return Status.EMPTY in statuses and Status.OK not in statuses


def is_unread(outcome: Outcome[Any]) -> bool:
    """Whether a judge replied without a verdict."""
    return outcome.status in FAILED and outcome.detail.startswith(UNREAD)


def _rounded(usage: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 6) for name, value in sorted(usage.items())}
