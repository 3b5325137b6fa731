"""Plug-ins that fail every time, or break their contract, named by their dotted path."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel

from ohr.plugins import (
    Applied,
    Chunker,
    ImagePerturbation,
    KnowledgeBaseSource,
    Retriever,
    TextPerturbation,
)
from ohr.types import Chunk, Hit, KnowledgeBase, Outcome
from tests.fakes import MENDED, FactReader, LoggingEngine


class AnotherPage(LoggingEngine):
    name = "another_page"

    def transcribe(
        self, source: Path | Sequence[np.ndarray], page_nos: Sequence[int]
    ) -> Iterator[tuple[int, Outcome[str]]]:
        for page_no, outcome in super().transcribe(source, page_nos):
            yield page_no + 1, outcome


class PlainParams(LoggingEngine):
    name = "plain_params"

    class Params(BaseModel):
        word: str = "word"


class Distortion(ImagePerturbation, abstract=True):
    def apply(
        self, x: np.ndarray, *, intensity: float, rng: np.random.Generator
    ) -> Applied[np.ndarray]:
        return Applied(self.replay(x, {}), {})

    def move(self, boxes: np.ndarray, record: Mapping[str, Any]) -> np.ndarray:
        return boxes


class Raising(Distortion):
    name = "raising"

    def replay(self, x: np.ndarray, record: Mapping[str, Any]) -> np.ndarray:
        raise RuntimeError("no ink left")


class Halving(Distortion):
    name = "halving"

    def replay(self, x: np.ndarray, record: Mapping[str, Any]) -> np.ndarray:
        return x[::2]


class Floating(Distortion):
    name = "floating"

    def replay(self, x: np.ndarray, record: Mapping[str, Any]) -> np.ndarray:
        return x / 255


class RaisingOnText(TextPerturbation):
    name = "raising_on_text"

    def apply(self, x: str, *, intensity: float, rng: np.random.Generator) -> Applied[str]:
        raise RuntimeError("no words left")

    def replay(self, x: str, record: Mapping[str, Any]) -> str:
        return x

    def undo(self, value: str, record: Mapping[str, Any]) -> str:
        return value


class FirstChunks(Retriever):
    """The first chunks, whatever is asked."""

    name = "first_chunks"

    def index(self, chunks: Sequence[Chunk]) -> None:
        self.chunks = chunks

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        return [[self.hit(chunk, rank) for rank, chunk in enumerate(self.chunks[:k])]
                for _ in queries]  # fmt: skip

    def hit(self, chunk: Chunk, rank: int) -> Hit:
        return Hit(chunk.ref, chunk.text, 1.0, rank, (chunk.start, chunk.end))


class WithoutSpans(FirstChunks):
    name = "without_spans"

    def hit(self, chunk: Chunk, rank: int) -> Hit:
        return Hit(chunk.ref, chunk.text, 1.0, rank)


class NoNumber(FirstChunks):
    name = "no_number"

    def hit(self, chunk: Chunk, rank: int) -> Hit:
        return Hit(chunk.ref, chunk.text, float("nan"), rank, (chunk.start, chunk.end))


class RaisingRetriever(FirstChunks):
    name = "raising_retriever"

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        raise KeyError("vectors")


class OneRanking(FirstChunks):
    name = "one_ranking"

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        return super().search_many(queries[:1], k)


class NoOutcome(FactReader):
    name = "no_outcome"

    def answer(self, question: str, context: Sequence[Hit]) -> Any:
        return "a text"


class MendableReader(FactReader):
    """Fails until it is mended."""

    name = "mendable_reader"

    def answer(self, question: str, context: Sequence[Hit]) -> Outcome[str]:
        if MENDED not in os.environ:
            return Outcome.error(f"out of order at {len(question)} characters")
        return super().answer(question, context)


class RaisingChunker(Chunker):
    name = "raising_chunker"

    def spans(self, text: str) -> list[tuple[int, int]]:
        raise IndexError("no words")


class RaisingBase(KnowledgeBaseSource):
    name = "raising_base"

    def knowledge_base(self, dataset: Any) -> KnowledgeBase:
        raise IndexError("no pages")
