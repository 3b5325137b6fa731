"""Chunks and questions that a retriever could not use: stored, counted and reported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ohr.files.safe_text import plain
from ohr.ocr.failures import reasons
from ohr.plugins.retriever import LeftOut
from ohr.types import Outcome, PageRef

_EXAMPLES = 100
"""Largest number of chunks and of questions in the manifest, per retriever and knowledge base."""
_NAMED = 3


def as_json(left_out: LeftOut) -> dict[str, list[list[Any]]]:
    """What was left out, as an artefact stores it."""
    return {
        "chunks": [
            [ref.doc_id, ref.page_no, start, end, reason]
            for (ref, start, end), reason in left_out.chunks.items()
        ],
        "questions": [[text, reason] for text, reason in left_out.questions.items()],
    }


def of_json(stored: Any) -> LeftOut:
    """What was left out, from the output of :func:`as_json`; empty for anything else."""
    match stored:
        case {"chunks": list(chunks), "questions": list(questions)}:
            try:
                return LeftOut(
                    {
                        (PageRef(str(doc_id), int(page_no)), int(start), int(end)): str(reason)
                        for doc_id, page_no, start, end, reason in chunks
                    },
                    {str(text): str(reason) for text, reason in questions},
                )
            except (TypeError, ValueError):
                return LeftOut()
        case _:
            return LeftOut()


def to_store(rankings: list[Any], left_out: LeftOut) -> Any:
    """Rankings as they are stored, with what was left out, if anything was."""
    return {"rankings": rankings, "left_out": as_json(left_out)} if left_out else rankings


def of_stored(stored: Any) -> tuple[Any, LeftOut]:
    """Rankings, and what was left out, from the output of :func:`to_store`."""
    match stored:
        case {"rankings": rankings, "left_out": omissions}:
            return rankings, of_json(omissions)
        case _:
            return stored, LeftOut()


def describe_left_out(left_out: LeftOut) -> dict[str, Any]:
    """Counts, reasons and the first examples, for the manifest."""
    chunks = {name_of_chunk(*place): reason for place, reason in left_out.chunks.items()}
    questions = {f"question {text!r}": reason for text, reason in left_out.questions.items()}
    every = [*left_out.chunks.values(), *left_out.questions.values()]
    return {
        "chunks": len(chunks),
        "pages": len({ref for ref, _, _ in left_out.chunks}),
        "questions": len(questions),
        "reasons": reasons(Outcome[None].error(reason) for reason in every),
        "examples": [
            f"{what}: {reason}"
            for kind in (chunks, questions)
            for what, reason in list(kind.items())[:_EXAMPLES]
        ],
    }


def name_of_chunk(ref: PageRef, start: int, end: int) -> str:
    """``law/alpha page 1, characters 0 to 52``; pages counted from 1."""
    return f"{ref.doc_id} page {ref.page_no + 1}, characters {start} to {end}"


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
