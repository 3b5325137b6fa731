"""Prints the progress of a run's processes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ohr.display.terminal import empty_table, show
from ohr.errors import ConfigError
from ohr.files.safe_text import plain
from ohr.ocr.progress_file import AT_WORK, FOLDER, read_progress
from ohr.store.leases import STALE_S

_REASONS = 5


def print_status(run: Path) -> bool:
    """Print the progress of a run's processes; returns whether one is at work.

    Raises ConfigError.
    """
    processes = read_progress(run)
    if not processes:
        raise ConfigError(
            f"no process has read pages for {run} (there is no {run / FOLDER}): give the folder "
            "of --out"
        )
    table = empty_table(
        ["process", "where", "state"], ["pages", "read", "failed", "pages/s", "left", "by worker"]
    )
    for name, (facts, age) in processes.items():
        table.add_row(*_row(name, facts, age))
    show(table)
    for line in status_lines(processes):
        print(line)
    return any(_is_at_work(facts, age) for facts, age in processes.values())


def _is_at_work(facts: Mapping[str, Any], age: float) -> bool:
    return facts.get("state") in AT_WORK and age < STALE_S


def _row(name: str, facts: Mapping[str, Any], age: float) -> list[str]:
    state = plain(str(facts.get("state", "")))
    if state in AT_WORK and age >= STALE_S:
        state = f"silent for {duration(age)}"
    speed = _number(facts, "pages_a_second")
    slots_read = facts.get("slots")
    slots = slots_read if isinstance(slots_read, list) else []
    return [
        plain(name),
        plain(f"{facts.get('host', '')} {facts.get('pid', '')}"),
        state,
        f"{_number(facts, 'pages'):.0f}",
        f"{_number(facts, 'read'):.0f} of {_number(facts, 'to_read'):.0f}",
        f"{_number(facts, 'failed'):.0f}",
        f"{speed:.2f}",
        duration(_number(facts, "left_s")) if _is_at_work(facts, age) else "-",
        " ".join(f"{_number(slot, 'pages'):.0f}" for slot in slots if isinstance(slot, dict)),
    ]


def status_lines(processes: Mapping[str, tuple[Mapping[str, Any], float]]) -> list[str]:
    """Lines about all processes together: speed, time left, silent ones, failures by reason."""
    working = {name: facts for name, (facts, age) in processes.items() if _is_at_work(facts, age)}
    speed = sum(_number(facts, "pages_a_second") for facts in working.values())
    remaining = sum(
        _number(facts, "left") for facts in working.values() if facts["state"] != "stealing"
    )
    read = sum(_number(facts, "read") for facts, _ in processes.values())
    lines = [f"{read:.0f} pages read by {len(processes)} processes, {len(working)} at work"]
    if working:
        at_most = max(_number(facts, "left_s") for facts in working.values())
        even = (
            f", {duration(remaining / speed)} if all share the rest" if speed and remaining else ""
        )
        lines.append(
            f"{speed:.2f} pages per second; {remaining:.0f} pages left, {duration(at_most)}{even}"
        )
    silent = [
        name
        for name, (facts, age) in processes.items()
        if facts.get("state") in AT_WORK and age >= STALE_S
    ]
    if silent:
        lines.append(f"silent, so probably ended: {plain(', '.join(silent))}")
    kinds: Counter[str] = Counter()
    for facts, _ in processes.values():
        failures = facts.get("failures")
        for why, count in (failures if isinstance(failures, dict) else {}).items():
            kinds[why] += count if isinstance(count, int) else 0
    lines += [f"failed: {plain(why)} ({count})" for why, count in kinds.most_common(_REASONS)]
    return lines


def _number(facts: Mapping[str, Any], name: str) -> float:
    """A number in ``facts``; 0 if it is missing or invalid."""
    value = facts.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return 0.0
    return float(value)


def duration(seconds: float) -> str:
    """``45 s``, ``12 min``, ``3.5 h``, ``2.1 d``."""
    for most, unit, size in ((120, "s", 1), (7200, "min", 60), (172800, "h", 3600)):
        if seconds < most:
            value = seconds / size
            return f"{value:.1f} {unit}" if unit == "h" else f"{value:.0f} {unit}"
    return f"{seconds / 86400:.1f} d"
