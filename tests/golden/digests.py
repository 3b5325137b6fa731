"""The kept digests, and what must not happen to them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("digests.json")


def read() -> dict[str, dict[str, Any]]:
    """``kind/name`` -> its entry; empty before the first."""
    found: dict[str, dict[str, Any]] = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    return found


def forgotten(before: Mapping[str, Any] | None, now: Mapping[str, Any]) -> str:
    """Why an entry may not be renewed, or nothing.

    Caches know an output by its identity: as long as version, parameters and all that it was made
    with are the same, it must be too. A version only rises.
    """
    if before is None:
        return ""
    if int(now["version"]) < int(before["version"]):
        return f"its version fell from {before['version']} to {now['version']}"
    same = all(now.get(part) == before.get(part) for part in ("version", "identity", "with"))
    if same and now["output"] != before["output"]:
        return (
            f"its output changed and its version did not: give it version "
            f'"{int(before["version"]) + 1}"'
        )
    return ""
