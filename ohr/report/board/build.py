"""Builds a board: a folder with a page that opens from disk, and its figures as data."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from ohr.analysis.board.runs import Entry, Rerun, digests_of, open_entries, reruns, study_of
from ohr.analysis.board.table import Ranking, board_frame, has_baseline, rankings, records_of
from ohr.analysis.noise_cost.baselines import named_baseline
from ohr.analysis.noise_cost.table import BASELINE
from ohr.display.terminal import files_line
from ohr.files.safe_text import plain
from ohr.report.board.page import SCRIPTS, SHEETS, page
from ohr.store.atomic import write_bytes, write_text
from ohr.store.csv import write_csv
from ohr.study.opening import unverified_lines

VERSION = 1
"""Of the layout of board.json."""


def build_board(
    paths: Sequence[Path],
    out: Path,
    metrics: Sequence[str] = (),
    title: str = "",
    baseline: str = "",
) -> list[str]:
    """Write the board of the runs in these folders; returns the lines that a command prints.

    ``metrics`` are as ``overall:f1``; by default the usual ones of retrieval and answers. The same
    runs give the same bytes. ``baseline`` names another baseline than the frozen one, such as
    ``gt``. Raises OhrError: no run, not a run, a run twice, an unknown metric or baseline, or a
    folder that cannot be written.
    """
    entries = open_entries(paths)
    complete = {entry.name: entry.run for entry in entries if entry.run and not entry.lacks}
    with_baseline = [
        entry.name for entry in entries if entry.run and entry.lacks and has_baseline(entry.run)
    ]
    named = named_baseline(list(complete.values()), baseline) if baseline else BASELINE
    tables = rankings(complete, metrics, with_baseline, named) if complete else []
    again = reruns(entries)
    title = title or f"Board: {', '.join(entry.name for entry in entries)}"
    app = files("ohr.report") / "app"
    for name in (*SCRIPTS, *SHEETS):
        write_bytes(out / "app" / name, (app / name).read_bytes())
    write_csv(out / "board.csv", board_frame(tables))
    write_text(out / "board.json", _board_json(entries, tables, again, baseline))
    write_text(out / "index.html", page(title, entries, tables, again, baseline))
    return list(_lines(out, entries, tables, again))


def _board_json(
    entries: Sequence[Entry], tables: Sequence[Ranking], again: Sequence[Rerun], baseline: str
) -> str:
    """The board with every digit."""
    value = {
        "version": VERSION,
        **({"baseline": baseline} if baseline else {}),
        "runs": [
            {
                "name": entry.name,
                "complete": not entry.lacks,
                "verified": entry.state == "complete",
                "lacks": list(entry.lacks),
                "study": study_of(entry.run) if entry.run else None,
                "data": entry.run.manifest.get("dataset", {}).get("digest") if entry.run else None,
                "digests": digests_of(entry.path),
            }
            for entry in entries
        ],
        "reruns": [
            {
                "run": rerun.name,
                "of": rerun.first,
                "same_bytes": rerun.same_bytes,
                "differing": list(rerun.differing),
                "absent": list(rerun.absent),
            }
            for rerun in again
        ],
        "tables": [
            {
                "stage": table.info.stage,
                "metric": table.info.metric,
                "signature": table.signature,
                "runs": list(table.runs),
                "apart": table.apart,
                "no_cost": table.no_cost,
                "conditions": records_of(table.frame),
            }
            for table in tables
        ],
    }
    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _lines(
    out: Path, entries: Sequence[Entry], tables: Sequence[Ranking], again: Sequence[Rerun]
) -> list[str]:
    lines = [
        f"{table.info.stage}:{table.info.metric}, {', '.join(table.runs)}: {table.no_cost}"
        for table in tables
        if table.no_cost
    ]
    lines += [f"{table.info.stage}:{table.info.metric}: {table.apart}"
              for table in tables if table.apart]  # fmt: skip
    lines += [f"{entry.name} is incomplete: {'; '.join(entry.lacks)}"
              for entry in entries if entry.lacks]  # fmt: skip
    lines += unverified_lines(entry.run for entry in entries if entry.run and not entry.lacks)
    lines += [f"{rerun.name}: {rerun.badge()}" for rerun in again]
    files = files_line([out / name for name in ("index.html", "board.csv", "board.json")])
    return [*map(plain, lines), plain(files)]
