"""What the published protocol puts in place of a study's chunkers and retrievers."""

from __future__ import annotations

from ohr.registry import PluginSpec
from ohr.study.config import StudyConfig

REFERENCE_NAMES = {"bm25": "bm25_reference"}
"""Retrievers that the reference protocol exchanges for the published ones."""
REFERENCE_PARAMS = {"k1", "b"}
"""Parameters that the published retriever has."""
REFERENCE_CHUNKER = {"reserve": 30, "keep_empty": True}
"""The published chunker counts about 30 tokens of metadata against each chunk."""


def under_protocol(config: StudyConfig) -> tuple[list[PluginSpec], dict[str, PluginSpec]]:
    """The chunkers of a study, and its retrievers by label, as its scoring has them."""
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
    """The published retriever in place of ours, unless ours is asked for with its own options."""
    if set(spec.params) - REFERENCE_PARAMS:
        return spec
    return spec.model_copy(update={"name": REFERENCE_NAMES.get(spec.name, spec.name)})
