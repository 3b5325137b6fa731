"""The OCR output of a page in the artefact store: a text, or a failure, and its cost."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from ohr.errors import StoreError
from ohr.store.artefacts import ArtefactStore
from ohr.types import FAILED, Outcome, Status, Word
from ohr.workers import Limits


@dataclass(frozen=True)
class StoredOutput:
    """A stored outcome; for a timeout, with the CPU and wall seconds that the page was allowed."""

    outcome: Outcome[str]
    allowed_s: tuple[float, float] | None = None

    def is_final(self, limits: Limits, *, retry: bool) -> bool:
        """Whether the page need not be read again: a failure is final unless ``retry``.

        A timeout is not final if the page would be allowed more time now.
        """
        if self.outcome.status not in FAILED:
            return True
        more = self.allowed_s is not None and (
            limits.cpu_s > self.allowed_s[0] or limits.wall_s > self.allowed_s[1]
        )
        return not (retry or more)


def ocr_key(pixels: str, engine_identity: dict[str, Any]) -> dict[str, Any]:
    """Key of the artefact ``ocr``: the text that an engine reads from these pixels."""
    return {"pixels": pixels, "engine": engine_identity}


def stored_output(
    store: ArtefactStore, key: dict[str, Any], identity: dict[str, Any]
) -> StoredOutput | None:
    """The output under a key by the engine with that identity; None if absent or damaged."""
    artefact = store.get("reading", key)
    if isinstance(artefact, dict) and isinstance(artefact.get("pixels"), str):
        return stored_text(store, artefact["pixels"], identity)
    return _parsed(artefact)


def stored_cost(
    store: ArtefactStore, key: dict[str, Any], identity: dict[str, Any]
) -> dict[str, float] | None:
    """The cost of the output under a key; None for a failure, or if it was not measured."""
    artefact = store.get("reading", key)
    if isinstance(artefact, dict) and isinstance(artefact.get("pixels"), str):
        key = ocr_key(artefact["pixels"], identity)
    cost = store.get("taken", key)
    return numbers_of(cost) if isinstance(cost, dict) else None


def numbers_of(cost: object) -> dict[str, float]:
    """A stored cost, without what is no number; empty for anything else."""
    return {
        str(name): float(number)
        for name, number in (cost.items() if isinstance(cost, dict) else ())
        if type(number) in (int, float) and math.isfinite(number)
    }


def sum_costs(pages: Iterable[Mapping[str, float] | None]) -> dict[str, float]:
    """Sums of the costs of pages, and ``pages``, the number of pages with a measured cost.

    ``median_wall_s`` and ``median_cpu_s`` are per page, since the first page also loads the model.
    Empty if no cost was measured.
    """
    measured = [page for page in pages if page]
    if not measured:
        return {}
    names = sorted({name for page in measured for name in page})
    sums = {name: sum(page.get(name, 0.0) for page in measured) for name in names}
    for name in ("wall_s", "cpu_s"):
        sums[f"median_{name}"] = median(page.get(name, 0.0) for page in measured)
    sums["pages"] = float(len(measured))
    return {name: round(number, 6) for name, number in sums.items()}


def keep_speed(store: ArtefactStore, identity: dict[str, Any], cost: Mapping[str, float]) -> None:
    """Keep an engine's median seconds per page in this cache, by which later plans are timed.

    ``cost`` is that of :func:`sum_costs`; an empty one changes nothing.
    """
    if cost:
        speed = {name: cost[f"median_{name}"] for name in ("wall_s", "cpu_s")}
        with contextlib.suppress(StoreError):  # a read-only cache still works
            store.put("speed", {"engine": identity}, speed)


def kept_speed(store: ArtefactStore, identity: dict[str, Any]) -> dict[str, float]:
    """Wall and CPU seconds per page by :func:`keep_speed`; empty if they are not known."""
    return numbers_of(store.get("speed", {"engine": identity}))


def stored_text(store: ArtefactStore, pixels: str, identity: dict[str, Any]) -> StoredOutput | None:
    """The engine's output of pixels with that digest; None if absent or damaged.

    Failures belong to a page and an attempt, not to pixels, so a failure counts as absent.
    """
    output = _parsed(store.get("ocr", ocr_key(pixels, identity)))
    return None if output is None or output.outcome.status in FAILED else output


def words_form(words: Sequence[Word]) -> list[list[Any]]:
    """Words as they are stored: text, confidence and box of each."""
    return [[word.text, round(word.confidence, 4), word.box] for word in words]


def parsed_words(artefact: object) -> tuple[Word, ...] | None:
    """The words in an artefact, or None if it is absent or invalid."""
    if not isinstance(artefact, list):
        return None
    words = []
    for entry in artefact:
        match entry:
            case [str(text), int() | float() as sure, [int(x0), int(y0), int(x1), int(y1)]]:
                words.append(Word(text, float(sure), (x0, y0, x1, y1)))
            case _:
                return None
    return tuple(words)


def _parsed(artefact: object) -> StoredOutput | None:
    """The output in an artefact, or None if it is invalid."""
    match artefact:
        case {"status": "ok" | "empty" as status, "text": str(text), "detail": str(detail)}:
            return StoredOutput(Outcome(text, Status(status), detail))
        case {
            "status": "timeout",
            "detail": str(detail),
            "given": [int() | float() as cpu_s, int() | float() as wall_s],
        }:
            return StoredOutput(Outcome(None, Status.TIMEOUT, detail), (cpu_s, wall_s))
        case {"status": "error" | "timeout" as status, "detail": str(detail)}:
            return StoredOutput(Outcome(None, Status(status), detail))
        case _:
            return None


def keep_failure(
    store: ArtefactStore, key: dict[str, Any], outcome: Outcome[Any], limits: Limits
) -> None:
    """Store a failure, so that a resumed run does not wait for it again."""
    failure: dict[str, Any] = {"status": str(outcome.status), "detail": outcome.detail}
    if outcome.status is Status.TIMEOUT:
        failure["given"] = [limits.cpu_s, limits.wall_s]
    store.put("reading", key, failure)
