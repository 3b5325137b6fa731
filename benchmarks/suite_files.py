"""Writes the frozen files of a new suite: ``materials.json``, and its frozen engine's scores.

``python -m benchmarks.suite_files ohr-c-1 [--track quick] [--run RUN]``: without a run it writes
the materials; with a finished run of the frozen engine, the baseline of the track. Files that exist
are never written again: a suite does not change.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from ohr.errors import OhrError
from ohr.study.config import make_config
from ohr.study.loading import read_dataset
from ohr.study.opening import open_runs
from ohr.suites.check import BASELINES
from ohr.suites.materials import FILE, check_materials, describe
from ohr.suites.submission import submission_of
from ohr.suites.suite import FOLDER, load_suite


def main() -> int:
    """Write one of the files."""
    parser = argparse.ArgumentParser()
    parser.add_argument("suite")
    parser.add_argument("--track", default="full", choices=("full", "quick"))
    parser.add_argument("--run", type=Path)
    parser.add_argument("--cache", type=Path, default=Path(".ohr-cache"))
    given = parser.parse_args()
    suite = load_suite(given.suite)
    path = FOLDER / suite.name / (FILE if given.run is None else BASELINES[given.track])
    if path.exists():
        raise OhrError(f"{path} exists: a suite does not change")
    dataset = read_dataset(make_config({**suite.study, "cache": given.cache}))
    if given.run is None:
        path.write_text(json.dumps(describe(suite, dataset), indent=0) + "\n", "utf-8")
        return 0
    (run,) = open_runs([given.run])
    about = {"name": suite.frozen_engine, "licence": "Apache-2.0"}
    submission_of(run, suite, given.track, check_materials(suite, dataset), about).write(path)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
