"""The metrics of a study, with the facts that rows, cells, tables and figures need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from typing import Any, get_args

from ohr import registry
from ohr.errors import ConfigError, OhrError
from ohr.metrics.facts import FACT_METRICS
from ohr.metrics.labels import (
    CLOSED_BOOK,
    CONTENT_R_NOISE,
    DEFAULT_R_NOISE,
    R_NOISE,
    stage_label,
)
from ohr.metrics.regions import KINDS
from ohr.ocr.noise import perturbation_class
from ohr.plugins import Metric
from ohr.plugins.metric import Of
from ohr.registry import PluginSpec
from ohr.study.config import STAGES, Stage, StudyConfig
from ohr.types import FAILED, Status

NO_CONTEXT = "_no_context"
"""Suffix of metrics of closed-book answers, which are the floor of retention."""
NOISE_COLUMNS = ("r_noise", "r_noise_content", "r_noise_reference", "edit_distance")
"""Metrics of noise, each a column of the cells; a study without the stage ``ocr`` measures those of
:func:`noise_columns` alone."""
NO_ROOM = 0.95
"""Damage of clean pages from which a metric says nothing about noise. The published r_noise is 1 on
Chinese ground truth: its words are what is between spaces, and a line of Chinese has none."""
SETS = {
    "default": tuple(
        PluginSpec(name=name)
        for name in (
            "edit_distance cer wer silent_numbers dropped_numbers added_numbers invented_words "
            "invented_passage repeated_words r_noise r_noise_content r_noise_reference "
            "evidence_lcs lcs page_not_found text_missing lcs_stripped hit mrr ndcg "
            "f1 em rouge_l refused judged wrong_number number_changed misled"
        ).split()
    ),
    "facts": tuple(PluginSpec(name=name) for name in FACT_METRICS),
    "reading": (
        *map(PluginSpec.parse, ("table_similarity", "formula_distance")),
        *map(PluginSpec.parse, ("order_distance", "order_assessed")),
        *(
            PluginSpec(
                name="region_f1", params={"kind": kind, "part": part}, label=f"{kind}_{part}"
            )
            for kind in KINDS
            for part in ("precision", "recall", "f1")
        ),
    ),
}
"""Names of several metrics. A study leaves out those that its protocol, its judge or its formats
make meaningless."""
WITHOUT_ORDER = (PluginSpec(name="word_f1"),)
"""Metrics of the set ``default`` where the order of the words of some page's truth is not known."""
_UNIT: dict[Of, str] = {"page": "page"}
_STAGES: dict[Of, tuple[Stage, ...]] = {
    "page": ("ocr",),
    "evidence": ("ocr",),
    "hits": ("retrieval",),
    "answer": ("generation", "overall"),
}


def stages_of(metric: type[Metric] | Metric) -> tuple[Stage, ...]:
    """The stages that a metric belongs to."""
    return _STAGES[metric.of]


@dataclass(frozen=True)
class MetricInfo:
    """A metric at one stage, as results have it."""

    stage: Stage
    metric: str
    """Its name in rows and cells: ``f1``, ``hit@2``, ``f1_no_context``."""
    of: Of
    title: str
    version: str = "1"
    higher_is_better: bool = True
    worst: float = 0.0
    best: float = 1.0
    missing: float = 0.0
    """Score of a unit that failed."""
    top_k: int | None = None
    """The only number of hits at which it is measured; None: at each."""
    shown: bool = False
    """Whether figures and comparisons show it by default."""
    part_of: str = ""
    """The metric of the same stage whose loss it is a part of."""
    basis: str = ""
    """What it counts, if other metrics count the same."""

    @property
    def unit(self) -> str:
        """What a value belongs to: ``page`` or ``question``."""
        return _UNIT.get(self.of, "question")

    @property
    def is_closed_book(self) -> bool:
        """Whether it scores closed-book answers."""
        return self.metric.endswith(NO_CONTEXT)

    def overlaps(self, other: MetricInfo) -> bool:
        """Whether the two share part of their definition: their :attr:`basis`."""
        return bool(self.basis) and self.basis == other.basis

    @property
    def name(self) -> str:
        """The metric without the number of hits and without ``_no_context``."""
        return base_name(self.metric)

    @property
    def label(self) -> str:
        """For axes and tables: ``retrieval LCS``, ``answer F1, whole system``; for metrics of page
        text and for parts of a loss, the title."""
        if self.stage == "ocr" or self.part_of:
            return self.title
        return stage_label(self.stage, self.title)

    def left_out(self, protocol: str) -> frozenset[Status]:
        """Statuses that are left out of the mean: none, except under the reference protocol.

        The published evaluation leaves out missing pages, failed retrievals and empty answers. It
        has no closed-book answers: those count in both protocols, an empty one with 0.
        """
        if protocol == "default" or self.of == "evidence" or self.is_closed_book:
            return frozenset()
        return FAILED if self.of == "page" else FAILED | {Status.EMPTY}


_KINDS: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("stage", "metric", "of", "title", "version", "part_of", "basis"), str),
    **dict.fromkeys(("worst", "best", "missing"), (int, float)),
    **dict.fromkeys(("higher_is_better", "shown"), bool),
    "top_k": (int, type(None)),
}
"""The types of what a manifest states of a metric."""


def base_name(metric: str) -> str:
    """``hit@2`` -> ``hit``, ``f1_no_context`` -> ``f1``."""
    return metric.partition("@")[0].removesuffix(NO_CONTEXT)


def compares_formats(config: StudyConfig) -> bool:
    """Whether the knowledge bases of a study differ in the format of their text.

    If so, retrieval is also measured without mark-up, as in the paper.
    """
    return any(perturbation_class(spec).kind == "formatting" for spec in config.noise) or any(
        spec.name == "gt" and spec.params.get("tables", "as_is") != "as_is"
        for spec in config.engines
    )


def make_metrics(config: StudyConfig, *, order_known: bool = True) -> dict[str, Metric]:
    """The metrics of a study by label: those that it names, and those of noise.

    ``order_known``: whether the order of the words of every page's truth is known. If not, the set
    ``default`` has the metrics of :data:`WITHOUT_ORDER` too.
    Raises ConfigError for a metric without a meaning in this study, or a label that comes twice.
    """
    specs: dict[str, PluginSpec] = {}
    metrics: dict[str, Metric] = {}
    for spec in config.metrics:
        for spec_of_one in _specs(spec, order_known):
            if spec_of_one.label in specs:
                if spec_of_one != specs[spec_of_one.label]:
                    raise ConfigError(
                        f"metric {spec_of_one.label!r} is given twice: give one a label"
                    )
                continue
            metric = registry.create("metric", spec_of_one)
            if reason := _why_meaningless(config, metric):
                if spec.name in SETS:
                    continue
                raise ConfigError(f"metric {spec_of_one.label!r} {reason}")
            specs[spec_of_one.label], metrics[spec_of_one.label] = spec_of_one, metric
    for name in NOISE_COLUMNS:
        if name in specs and specs[name].name != name:
            raise ConfigError(f"metric {specs[name].name!r} has the label of another: {name}")
        metrics.setdefault(name, registry.create("metric", name))
    return metrics


def _specs(spec: PluginSpec, order_known: bool = True) -> tuple[PluginSpec, ...]:
    """The metrics of a name, with those that are measured beside them.

    A user's metric gets its name as label, not its path.
    """
    if spec.name in SETS:
        return SETS[spec.name] + (
            WITHOUT_ORDER if spec.name == "default" and not order_known else ()
        )
    metric = registry.plugin_class("metric", spec.name)
    if "." in spec.name and spec.label == spec.name:
        spec = spec.model_copy(update={"label": metric.name})
    return (spec, *(PluginSpec(name=name) for name in getattr(metric, "beside", ())))


def _why_meaningless(config: StudyConfig, metric: Metric) -> str:
    """Why a metric has no meaning in a study; empty if it has one."""
    if config.scoring not in metric.protocols:
        return f"has no meaning under scoring={config.scoring}"
    if "judge" in metric.needs and config.judge is None:
        return "needs a judge: give judge={name: openai, params: {model: …}}"
    if "formats" in metric.needs and not compares_formats(config):
        return "needs formatting noise or a table format: without, it equals the plain metric"
    return ""


def noise_columns(config: StudyConfig, truth_r_noise: float) -> tuple[str, ...]:
    """The metrics of noise that a study measures although it has no stage ``ocr``.

    These are the axis of its curves, the published r_noise; r_noise by the tokens of retrieval LCS,
    which is the next axis where the first cannot rise and costs little; and those that the study
    names. ``truth_r_noise``: the published r_noise of the truth itself. Where that has no room to
    rise, all are measured.
    """
    if truth_r_noise >= NO_ROOM:
        return NOISE_COLUMNS
    axes = {"r_noise"} if config.scoring == "reference" else {"r_noise", "r_noise_reference"}
    named = {spec.label for spec in config.metrics}
    return tuple(name for name in NOISE_COLUMNS if name in axes | named)


def plan_metrics(config: StudyConfig, metrics: Mapping[str, Metric]) -> list[MetricInfo]:
    """The metrics of a study at each stage, stage by stage."""
    named = {
        spec_of_one.label
        for spec in config.metrics
        if spec.name not in SETS
        for spec_of_one in _specs(spec)
    }
    sets = {
        spec_of_one.label
        for spec in config.metrics
        if spec.name in SETS
        for spec_of_one in _specs(spec, order_known=False)
    }
    chosen = {label: metrics[label] for label in metrics if label in sets | named}

    def infos(stage: Stage, suffix: str = "", *, k: int | None = None) -> list[MetricInfo]:
        return [
            metric_info_of(metric, stage, label, suffix, k, shown=label in named or metric.headline)
            for label, metric in chosen.items()
            if stage in _STAGES[metric.of]
            and metric.at_k == (k is not None)
            and (metric.without_context or not suffix)
        ]

    by_stage: dict[Stage, list[MetricInfo]] = {
        "ocr": infos("ocr"),
        "retrieval": infos("retrieval")
        + [info for k in config.cutoffs for info in infos("retrieval", f"@{k}", k=k)],
        "generation": infos("generation") + infos("generation", NO_CONTEXT),
        "overall": infos("overall"),
    }
    planned = [info for stage in STAGES if stage in config.stages for info in by_stage[stage]]
    return [_titled(info, {}, config.scoring) for info in planned]


_FORMER_TITLES = {
    "r_noise_reference": ("published r_noise", R_NOISE),
    "r_noise_content": ("r_noise of the content", CONTENT_R_NOISE),
    "evidence_lcs": ("LCS of evidence and page", "evidence LCS"),
}
"""Metric -> its title in manifests of earlier versions, and today's."""


def _titled(
    info: MetricInfo, former: Mapping[str, tuple[str, str]], protocol: str | None
) -> MetricInfo:
    """A metric with today's title. Under ``reference`` scoring, ``r_noise`` is the published one.

    ``protocol``: that of the study; None if it is not known, where the title stays.
    """
    if info.stage != "ocr":
        return info
    if info.metric == R_NOISE and protocol and info.title in {R_NOISE, DEFAULT_R_NOISE}:
        return replace(info, title=r_noise_title(protocol))
    before, today = former.get(info.metric, ("", ""))
    return replace(info, title=today) if before and info.title == before else info


def r_noise_title(protocol: str) -> str:
    """The title of ``r_noise`` under a protocol: only ``reference`` publishes it."""
    return R_NOISE if protocol == "reference" else DEFAULT_R_NOISE


def metric_info_of(
    metric: Metric | type[Metric],
    stage: Stage,
    label: str,
    suffix: str = "",
    k: int | None = None,
    *,
    shown: bool = False,
) -> MetricInfo:
    """The :class:`MetricInfo` of a metric at a stage."""
    title = metric.title if label == metric.name and metric.title else label.replace("_", " ")
    if suffix == NO_CONTEXT:
        title += f" {CLOSED_BOOK}"
    return MetricInfo(
        stage=stage,
        metric=label + suffix,
        of=metric.of,
        title=title + (suffix if k is not None else ""),
        version=metric.version,
        higher_is_better=metric.higher_is_better,
        worst=metric.worst,
        best=metric.best,
        missing=metric.missing,
        top_k=k,
        shown=shown and not suffix,
        part_of=metric.part_of,
        basis=metric.basis,
    )


def metric_versions(metric_infos: Iterable[MetricInfo]) -> dict[str, str]:
    """Version of each metric, for the manifest: it rises where the metric's values change."""
    return {info.name: info.version for info in metric_infos}


def describe_metrics(metric_infos: Iterable[MetricInfo]) -> list[dict[str, Any]]:
    """The metrics as a manifest has them."""
    return [asdict(info) for info in metric_infos]


def read_metric_infos(manifest: Mapping[str, Any]) -> list[MetricInfo] | None:
    """The metrics of a manifest; None for one of an earlier version, or of an imported run."""
    stored = manifest.get("measures")
    if not isinstance(stored, list):
        return None
    config = manifest.get("config")
    protocol = str(config.get("scoring", "default")) if isinstance(config, dict) else None
    return [
        _titled(_read_metric_info(entry), _FORMER_TITLES, protocol)
        for entry in stored
        if isinstance(entry, dict) and entry.get("of") in get_args(Of)
    ]


def _read_metric_info(entry: Mapping[str, Any]) -> MetricInfo:
    """A metric of a manifest; a missing basis is that of today. Raises OhrError."""
    names = {field.name for field in fields(MetricInfo)}
    values = {name: value for name, value in entry.items() if name in names}
    for name, kind in _KINDS.items():
        if name in values and not isinstance(values[name], kind):
            raise OhrError(f"the manifest states no {name} of a metric: {values[name]!r:.60}")
    try:
        if "basis" not in values:
            values["basis"] = metric_info(values["stage"], values["metric"]).basis
        return MetricInfo(**values)
    except (LookupError, TypeError) as error:
        raise OhrError(f"the manifest does not state a metric as a study does: {error}") from error


@cache
def metric_info(stage: Stage, metric: str) -> MetricInfo:
    """The built-in metric of that name at a stage; for another name, what the stage implies."""
    name = base_name(metric)
    spec = next(
        (candidate for specs in SETS.values() for candidate in specs if candidate.label == name),
        None,
    )
    if spec is None and name not in registry.known("metric"):
        of: Of = {"ocr": "page", "retrieval": "hits"}.get(stage, "answer")  # type: ignore[assignment]
        return MetricInfo(stage, metric, of, metric.replace("_", " "))
    plugin = registry.create("metric", spec or name)
    _, cut_off, k = metric.partition("@")
    suffix = f"@{k}" if cut_off else NO_CONTEXT if metric.endswith(NO_CONTEXT) else ""
    return metric_info_of(
        plugin,
        stage,
        name,
        suffix,
        int(k) if cut_off and k.isdecimal() else None,
        shown=plugin.headline,
    )


def applicable(of: Of, metrics: Mapping[str, Metric], stage: Stage) -> dict[str, Metric]:
    """The metrics of pages, evidence, hits or answers at a stage, by label."""
    return {
        label: metric
        for label, metric in metrics.items()
        if metric.of == of and stage in _STAGES[of]
    }
