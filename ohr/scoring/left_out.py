"""Chunks and questions that a retriever could not use, as artefacts and manifests have them."""

from __future__ import annotations

from typing import Any

from ohr.ocr.failures import reasons
from ohr.plugins.retriever import LeftOut
from ohr.types import Outcome, PageRef

_EXAMPLES = 100
"""Largest number of chunks and of questions in the manifest, per retriever and knowledge base."""


def left_out_json(left_out: LeftOut) -> dict[str, list[list[Any]]]:
    """What was left out, as an artefact stores it."""
    return {
        "chunks": [
            [ref.doc_id, ref.page_no, start, end, reason]
            for (ref, start, end), reason in left_out.chunks.items()
        ],
        "questions": [[text, reason] for text, reason in left_out.questions.items()],
    }


def parse_left_out(stored: Any) -> LeftOut:
    """What was left out, from the output of :func:`left_out_json`; empty for anything else."""
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


def stored_form(rankings: list[Any], left_out: LeftOut) -> Any:
    """Rankings as they are stored, with what was left out, if anything was."""
    return {"rankings": rankings, "left_out": left_out_json(left_out)} if left_out else rankings


def split_stored(stored: Any) -> tuple[Any, LeftOut]:
    """Rankings, and what was left out, from the output of :func:`stored_form`."""
    match stored:
        case {"rankings": rankings, "left_out": omissions}:
            return rankings, parse_left_out(omissions)
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
