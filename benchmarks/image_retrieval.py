"""Late interaction: what exact MaxSim costs, and pages kept in bounded memory.

    python -m benchmarks.image_retrieval [--share 1] [--pages 2000]

First, with random vectors of the shapes that ColPali gives: 5,723 pages of 1,030 vectors at pool 3,
and 3,325 questions of 25, of 128 dimensions each. ``--share`` takes a share of both, from which the
time of the whole is estimated. Then, in a process of its own: so many pages of A4 at 150 dpi drawn,
given 1,030 vectors each, kept and searched; peak memory that is not a mapped file. The cost of a
model comes on top, and is part of neither.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.retrieval import Peak
from ohr.store.artefacts import ArtefactStore
from ohr.types import Outcome, PageImage, PageRef
from rag.retrievers._maxsim import maxsim
from rag.retrievers._page_images import PageEncoder, PageImageParams

PAGES, QUESTIONS, VECTORS, TOKENS, POOL, DIMENSIONS = 5723, 3325, 1030, 25, 3, 128
SIDES = (1754, 1240)
"""Height and width of a page."""


def drawn(seed: Sequence[int], n: int) -> np.ndarray:
    """Vectors of unit length, float32."""
    vectors = np.random.default_rng(seed).standard_normal((n, DIMENSIONS), dtype=np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


class Synthetic(PageEncoder[PageImageParams]):
    """Draws a page's vectors from one of its pixels."""

    name = "synthetic"

    def encoder_version(self) -> str:
        return ""

    def encode_pages(self, images: list[np.ndarray]) -> list[np.ndarray]:
        return [drawn([1, int.from_bytes(image[0, :2].tobytes())], VECTORS) for image in images]

    def encode_queries(self, texts: list[str]) -> list[np.ndarray]:
        return [drawn([2, len(text)], TOKENS) for text in texts]

    def scores(
        self, queries: Sequence[np.ndarray], pages: Sequence[np.ndarray]
    ) -> Iterator[np.ndarray]:
        return maxsim(queries, pages)


class Blank:
    """Draws pages that differ in their first pixels."""

    def draw(self, refs: Sequence[PageRef]) -> list[Outcome[np.ndarray]]:
        return [Outcome(self._page(ref.page_no)) for ref in refs]

    def _page(self, number: int) -> np.ndarray:
        image = np.full((*SIDES, 3), 255, np.uint8)
        image[0, :2] = np.frombuffer(number.to_bytes(6), np.uint8).reshape(2, 3)
        return image


def scoring(share: float) -> None:
    """Seconds of MaxSim over a share of the pages and of the questions."""
    n_pages, n_questions = max(1, round(PAGES * share)), max(1, round(QUESTIONS * share))
    pages = [drawn([1, i], VECTORS // POOL).astype(np.float16) for i in range(n_pages)]
    questions = [drawn([2, i], TOKENS) for i in range(n_questions)]
    started, cpu = time.perf_counter(), time.process_time()
    for scores in maxsim(questions, pages):
        assert len(scores) == n_pages
    wall, cpu = time.perf_counter() - started, time.process_time() - cpu
    whole = PAGES * QUESTIONS / (n_pages * n_questions)
    print(f"{n_pages} pages of {VECTORS // POOL} vectors, {n_questions} questions of {TOKENS}")
    print(f"scored in {wall:.1f} s, {cpu:.1f} CPU s")
    print(f"{PAGES} pages and {QUESTIONS} questions: {wall * whole:.0f} s, {cpu * whole:.0f} CPU s")


def memory(n: int) -> None:
    """Peak memory of drawing, keeping and searching ``n`` pages, beside the model."""
    peak = Peak()
    peak.start()
    time.sleep(0.5)
    before = peak.mb
    source = Blank()
    pages = [PageImage(PageRef("d/x", i), f"{i:032x}", source) for i in range(n)]
    with tempfile.TemporaryDirectory() as folder:
        retriever = Synthetic()
        retriever.use_store(ArtefactStore(Path(folder)))
        started = time.process_time()
        retriever.index_images(pages)
        cpu_s = time.process_time() - started
        indexing = peak.mb
        retriever.search_many(["river", "interest rate"], 10)
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
    print(f"{n} pages of {VECTORS} vectors: {size / 1e6:.0f} MB on disk, {cpu_s:.0f} CPU s")
    print(f"memory: {before:.0f} MB before, {indexing:.0f} MB at most, {peak.mb:.0f} MB in all")


def main() -> None:
    """Both benchmarks; the second in a fresh process, whose memory is its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--only-memory", action="store_true")
    options = parser.parse_args()
    if options.only_memory:
        memory(options.pages)
        return
    scoring(options.share)
    command = ["-m", "benchmarks.image_retrieval", "--only-memory", "--pages", str(options.pages)]
    subprocess.run([sys.executable, *command], check=True)


if __name__ == "__main__":
    main()
