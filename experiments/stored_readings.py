"""What the artefact store holds of a page's reading: a text, or how it failed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from experiments.page_worker import ocr_key
from ohr.store import ArtefactStore
from ohr.types import FAILED, Outcome, Status
from ohr.workers import Limits


@dataclass(frozen=True)
class StoredReading:
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


def stored_reading(
    store: ArtefactStore, key: dict[str, Any], identity: dict[str, Any]
) -> StoredReading | None:
    """The reading under a key by the engine of an identity; None if absent or damaged."""
    found = store.get("reading", key)
    if isinstance(found, dict) and "pixels" in found:
        found = store.get("ocr", ocr_key(found["pixels"], identity))
    if not isinstance(found, dict):
        return None
    try:
        outcome = Outcome(found.get("text"), Status(found["status"]), found["detail"])
        given = found.get("given")
        return StoredReading(outcome, (given[0], given[1]) if given else None)
    except (LookupError, TypeError, ValueError):
        return None


def keep_failure(
    store: ArtefactStore, key: dict[str, Any], outcome: Outcome[Any], limits: Limits
) -> None:
    """Journal a failure, so that a resumed run does not wait for it again."""
    failure: dict[str, Any] = {"status": str(outcome.status), "detail": outcome.detail}
    if outcome.status is Status.TIMEOUT:
        failure["given"] = [limits.cpu_s, limits.wall_s]
    store.put("reading", key, failure)
