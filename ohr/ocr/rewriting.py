"""Formatting noise on the text of a knowledge base's pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ohr import registry
from ohr.errors import OhrError, PluginError
from ohr.ocr.noise import Noise
from ohr.plugins import Applied, TextPerturbation
from ohr.plugins.randomness import generator_for
from ohr.types import Outcome, PageRef


def text_perturbation(noise: Noise) -> TextPerturbation:
    """The operator of a point of formatting noise."""
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


def rewrite_pages(
    pages: Mapping[PageRef, Outcome[str]], refs: Iterable[PageRef], noise: Noise, seed: int
) -> dict[PageRef, Outcome[str]]:
    """All pages, with formatting noise on those of ``refs``."""
    operator = text_perturbation(noise)
    noisy = dict(pages)
    for ref in refs:
        outcome = pages.get(ref)
        if outcome is not None and outcome.value:
            applied = rewrite_page(operator, outcome.value, ref, noise.intensity, seed)
            noisy[ref] = Outcome(applied.value, outcome.status, outcome.detail)
    return noisy
