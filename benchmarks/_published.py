"""The published evaluation's retrieval study, step by step, at its own cost.

Plain Python and the packages that it uses: NLTK's Porter stemmer, rank-bm25 with one index per
domain, and the longest common subsequence by dynamic programming. Only the byte-pair encoder of its
chunker is replaced, since its file is not available: matches of a pattern are counted as tokens,
which is cheaper. So the cost is a lower bound.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from bm25s.stopwords import STOPWORDS_EN
from nltk.stem import PorterStemmer
from rank_bm25 import BM25Okapi

_CHUNK_TOKENS = 1024 - 30
"""Of 1,024 tokens some 30 are kept free for a chunk's metadata."""
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_TOKEN = re.compile(r"\s?[^\W\d_]+|\d{1,3}|\s+|[^\w\s]+|_")
_WORD = re.compile(r"\w+")
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]+")
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_STOP_WORDS = frozenset(STOPWORDS_EN)
_STEMMER = PorterStemmer()


@dataclass
class Index:
    """A domain's chunks and their index."""

    chunks: list[str]
    bm25: BM25Okapi


def load(base: Path, domain: str) -> Iterator[str]:
    """The text of each page of a domain's documents."""
    for path in sorted((base / domain).glob("*.json")):
        yield from (page["text"] for page in json.loads(path.read_text("utf-8")))


def chunks(text: str) -> Iterator[str]:
    """Sentences of a page, packed up to the budget."""
    packed: list[str] = []
    size = 0
    for sentence in _SENTENCE_END.split(text):
        length = len(_TOKEN.findall(sentence))
        if packed and size + length > _CHUNK_TOKENS:
            yield " ".join(packed)
            packed, size = [], 0
        packed.append(sentence)
        size += length
    yield " ".join(packed)


def terms(text: str) -> list[str]:
    """The distinct words of a text without stop words, stemmed."""
    words = {word for word in _WORD.findall(text.lower()) if word not in _STOP_WORDS}
    return [_STEMMER.stem(word) for word in words]


def index(base: Path, domain: str) -> Index:
    """Load, chunk and index a domain."""
    pieces = [piece for text in load(base, domain) for piece in chunks(text)]
    return Index(pieces, BM25Okapi([terms(piece) for piece in pieces]))


def retrieve(domain: Index, question: str, k: int = 2) -> list[str]:
    """The k best chunks of a domain."""
    scores = domain.bm25.get_scores(terms(question))
    return [domain.chunks[place] for place in np.argsort(-scores, kind="stable")[:k]]


def words(text: str) -> list[str]:
    """The words that are scored: no punctuation, no articles, lower case."""
    return _ARTICLE.sub(" ", _PUNCTUATION.sub("", text.lower())).split()


def lcs(hit_words: Sequence[str], evidence_words: Sequence[str]) -> int:
    """Length of the longest common subsequence."""
    row = [0] * (len(hit_words) + 1)
    for word in evidence_words:
        diagonal = 0
        for place, hit_word in enumerate(hit_words, start=1):
            above = row[place]
            row[place] = diagonal + 1 if word == hit_word else max(above, row[place - 1])
            diagonal = above
    return row[-1]


def score(hits: Sequence[str], evidence: str) -> float:
    """Share of the evidence's words that the hits have, in order."""
    evidence_words = words(evidence)
    return (
        lcs(words("\n".join(hits)), evidence_words) / len(evidence_words) if evidence_words else 0.5
    )
