"""What is measured, on what unit, and what a missing value scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ohr import registry
from ohr.metrics.page_metrics import RegionF1
from ohr.metrics.reading import READING_METRICS
from ohr.metrics.regions import KINDS, Extraction
from ohr.metrics.scores import Lcs
from ohr.study.config import Stage, StudyConfig
from ohr.study.noise import perturbation_class

ANSWER_METRICS = ("f1", "em", "rouge_l", "refused")
"""What is measured of every answer. ``refused`` counts refusals alone: an answer that is empty
or failed is none, and is counted as such."""

NO_CONTEXT = "_no_context"
"""What the metrics of answers to nothing end with: the floor that retention is counted from."""
Unit = Literal["page", "question"]


@dataclass(frozen=True)
class Measure:
    """A metric of a stage: its unit, its worst value, and whether more is better."""

    stage: Stage
    metric: str
    unit: Unit = "question"
    missing: float = 0.0
    higher_is_better: bool = True
    top_k: int | None = None
    """The only number of hits that it is measured at; None: at each."""


def ranking_metrics(k: int) -> tuple[str, str, str]:
    """Names of the metrics that :func:`ranking_scores` gives at k hits."""
    return f"hit@{k}", f"mrr@{k}", f"ndcg@{k}"


def _noise(metric: str, unit: Unit = "question") -> Measure:
    return Measure("ocr", metric, unit, missing=1.0, higher_is_better=False)


_VERSIONS = {
    **dict.fromkeys(("r_noise", "r_noise_content", "evidence_lcs", "lcs_stripped"), Lcs.version),
    "ndcg": "2",
    **{f"{kind}_{name}": RegionF1.version for kind in KINDS for name in Extraction._fields},
}
"""Versions of what is measured without a plug-in of its name."""


def metric_versions(measures: Sequence[Measure]) -> dict[str, str]:
    """Version of each metric, for the manifest: it rises where the metric's values change.

    Metrics go by their name without the number of hits and without ``_no_context``.
    """
    plugins = registry.known("metric")
    names = (measure.metric.partition("@")[0].removesuffix("_no_context") for measure in measures)
    return {
        name: _VERSIONS.get(name)
        or (registry.plugin_class("metric", name).version if name in plugins else "1")
        for name in names
    }


def compares_formats(config: StudyConfig) -> bool:
    """Whether the text's format differs between the knowledge bases of a study.

    Then retrieval is also measured with mark-up left out, as the paper does.
    """
    return any(perturbation_class(spec).kind == "formatting" for spec in config.noise) or any(
        spec.name == "gt" and spec.params.get("tables", "as_is") != "as_is"
        for spec in config.engines
    )


def _of_answers(stage: Stage, suffix: str = "") -> list[Measure]:
    return [
        Measure(stage, metric + suffix, higher_is_better=metric != "refused")
        for metric in ANSWER_METRICS
    ]


def planned(config: StudyConfig) -> list[Measure]:
    """The measures of a study, stage by stage."""

    def judged(stage: Stage) -> list[Measure]:
        return [Measure(stage, "judged")] if config.judge is not None else []

    by_stage: dict[Stage, list[Measure]] = {
        "ocr": [
            _noise("edit_distance", "page"),
            *(
                [_noise("cer", "page"), _noise("wer", "page")]
                if config.scoring == "default"
                else []
            ),
            _noise("r_noise"),
            _noise("r_noise_content"),
            *([_noise("r_noise_reference")] if config.scoring == "default" else []),
            Measure("ocr", "evidence_lcs"),
            *(
                Measure("ocr", name, "page", worst, higher_is_better=worst == 0)
                for name, worst in READING_METRICS.items()
                if config.reading_metrics
            ),
        ],
        "retrieval": [
            Measure("retrieval", "lcs"),
            *([Measure("retrieval", "lcs_stripped")] if compares_formats(config) else []),
            *(
                Measure("retrieval", name, top_k=k)
                for k in config.cutoffs
                for name in ranking_metrics(k)
            ),
        ],
        "generation": [
            *_of_answers("generation"),
            *judged("generation"),
            *_of_answers("generation", NO_CONTEXT),
        ],
        "overall": [*_of_answers("overall"), *judged("overall")],
    }
    return [measure for stage in by_stage if stage in config.stages for measure in by_stage[stage]]


def ranking_scores(
    relevant: Sequence[bool], n_relevant: int, k: int | None = None
) -> tuple[float, float, float]:
    """Hit, reciprocal rank and nDCG of a ranked list of pages, each page counted once.

    ``relevant[i]`` says whether the i-th distinct page carries evidence; gains are binary. ``k``
    hits were asked for, so the ideal ranking has ``min(n_relevant, k)`` pages of evidence, also
    where several of the hits are of one page and the list is shorter.
    """
    if not any(relevant):
        return 0.0, 0.0, 0.0
    first = list(relevant).index(True)
    n_ideal = n_relevant if k is None else min(n_relevant, k)
    discounts = 1 / np.log2(np.arange(max(len(relevant), n_ideal)) + 2)
    gained = float(np.sum(discounts[: len(relevant)][np.array(relevant, dtype=bool)]))
    return 1.0, 1 / (first + 1), gained / float(np.sum(discounts[:n_ideal]))
