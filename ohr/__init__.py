"""Measures how OCR noise cascades through retrieval-augmented generation.

This package holds the study's vocabulary: documents, questions, datasets, metrics,
statistics, the artefact store, the plug-in registry and the errors.
"""

from ohr.errors import (
    ConfigError,
    DatasetError,
    EngineError,
    MissingDependencyError,
    OhrError,
    StoreError,
    UnknownPluginError,
)
from ohr.types import (
    Answer,
    Chunk,
    Document,
    Hit,
    KnowledgeBase,
    Outcome,
    Page,
    PageRef,
    Question,
    Status,
)

__all__ = [
    "Answer",
    "Chunk",
    "ConfigError",
    "DatasetError",
    "Document",
    "EngineError",
    "Hit",
    "KnowledgeBase",
    "MissingDependencyError",
    "OhrError",
    "Outcome",
    "Page",
    "PageRef",
    "Question",
    "Status",
    "StoreError",
    "UnknownPluginError",
]
