"""Rankings of questions, which the artefact store keeps."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ohr.errors import OhrError, PluginError
from ohr.ocr.failures import reasons
from ohr.plugins import Chunker, ImageRetriever, Oracle, Retriever
from ohr.plugins.retriever import LeftOut
from ohr.scoring import image_rankings
from ohr.scoring.cases import evidence_statuses, hits_statuses, worse_statuses
from ohr.scoring.left_out import (
    describe_left_out,
    left_out_json,
    parse_left_out,
    split_stored,
    stored_form,
)
from ohr.scoring.scopes import Scopes
from ohr.scoring.units import Units
from ohr.store.artefacts import ArtefactStore
from ohr.store.identity import digest, pages_digest
from ohr.types import Chunk, Hit, KnowledgeBase, Outcome, PageRef, Question, Status


class NotRankedError(Exception):
    """A ranking that is not stored, where none is to be made."""


@dataclass
class Rankings:
    """Makes rankings of questions; equal pages, plug-ins and queries are ranked once."""

    units: Units
    store: ArtefactStore
    chunkers: Mapping[str, Chunker]
    retrievers: Mapping[str, Retriever | ImageRetriever | Oracle]
    most_hits: int
    """Number of hits that are looked for."""
    retry_failed: bool = False
    """Whether to rank again where a retriever left something out in an earlier run."""
    stop_after_failures: int = 0
    """Page images that fail in a row for the same reason before OhrError is raised; 0: never."""
    stored_only: bool = False
    """Whether to raise NotRankedError instead of ranking."""
    _unseen: dict[str, dict[PageRef, str]] = field(default_factory=dict)
    """By retriever, the pages whose images it could not index, with the reasons."""
    _left_out: dict[tuple[str, str], LeftOut] = field(default_factory=dict)
    """By chunker and retriever, what could not be ranked."""
    _pairs_with_hits: set[tuple[str, str]] = field(default_factory=set)
    """Pairs of chunker and retriever that found anything."""

    def __post_init__(self) -> None:
        self.scopes = Scopes(self.units)
        for retriever in self.retrievers.values():
            if not isinstance(retriever, Oracle):
                retriever.use_store(self.store)

    def rank(self, kb: KnowledgeBase, chunker: str, name: str) -> list[list[Hit]]:
        """The ranking of every question, from the pages of its scope."""
        hits: dict[str, list[Hit]] = {}
        for scope, questions in self.scopes.questions.items():
            rankings = self.rank_scope(kb, chunker, name, scope, questions)
            hits.update((q.qid, h) for q, h in zip(questions, rankings, strict=True))
        return [hits[question.qid] for question in self.units.questions]

    def statuses(
        self, kb: KnowledgeBase, chunker: str, name: str, rankings: Sequence[Sequence[Hit]]
    ) -> list[Status]:
        """How the search for each question ended, by the last rankings.

        It is an error if the retriever left out the question, a chunk of its evidence pages, or
        the image of one. Otherwise, a search of text is as good as its evidence pages were read.
        """
        left_out = self.left_out(chunker, name)
        pages = {ref for ref, _, _ in left_out.chunks}
        statuses = [
            Status.ERROR
            if question.text in left_out.questions or pages.intersection(question.evidence_pages)
            else status
            for question, status in zip(self.units.questions, hits_statuses(rankings), strict=True)
        ]
        if not isinstance(self.retrievers[name], ImageRetriever):
            return worse_statuses(statuses, evidence_statuses(self.units, kb))
        return [
            status
            if all(self.is_seen(name, ref) for ref in question.evidence_pages)
            else Status.ERROR
            for question, status in zip(self.units.questions, statuses, strict=True)
        ]

    def rank_scope(
        self,
        kb: KnowledgeBase,
        chunker: str,
        name: str,
        scope: str,
        questions: Sequence[Question],
    ) -> list[list[Hit]]:
        """Hits for each question from one scope's pages, up to the largest number that is used.

        A retriever gets the questions' texts, an oracle their evidence pages.
        """
        retriever, cutter = self.retrievers[name], self.chunkers[chunker]
        if isinstance(retriever, ImageRetriever) or (
            isinstance(retriever, Retriever) and retriever.sees_images
        ):
            return self._rank_images(kb, chunker, name, scope, questions, retriever)
        k = self.most_hits
        texts = {  # a page that failed is left out, not empty
            ref: text
            for ref in self.scopes.pages(kb, scope)
            if (text := kb.pages[ref].value) is not None
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
        rankings, left_out = split_stored(stored)
        if not _are_rankings(rankings, len(questions), texts) or (left_out and self.retry_failed):
            self._check_may_rank()
            chunks = _chunks(cutter, chunker, texts, sections=retriever.reads_sections)
            rankings = _ranked(retriever, name, chunks, questions, k, texts)
            if isinstance(retriever, Retriever):
                left_out = retriever.left_out()
            self.store.put("retrieval", key, stored_form(rankings, left_out))
        self._note(chunker, name, left_out, found_any=any(rankings))
        return [
            [
                Hit(ref := PageRef(doc_id, page_no), texts[ref][a:b], score, rank, (a, b))
                for rank, (doc_id, page_no, a, b, score) in enumerate(hits)
            ]
            for hits in rankings
        ]

    def _rank_images(
        self,
        kb: KnowledgeBase,
        chunker: str,
        name: str,
        scope: str,
        questions: Sequence[Question],
        retriever: Retriever | ImageRetriever,
    ) -> list[list[Hit]]:
        """:meth:`rank_scope` for a retriever that looks at page images; hits are whole pages."""
        cutter, k = self.chunkers[chunker], self.most_hits
        pages, images = self.scopes.pages(kb, scope), self.scopes.images(kb, scope)
        page_texts = {ref: text for ref in pages if (text := kb.pages[ref].value) is not None}
        queries = [question.text for question in questions]
        key: dict[str, object] = {
            "images": digest([[image.ref, image.digest] for image in images]),
            "retriever": retriever.identity(),
            "queries": digest(queries),
            "k": k,
        }
        if isinstance(retriever, Retriever):  # it has parts that rank chunks
            key |= {"pages": pages_digest(page_texts.items()), "chunker": cutter.identity()}
        texts = {ref: kb.text(ref) for ref in (*pages, *(image.ref for image in images))}
        stored: Any = self.store.get("image_retrieval", key)
        usable = image_rankings.are_rankings(stored, len(questions), texts)
        failed = usable and (stored["unseen"] or stored.get("left_out"))
        if not usable or (failed and self.retry_failed):
            self._check_may_rank()
            chunks = (
                _chunks(cutter, chunker, page_texts, sections=retriever.reads_sections)
                if isinstance(retriever, Retriever)
                else []
            )
            most = self.stop_after_failures
            stored = image_rankings.ranked(retriever, name, images, chunks, queries, k, most)
            if isinstance(retriever, Retriever) and (left_out := retriever.left_out()):
                stored["left_out"] = left_out_json(left_out)
            self.store.put("image_retrieval", key, stored)
        unseen = self._unseen.setdefault(name, {})
        unseen |= {PageRef(doc_id, no): reason for doc_id, no, reason in stored["unseen"]}
        found_any = any(stored["rankings"])
        self._note(chunker, name, parse_left_out(stored.get("left_out")), found_any=found_any)
        return image_rankings.hits_of(stored, texts)

    def _check_may_rank(self) -> None:
        if self.stored_only:
            raise NotRankedError

    def _note(self, chunker: str, name: str, left_out: LeftOut, *, found_any: bool) -> None:
        if found_any:
            self._pairs_with_hits.add((chunker, name))
        if left_out:
            before = self._left_out.get((chunker, name), LeftOut())
            self._left_out[chunker, name] = before | left_out

    def left_out(self, chunker: str, name: str) -> LeftOut:
        """What a retriever left out of a chunker's chunks, in the last rankings."""
        return self._left_out.get((chunker, name), LeftOut())

    def take_left_out(self) -> dict[str, dict[str, Any]]:
        """For the manifest: by chunker and retriever, what was left out since the last call."""
        (left_out, self._left_out), (found_pairs, self._pairs_with_hits) = (
            (self._left_out, {}),
            (self._pairs_with_hits, set()),
        )
        return {
            f"{key[1]}, {key[0]}": describe_left_out(omitted)
            | {"found_nothing": key not in found_pairs}
            for key, omitted in left_out.items()
        }

    def is_seen(self, name: str, ref: PageRef) -> bool:
        """Whether a retriever could index a page's image, in the last rankings."""
        return ref not in self._unseen.get(name, {})

    def take_unseen(self) -> dict[str, dict[str, Any]]:
        """For the manifest: by retriever, how many page images could not be indexed since the
        last call, and why.
        """
        unseen, self._unseen = self._unseen, {}
        return {
            name: {
                "by_status": {str(Status.ERROR): len(pages)},
                "reasons": reasons(Outcome[None].error(reason) for reason in pages.values()),
            }
            for name, pages in unseen.items()
            if pages
        }


def _chunks(
    cutter: Chunker, label: str, texts: Mapping[PageRef, str], *, sections: bool
) -> Sequence[Chunk]:
    """The chunks of some pages. Raises PluginError for a chunker that fails."""
    try:
        # A user's chunker may not have the option.
        return cutter.chunks(texts.items(), **({} if sections else {"sections": False}))
    except OhrError:
        raise
    except Exception as error:
        raise PluginError(f"chunker {label!r}: {type(error).__name__}: {error}") from error


def _ranked(
    retriever: Retriever | Oracle,
    name: str,
    chunks: Sequence[Chunk],
    questions: Sequence[Question],
    k: int,
    texts: Mapping[PageRef, str],
) -> list[list[list[Any]]]:
    """Each question's hits, as they are stored. Raises PluginError for a retriever that fails.

    A retriever works on all questions at once, so its failure is not that of a question, and must
    not be scored.
    """
    try:
        retriever.index(chunks)
        if isinstance(retriever, Oracle):
            rankings = [retriever.look_up(question.evidence_pages, k) for question in questions]
        else:
            rankings = retriever.search_many([question.text for question in questions], k)
        if len(rankings) != len(questions):
            raise ValueError(f"{len(rankings)} rankings for {len(questions)} questions")
        return [[_checked(hit, texts) for hit in hits] for hits in rankings]
    except OhrError:
        raise
    except Exception as error:
        raise PluginError(f"retriever {name!r}: {type(error).__name__}: {error}") from error


def _checked(hit: Hit, texts: Mapping[PageRef, str]) -> list[Any]:
    """A hit as it is stored. Raises ValueError if it is not a piece of its page."""
    (start, end), text = hit.span, texts.get(hit.ref)
    if text is None:
        raise ValueError(f"a hit on {hit.ref}, of which it got no chunk")
    span_text = text[start:end]
    if span_text != hit.text and "".join(span_text.split()) != "".join(hit.text.split()):
        raise ValueError(
            f"a hit on {hit.ref.doc_id} page {hit.ref.page_no} whose text is not that of its span "
            f"{hit.span}: return Hit(…, span=(chunk.start, chunk.end)) with the chunk's text"
        )
    score = float(hit.score)
    if not math.isfinite(score):
        raise ValueError(f"a hit with the score {hit.score}")
    return [hit.ref.doc_id, hit.ref.page_no, int(start), int(end), score]


def _are_rankings(stored: Any, count: int, texts: Mapping[PageRef, str]) -> bool:
    """Whether an artefact has rankings of ``count`` questions over these pages."""
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
