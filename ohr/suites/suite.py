"""A suite as its files describe it, and the study that it is for given engines."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ohr import registry
from ohr.collection import Dataset
from ohr.errors import ConfigError, did_you_mean
from ohr.plugins import OcrBackend
from ohr.plugins.base import first_error
from ohr.registry import PluginSpec
from ohr.study.config import StudyConfig, make_config
from ohr.study.loading import read_dataset
from ohr.study.yaml_values import parse_yaml

Track = Literal["full", "quick", "text"]
"""All pages and severities; a part of both; noise of the ground truth's text."""
FOLDER = Path(__file__).parent


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Quick(_Strict):
    """The part of a suite that its quick track has."""

    documents: int = Field(ge=1)
    severities: tuple[int, ...]


class Suite(_Strict):
    """``suite.yaml``."""

    name: str
    about: str
    study: dict[str, Any]
    images: tuple[dict[str, Any], ...]
    text: tuple[str, ...]
    text_intensities: tuple[float, ...]
    quick: Quick
    frozen_engine: str
    targets: tuple[float, ...]
    """The mean content r_noise that each severity was to give the frozen engine."""
    reached: dict[str, tuple[float, ...]]
    """By distortion: that, or what intensity 1 gives where it is less."""

    @property
    def grades(self) -> dict[str, tuple[float, ...]]:
        """The intensities of each distortion at the severities."""
        return {
            name: tuple(intensities)
            for noise in self.images
            for name, intensities in noise["params"]["grades"].items()
        }

    def conditions(self, track: Track) -> tuple[str, ...]:
        """The names of the noisy conditions of a track, such as ``copying s1``."""
        if track == "text":
            return tuple(
                f"{name} {intensity:g}" for name in self.text for intensity in self.text_intensities
            )
        severities = self.quick.severities if track == "quick" else range(1, len(self.targets) + 1)
        return tuple(f"{noise['label']} s{each}" for noise in self.images for each in severities)

    def config(self, engine: PluginSpec, track: Track, cache: Path, workers: int) -> StudyConfig:
        """The study of one engine. Raises ConfigError."""
        options: dict[str, Any] = {**self.study, "engines": [engine], "cache": cache}
        options["workers"] = workers
        if track == "text":
            options |= {"noise": list(self.text), "levels": [], "ground_truth": False}
            options["intensities"] = list(self.text_intensities)
            return make_config(options)
        options["noise"] = list(self.images)
        options["levels"] = [f"s{each}" for each in range(1, len(self.targets) + 1)]
        if track == "quick":
            options["levels"] = [f"s{each}" for each in self.quick.severities]
            documents = list(self.first_documents(cache, self.quick.documents))
            options["dataset"] = {**self.study["dataset"], "documents": documents}
        return make_config(options)

    def first_documents(self, cache: Path, count: int) -> tuple[str, ...]:
        """So many documents, by turns from the domains, in index order."""
        dataset = read_dataset(make_config({**self.study, "cache": cache}))
        return self.documents_by_turns(dataset)[:count]

    def documents_by_turns(self, dataset: Dataset) -> tuple[str, ...]:
        """All documents, by turns from the domains; the first are the quick track's."""
        by_domain: dict[str, list[str]] = {}
        for document in dataset.documents.values():
            by_domain.setdefault(document.domain, []).append(document.doc_id)
        longest = max(map(len, by_domain.values()))
        return tuple(
            names[turn]
            for turn in range(longest)
            for names in by_domain.values()
            if turn < len(names)
        )


def track_of(engine: PluginSpec, *, quick: bool) -> Track:
    """The track that an engine runs. Raises ConfigError for output that was made elsewhere."""
    if issubclass(registry.plugin_class("engine", engine.name), OcrBackend):
        return "quick" if quick else "full"
    if engine.name != "gt":
        raise ConfigError(
            f"a suite reads its own pages: {engine.label!r} is output that exists, which cannot "
            "be of these pages; name an engine that reads images"
        )
    return "text"


def suite_names() -> list[str]:
    """The names of all suites."""
    return sorted(path.parent.name for path in FOLDER.glob("*/suite.yaml"))


@cache
def load_suite(name: str) -> Suite:
    """A suite by its name. Raises ConfigError."""
    if name not in suite_names():
        raise ConfigError(f"unknown suite {name!r}; {did_you_mean(name, suite_names())}")
    content = parse_yaml((FOLDER / name / "suite.yaml").read_text("utf-8"))
    try:
        return Suite.model_validate(content)
    except ValidationError as error:
        raise ConfigError(f"suite {name}: {first_error(error)}") from error
