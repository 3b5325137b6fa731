"""CPU time of the published retrieval study, by stage, beside the reference evaluation's.

    python -m benchmarks.reference_cost [DATA]

Runs gt and MinerU with scoring=reference from an empty cache in a process of its own. The
reference's CPU seconds were measured once on all 9,000 pages and 4,535 questions of one
knowledge base (DATA/README.md); here they are scaled to this run's pages and questions. It loads,
chunks, indexes, retrieves and scores the retrieval, as our stages do but for the OCR scores,
the intervals and the figures.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

REFERENCE_PAGES, REFERENCE_QUESTIONS = 9000, 4535
REFERENCE_CPU_S = {"load, chunk, index": 29.0, "retrieve": 79.0, "score": 5.5}


def main() -> None:
    """Print our stages, the reference's, and the ratio of the totals."""
    data = Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("OHR_DATA", "../shared/data"))
    with tempfile.TemporaryDirectory() as folder:
        before = os.times()
        subprocess.run(
            [
                sys.executable, "-m", "experiments.ocr_benchmark", "dataset.kind=ohrbench",
                f"dataset.path={data / 'ohrbench' / 'retrieval_base'}",
                f"dataset.questions={data / 'ohrbench' / 'qas_dev.json'}",
                "engines=[gt,precomputed:MinerU]", "retrievers=[bm25]", "stages=[ocr,retrieval]",
                "scoring=reference", f"cache={folder}/cache", "--out", f"{folder}/run",
            ],
            check=True,
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        after = os.times()
        manifest = json.loads(Path(folder, "run", "manifest.json").read_text("utf-8"))
    ours = after.children_user + after.children_system
    ours -= before.children_user + before.children_system
    stages = {name: spent["cpu_s"] for name, spent in manifest["seconds"].items()}
    stages["imports, figures, table"] = ours - sum(stages.values())
    bases = len(manifest["knowledge_bases"])
    pages = manifest["dataset"]["pages"] / REFERENCE_PAGES * bases
    questions = manifest["dataset"]["asked"] / REFERENCE_QUESTIONS * bases
    reference = {
        "load, chunk, index": REFERENCE_CPU_S["load, chunk, index"] * pages,
        # Its search compares each question with every chunk of the domain.
        "retrieve": REFERENCE_CPU_S["retrieve"] * questions * pages / bases,
        "score": REFERENCE_CPU_S["score"] * questions,
    }
    for title, costs in (("ours", stages), ("reference, scaled", reference)):
        print(f"{title}, CPU s")
        for name, seconds in costs.items():
            print(f"  {name:24} {seconds:7.2f}")
        print(f"  {'total':24} {sum(costs.values()):7.2f}")
    total = sum(reference.values())
    same = sum(stages[name] for name in ("plan", "read", "knowledge base", "score"))
    print(f"loading to retrieval scores: {same:.2f} s, {same / total:.3f} of the reference's")
    print(f"all, with OCR scores, intervals and figures: {ours:.2f} s, {ours / total:.3f}")


if __name__ == "__main__":
    main()
