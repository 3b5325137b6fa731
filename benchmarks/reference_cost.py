"""CPU time of the retrieval study beside the published evaluation's steps, in the same run.

    python -m benchmarks.reference_cost [DATA] [--questions 200] [--domains finance law]

First our study of gt and MinerU, each time in a process of its own: under scoring=reference and
under default, from an empty cache and then in a new folder from the cache that the first left; and
of retrieval alone. Then the published steps (``benchmarks/_published.py``) on the same pages. They
index every page, but search and score every n-th question only, about as many as ``--questions``
says (0: all); the seconds of these two steps are scaled up to all questions. Our study also scores
the page text, and makes intervals, tables and figures.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks import _published as published

BASES = ("gt", "MinerU")


def main(argv: Sequence[str] | None = None) -> None:
    """Print our stages, the published steps, and the ratio of the totals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "data", nargs="?", type=Path, default=os.environ.get("OHR_DATA", "../shared/data")
    )
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--domains", nargs="+", default=())
    options = parser.parse_args(argv)
    bench = options.data / "ohrbench"
    everything = json.loads((bench / "qas_dev.json").read_text("utf-8"))
    known_domains = [path.name for path in sorted((bench / "retrieval_base" / "gt").iterdir())]
    if unknown := set(options.domains) - set(known_domains):
        parser.error(f"unknown domain {min(unknown)!r}; known: {', '.join(known_domains)}")
    domains = [name for name in known_domains if not options.domains or name in options.domains]
    questions = [
        question for question in everything if question["doc_name"].split("/")[0] in domains
    ]

    totals = {}
    walls = {}
    with tempfile.TemporaryDirectory() as folder:
        part = Path(folder, "questions.json")
        part.write_text(json.dumps(questions), "utf-8")
        base = _part_of(bench / "retrieval_base", domains, Path(folder, "base"))
        for scoring in ("reference", "default"):
            for name, stages, cache in (
                ("", "[ocr,retrieval]", "cold"),
                (", cache of the first", "[ocr,retrieval]", "cold"),
                (", stages=[retrieval]", "[retrieval]", "retrieval"),
            ):
                title = f"scoring={scoring}{name}"
                out, store = Path(folder, title), Path(folder, f"{scoring} {cache}")
                spent, walls[title] = _study(base, part, (scoring, stages), store, out)
                totals[title] = _print_costs(f"ours, {title}", spent)
    every = max(1, len(questions) // options.questions) if options.questions else 1
    steps = _published(bench / "retrieval_base", domains, questions, every)
    sample = f"one of {every} searched and scored" if every > 1 else "all searched and scored"
    theirs = _print_costs(f"published steps, {len(questions)} questions, {sample}", steps)
    for title, ours in totals.items():
        cold = totals[title.partition(",")[0]]
        print(
            f"{title}: {ours / cold:.2f} of the first study's CPU time, wall / CPU "
            f"{walls[title] / ours:.2f}, published steps / ours {theirs / ours:.1f}"
        )


def _part_of(base: Path, domains: Sequence[str], folder: Path) -> Path:
    """A folder of links to these domains' pages."""
    for name in BASES:
        (folder / name).mkdir(parents=True)
        for domain in domains:
            (folder / name / domain).symlink_to((base / name / domain).resolve())
    return folder


def _study(
    base: Path, questions: Path, settings: tuple[str, str], cache: Path, out: Path
) -> tuple[dict[str, float], float]:
    """CPU seconds of each stage of our study, and the wall clock's.

    ``settings`` are scoring and stages. What no stage counts is start, tables and figures.
    """
    scoring, stages_option = settings
    before = os.times()
    subprocess.run(
        [
            sys.executable, "-m", "experiments.ocr_benchmark", "dataset.kind=ohrbench",
            f"dataset.path={base}", f"dataset.questions={questions}",
            "engines=[gt,precomputed:MinerU]", "retrievers=[bm25]", f"stages={stages_option}",
            f"scoring={scoring}", f"cache={cache}", "--out", str(out),
        ],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    after = os.times()
    manifest = json.loads((out / "manifest.json").read_text("utf-8"))
    stages = {name: float(spent["cpu_s"]) for name, spent in manifest["seconds"].items()}
    whole = after.children_user + after.children_system
    whole -= before.children_user + before.children_system
    rest = {"start, tables, figures": whole - sum(stages.values())}
    return stages | rest, after.elapsed - before.elapsed


def _published(
    base: Path, domains: Sequence[str], questions: Sequence[dict[str, str]], every: int
) -> dict[str, float]:
    """CPU seconds of each published step; search and score scaled up to all questions."""
    spent = dict.fromkeys(("load, chunk, index", "search", "score"), 0.0)
    for name in BASES:
        for domain in domains:
            own = [
                question for question in questions if question["doc_name"].split("/")[0] == domain
            ]
            sample = own[::every]
            started = time.process_time()
            index = published.index(base / name, domain)
            indexed = time.process_time()
            hits = [published.retrieve(index, question["questions"]) for question in sample]
            searched = time.process_time()
            for question_hits, question in zip(hits, sample, strict=True):
                published.score(question_hits, question["evidence_context"])
            scored = time.process_time()
            scale = len(own) / len(sample) if sample else 0.0
            spent["load, chunk, index"] += indexed - started
            spent["search"] += (searched - indexed) * scale
            spent["score"] += (scored - searched) * scale
    return spent


def _print_costs(title: str, costs: dict[str, float]) -> float:
    """Print CPU seconds with their total, and return it."""
    total = sum(costs.values())
    print(f"{title}: CPU s")
    for name, seconds in (*costs.items(), ("total", total)):
        print(f"  {name:24} {seconds:7.2f}")
    return total


if __name__ == "__main__":
    main()
