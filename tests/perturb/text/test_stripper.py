"""The stripper takes off what formatting noise put on: evidence is found as on clean pages."""

from __future__ import annotations

import numpy as np
import pytest

from ohr import registry
from ohr.markup.strip import strip_markup
from ohr.metrics.scores import SCORING
from ohr.plugins.randomness import generator_for
from ohr.registry import PluginSpec
from perturb.text.noise import Formatting

LEAST = {"text": 0.99, "table": 0.99, "formula": 0.95}
"""Share of questions whose stripped LCS must stay what it was."""


@pytest.fixture(scope="module")
def dataset(data_dir):
    folder = data_dir / "ohrbench"
    params = {"path": folder / "retrieval_base", "questions": folder / "qas_dev.json"}
    return registry.create("dataset", PluginSpec(name="ohrbench", params=params)).load()


@pytest.mark.slow
@pytest.mark.parametrize("level", Formatting.levels)
def test_stripped_evidence_is_found_as_on_clean_pages(dataset, level):
    operator, scoring = Formatting(), SCORING["reference"]
    intensity = Formatting.levels[level].intensity
    pages = {}

    def page_tokens(ref):
        if ref not in pages:
            clean = dataset.pages[ref].text
            rng = generator_for(0, operator.name, ref)
            noisy = operator.apply(clean, intensity=intensity, rng=rng).value
            pages[ref] = [scoring.tokens(strip_markup(text)) for text in (clean, noisy)]
        return pages[ref]

    kept = {source: [] for source in LEAST}
    for question in dataset.questions:
        evidence = scoring.tokens(strip_markup(question.evidence_text))
        clean, noisy = (
            [token for ref in question.evidence_pages for token in page_tokens(ref)[which]]
            for which in (0, 1)
        )
        lcs = [scoring.token_lcs(words, evidence) for words in (clean, noisy)]
        kept[question.evidence_source].append(lcs[0] == lcs[1])
    assert {source: len(same) for source, same in kept.items()} == {
        "text": 2549, "table": 467, "formula": 309
    }  # fmt: skip
    shares = {source: float(np.mean(same)) for source, same in kept.items()}
    assert all(shares[source] >= least for source, least in LEAST.items()), shares
