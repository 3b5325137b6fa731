"""Text from outside, made fit to be shown."""

from __future__ import annotations

import re


def plain(text: str) -> str:
    """Text from outside that can be shown: no control characters, no half surrogate pairs."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]", "?", text)
