"""Lines about chunks and questions that a retriever could not use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ohr.files.safe_text import plain

_NAMED = 3
"""Examples in a line; the manifest has more."""


def nothing_found(bases: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """A line for each knowledge base and retriever that left something out and found nothing."""
    return [
        f"{plain(base)}, {plain(retriever)}: nothing was found for any question"
        for base, entry in bases.items()
        for retriever, omitted in entry.get("not_ranked", {}).items()
        if omitted["found_nothing"]
    ]


def left_out_lines(bases: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """A line for each knowledge base and retriever that left something out, from the manifest."""
    lines = []
    for base, entry in bases.items():
        for retriever, omitted in entry.get("not_ranked", {}).items():
            parts = []
            n_chunks, n_pages, n_questions = (
                omitted[name] for name in ("chunks", "pages", "questions")
            )
            if n_chunks:
                parts.append(
                    f"{n_chunks} chunk{'s' * (n_chunks > 1)} of {n_pages} "
                    f"page{'s' * (n_pages > 1)} not indexed (never found)"
                )
            if n_questions:
                parts.append(
                    f"{n_questions} question{'s' * (n_questions > 1)} not searched for "
                    "(they count with the worst value)"
                )
            named = "; ".join(map(plain, omitted["examples"][:_NAMED]))
            more = "; more in manifest.json" if len(omitted["examples"]) > _NAMED else ""
            lines.append(f"{plain(base)}, {plain(retriever)}: {' and '.join(parts)}: {named}{more}")
    return lines
