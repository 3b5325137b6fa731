"""The chunkers and retrievers that the reference protocol replaces by the published ones."""

from __future__ import annotations

from ohr.registry import PluginSpec
from ohr.study.config import StudyConfig

REFERENCE_NAMES = {"bm25": "bm25_reference"}
"""Retrievers that the reference protocol replaces, and by which."""
REFERENCE_PARAMS = {"k1", "b"}
"""Parameters of the published retriever."""
REFERENCE_CHUNKER = {"reserve": 30, "keep_empty": True}
"""The published chunker counts about 30 tokens of metadata against each chunk."""


def apply_protocol(config: StudyConfig) -> tuple[list[PluginSpec], dict[str, PluginSpec]]:
    """The chunkers of a study, and its retrievers by label, under its ``scoring``."""
    retrievers = {spec.label: spec for spec in config.retrievers}
    if config.scoring == "default":
        return list(config.chunkers), retrievers
    return (
        list(map(published_chunker, config.chunkers)),
        {label: published_retriever(spec) for label, spec in retrievers.items()},
    )


def published_chunker(spec: PluginSpec) -> PluginSpec:
    """The published chunker instead of ours; any other chunker stays."""
    if spec.name != "tokens":
        return spec
    return spec.model_copy(update={"params": REFERENCE_CHUNKER | spec.params})


def published_retriever(spec: PluginSpec) -> PluginSpec:
    """The published retriever instead of ours, unless the options exist only for ours."""
    if set(spec.params) - REFERENCE_PARAMS:
        return spec
    return spec.model_copy(update={"name": REFERENCE_NAMES.get(spec.name, spec.name)})
