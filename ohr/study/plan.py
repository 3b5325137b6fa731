"""The plan of a study: its variants, questions, pages, plug-ins and metrics, all checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from ohr import registry
from ohr.collection import Dataset
from ohr.datasets.floor import ALL, truth_floor
from ohr.errors import ConfigError, MissingDependencyError
from ohr.ocr.noise import (
    Noise,
    distorts_images,
    noise_name,
    perturbation_class,
)
from ohr.plugins import (
    Chunker,
    KnowledgeBaseSource,
    Metric,
    OcrBackend,
    Plugin,
    Reader,
    System,
)
from ohr.registry import PluginSpec
from ohr.scoring.units import Units
from ohr.study.calibration import UnreachableError
from ohr.study.checks import (
    check_answerers,
    check_answers,
    check_documents,
    check_importable,
    check_noise,
    check_read_from,
    check_sources,
    check_truth_has_text,
    check_unique,
    needs_reader,
    needs_retrieval,
    plugged_systems,
)
from ohr.study.config import BUILT_IN, DEFAULT_DRAWS, StudyConfig
from ohr.study.judge import make_judge
from ohr.study.metrics import (
    NOISE_COLUMNS,
    MetricInfo,
    make_metrics,
    noise_columns,
    plan_metrics,
)
from ohr.study.noise_points import noise_points
from ohr.study.published import apply_protocol
from ohr.study.questions import left_out, pages_to_reread, select_questions
from ohr.types import PageRef, Question
from ohr.workers import ray_package

if TYPE_CHECKING:
    from ohr.registry import Search

Q = TypeVar("Q", bound=Plugin)
READING = ", reading "
"""Between a reader and the engine whose page texts it gets, if these are not those searched."""
FEWEST_UNITS = 1000
"""Pages and questions; fewer are scored before a second process would have started."""
FEW_PAGES = 200
"""With fewer pages, figures depend too much on one random draw of the noise."""


@dataclass(frozen=True)
class Variant:
    """One knowledge base: one engine's output of the pages under one draw of one noise."""

    engine: PluginSpec
    noise: Noise
    seed: int = 0
    """Seed of the draw of the noise; for clean pages, the study's seed."""

    @property
    def label(self) -> str:
        """For progress lines: ``tesseract, salt_and_pepper mild``."""
        noise = self.noise
        return f"{self.engine.label}, {noise_name(noise.name, noise.level, noise.intensity)}"


@dataclass(frozen=True)
class Plan:
    """A study's configuration, resolved against its dataset."""

    config: StudyConfig
    dataset: Dataset
    questions: tuple[Question, ...]
    reread: tuple[PageRef, ...]
    variants: tuple[Variant, ...]
    unreachable: tuple[str, ...]
    """Wanted amounts of noise that no intensity gives, each with the reason."""
    engines: dict[str, OcrBackend | KnowledgeBaseSource]
    chunkers: dict[str, Chunker]
    retrievers: dict[str, Search]
    readers: dict[str, Reader]
    systems: dict[str, System]
    """Systems other than the built-in one, by label."""
    judge: Reader | None
    metrics: dict[str, Metric]
    metric_infos: tuple[MetricInfo, ...]
    noise_columns: tuple[str, ...]
    """The metrics of noise that are measured."""
    left_out: dict[str, int]
    """Questions that a review found bad, by verdict."""

    @property
    def draws(self) -> tuple[int, ...]:
        """Seeds of the draws of the noise; empty without noise."""
        return tuple(dict.fromkeys(v.seed for v in self.variants if v.noise.intensity > 0))

    def label(self, variant: Variant) -> str:
        """A variant's label, with its seed if there are several draws."""
        if variant.noise.intensity == 0 or len(self.draws) < 2:
            return variant.label
        return f"{variant.label}, seed {variant.seed}"

    def readings_elsewhere(self, variant: Variant) -> list[tuple[str, str, Variant]]:
        """The readers that get another engine's page texts: label, reader, and whose texts.

        These are the texts under the same draw of the same noise.
        """
        sources = [
            other
            for label in self.config.read_from
            for other in self.variants
            if other.engine.label == label != variant.engine.label
            and (other.noise, other.seed) == (variant.noise, variant.seed)
        ]
        return [
            (f"{reader}{READING}{other.engine.label}", reader, other)
            for reader in self.readers
            for other in sources
        ]

    @cached_property
    def units(self) -> Units:
        """The pages and questions that are scored."""
        config = self.config
        return Units(self.dataset, self.questions, self.reread, config.scoring, config.scope)

    @property
    def has_built_in(self) -> bool:
        """Whether the built-in system of chunkers, retrievers and readers is measured."""
        return any(spec.name == BUILT_IN for spec in self.config.systems)

    @property
    def domains(self) -> tuple[str, ...]:
        """Domains with questions, in index order."""
        with_questions = {question.domain for question in self.questions}
        present = dict.fromkeys(doc.domain for doc in self.dataset.documents.values())
        return tuple(domain for domain in present if domain in with_questions)

    @property
    def vision_plugins(self) -> list[str]:
        """The names, for messages, of the retrievers and readers that look at page images."""
        return [
            *(
                f"retriever {label!r}"
                for label, plugin in self.retrievers.items()
                if plugin.sees_images
            ),
            *(f"reader {label!r}" for label, plugin in self.readers.items() if plugin.reads_images),
        ]

    @property
    def pages_in_scope(self) -> list[PageRef]:
        """All pages in scopes with questions, in index order."""
        units, scopes = self.units, set(self.units.scopes)
        return [ref for ref in self.dataset.pages if units.scope_of_document(ref.doc_id) in scopes]

    @property
    def is_large(self) -> bool:
        """Whether a second process is worth its start."""
        return len(self.reread) + len(self.questions) >= FEWEST_UNITS

    @property
    def kb_scope(self) -> str:
        """``evidence`` if engines read only the pages with evidence, else ``all``."""
        return self.config.dataset.pages


def make_plan(config: StudyConfig, dataset: Dataset, missing: list[str] | None = None) -> Plan:
    """Resolve and check a study before anything costly happens. Raises OhrError.

    With a list ``missing``, a plug-in whose package, program or model is missing is left out of the
    plan, and the list gets a line about it.
    """
    if config.runner == "ray":
        ray_package()  # raises if Ray is not installed
    metrics = make_metrics(config, order_known=dataset.order_known)
    check_documents(config, dataset)
    questions = select_questions(config, dataset)
    check_answers(config, questions)
    reread = pages_to_reread(config, dataset, questions)
    metric_infos = plan_metrics(config, metrics)
    if not metric_infos:
        raise ConfigError(
            f"none of the metrics {', '.join(spec.label for spec in config.metrics)} is of the "
            f"stages {', '.join(config.stages)}"
        )
    unreachable: list[str] = []
    engines = {spec.label: registry.create("engine", spec) for spec in config.engines}
    check_unique("engine", config.engines)
    if "gt" in engines and engines["gt"].name != "gt":
        raise ConfigError(
            f"engine {engines['gt'].name!r} has the label gt of the ground truth: set another label"
        )
    check_truth_has_text(dataset, engines)
    check_noise(config, engines)
    check_read_from(config, engines)
    variants = []
    if config.ground_truth and "gt" not in engines:
        truth = PluginSpec(name="gt")
        engines["gt"] = registry.create("engine", truth)
        variants.append(Variant(truth, Noise(), config.seed))
    for spec in config.engines:
        # Engines that no noise applies to are measured on clean pages only.
        points = noise_points(config, spec, engines[spec.label], unreachable)
        for noise in [Noise(), *points]:
            if noise.operator is not None and distorts_images(noise.operator):
                check_importable("noise", noise.name, perturbation_class(noise.operator))
            # Without noise all draws are equal.
            drawn = noise.operator is not None and noise.intensity > 0
            seeds = _draws(config, len(reread)) if drawn else (config.seed,)
            variants += [Variant(spec, noise, seed) for seed in seeds]
    if unreachable and all(variant.noise.operator is None for variant in variants):
        raise UnreachableError(f"no wanted noise can be reached: {'; '.join(unreachable)}")
    for label, engine in list(engines.items()):
        if isinstance(engine, OcrBackend):
            check_sources(dataset, reread, label, engine)
            check_importable("engine", label, type(engine))
            if not _present("engine", {label: engine}, missing):
                del engines[label]
        else:
            engine.check(dataset)
    chunker_specs, retriever_specs = apply_protocol(config)
    check_unique("chunker", config.chunkers)
    check_unique("retriever", config.retrievers)
    check_unique("reader", config.readers)
    check_unique("system", config.systems)
    if "overall" in config.stages and not config.systems:
        raise ConfigError("the stage overall needs systems=[…]: rag, or a plug-in")
    if needs_retrieval(config) and not (config.retrievers and config.chunkers):
        raise ConfigError("the stages retrieval and overall need retrievers=[…] and chunkers=[…]")
    if needs_reader(config) and not config.readers:
        raise ConfigError("the stages generation and overall need readers=[…]")
    readers = {
        spec.label: registry.create("reader", spec)
        for spec in (config.readers if needs_reader(config) else ())
    }
    systems = {spec.label: registry.create("system", spec) for spec in plugged_systems(config)}
    check_answerers(readers, systems)
    needs_judge = needs_reader(config) or systems
    judge = make_judge(config.judge) if config.judge is not None and needs_judge else None
    readers = _present("reader", readers, missing)
    systems = _present("system", systems, missing)
    judges = {"judge": judge} if judge is not None else {}
    judge = next(iter(_present("judge", judges, missing).values()), None)
    retrievers = {
        label: registry.create("retriever", spec)
        for label, spec in (retriever_specs if needs_retrieval(config) else {}).items()
    }
    retrievers = _present("retriever", retrievers, missing)
    plan = Plan(
        config=config,
        dataset=dataset,
        questions=questions,
        reread=reread,
        variants=tuple(variant for variant in variants if variant.engine.label in engines),
        unreachable=tuple(unreachable),
        engines=engines,
        chunkers={spec.label: registry.create("chunker", spec) for spec in chunker_specs},
        retrievers=retrievers,
        readers=readers,
        systems=systems,
        judge=judge,
        metrics=metrics,
        metric_infos=tuple(metric_infos),
        noise_columns=_noise_columns(config, dataset, questions),
        left_out=left_out(config, dataset),
    )
    _check_pictures(plan)
    return plan


def _present(kind: str, plugins: Mapping[str, Q], missing: list[str] | None) -> dict[str, Q]:
    """The plug-ins that can be used.

    Raises MissingDependencyError for another, unless its line goes to a list.
    """
    present = {}
    for label, plugin in plugins.items():
        try:
            plugin.identity()
        except MissingDependencyError as error:
            if missing is None:
                raise
            missing.append(f"{kind} {label}: {error}" if label != kind else f"{kind}: {error}")
        else:
            present[label] = plugin
    return present


def _noise_columns(
    config: StudyConfig, dataset: Dataset, questions: Sequence[Question]
) -> tuple[str, ...]:
    if "ocr" in config.stages:
        return NOISE_COLUMNS
    floor, _ = truth_floor(questions, dataset.pages).get(ALL, (0.0, 0))
    return noise_columns(config, floor)


def _draws(config: StudyConfig, n_pages: int) -> tuple[int, ...]:
    """Seeds of the draws of the noise."""
    if config.seeds is not None:
        return config.seeds
    return tuple(range(config.seed, config.seed + (DEFAULT_DRAWS if n_pages < FEW_PAGES else 1)))


def _check_pictures(plan: Plan) -> None:
    """Raise ConfigError if a plug-in looks at page images and documents have none."""
    documents, pages = plan.dataset.documents, plan.dataset.pages
    without = {
        ref.doc_id
        for ref in (plan.pages_in_scope if plan.vision_plugins else ())
        if documents[ref.doc_id].source is None and pages[ref].image is None
    }
    if without:
        raise ConfigError(
            f"{plan.vision_plugins[0]} looks at page images, but {len(without)} documents have no "
            f"PDF (such as {min(without)}): give dataset.pdfs, or leave documents out with "
            "dataset.domains"
        )
