"""BM25: its cost beside rank-bm25's, and an index of many chunks in bounded memory.

    python -m benchmarks.retrieval [DATA] [--chunks 1000000]

First, over the ground truth of DATA as one knowledge base: CPU seconds to index its pages' chunks
and to search all questions, ours and rank-bm25's on the same tokens (rank-bm25 on every
``--every``-th question, scaled up). Then, in a process of its own: ``--chunks`` chunks of 100
words, generated on demand, are indexed and searched; peak memory that is not a mapped file, and
queries a second.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import overload

import numpy as np

from ohr import registry
from ohr.types import Chunk, PageRef
from rag.retrievers.terms import ENGLISH

VOCABULARY, WORDS, QUERY_WORDS = 200_000, 100, 8


def compare(data: Path, every: int) -> None:
    """CPU seconds of both on the data folder's pages and questions."""
    from rank_bm25 import BM25Okapi

    folder = data / "ohrbench" / "retrieval_base" / "gt"
    pages = [
        (PageRef(f"{path.parent.name}/{path.stem}", page["page_idx"]), page["text"])
        for path in sorted(folder.glob("*/*.json"))
        for page in json.loads(path.read_text("utf-8"))
    ]
    questions = [q["questions"] for q in json.loads((data / "ohrbench/qas_dev.json").read_text())]
    chunks = registry.create("chunker", "tokens").chunks(pages)
    started = time.process_time()
    tokens = [ENGLISH.ids(chunk.indexed_text).tolist() for chunk in chunks]
    queries = [ENGLISH.ids(question).tolist() for question in questions]
    shared = time.process_time() - started

    started = time.process_time()
    ours = registry.create("retriever", "bm25")
    ours.index(chunks)  # its terms are cached by now, so both are timed on the same tokens
    indexed = time.process_time() - started
    ours.search_many(questions, 10)
    spent = time.process_time() - started

    started = time.process_time()
    theirs = BM25Okapi(tokens)
    their_index = time.process_time() - started
    started = time.process_time()
    for query in queries[::every]:
        np.argsort(-theirs.get_scores(query))[:10]
    their_search = (time.process_time() - started) * len(queries) / len(queries[::every])
    total = their_index + their_search
    print(f"{len(pages)} pages, {len(chunks)} chunks, {len(questions)} questions; CPU s")
    print(f"terms (both)   {shared:8.2f}")
    print(f"ours           {spent:8.2f}  index {indexed:.2f}, search {spent - indexed:.2f}")
    print(f"rank-bm25      {total:8.2f}  index {their_index:.2f}, search {their_search:.2f}")
    print(f"ours / rank-bm25: {spent / total:.4f}; with the terms: ", end="")
    print(f"{(spent + shared) / (total + shared):.4f}")


class Generated(Sequence[Chunk]):
    """Chunks that are made when they are asked for; words are drawn after Zipf's law."""

    def __init__(self, n: int) -> None:
        self._n = n
        ranks = np.arange(1, VOCABULARY + 1)
        self._cumulative = np.cumsum(1 / ranks) / np.sum(1 / ranks)

    def __len__(self) -> int:
        return self._n

    @overload
    def __getitem__(self, index: int) -> Chunk: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Chunk]: ...
    def __getitem__(self, index: int | slice) -> Chunk | Sequence[Chunk]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._n))]
        if index >= self._n:
            raise IndexError(index)
        text = self.text(np.random.default_rng([1, index]), WORDS)
        return Chunk(PageRef("d/x", index), 0, len(text), text)

    def text(self, rng: np.random.Generator, words: int) -> str:
        """So many words in a row."""
        drawn = np.searchsorted(self._cumulative, rng.random(words))
        return " ".join(f"w{word:x}" for word in drawn.tolist())


class Peak(threading.Thread):
    """The most memory of this process that is not a mapped file, in MB."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.mb = 0.0

    def run(self) -> None:
        while True:
            status = Path("/proc/self/status").read_text()
            kb = int(status.split("RssAnon:")[1].split()[0])
            self.mb = max(self.mb, kb / 1024)
            time.sleep(0.2)


def scale(n: int) -> None:
    """Index and search ``n`` generated chunks."""
    peak = Peak()
    peak.start()
    chunks = Generated(n)
    retriever = registry.create("retriever", "bm25")
    started, cpu = time.perf_counter(), time.process_time()
    retriever.index(chunks)
    wall, cpu = time.perf_counter() - started, time.process_time() - cpu
    postings = retriever._index._postings
    size = sum(array.nbytes for array in (postings.texts, postings.weights))
    indexing = peak.mb
    queries = [chunks.text(np.random.default_rng([2, i]), QUERY_WORDS) for i in range(200)]
    started = time.process_time()
    retriever.search_many(queries, 10)
    spent = time.process_time() - started
    print(f"{n} chunks of {WORDS} words, {len(postings.terms)} terms")
    print(f"index: {cpu:.0f} CPU s ({wall:.0f} s), {size / 1e6:.0f} MB of postings on disk")
    print(f"search: {len(queries) / spent:.0f} queries of {QUERY_WORDS} words a CPU second")
    print(f"memory: {indexing:.0f} MB while indexing, {peak.mb:.0f} MB in all")


def main() -> None:
    """Both benchmarks; the second in a fresh process, whose memory is its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    data = Path(os.environ.get("OHR_DATA", "../shared/data"))
    parser.add_argument("data", nargs="?", type=Path, default=data)
    parser.add_argument("--chunks", type=int, default=1_000_000)
    parser.add_argument("--every", type=int, default=10)
    parser.add_argument("--only-scale", action="store_true")
    options = parser.parse_args()
    if options.only_scale:
        scale(options.chunks)
        return
    compare(options.data, options.every)
    command = ["-m", "benchmarks.retrieval", "--only-scale", "--chunks", str(options.chunks)]
    subprocess.run([sys.executable, *command], check=True)


if __name__ == "__main__":
    main()
