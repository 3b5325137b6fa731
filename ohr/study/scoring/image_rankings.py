"""Rankings of retrievers that look at page images, made once and kept in the artefact store."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ohr.errors import OhrError, PluginError
from ohr.ocr.failures import Streak
from ohr.plugins import ImageRetriever, Retriever
from ohr.types import Chunk, Hit, Outcome, PageImage, PageRef

Kept = dict[str, Any]
"""``rankings``: each question's hits as ``[doc_id, page_no, score]``. ``unseen``: pages that could
not be indexed as ``[doc_id, page_no, reason]``."""


def ranked(
    retriever: Retriever | ImageRetriever,
    name: str,
    images: Sequence[PageImage],
    chunks: Sequence[Chunk],
    queries: Sequence[str],
    k: int,
    stop_after_failures: int,
) -> Kept:
    """Each question's pages, as they are stored; ``chunks`` are for a retriever's parts on text.

    Raises PluginError for a retriever that fails, and OhrError for too many pages in a row that
    cannot be indexed for the same reason.
    """
    there = {image.ref for image in images}
    try:
        unseen = dict(retriever.index_images(images))
        streak = Streak(name, "pages", stop_after_failures)
        for image in images:
            reason = unseen.get(image.ref)
            streak.add(Outcome(None) if reason is None else Outcome.error(reason))
        if isinstance(retriever, Retriever):
            retriever.index(chunks)
            there |= {chunk.ref for chunk in chunks}
        rankings = retriever.search_many(queries, k)
        if len(rankings) != len(queries):
            raise ValueError(f"{len(rankings)} rankings of {len(queries)} questions")
        return {
            "rankings": [[_checked(hit, there) for hit in hits] for hits in rankings],
            "unseen": [[ref.doc_id, ref.page_no, reason] for ref, reason in unseen.items()],
        }
    except OhrError:
        raise
    except Exception as error:
        raise PluginError(f"retriever {name!r}: {type(error).__name__}: {error}") from error


def _checked(hit: Hit, there: set[PageRef]) -> list[Any]:
    """A hit as it is stored. Raises ValueError for one on a page that was not there."""
    if hit.ref not in there:
        raise ValueError(f"a hit on {hit.ref}, of which it was given no image")
    score = float(hit.score)
    if not math.isfinite(score):
        raise ValueError(f"a hit with the score {hit.score}")
    return [hit.ref.doc_id, hit.ref.page_no, score]


def are_rankings(stored: Any, count: int, there: Mapping[PageRef, str]) -> bool:
    """Whether an artefact is the rankings of so many questions among these pages."""
    match stored:
        case {"rankings": list(rankings), "unseen": list(unseen)}:
            return (
                len(rankings) == count
                and all(_is_page(one, str, there) for one in unseen)
                and all(
                    isinstance(hits, list)
                    and all(_is_page(hit, int | float, there) for hit in hits)
                    for hits in rankings
                )
            )
        case _:
            return False


def _is_page(entry: Any, last: Any, there: Mapping[PageRef, str]) -> bool:
    match entry:
        case [str(doc_id), int(page_no), value]:
            return isinstance(value, last) and PageRef(doc_id, page_no) in there
        case _:
            return False


def hits_of(stored: Kept, texts: Mapping[PageRef, str]) -> list[list[Hit]]:
    """The hits of each question, each a whole page as it was read."""
    return [
        [
            Hit(ref := PageRef(doc_id, page_no), texts[ref], score, rank, (0, len(texts[ref])))
            for rank, (doc_id, page_no, score) in enumerate(hits)
        ]
        for hits in stored["rankings"]
    ]
