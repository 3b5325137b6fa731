"""The verdict of a recommendation, for the report of the run of retrieval that it rests on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ohr.errors import OhrError
from ohr.files.bounded import read_bounded

AS_TEXT = "recommendation.txt"
AS_JSON = "recommendation.json"
RUN = "retrieval"
"""The folder of the run in that of a recommendation."""
MOST_BYTES = 10_000_000


def report_verdict(content: Any) -> tuple[str, ...]:
    """The sentences for the top of a report, of the content of ``recommendation.json``.

    They end with the next command. Empty for anything else. The sentences are untrusted.
    """
    match content:
        case {"sentences": {"verdict": [*sentences]}}:
            verdict = [sentence for sentence in sentences if isinstance(sentence, str)]
        case _:
            return ()
    match content:
        case {"next": {"command": str(command), "price": str(price)}}:
            verdict.append(f"Next: {command} ({price})")
    return tuple(verdict)


def recommended_runs(folders: Sequence[Path]) -> tuple[list[Path], tuple[str, ...]]:
    """The folders of runs, and the verdict of the recommendation that they are of, if it is one.

    The folder of a recommendation stands for its run. Raises OhrError for one without a run, which
    has nothing to show but its text.
    """
    runs, verdicts = [], []
    for folder in folders:
        own = folder / AS_JSON
        if own.is_file():
            if not (folder / RUN / "manifest.json").is_file():
                raise OhrError(
                    f"{folder} is a recommendation without retrieval, which a report is about: "
                    f"read {folder / AS_TEXT}"
                )
            runs.append(folder / RUN)
            verdicts.append(_verdict(own))
            continue
        runs.append(folder)
        beside_run = folder.resolve().parent / AS_JSON
        verdicts.append(_verdict(beside_run) if folder.resolve().name == RUN else ())
    return runs, verdicts[0] if len(verdicts) == 1 else ()


def _verdict(path: Path) -> tuple[str, ...]:
    try:
        return report_verdict(json.loads(read_bounded(path, MOST_BYTES)))
    except (OSError, ValueError, RecursionError):  # a run does not need it
        return ()
