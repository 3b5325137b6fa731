"""The ranking of every question, made once and kept in the artefact store."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ohr.errors import OhrError, PluginError
from ohr.plugins import Oracle, Retriever
from ohr.store.artefacts import ArtefactStore
from ohr.store.identity import digest, pages_digest
from ohr.study.plan import Plan
from ohr.types import Chunk, Hit, KnowledgeBase, PageRef, Question


@dataclass
class Rankings:
    """Makes rankings for a plan; equal pages, plug-ins and queries are ranked once."""

    plan: Plan
    store: ArtefactStore

    def __post_init__(self) -> None:
        for retriever in self.plan.retrievers.values():
            if not isinstance(retriever, Oracle):
                retriever.use_store(self.store)

    def of_scope(
        self,
        kb: KnowledgeBase,
        chunker: str,
        name: str,
        scope: str,
        questions: Sequence[Question],
    ) -> list[list[Hit]]:
        """Hits for each question from one scope's pages, as many as any stage looks at.

        A retriever is given the questions' texts, an oracle the pages of their evidence.
        """
        retriever, cutter = self.plan.retrievers[name], self.plan.chunkers[chunker]
        k = max(self.plan.config.cutoffs)
        texts = {  # a page that could not be read is not even an empty chunk
            ref: outcome.value
            for ref, outcome in kb.pages.items()
            if outcome.value is not None and self.plan.in_scope(ref.doc_id) == scope
        }
        queries: list[str] | list[tuple[PageRef, ...]]
        if isinstance(retriever, Oracle):
            queries = [question.evidence_pages for question in questions]
        else:
            queries = [question.text for question in questions]
        key = {
            "pages": pages_digest(texts.items()),
            "chunker": cutter.identity(),
            "retriever": retriever.identity(),
            "queries": digest(queries),
            "k": k,
        }
        stored: Any = self.store.get("retrieval", key)
        if not _are_rankings(stored, len(questions), texts):
            try:
                chunks = cutter.chunks(texts.items())
            except OhrError:
                raise
            except Exception as error:
                reason = f"{type(error).__name__}: {error}"
                raise PluginError(f"chunker {chunker!r}: {reason}") from error
            stored = _ranked(retriever, name, chunks, questions, k, texts)
            self.store.put("retrieval", key, stored)
        return [
            [
                Hit(ref := PageRef(doc_id, page_no), texts[ref][a:b], score, rank, (a, b))
                for rank, (doc_id, page_no, a, b, score) in enumerate(hits)
            ]
            for hits in stored
        ]


def _ranked(
    retriever: Retriever | Oracle,
    name: str,
    chunks: Sequence[Chunk],
    questions: Sequence[Question],
    k: int,
    texts: Mapping[PageRef, str],
) -> list[list[list[Any]]]:
    """Each question's hits, as they are stored. Raises PluginError for a retriever that fails.

    A retriever works on all questions at once, so its failure is no question's: to score it as
    the worst value would draw a curve of a defect.
    """
    try:
        retriever.index(chunks)
        if isinstance(retriever, Oracle):
            rankings = [retriever.look_up(question.evidence_pages, k) for question in questions]
        else:
            rankings = retriever.search_many([question.text for question in questions], k)
        if len(rankings) != len(questions):
            raise ValueError(f"{len(rankings)} rankings of {len(questions)} questions")
        return [[_checked(hit, texts) for hit in hits] for hits in rankings]
    except OhrError:
        raise
    except Exception as error:
        raise PluginError(f"retriever {name!r}: {type(error).__name__}: {error}") from error


def _checked(hit: Hit, texts: Mapping[PageRef, str]) -> list[Any]:
    """A hit as it is stored. Raises ValueError for one that is not a piece of its page."""
    (start, end), text = hit.span, texts.get(hit.ref)
    if text is None:
        raise ValueError(f"a hit on {hit.ref}, of which it was given no chunk")
    there = text[start:end]
    if there != hit.text and "".join(there.split()) != "".join(hit.text.split()):
        raise ValueError(
            f"a hit on {hit.ref.doc_id} page {hit.ref.page_no} whose text is not that of its span "
            f"{hit.span}: give Hit(…, span=(chunk.start, chunk.end)) with the chunk's own text"
        )
    score = float(hit.score)
    if not math.isfinite(score):
        raise ValueError(f"a hit with the score {hit.score}")
    return [hit.ref.doc_id, hit.ref.page_no, int(start), int(end), score]


def _are_rankings(stored: Any, count: int, texts: Mapping[PageRef, str]) -> bool:
    """Whether an artefact is the rankings of so many questions among these pages."""
    return (
        isinstance(stored, list)
        and len(stored) == count
        and all(
            isinstance(hits, list) and all(_is_hit(hit, texts) for hit in hits) for hits in stored
        )
    )


def _is_hit(hit: Any, texts: Mapping[PageRef, str]) -> bool:
    match hit:
        case [str(doc_id), int(page_no), int(start), int(end), int() | float()]:
            text = texts.get(PageRef(doc_id, page_no))
            return text is not None and 0 <= start <= end <= len(text)
        case _:
            return False
