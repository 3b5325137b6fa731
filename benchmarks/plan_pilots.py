"""Makes ``ohr/analysis/planning/kept.json``: how much documents differ in their losses, of runs.

``python -m benchmarks.plan_pilots "typeset pages=RUN" "receipts=TWINS,SCANS"``: a run with noise,
or two runs of the same documents, clean and noisy. Of a run with other text noise only the first
engine's curves are taken. Entries of other names stay as they are.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from ohr.analysis.comparison.planned import planned_comparisons
from ohr.analysis.planning.pilots import FILE, METRICS, Pilot, curves_of, pilot_of
from ohr.errors import OhrError
from ohr.study.opening import open_runs
from ohr.study.results import StudyRun


def two_runs(name: str, clean: StudyRun, noisy: StudyRun, engine: str = "tesseract") -> Pilot:
    """A pilot of two runs: each document's loss from the first to the second."""
    curves = {}
    for key in METRICS:
        planned = planned_comparisons([clean, noisy], "run", [key])
        chosen = [
            each
            for each in planned
            if each.record
            and each.record["engine"] == engine
            and each.record["group"] == "all"
            and each.record["retriever"] in ("bm25", "")
        ]
        if (measured := curves_of(chosen)) is not None:
            curves[key] = measured
    rows = noisy.rows[noisy.rows["qid"].astype(str) != ""]
    bases = noisy.manifest["knowledge_bases"]
    pages = max(int(base.get("pages", 0)) for base in bases.values())
    taken = bases.get(f"{engine}, clean", {}).get("taken") or {}
    seconds = {engine: taken["median_cpu_s"]} if taken.get("pages") else {}
    documents, questions = int(rows["doc_id"].nunique()), int(rows["qid"].nunique())
    return Pilot(name, documents, questions, pages, seconds, curves)


def main() -> None:
    """Write the pilots that are named."""
    parser = argparse.ArgumentParser()
    parser.add_argument("runs", nargs="+", metavar="NAME=RUN[,NOISY]")
    parser.add_argument("--out", type=Path, default=FILE)
    given = parser.parse_args()
    entries = json.loads(given.out.read_text("utf-8")) if given.out.exists() else {}
    for argument in given.runs:
        name, _, folders = argument.partition("=")
        runs = open_runs([Path(folder) for folder in folders.split(",")])
        if not name or len(runs) > 2:
            raise OhrError(f"{argument!r} is not NAME=RUN or NAME=CLEAN,NOISY")
        pilot = pilot_of(runs[0], METRICS) if len(runs) == 1 else two_runs(name, runs[0], runs[1])
        entries[name] = pilot.to_json()
        for key, curves in pilot.curves.items():
            print(name, *key, curves.levels.shape, f"spread {curves.spread():.3f}")
    given.out.write_text(json.dumps(entries) + "\n", "utf-8")


if __name__ == "__main__":
    main()
