"""Rankings of retrievers that look at page images, as the artefact store keeps them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ohr.errors import OhrError, PluginError
from ohr.ocr.failures import Streak
from ohr.plugins import ImageRetriever, Retriever
from ohr.types import Chunk, Hit, Outcome, PageImage, PageRef

StoredRankings = dict[str, Any]
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
) -> StoredRankings:
    """The pages found for each question, as they are stored.

    ``chunks`` are for the parts of a retriever that search text. Raises PluginError for a
    retriever that fails, and OhrError for too many pages in a row that cannot be indexed for the
    same reason.
    """
    pages = {image.ref for image in images}
    try:
        unseen = dict(retriever.index_images(images))
        streak = Streak(name, "pages", stop_after_failures)
        for image in images:
            reason = unseen.get(image.ref)
            streak.add(Outcome(None) if reason is None else Outcome.error(reason))
        if isinstance(retriever, Retriever):
            retriever.index(chunks)
            pages |= {chunk.ref for chunk in chunks}
        rankings = retriever.search_many(queries, k)
        if len(rankings) != len(queries):
            raise ValueError(f"{len(rankings)} rankings for {len(queries)} questions")
        return {
            "rankings": [[_checked(hit, pages) for hit in hits] for hits in rankings],
            "unseen": [[ref.doc_id, ref.page_no, reason] for ref, reason in unseen.items()],
        }
    except OhrError:
        raise
    except Exception as error:
        raise PluginError(f"retriever {name!r}: {type(error).__name__}: {error}") from error


def _checked(hit: Hit, pages: set[PageRef]) -> list[Any]:
    """A hit as it is stored. Raises ValueError for a page that was not indexed."""
    if hit.ref not in pages:
        raise ValueError(f"a hit on {hit.ref}, whose image it did not get")
    score = float(hit.score)
    if not math.isfinite(score):
        raise ValueError(f"a hit with the score {hit.score}")
    return [hit.ref.doc_id, hit.ref.page_no, score]


def are_rankings(stored: Any, count: int, pages: Mapping[PageRef, str]) -> bool:
    """Whether an artefact has rankings of ``count`` questions over these pages."""
    match stored:
        case {"rankings": list(rankings), "unseen": list(unseen)}:
            return (
                len(rankings) == count
                and all(_is_page(entry, str, pages) for entry in unseen)
                and all(
                    isinstance(hits, list)
                    and all(_is_page(hit, int | float, pages) for hit in hits)
                    for hits in rankings
                )
            )
        case _:
            return False


def _is_page(entry: Any, last: Any, pages: Mapping[PageRef, str]) -> bool:
    match entry:
        case [str(doc_id), int(page_no), value]:
            return isinstance(value, last) and PageRef(doc_id, page_no) in pages
        case _:
            return False


def hits_of(stored: StoredRankings, texts: Mapping[PageRef, str]) -> list[list[Hit]]:
    """The hits of each question: whole pages with their page text."""
    return [
        [
            Hit(ref := PageRef(doc_id, page_no), texts[ref], score, rank, (0, len(texts[ref])))
            for rank, (doc_id, page_no, score) in enumerate(hits)
        ]
        for hits in stored["rankings"]
    ]
