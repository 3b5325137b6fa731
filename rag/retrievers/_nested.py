"""Retrievers that are made of other retrievers."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator

from ohr import registry
from ohr.errors import ConfigError
from ohr.plugins import Retriever
from ohr.registry import PluginSpec

Spec = Annotated[PluginSpec, BeforeValidator(PluginSpec.parse)]


def create(spec: PluginSpec) -> Retriever:
    """The retriever inside another one. Raises ConfigError for what only knows gold pages."""
    retriever = registry.create("retriever", spec)
    if not isinstance(retriever, Retriever):
        raise ConfigError(f"retriever {spec.label!r} does not search: it cannot be combined")
    return retriever
