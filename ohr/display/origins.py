"""Lines about the models that answered, from a run's manifest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ohr.files.safe_text import plain
from ohr.models.origins import origin_notes


def origin_lines(manifest: Mapping[str, Any]) -> list[str]:
    """A line for each reader, system, engine and embedding model whose replies name another model
    than the one asked for, or several.
    """
    lines = []
    for kind in ("readers", "systems"):
        for label, summary in manifest.get(kind, {}).items():
            lines += origin_notes(label, summary.get("identity"), summary.get("models") or {})
    engines = manifest.get("engines", {})
    for label, base in manifest.get("knowledge_bases", {}).items():
        identity = engines.get(base.get("engine"))
        lines += origin_notes(label, identity, base.get("models") or {})
    for requested, models in manifest.get("embedding_models", {}).items():
        lines += origin_notes(f"embeddings of {requested}", {"model": requested}, models)
    return [plain(line) for line in dict.fromkeys(lines)]
