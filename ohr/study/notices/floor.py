"""What a study can show at best, said before anything is read."""

from __future__ import annotations

import math
from collections.abc import Iterable

from ohr.statistics import too_few
from ohr.statistics.flips import smallest_p
from ohr.statistics.numbers import p_value, prose
from ohr.statistics.paired import FEWEST_TO_SHOW, POWER
from ohr.study.notices.loss_floors import is_simulated, pilot_for, smallest_loss
from ohr.study.plan import Plan


def floor_lines(plan: Plan) -> list[str]:
    """The smallest possible p of a study's comparisons, and how large a difference must be.

    ``12 documents, 9 comparisons of a metric: the smallest possible p is <0.001; …``. Empty where
    nothing is compared.
    """
    documents = len({question.doc_id for question in plan.questions})
    noisy = _noisy(plan)
    comparisons = count_comparisons(plan)
    if not comparisons or not documents:
        return []
    many = f"{comparisons} comparison{'s' * (comparisons != 1)} of a metric"
    if reason := too_few(documents):
        return [f"{reason}: nothing can be shown; use {FEWEST_TO_SHOW} documents or more"]
    p = smallest_p(documents)
    start = f"{documents} documents, {many}: the smallest possible p is {p_value(p)}"
    if noisy and "retrieval" in plan.config.stages:
        levels = math.ceil(len(noisy) / len({key[:2] for key in noisy}))
        curves = max(1, comparisons // levels)
        pilot = pilot_for(plan.dataset.kind)
        loss = prose(smallest_loss(pilot, documents, curves, levels))
        about = "about" if is_simulated(pilot, curves, levels) else "more than"
        return [
            f"{start}; a loss of retrieval LCS is shown in four of five studies from {about} "
            f"{loss} on, if your documents differ as {pilot} do (ohr plan computes it)"
        ]
    return [
        f"{start}; one difference alone is shown in four of five studies if it is "
        f"{spreads_to_show(documents):.1f} times its standard deviation over documents"
    ]


def count_comparisons(plan: Plan) -> int:
    """The comparisons of one metric: engines on clean pages, and noise, in every setting."""
    clean = {variant.engine.label for variant in plan.variants if not variant.noise.intensity}
    settings = max(1, len(plan.retrievers)) * max(1, len(plan.readers))
    return (math.comb(len(clean), 2) + len(_noisy(plan))) * settings


def _noisy(plan: Plan) -> set[tuple[object, ...]]:
    """Engine, noise, level and intensity of each noisy condition."""
    return {
        (variant.engine.label, variant.noise.name, variant.noise.level, variant.noise.intensity)
        for variant in plan.variants
        if variant.noise.intensity
    }


def spreads_to_show(documents: int) -> float:
    """How large a difference must be to be shown with power .8, in its standard deviations.

    For a single comparison, by Student's t. Source: Cohen, Statistical Power Analysis, 2nd
    edition, 2.3.
    """
    from scipy.special import stdtrit

    quantiles: Iterable[float] = (0.975, POWER)
    return float(sum(stdtrit(documents - 1, q) for q in quantiles) / math.sqrt(documents))
