"""Folders of small runs for a board: the baseline and others, whose losses are known."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ohr.store.csv import write_csv
from ohr.study.results import recompute_cells
from tests.browser.reports import finished, write_pages

LOSSES = {"": 0.0, "mild": 0.2, "severe": 0.4}
"""What the baseline loses, on average."""
CLEAN = 0.9
_ENGINE, _READER = "tests.fakes.LoggingEngine", "tests.fakes.FactReader"


def base_run(root: Path) -> Path:
    """A study of one engine under one noise, from which the others are made."""
    settings = write_pages(root / "pages")
    noise = ("noise=[salt_and_pepper]", "levels=[mild,severe]")
    out = root / "base"
    finished(out, *settings, f"engines=[{_ENGINE}]", *noise, f"readers=[{_READER}]")
    return out


def write_run(base: Path, out: Path, shares: Mapping[str, float], **changes: Any) -> Path:
    """A run's folder in which engines lose a share of what the baseline loses at every score.

    Shares of all but 0 vary by document. ``changes`` replace parts of the manifest.
    """
    shutil.copytree(base, out)
    manifest = json.loads(
        (base / "manifest.json").read_text("utf-8").replace(_READER, "extractive")
    )
    spec = {"params": {}}
    manifest["config"]["engines"] = [spec | {"name": n, "label": n} for n in shares]
    manifest["engines"] = {name: {} for name in shares}
    clean = manifest["knowledge_bases"][f"{_ENGINE}, clean"]
    manifest["knowledge_bases"] = {
        f"{name}, clean": clean
        | {"taken": {"pages": 8, "median_wall_s": 1.5 + place, "median_cpu_s": 1.0}}
        for place, name in enumerate(shares)
    }
    (out / "manifest.json").write_text(json.dumps(manifest | changes), "utf-8")
    rows = pd.read_parquet(base / "rows.parquet")
    for name in rows.columns[rows.dtypes == "category"]:
        rows[name] = rows[name].astype(str)
    rows = rows[rows["engine"] == _ENGINE].replace({"reader": {_READER: "extractive"}})
    document = rows["doc_id"].str.extract(r"(\d+)$")[0].astype(int)
    loss = rows["level"].map(LOSSES) * (0.8 + 0.4 * (document % 2))
    scored = rows["stage"] != "ocr"
    parts = [
        rows.assign(
            engine=name,
            value=rows["value"].mask(scored & rows["value"].notna(), CLEAN - share * loss),
        )
        for name, share in shares.items()
    ]
    write_rows(out, pd.concat(parts, ignore_index=True))
    write_csv(out / "cells.csv", recompute_cells(out))
    return out


def write_rows(run: Path, rows: pd.DataFrame) -> None:
    """Replace the rows of a run, as if its study had written these."""
    rows.to_parquet(run / "rows.parquet", index=False, write_page_checksum=True)
    counts = rows.assign(stage=rows["stage"].astype(str), status=rows["status"].astype(str))
    by_stage: dict[str, dict[str, int]] = {}
    for (stage, status), count in counts.groupby(["stage", "status"]).size().items():
        by_stage.setdefault(stage, {})[status] = int(count)
    change_manifest(run, counts=by_stage)


def change_manifest(run: Path, **changes: Any) -> None:
    """Replace parts of a run's manifest."""
    path = run / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | changes), "utf-8")


BOARD_RUNS = ("first", "again", "other", "stopped", "failed")


def write_board_runs(root: Path) -> dict[str, Path]:
    """The baseline and its rerun, a run of another version, one that stopped, one that failed."""
    base = base_run(root)
    runs = {"first": write_run(base, root / "first", {"tesseract": 1.0, "half": 0.5, "gt": 0.0})}
    runs["again"] = root / "again"
    shutil.copytree(runs["first"], runs["again"])
    runs["other"] = write_run(base, root / "other", {"other": 0.3, "worse": 1.5})
    known_values = json.loads((base / "manifest.json").read_text("utf-8"))["signatures"]
    later = {name: text.replace("|v:", "|v:9") for name, text in known_values.items()}
    change_manifest(runs["other"], signatures=later)
    runs["stopped"] = root / "stopped"
    (runs["stopped"] / ".progress").mkdir(parents=True)
    facts = {"state": "reading", "read": 3, "to_read": 24}
    (runs["stopped"] / ".progress" / "all").write_text(json.dumps(facts))
    runs["failed"] = write_run(base, root / "failed", {"half": 0.5})
    entry = {"by_status": {"ok": 40, "timeout": 2}, "reasons": {"no answer in 60 s": 2}}
    readers = json.loads((runs["failed"] / "manifest.json").read_text("utf-8"))["readers"]
    readers["extractive"] |= entry
    change_manifest(runs["failed"], readers=readers)
    return runs
