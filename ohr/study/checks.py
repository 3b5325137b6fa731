"""Checks of a study's configuration, which find what cannot work before anything costly runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ohr.collection import Dataset, is_answered
from ohr.errors import ConfigError, DatasetError, did_you_mean
from ohr.ocr.noise import distorts_images
from ohr.plugins import OcrBackend
from ohr.registry import PluginSpec
from ohr.study.config import BUILT_IN, StudyConfig
from ohr.types import PageRef, Question


def check_unique(kind: str, specs: Iterable[PluginSpec]) -> None:
    """Raise ConfigError for two plug-ins under one label."""
    seen: set[str] = set()
    for spec in specs:
        if spec.label in seen:
            raise ConfigError(f"{kind} {spec.label!r} is given twice: set a label for one of them")
        seen.add(spec.label)


def check_answerers(readers: Iterable[str], systems: Iterable[str]) -> None:
    """Raise ConfigError for a system with the label of a reader or of the built-in system."""
    for label in systems:
        if label in readers or label == BUILT_IN:
            raise ConfigError(f"system {label!r} has the label of another plug-in: set a label")


def check_documents(config: StudyConfig, dataset: Dataset) -> None:
    """Raise ConfigError for a document that the dataset does not have."""
    for doc_id in config.dataset.documents:
        if doc_id not in dataset.documents:
            some = ", ".join(list(dataset.documents)[:3])
            raise ConfigError(
                f"dataset.documents: no document {doc_id!r} among {len(dataset.documents)}; "
                f"they are named like {some}"
            )


def has_text(dataset: Dataset) -> bool:
    """Whether any page of the truth has text."""
    return any(page.text.strip() for page in dataset.pages.values())


def check_truth_has_text(dataset: Dataset, engines: Mapping[str, object]) -> None:
    """Raise DatasetError if an engine writes the ground truth, and no page of it has text."""
    copies = [label for label, engine in engines.items() if getattr(engine, "name", "") == "gt"]
    if copies and dataset.pages and not has_text(dataset):
        raise DatasetError(
            f"the {dataset.truth} has no text on any of its {len(dataset.pages)} pages, so engine "
            f"{copies[0]} has nothing to search: check the data, or name an engine that reads pages"
        )


def check_answers(config: StudyConfig, questions: Sequence[Question]) -> None:
    """Raise ConfigError if a stage needs answers, and no question has one."""
    stages = [stage for stage in config.stages if stage in ("generation", "overall")]
    if stages and questions and not any(map(is_answered, questions)):
        remaining = [stage for stage in config.stages if stage not in stages] or [
            "ocr",
            "retrieval",
        ]
        raise ConfigError(
            f"the stage {stages[0]} needs answers, and none of the {len(questions)} questions has "
            f"one: give stages=[{','.join(remaining)}]"
        )


def _reads_images(engine: object) -> bool:
    return isinstance(engine, OcrBackend) and "image" in engine.accepts


def applies_to(operator: PluginSpec, spec: PluginSpec, engine: object) -> bool:
    """Whether noise changes the input of an engine."""
    return _reads_images(engine) if distorts_images(operator) else spec.name == "gt"


def check_noise(config: StudyConfig, engines: Mapping[str, object]) -> None:
    """Raise ConfigError for noise that applies to no engine."""
    for operator in config.noise:
        if any(applies_to(operator, spec, engines[spec.label]) for spec in config.engines):
            continue
        label = config.engines[0].label
        if distorts_images(operator):
            instead = "PDFs" if isinstance(engines[label], OcrBackend) else "none"
            raise ConfigError(
                f"noise {operator.label!r} distorts page images, but engine {label!r} reads "
                f"{instead}: name an OCR engine that reads images, such as engines=[tesseract]"
            )
        raise ConfigError(
            f"noise {operator.label!r} rewrites ground-truth text: its engine is gt, not {label!r}"
        )


def check_read_from(config: StudyConfig, engines: Mapping[str, object]) -> None:
    """Raise ConfigError for engines in ``read_from`` that have no texts to read."""
    check_unique("read_from", [PluginSpec(name=label) for label in config.read_from])
    for label in config.read_from:
        if label not in engines:
            raise ConfigError(
                f"read_from: {label!r} is not among the engines: {did_you_mean(label, engines)}"
            )
        if "overall" not in config.stages or all(s.name != BUILT_IN for s in config.systems):
            raise ConfigError("read_from is for the stage overall and the system rag: set both")
        if len(engines) < 2:
            raise ConfigError(f"read_from: there is no engine beside {label!r} to search in")


def check_importable(kind: str, label: str, cls: type) -> None:
    """Raise ConfigError for a plug-in that worker processes cannot import."""
    if cls.__module__ == "__main__":
        raise ConfigError(
            f"{kind} {label!r} is defined in a notebook or a script, which the worker processes "
            f"cannot import: write it to a file, such as my_plugins.py, and name it "
            f"my_plugins.{cls.__name__}"
        )


def check_sources(
    dataset: Dataset, reread: Iterable[PageRef], label: str, engine: OcrBackend
) -> None:
    """Raise ConfigError for documents without a file that the engine can read."""
    without = {ref.doc_id for ref in reread if not _is_readable(dataset, ref, engine)}
    if without:
        kind = "page images" if "image" in engine.accepts else "PDFs"
        raise ConfigError(
            f"engine {label!r} reads {kind}, but {len(without)} documents have no PDF (such as "
            f"{min(without)}): give dataset.pdfs, and name the documents to be re-read in "
            "dataset.documents"
        )


def _is_readable(dataset: Dataset, ref: PageRef, engine: OcrBackend) -> bool:
    source = dataset.documents[ref.doc_id].source
    if "image" in engine.accepts:
        return source is not None or dataset.pages[ref].image is not None
    return source is not None and source.suffix.lower() == ".pdf"


def needs_retrieval(config: StudyConfig) -> bool:
    """Whether a study retrieves."""
    return "retrieval" in config.stages or _needs_built_in(config)


def needs_reader(config: StudyConfig) -> bool:
    """Whether a study asks its readers."""
    return "generation" in config.stages or _needs_built_in(config)


def _needs_built_in(config: StudyConfig) -> bool:
    return "overall" in config.stages and any(spec.name == BUILT_IN for spec in config.systems)


def plugged_systems(config: StudyConfig) -> list[PluginSpec]:
    """The systems of a study other than the built-in one."""
    systems = config.systems if "overall" in config.stages else ()
    return [spec for spec in systems if spec.name != BUILT_IN]
