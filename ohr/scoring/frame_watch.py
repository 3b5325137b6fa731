"""Warns of frames around replies that no list knows, as they come and once all have come."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ohr.files.safe_text import plain
from ohr.models.frames import Frame, SharedFrame, shared_frames
from ohr.types import Answer, Outcome, Status

EARLY = 20
"""After so many replies of one reader a first look is taken, before the others come."""
_OF_MODELS = ("completion_tokens", "unmetered")


@dataclass
class FrameWatch:
    """The first replies of one reader or system, and the frames that have been reported.

    ``tokens_only``: whether labels and first lines are no frames, as in a judge's verdicts.
    """

    tokens_only: bool = False
    early: list[str] = field(default_factory=list)
    reported: set[Frame] = field(default_factory=set)

    def add(self, label: str, outcome: Outcome[Any], usage: Mapping[str, float]) -> list[str]:
        """Lines about the first :data:`EARLY` replies, once they are there."""
        if len(self.early) >= EARLY or outcome.status is not Status.OK or not _is_written(usage):
            return []
        self.early.append(_text(outcome))
        return self._lines(label, self._frames(self.early)) if len(self.early) == EARLY else []

    def look(
        self, label: str, outcomes: Iterable[Outcome[Any]], usage: Mapping[str, float]
    ) -> list[str]:
        """Lines about all replies so far."""
        return self._lines(label, self._frames(_texts(outcomes, usage)))

    def describe(
        self, outcomes: Iterable[Outcome[Any]], usage: Mapping[str, float]
    ) -> dict[str, list[dict[str, Any]]]:
        """For the manifest: ``unknown_frames``, if there are any."""
        return _described(self._frames(_texts(outcomes, usage)))

    def _frames(self, texts: Iterable[str]) -> list[SharedFrame]:
        return shared_frames(texts, pages=self.tokens_only)

    def _lines(self, label: str, frames: Iterable[SharedFrame]) -> list[str]:
        unreported = [shared for shared in frames if shared.frame not in self.reported]
        self.reported |= {shared.frame for shared in unreported}
        return [plain(shared.line(label)) for shared in unreported]


def look_at_pages(
    label: str, outcomes: Iterable[Outcome[str]]
) -> tuple[list[str], dict[str, list[dict[str, Any]]]]:
    """Lines about unknown frames of pages that a model wrote, and these for the manifest."""
    frames = shared_frames(map(_text, outcomes), pages=True)
    return [plain(shared.line(label, "pages")) for shared in frames], _described(frames)


def _described(frames: Iterable[SharedFrame]) -> dict[str, list[dict[str, Any]]]:
    entries = [
        {
            "side": shared.frame.side,
            "mark": shared.frame.mark,
            "replies": shared.count,
            "of": shared.total,
            "examples": list(shared.examples),
        }
        for shared in frames
    ]
    return {"unknown_frames": entries} if entries else {}


def _texts(outcomes: Iterable[Outcome[Any]], usage: Mapping[str, float]) -> list[str]:
    """The answers that a language model wrote."""
    if not _is_written(usage):
        return []
    return [_text(outcome) for outcome in outcomes if outcome.status is Status.OK]


def _is_written(usage: Mapping[str, float]) -> bool:
    """Whether a language model wrote the answers, by what it reports; others copy from pages."""
    return any(name in usage for name in _OF_MODELS)


def _text(outcome: Outcome[Any]) -> str:
    value = outcome.value
    return value.text if isinstance(value, Answer) else value or ""
