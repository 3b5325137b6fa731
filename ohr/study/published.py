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
    chunkers = [
        chunker.model_copy(update={"params": REFERENCE_CHUNKER | chunker.params})
        if chunker.name == "tokens"
        else chunker
        for chunker in config.chunkers
    ]
    return chunkers, {label: _published(spec) for label, spec in retrievers.items()}


def _published(spec: PluginSpec) -> PluginSpec:
    """The published retriever instead of ours, unless the options exist only for ours."""
    if set(spec.params) - REFERENCE_PARAMS:
        return spec
    return spec.model_copy(update={"name": REFERENCE_NAMES.get(spec.name, spec.name)})
