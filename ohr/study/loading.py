"""Loads the dataset that a configuration names."""

from __future__ import annotations

from typing import Any

from ohr import registry
from ohr.collection import Dataset
from ohr.ocr.progress import Progress
from ohr.registry import PluginSpec
from ohr.study.config import StudyConfig


def load_dataset(config: StudyConfig, progress: Progress | None = None) -> Dataset:
    """The dataset that a configuration names. Raises ConfigError, DatasetError.

    An unknown plug-in is an error before anything is loaded. What takes long is shown on the screen
    of ``progress`` or, without one, on standard error.
    """
    check_names(config)
    return read_dataset(config, progress)


def check_names(config: StudyConfig) -> None:
    """Raise UnknownPluginError for a plug-in that there is not."""
    for kind, specs in (
        ("engine", config.engines),
        ("perturbation", config.noise),
        ("chunker", config.chunkers),
        ("retriever", config.retrievers),
        ("reader", config.readers),
    ):
        for spec in specs:
            registry.plugin_class(kind, spec.name)


def read_dataset(config: StudyConfig, progress: Progress | None = None) -> Dataset:
    """The dataset that a configuration names, whatever its plug-ins. Raises OhrError."""
    section = config.dataset
    values: dict[str, Any] = {
        "path": section.path,
        "questions": section.questions,
        "pdfs": section.pdfs,
        "domains": section.domains,
        "strict": section.strict,
        "cache": config.cache,
    }
    params = {name: value for name, value in values.items() if value is not None} | section.params
    source = registry.create("dataset", PluginSpec(name=section.kind, params=params))
    checking = (progress or Progress()).new_stage("checking", "pages", brief=True)
    with checking, checking.doing("loading the dataset"):
        source.progress = checking
        return source.load()
