"""How long cells take, and how much memory: rows of a large study, generated and aggregated.

``python -m benchmarks.aggregation [--questions 8498] [--conditions 200] [--metrics 30]`` writes
random rows of so many questions, knowledge bases and metrics as a study does, one row group per
knowledge base, and computes their means, intervals and counts. Prints seconds and the greatest
memory of each of the two, measured in processes of their own.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ohr.study.output.cells import aggregate
from ohr.study.output.rows import schema

PAGES_A_DOCUMENT = 40
SOURCES = ("text", "table", "formula", "chart", "reading_order")
DOMAINS = ("academic", "finance", "law", "manual", "newspaper", "textbook", "administration")
NAMES = ("r_noise", "r_noise_content", "f1", "em", "lcs", "hit@2", "mrr@2", "ndcg@2")


def write_rows(path: Path, questions: int, conditions: int, metrics: int) -> None:
    """Rows as a study writes them."""
    rng = np.random.default_rng(0)
    names = [*NAMES, *(f"metric_{i}" for i in range(metrics))][:metrics]
    n = questions * metrics
    source, domain = rng.integers(0, 5, questions), rng.integers(0, 7, questions)
    groups = [f'["source:{s}", "domain:{d}"]' for s in SOURCES for d in DOMAINS]
    per_question = {
        "qid": (np.arange(questions), [f"question-{i:06d}" for i in range(questions)]),
        "doc_id": (np.arange(questions) // 10, [f"document-{i:05d}" for i in range(questions)]),
        "evidence_source": (source, SOURCES),
        "domain": (domain, DOMAINS),
        "answer_form": (np.zeros(questions, int), ("String",)),
        "task": (np.zeros(questions, int), ("",)),
        "groups": (source * len(DOMAINS) + domain, groups),
    }
    types = schema()
    constant = {
        "noise": "formatting", "perturbation": "formatting", "level": "", "engine": "gt",
        "system": "rag", "chunker": "tokens", "retriever": "bm25", "reader": "extractive",
        "kb_scope": "all", "protocol": "default",
    }  # fmt: skip
    with pq.ParquetWriter(path, types, compression="zstd", write_page_checksum=True) as file:
        for condition in range(conditions):
            columns = {
                name: texts(np.tile(codes, metrics), listed)
                for name, (codes, listed) in per_question.items()
            }
            columns |= {name: texts(np.zeros(n, int), [text]) for name, text in constant.items()}
            columns["metric"] = texts(np.repeat(np.arange(metrics), questions), names)
            stages = ["ocr" if name.startswith("r_noise") else "overall" for name in names]
            stage = np.array([stages[i] == "overall" for i in range(metrics)], int)
            columns["stage"] = texts(np.repeat(stage, questions), ["ocr", "overall"])
            columns["status"] = texts((rng.random(n) < 0.01).astype(int), ["ok", "error"])
            columns["intensity"] = pa.array(np.full(n, condition / conditions))
            columns["top_k"] = pa.array(np.full(n, 2))
            columns["seed"] = columns["draw"] = pa.array(np.zeros(n, np.int64))
            columns["page_no"] = pa.array(np.tile(np.arange(questions) % PAGES_A_DOCUMENT, metrics))
            columns["value"] = pa.array(rng.random(n))
            file.write_table(pa.table({name: columns[name] for name in types.names}, types))


def texts(codes: np.ndarray, names: list[str] | tuple[str, ...]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(list(names)))


def measured(name: str, work: Callable[[], object]) -> None:
    """Print how long a process of its own takes over it, and its greatest memory."""

    def run() -> None:
        started = time.process_time()
        work()
        seconds = time.process_time() - started
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{name}: {seconds:.1f} CPU s, at most {peak:.0f} MB", flush=True)

    process = multiprocessing.get_context("fork").Process(target=run)
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit(f"{name}: it has failed")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--questions", type=int, default=8498)
    parser.add_argument("--conditions", type=int, default=200)
    parser.add_argument("--metrics", type=int, default=30)
    options = parser.parse_args()
    rows = options.questions * options.conditions * options.metrics
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        measured(f"writing {rows:,} rows", lambda: write_rows(path, **vars(options)))
        print(f"file: {path.stat().st_size / 2**20:.0f} MB")
        measured("cells", lambda: print(f"{len(aggregate(path)):,} cells"))


if __name__ == "__main__":
    main()
