"""What the artefact store holds of a page's reading: a text, or how it failed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from ohr.store.artefacts import ArtefactStore
from ohr.types import FAILED, Outcome, Status
from ohr.workers import Limits


@dataclass(frozen=True)
class StoredOutput:
    """An outcome, and of a timeout the CPU and wall seconds that the page was given."""

    outcome: Outcome[str]
    given: tuple[float, float] | None = None

    def stands(self, limits: Limits, *, retry: bool) -> bool:
        """Whether the page need not be read: a failure stands unless there is a ``retry``.

        A timeout does not stand where the page would be given more time now.
        """
        if self.outcome.status not in FAILED:
            return True
        more = self.given is not None and (
            limits.cpu_s > self.given[0] or limits.wall_s > self.given[1]
        )
        return not (retry or more)


def ocr_key(pixels: str, engine_identity: dict[str, Any]) -> dict[str, Any]:
    """Key of the ``ocr`` artefact: the text that an engine reads from these pixels."""
    return {"pixels": pixels, "engine": engine_identity}


def stored_output(
    store: ArtefactStore, key: dict[str, Any], identity: dict[str, Any]
) -> StoredOutput | None:
    """The reading under a key by the engine of an identity; None if absent or damaged."""
    artefact = store.get("reading", key)
    if isinstance(artefact, dict) and isinstance(artefact.get("pixels"), str):
        return stored_text(store, artefact["pixels"], identity)
    return _parsed(artefact)


def stored_taken(
    store: ArtefactStore, key: dict[str, Any], identity: dict[str, Any]
) -> dict[str, float] | None:
    """What the reading under a key took; None for one of before it was measured, or a failure."""
    artefact = store.get("reading", key)
    if isinstance(artefact, dict) and isinstance(artefact.get("pixels"), str):
        key = ocr_key(artefact["pixels"], identity)
    taken = store.get("taken", key)
    if not isinstance(taken, dict):
        return None
    return {
        str(name): float(number)
        for name, number in taken.items()
        if type(number) in (int, float) and math.isfinite(number)
    }


def sum_taken(pages: Iterable[Mapping[str, float] | None]) -> dict[str, float]:
    """Sums over the pages whose reading was measured, and ``pages``, of how many.

    ``median_wall_s`` and ``median_cpu_s`` are of a page: a model is loaded with the first. Empty
    where no page's reading was measured.
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


def stored_text(store: ArtefactStore, pixels: str, identity: dict[str, Any]) -> StoredOutput | None:
    """What the engine read from pixels of that digest; None if absent or damaged.

    A failure is of a page and an attempt, not of pixels: one that stands here is no text.
    """
    found = _parsed(store.get("ocr", ocr_key(pixels, identity)))
    return None if found is None or found.outcome.status in FAILED else found


def _parsed(artefact: object) -> StoredOutput | None:
    """The content of an artefact, or None for what is no reading."""
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
    """Journal a failure, so that a resumed run does not wait for it again."""
    failure: dict[str, Any] = {"status": str(outcome.status), "detail": outcome.detail}
    if outcome.status is Status.TIMEOUT:
        failure["given"] = [limits.cpu_s, limits.wall_s]
    store.put("reading", key, failure)
