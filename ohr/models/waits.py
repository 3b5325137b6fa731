"""How long a server asks to wait before the next request."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx

_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,9})?", re.ASCII)


def asked_wait(headers: httpx.Headers) -> float:
    """The seconds of the header Retry-After, a number or a date (RFC 9110, 10.2.3); 0 without it.

    A date is compared with the server's own clock, if the answer states its time.
    """
    after = headers.get("Retry-After", "").strip()
    if _NUMBER.fullmatch(after):
        return float(after)
    until = _seconds(after)
    return 0.0 if until is None else until - (_seconds(headers.get("Date", "")) or time.time())


def end_of_wait(seconds: float) -> str:
    """When a wait from now ends: ``until 2026-03-01 07:30 UTC``."""
    try:
        end = datetime.fromtimestamp(time.time() + seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return f"for {seconds:,.0f} s"
    return f"until {end:%Y-%m-%d %H:%M} UTC"


def _seconds(date: str) -> float | None:
    """A date of HTTP as seconds since 1970."""
    try:
        moment = parsedate_to_datetime(date)
        # The oldest of the three formats names no zone; all are in GMT.
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
