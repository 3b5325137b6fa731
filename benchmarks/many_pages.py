"""How many pages a study plans, reads and finds again, with an engine that takes no time.

    python -m benchmarks.many_pages [PAGES] [--workers 2] [--folder FOLDER]

The engine gets PDFs, reads nothing of them, and returns 2,000 characters. What remains is the
toolkit's own cost: keys, worker processes, leases, the store. Target, on two cores: 1,000,000 pages
in 15 minutes with the driver under 1 GB, and 60 s to see that nothing is left to do.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF

import numpy as np

from ohr.collection import Dataset
from ohr.plugins import OcrBackend
from ohr.store.artefacts import ArtefactStore
from ohr.study.config import make_config
from ohr.study.knowledge_bases import KnowledgeBases
from ohr.study.plan import make_plan
from ohr.types import Document, Outcome, Page, PageRef, Question

PAGES_A_DOCUMENT = 500
TEXT = "A line of forty characters, as pages go.".ljust(40) * 50


class NullEngine(OcrBackend):
    """Returns the same text for every page, except for its number."""

    name = "null"
    accepts = frozenset({"pdf"})

    def transcribe(
        self, source: Path | Sequence[np.ndarray], page_nos: Sequence[int]
    ) -> Iterator[tuple[int, Outcome[str]]]:
        for page_no in page_nos:
            yield page_no, Outcome.of_text(f"{page_no} {TEXT}")


def dataset(folder: Path, pages: int) -> Dataset:
    """Documents of many pages each, and one question."""
    folder.mkdir(parents=True, exist_ok=True)
    documents = []
    for start in range(0, pages, PAGES_A_DOCUMENT):
        doc_id = f"null/doc{start // PAGES_A_DOCUMENT}"
        path = folder / f"{start}.pdf"
        path.write_bytes(b"%%PDF-1.4 of page %d on" % start)
        numbers = range(min(PAGES_A_DOCUMENT, pages - start))
        of = tuple(Page(PageRef(doc_id, number), "") for number in numbers)
        documents.append(Document(doc_id, "null", of, path))
    evidence = (PageRef("null/doc0", 0),)
    question = Question("q", "?", ("this",), "null/doc0", "null", evidence, "this", "text")
    return Dataset(documents, [question], kind="null")


class Steps:
    """Seconds, CPU seconds of the driver and of its workers, and the driver's most memory."""

    def __init__(self) -> None:
        self._at = self._now()

    def end(self, what: str) -> None:
        now = self._now()
        wall, own, workers = (after - before for after, before in zip(now, self._at, strict=True))
        self._at = now
        held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{what:<34}{wall:9.1f} s{own:9.1f} s{workers:9.1f} s{held:8.0f} MB", flush=True)

    @staticmethod
    def _now() -> tuple[float, float, float]:
        own, ended = (resource.getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN))
        return (
            time.perf_counter(),
            own.ru_utime + own.ru_stime,
            ended.ru_utime + ended.ru_stime,
        )


def main() -> None:
    """Print seconds and megabytes of each step."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="?", type=int, default=20_000)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--folder", type=Path, default=None)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        steps = Steps()
        print(f"{'':<34}{'wall':>11}{'driver':>11}{'workers':>11}{'driver':>11}")
        data = dataset(Path(folder) / "pdfs", options.pages)
        steps.end(f"{options.pages} pages made")
        config = make_config(
            {
                "engines": ["benchmarks.many_pages.NullEngine"],
                "stages": ["ocr"],
                "cache": Path(folder) / "cache",
                "workers": options.workers,
            }
        )
        plan = make_plan(config, data)
        steps.end("planned")
        KnowledgeBases(plan, ArtefactStore(config.cache)).make(lambda *of: None)
        steps.end("read")
        KnowledgeBases(plan, ArtefactStore(config.cache)).make(lambda *of: None)
        steps.end("found that nothing is to be done")


if __name__ == "__main__":
    from benchmarks import many_pages  # the worker processes import the engine by this name

    many_pages.main()
