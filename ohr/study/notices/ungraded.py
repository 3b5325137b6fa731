"""Lines about means with answers that the judge could not grade."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ohr.files.safe_text import plain

_SHOWN = 5
"""More lines than this hide the rest of the console; the manifest has all of them."""


def bound_lines(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """A line for each of the first means, as a manifest has them."""
    lines = [
        f"{plain(entry['metric'])} ({entry['stage']}; {plain(entry['condition'])}): between "
        f"{entry['low']:.3f} if all {entry['ungraded']} ungraded of {entry['n']} answers are "
        f"incorrect and {entry['high']:.3f} if all are correct"
        for entry in entries[:_SHOWN]
    ]
    if len(entries) > _SHOWN:
        lines.append(f"{len(entries) - _SHOWN} more such means: see ungraded in manifest.json")
    return lines
