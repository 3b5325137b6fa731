"""What a language model costs on this machine, in process and behind llama.cpp's server.

    OMP_NUM_THREADS=1 python -m benchmarks.language_models MODEL.gguf [MODEL.gguf ...] DATA

``DATA`` is the folder of real data. ``--questions`` (60) questions, drawn evenly over domains and
evidence sources, are asked on their whole gold pages, with ``--prompt``. Seconds are of the CPU;
tokens read leave out those that a prompt shares with the one before. Target: answers that repeat,
and are the same by both roads, except where four-bit weights, multiplied in other precisions,
change a token.
"""

from __future__ import annotations

import argparse
import importlib.util
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from rich.table import Table

from benchmarks.llama_cpp import served
from ohr import registry
from ohr.display.terminal import show
from ohr.metrics.default import f1
from ohr.plugins import Reply
from ohr.study.config import load_config
from ohr.study.loading import load_dataset
from ohr.study.questions import select_questions
from ohr.types import Hit, Question

LONGEST = 32
"""Tokens that an answer may have."""
WINDOW = 8192


@dataclass(frozen=True)
class Road:
    """A reader, and the process that computes for it."""

    name: str
    reader: Any
    process: psutil.Process

    def cpu_s(self) -> float:
        """CPU seconds of the process so far."""
        times = self.process.cpu_times()
        return float(times.user + times.system)


def main() -> None:
    """Print a row for each model and road."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="+", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--prompt", default="few_shot")
    parser.add_argument("--road", choices=("transformers", "llama.cpp"), action="append")
    options = parser.parse_args()
    pairs = list(questions(options.data, options.questions))
    table = Table("model", "road", "loading", "memory, MB", "tokens in", "to read", "a token out",
                  "a question", "F1", "repeats", "same as above", box=None)  # fmt: skip
    for model in options.models:
        before: dict[int, Reply] = {}
        for name in options.road or ("transformers", "llama.cpp"):
            started = time.monotonic()
            with road(name, model, options.prompt) as route:
                row, replies = measured(route, pairs, started)
            same = sum(r.outcome == replies[at].outcome for at, r in before.items())
            table.add_row(model.stem, *row, f"{same} of {len(before)}" if before else "")
            before = replies
    show(table)


def questions(data: Path, number: int) -> Iterator[tuple[Question, Hit]]:
    """Questions with their gold pages as one passage."""
    base = data / "ohrbench"
    config = load_config(
        ["dataset.kind=ohrbench", f"dataset.path={base / 'retrieval_base'}", "dataset.even=true",
         f"dataset.questions={base / 'qas_dev.json'}", f"dataset.limit={number}"]
    )  # fmt: skip
    dataset = load_dataset(config)
    for question in select_questions(config, dataset):
        pages = question.evidence_pages
        text = "\n\n".join(dataset.pages[ref].text for ref in pages)
        yield question, Hit(pages[0], text, 1.0, 0)


@contextmanager
def road(name: str, model: Path, prompt: str) -> Iterator[Road]:
    """A model ready to answer: in this process, or behind a server."""
    if name == "transformers":
        params: dict[str, Any] = {"model": str(model), "dtype": "bfloat16", "prompt": prompt}
        params |= {"max_new_tokens": LONGEST}
        reader = registry.create("reader", {"name": name, "params": params})
        reader.answer("Who?", [])
        yield Road(name, reader, psutil.Process())
        return
    if importlib.util.find_spec("xllamacpp") is None:
        raise SystemExit("no llama.cpp: pip install --no-deps xllamacpp")
    with (
        tempfile.TemporaryDirectory() as folder,
        served(model, Path(folder) / "log", WINDOW) as server,
    ):
        params = {"model": model.stem, "base_url": server.url, "prompt": prompt}
        params |= {"max_tokens": LONGEST, "concurrency": 1, "timeout_s": 600}
        reader = registry.create("reader", {"name": "openai", "params": params})
        reader.answer("Who?", [])
        yield Road(name, reader, psutil.Process(server.pid))


def measured(
    route: Road, pairs: Sequence[tuple[Question, Hit]], started: float
) -> tuple[list[str], dict[int, Reply]]:
    """A row, and the reply to each question by its place."""
    loading, before = time.monotonic() - started, route.cpu_s()
    texts, contexts = [question.text for question, _ in pairs], [[hit] for _, hit in pairs]
    replies = {reply.index: reply for reply in route.reader.answer_many(texts, contexts)}
    seconds = route.cpu_s() - before
    again = {r.index: r for r in route.reader.answer_many(texts[:5], contexts[:5])}
    repeats = sum(reply.outcome == replies[at].outcome for at, reply in again.items())
    used = {
        name: sum(reply.usage.get(name, 0.0) for reply in replies.values())
        for name in ("prompt_tokens", "completion_tokens", "prefill_s", "decode_s")
    }
    scores = [
        max(f1(replies[at].outcome.value or "", answer) for answer in question.answers)
        for at, (question, _) in enumerate(pairs)
    ]
    row = [
        route.name,
        f"{loading:.0f} s",
        f"{route.process.memory_info().rss / 1e6:,.0f}",
        f"{used['prompt_tokens']:,.0f}",
        f"{used['prefill_s']:.0f} s",
        f"{used['decode_s'] / max(used['completion_tokens'], 1):.3f} s",
        f"{seconds / len(pairs):.1f} s",
        f"{sum(scores) / len(scores):.3f}",
        f"{repeats} of {len(again)}",
    ]
    return row, replies


if __name__ == "__main__":
    main()
