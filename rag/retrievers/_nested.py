"""Retrievers built from other retrievers."""

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

    Raises ConfigError for the oracle, and for retrievers of page images.
    """
    retriever = registry.create("retriever", spec)
    if isinstance(retriever, Retriever | ImageRetriever) and retriever.sees_images:
        raise ConfigError(
            f"retriever {spec.label!r} looks at page images: only hybrid can contain it"
        )
    if not isinstance(retriever, Retriever):
        raise ConfigError(f"retriever {spec.label!r} does not search: it cannot be combined")
    return retriever
