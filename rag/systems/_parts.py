"""The plug-ins that systems are built from."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator

from ohr import registry
from ohr.errors import ConfigError
from ohr.plugins import Chat, Reader, Retriever
from ohr.registry import PluginSpec

Spec = Annotated[PluginSpec, BeforeValidator(PluginSpec.parse)]
"""A parameter that names a plug-in: ``bm25``, or ``{name: …, params: {…}}``."""


def retriever_of(spec: PluginSpec, *, of_passages: bool = False) -> Retriever:
    """A retriever; ``of_passages``: its hits must be the indexed chunks, never whole pages.

    Raises ConfigError for any other, for the oracle, and for retrievers of page images.
    """
    retriever = registry.create("retriever", spec)
    if retriever.sees_images:
        raise ConfigError(
            f"retriever {spec.label!r} looks at page images: a system has their text alone"
        )
    if not isinstance(retriever, Retriever):
        raise ConfigError(f"retriever {spec.label!r} does not search: a system cannot use it")
    if of_passages and retriever.whole_pages:
        raise ConfigError(
            f"retriever {spec.label!r} ranks whole pages, but the system ranks passages: name "
            "the retriever inside it"
        )
    return retriever


def reader_of(spec: PluginSpec) -> Reader:
    """A reader."""
    return registry.create("reader", spec)


def chat_of(spec: PluginSpec) -> Chat:
    """A reader that holds conversations. Raises ConfigError for one without a language model."""
    reader = registry.create("reader", spec)
    if not isinstance(reader, Chat):
        raise ConfigError(
            f"reader {spec.label!r} holds no conversation: use openai or transformers"
        )
    return reader
