"""Whether the toolkit got slower: 15 tasks, each beside a calibration loop of the same run.

    python -m benchmarks.guard [--renew] [NAME ...]

A task's figure is its CPU time over that of the loop, so that the speed of the machine cancels out.
The expected figures are in ``benchmarks/guard.json``. A task fails where it takes more than twice
as long; it is measured again first, since other programs slow it down. A smaller margin would not
do: on another processor the same code takes .66 to 1.67 times as long by this measure. Exit code 1
if any fails. ``--renew`` writes the file; a change that makes a task slower says why in its
commit.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

import cv2
import numpy as np
from rich.table import Table

from ohr import registry
from ohr.display.terminal import show
from ohr.markup.strip import strip_markup
from ohr.metrics import default, reference
from ohr.metrics.tables import table_similarity
from ohr.types import Chunk, PageRef
from rag.retrievers._bm25_index import Bm25Index, Shape
from rag.retrievers.terms import analyser

FIGURES = Path(__file__).with_suffix(".json")
MARGIN = 2
TRIES = 8
"""Measurements of a task, of which the least counts; it ends sooner within the margin."""
RENEWALS = 5
"""Measurements of a task, of which the median is kept."""
PAGES = 300

Task = Callable[[], object]


def calibration() -> None:
    """About as much of Python, strings, dictionaries and numpy as the tasks have."""
    counts: dict[str, int] = {}
    for number in range(120_000):
        word = f"w{number % 4001}"
        counts[word] = counts.get(word, 0) + len(word)
    text = " ".join(counts)
    for _ in range(120):
        text.upper().split()
    values = np.arange(300_000) % 7919
    for _ in range(30):
        np.cumsum(values)
        np.bincount(values)


def cpu_s(task: Task) -> float:
    """CPU seconds of a task, those of its processes among them."""
    before = _spent_s()
    task()
    return _spent_s() - before


def _spent_s() -> float:
    spent = (getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN))  # to the microsecond
    return sum(usage.ru_utime + usage.ru_stime for usage in spent)


def page(rng: random.Random, words: int = 400) -> str:
    """A page of Markdown: a heading, prose, a table and a formula."""
    prose = " ".join(
        "".join(rng.choices("etaoinshrdlu", k=rng.randint(2, 9))) + rng.choice(["", "", ",", "."])
        for _ in range(words)
    )
    rows = "\n".join(f"| item {n} | {rng.randint(0, 99999):,} |" for n in range(8))
    return (
        f"# Part {rng.randint(1, 99)}\n\n{prose}\n\n| a | b |\n|---|---|\n{rows}\n\n$x_1^2 = y$\n"
    )


def misread(rng: random.Random, text: str, share: float = 0.05) -> str:
    """A text with a share of its characters replaced."""
    return "".join(rng.choice("etaoin ") if rng.random() < share else char for char in text)


def grid(rng: random.Random, rows: int = 100, columns: int = 12) -> str:
    """A table of numbers in Markdown."""
    lines = ["| " + " | ".join(str(rng.randint(0, 9999)) for _ in range(columns)) + " |"] * 2
    lines[1] = "|" + "---|" * columns
    cells = ([str(rng.randint(0, 9999)) for _ in range(columns)] for _ in range(rows))
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in cells)])


def write_study(folder: Path, texts: Sequence[str], read: Sequence[str]) -> list[str]:
    """A knowledge base of these pages, one that misreads them, and a question on each tenth."""
    entries = []
    for name, pages in (("gt", texts), ("read", read)):
        for start in range(0, len(pages), 10):
            path = folder / "base" / name / ("law", "news")[start // 10 % 2] / f"{start}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            some = enumerate(pages[start : start + 10])
            path.write_text(json.dumps([{"page_idx": n, "text": text} for n, text in some]))
    for start in range(0, len(texts), 10):
        evidence = texts[start].split("\n\n")[1][:300]
        domain = ("law", "news")[start // 10 % 2]
        entries.append(
            {
                "doc_name": f"{domain}/{start}", "ID": str(start), "questions": evidence[:60],
                "answers": evidence[:10], "doc_type": domain, "answer_form": "String",
                "evidence_source": "text", "evidence_context": evidence, "evidence_page_no": 0,
            }
        )  # fmt: skip
    (folder / "questions.json").write_text(json.dumps(entries))
    return [
        *("dataset.kind=ohrbench", f"dataset.path={folder / 'base'}"),
        f"dataset.questions={folder / 'questions.json'}",
        "engines=[gt,precomputed:read]",
    ]


def command(*arguments: str) -> None:
    """Run a module in a process of its own, as a user does. Raises RuntimeError if it fails."""
    ended = subprocess.run([sys.executable, "-m", *arguments], capture_output=True, text=True)
    if ended.returncode:
        raise RuntimeError(f"{arguments[0]} exited with {ended.returncode}: {ended.stderr}")


def tasks(folder: Path) -> dict[str, Task]:
    """Each task by its name."""
    rng = random.Random(0)
    texts = [page(rng) for _ in range(PAGES)]
    read = [misread(rng, text) for text in texts]
    pairs = list(zip(read, texts, strict=True))
    words = [(default.tokens(predicted), default.tokens(expected)) for predicted, expected in pairs]
    chunks = [Chunk(PageRef("d/x", n), 0, len(text), text) for n, text in enumerate(texts * 4)]
    queries = [" ".join(text.split()[20:28]) for text in read * 4]
    tables = grid(rng), grid(random.Random(1))
    settings = write_study(folder, texts, read)
    grey = np.full((1754, 1240), 255, np.uint8)
    grey[::40, 100:1100] = 0
    distortion = registry.create("perturbation", "semantic")
    formatting = registry.create("perturbation", "formatting")
    bm25 = registry.create("retriever", "bm25")
    bm25.index(chunks)

    def index() -> None:
        # Not the one that is kept in this process: it has seen the texts.
        terms = analyser.__wrapped__("english_unstemmed", 4)
        ids = (terms.ids(chunk.text) for chunk in chunks[:PAGES])
        Bm25Index(ids, Shape("lucene", 1.5, 0.75, 0.5), lambda *_: None)

    def study(cache: Path, stages: str = "[ocr,retrieval]") -> None:
        options = (*settings, f"stages={stages}", f"cache={cache}")
        out = tempfile.mkdtemp(dir=folder)
        command("experiments.ocr_benchmark", *options, "--out", f"{out}/run")

    study(folder / "warm")
    return {
        "start": lambda: command("experiments.noise_curve", "--help"),
        "study, cold": lambda: study(Path(tempfile.mkdtemp(dir=folder))),
        "study, warm": lambda: study(folder / "warm"),
        "study, retrieval alone": lambda: study(
            Path(tempfile.mkdtemp(dir=folder)), "[retrieval]"
        ),
        "tokens": lambda: [default.tokens(text) for text in texts],
        "strip mark-up": lambda: [strip_markup(text) for text in texts],
        "LCS": lambda: [default.token_lcs(*pair) for pair in words for _ in range(3)],
        "edit distance": lambda: [reference.edit_distance(*pair) for pair in pairs],
        "word error rate": lambda: [default.wer(*pair) for pair in pairs],
        "TEDS": lambda: table_similarity(*tables),
        "chunking": lambda: registry.create("chunker", "tokens").chunks(
            [(PageRef("d/x", n), text * 3) for n, text in enumerate(texts)]
        ),
        "BM25 index": index,
        "BM25 search": lambda: bm25.search_many(queries, 10),
        "distortion": lambda: distortion.apply(
            grey, intensity=1.0, rng=np.random.default_rng(0)
        ),
        "formatting noise": lambda: [
            formatting.apply(text, intensity=1.0, rng=np.random.default_rng(n))
            for n, text in enumerate(texts)
        ],
    }  # fmt: skip


def measure(task: Task) -> float:
    """CPU time of a task over that of the loop just before it."""
    return cpu_s(task) / min(cpu_s(calibration) for _ in range(2))


def least(task: Task, limit: float) -> float:
    """The least of some measurements, until one is within a limit."""
    figure = float("inf")
    for _ in range(TRIES):
        figure = min(figure, measure(task))
        if figure <= limit:
            break
    return figure


def main(argv: Sequence[str] | None = None) -> int:
    """Print each task's figure beside the expected one. Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="tasks to measure, by default all")
    parser.add_argument("--renew", action="store_true", help="keep these figures")
    options = parser.parse_args(argv)
    expected: dict[str, float] = json.loads(FIGURES.read_text("utf-8")) if FIGURES.exists() else {}
    table = Table("task", "loops", "expected", "ratio", "", box=None)
    slower = []
    cv2.setNumThreads(1)  # what its threads take depends on the others
    with tempfile.TemporaryDirectory() as folder:
        all_tasks = tasks(Path(folder))
        if unknown := set(options.names) - set(all_tasks):
            parser.error(f"unknown task {min(unknown)!r}; known: {', '.join(all_tasks)}")
        for name, task in all_tasks.items():
            if options.names and name not in options.names:
                continue
            if not options.renew and name not in expected:
                parser.error(f"{FIGURES.name} has no figure of {name!r}: give --renew")
            if options.renew:
                figure = statistics.median(measure(task) for _ in range(RENEWALS))
            else:
                figure = least(task, MARGIN * expected[name])
            before = expected.get(name, figure)
            if options.renew:
                expected[name] = round(figure, 3)
            if figure > MARGIN * before:
                slower.append(f"{name} ({figure:.2f}, expected {before:.2f})")
            note = f"over {MARGIN}" if figure > MARGIN * before else ""
            table.add_row(name, f"{figure:.2f}", f"{before:.2f}", f"{figure / before:.2f}", note)
    show(table)
    if options.renew:
        expected = {name: figure for name, figure in expected.items() if name in all_tasks}
        FIGURES.write_text(json.dumps(expected, indent=2) + "\n", "utf-8")
        return 0
    if slower:
        print(f"more than {MARGIN} times as slow as expected: {', '.join(slower)}")
        print("if this is meant: python -m benchmarks.guard --renew, and say why in the commit")
    return int(bool(slower))


if __name__ == "__main__":
    sys.exit(main())
