"""Noise on the text of a knowledge base's pages."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection

from ohr import registry
from ohr.errors import OhrError, PluginError
from ohr.ocr.noise import Noise
from ohr.plugins import Applied, TextPerturbation
from ohr.plugins.randomness import generator_for
from ohr.types import Outcome, PageRef
from ohr.workers.forked import GONE, Copy, spare_cores

log = logging.getLogger("ohr.ocr")


def text_perturbation(noise: Noise) -> TextPerturbation:
    """The operator of a point of noise in text."""
    assert noise.operator is not None
    return registry.text_perturbation(noise.operator)


def rewrite_page(
    operator: TextPerturbation, text: str, ref: PageRef, intensity: float, seed: int
) -> Applied[str]:
    """A page with the noise that this seed draws for it, independent of other pages.

    Raises PluginError if the operator fails.
    """
    where = f"distortion {operator.name!r} on {ref.doc_id} page {ref.page_no + 1}"
    rng = generator_for(seed, operator.name, ref)
    try:
        applied = operator.apply(text, intensity=intensity, rng=rng)
        if not isinstance(applied, Applied) or not isinstance(applied.value, str):
            raise TypeError("apply must return Applied(text, record)")
    except OhrError:
        raise
    except Exception as error:
        raise PluginError(f"{where}: {type(error).__name__}: {error}") from error
    return applied


class PageRewriter:
    """Rewrites the same pages with one noise after the other.

    Copies of this process have their own pages, so that each remembers what operators know of them.
    Close it.
    """

    def __init__(
        self, pages: Mapping[PageRef, Outcome[str]], refs: Sequence[PageRef], workers: int = 1
    ) -> None:
        self._pages = pages
        count = 1 + max(0, spare_cores(workers))
        self._shares = [refs[number::count] for number in range(count)]
        self._copies: list[Copy | None] = []
        for number in range(1, count):
            try:
                self._copies.append(Copy(partial(self._serve, number)))
            except OSError as error:
                log.warning("no further process to make noise in: %s", error)
                self._copies.append(None)

    def rewrite(self, noise: Noise, seed: int) -> dict[PageRef, Outcome[str]]:
        """All pages, with the noise on those of ``refs``. Raises PluginError."""
        for number, copy in enumerate(self._copies, start=1):
            if copy is not None:
                try:
                    copy.send((noise, seed))
                except OSError as error:
                    self._end(number, error)
        noisy = dict(self._pages) | self._own(0, noise, seed)
        for number in range(1, len(self._shares)):
            noisy |= self._receive(number, noise, seed)
        return noisy

    def close(self) -> None:
        """End the copies; the next pages are rewritten by this process alone."""
        for number, copy in enumerate(self._copies):
            if copy is not None:
                copy.close()
            self._copies[number] = None

    def _serve(self, number: int, pipe: Connection) -> None:
        with suppress(EOFError, OSError):
            while True:
                noise, seed = pipe.recv()
                pipe.send(self._own(number, noise, seed))

    def _receive(self, number: int, noise: Noise, seed: int) -> dict[PageRef, Outcome[str]]:
        copy = self._copies[number - 1]
        if copy is not None:
            try:
                received: dict[PageRef, Outcome[str]] = copy.receive()
            except GONE as error:
                self._end(number, error)
            else:
                return received
        return self._own(number, noise, seed)  # an error of a plug-in then comes again

    def _end(self, number: int, error: Exception) -> None:
        log.warning("a process that made noise in text has ended (%r)", error)
        copy = self._copies[number - 1]
        assert copy is not None
        copy.close()
        self._copies[number - 1] = None

    def _own(self, number: int, noise: Noise, seed: int) -> dict[PageRef, Outcome[str]]:
        operator = text_perturbation(noise)
        own = {}
        for ref in self._shares[number]:
            outcome = self._pages.get(ref)
            if outcome is not None and outcome.value:
                applied = rewrite_page(operator, outcome.value, ref, noise.intensity, seed)
                own[ref] = Outcome(applied.value, outcome.status, outcome.detail)
        return own
