"""Noise on the text of a knowledge base's pages."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from time import process_time

from ohr import registry
from ohr.errors import OhrError, PluginError
from ohr.ocr.noise import Noise
from ohr.plugins import Applied, TextPerturbation
from ohr.plugins.randomness import generator_for
from ohr.types import Outcome, PageRef
from ohr.workers.forked import ForkedCall, spare_cores


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


@dataclass(frozen=True)
class Rewritten:
    """Pages with noise in their text; ``copies_cpu_s``: CPU seconds of other processes."""

    pages: dict[PageRef, Outcome[str]]
    copies_cpu_s: float


def rewrite_pages(
    pages: Mapping[PageRef, Outcome[str]],
    refs: Sequence[PageRef],
    noise: Noise,
    seed: int,
    workers: int = 1,
) -> Rewritten:
    """All pages, with the noise on those of ``refs``. Copies of this process do their shares."""
    operator = text_perturbation(noise)
    count = 1 + max(0, spare_cores(workers))

    def share(number: int) -> tuple[dict[PageRef, Outcome[str]], float]:
        start = process_time()
        own = {}
        for ref in refs[number::count]:
            outcome = pages.get(ref)
            if outcome is not None and outcome.value:
                applied = rewrite_page(operator, outcome.value, ref, noise.intensity, seed)
                own[ref] = Outcome(applied.value, outcome.status, outcome.detail)
        return own, process_time() - start if os.getpid() != parent else 0.0

    parent = os.getpid()
    with ExitStack() as ending:
        copies = [ForkedCall(partial(share, n), workers=workers) for n in range(1, count)]
        for copy in copies:
            ending.callback(copy.close)
        shares = [share(0), *(copy.result() for copy in copies)]
    noisy = dict(pages)
    for own, _ in shares:
        noisy.update(own)
    return Rewritten(noisy, sum(cpu_s for _, cpu_s in shares))
