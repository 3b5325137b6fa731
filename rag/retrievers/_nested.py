"""Retrievers that are made of other retrievers."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator

from ohr import registry
from ohr.errors import ConfigError
from ohr.plugins import ImageRetriever, Retriever
from ohr.registry import PluginSpec

Spec = Annotated[PluginSpec, BeforeValidator(PluginSpec.parse)]


def create(spec: PluginSpec) -> Retriever:
    """The retriever of chunks inside another one.

    Raises ConfigError for what only knows gold pages, and for what looks at page images.
    """
    retriever = registry.create("retriever", spec)
    if isinstance(retriever, Retriever | ImageRetriever) and retriever.sees_images:
        raise ConfigError(f"retriever {spec.label!r} looks at page images: only hybrid takes it in")
    if not isinstance(retriever, Retriever):
        raise ConfigError(f"retriever {spec.label!r} does not search: it cannot be combined")
    return retriever
