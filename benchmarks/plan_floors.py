"""Writes the smallest losses that studies can show, which a study prints before it reads.

``python -m benchmarks.plan_floors [--studies 200]`` simulates studies of several sizes from the
kept pilots of ``ohr plan`` and writes ``ohr/study/notices/floors.json``: for each pilot, number of
documents, of curves and of levels the smallest loss of retrieval LCS with power .8.
"""

from __future__ import annotations

import argparse
import json

from ohr.analysis.planning.pilots import kept_names, kept_pilot
from ohr.analysis.planning.table import reshaped
from ohr.statistics.power import smallest_difference
from ohr.study.notices.loss_floors import FILE

DOCUMENTS = (6, 8, 12, 20, 35, 60, 100, 200, 400, 1000)
CURVES = (1, 4)
LEVELS = (1, 4)
METRIC = ("retrieval", "lcs")


def main() -> int:
    """Write the file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--studies", type=int, default=200)
    parser.add_argument("--documents", type=int, nargs="+", default=DOCUMENTS)
    parser.add_argument("--out", default=FILE)
    given = parser.parse_args()
    floors: dict[str, list[list[float]]] = {}
    for name in kept_names():
        measured = kept_pilot(name).curves[METRIC]
        floors[name] = []
        for curves in CURVES:
            for levels in LEVELS:
                pilot = reshaped(measured, curves, levels)
                for documents in given.documents:
                    smallest = smallest_difference(pilot, documents, studies=given.studies)
                    value = 1.0 if smallest is None else round(smallest, 3)
                    floors[name].append([documents, curves, levels, value])
                    print(name, documents, curves, levels, value, flush=True)
    text = json.dumps(floors).replace("], [", "],\n [").replace("]], ", "]],\n")
    with open(given.out, "w", encoding="utf-8") as file:
        file.write(text + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
