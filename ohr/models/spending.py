"""Asks a run's limit before a server is paid, where no answer of a reader is.

Embeddings are made deep inside retrievers, which may be parts of others. So the limit holds for
whatever runs within :func:`limited_spending`, and nothing is limited outside of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Purse(Protocol):
    """What may be spent."""

    def check_affordable(self, label: str, cost: float) -> None:
        """Raise ConfigError if a request that costs so much would exceed what is left."""

    def spend(self, label: str, cost: float) -> None:
        """Note what was paid."""


_purse: ContextVar[Purse | None] = ContextVar("purse", default=None)


@contextmanager
def limited_spending(purse: Purse) -> Iterator[None]:
    """Within it, payments are asked of the purse and noted there."""
    token = _purse.set(purse)
    try:
        yield
    finally:
        _purse.reset(token)


def check_affordable(label: str, cost: float) -> None:
    """Raise ConfigError before a request of ``label`` that probably costs more than is left."""
    if cost and (purse := _purse.get()) is not None:
        purse.check_affordable(label, cost)


def note_spending(label: str, cost: float) -> None:
    """Note what a request of ``label`` has cost."""
    if cost and (purse := _purse.get()) is not None:
        purse.spend(label, cost)
