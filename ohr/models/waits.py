"""How long a server asks to wait before the next request."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx

_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,9})?", re.ASCII)


_PARTS = re.compile(
    r"(\d{1,9}(?:\.\d{1,9})?)\s?(ms|milliseconds?|d(?:ays?)?|h(?:ours?|rs?)?|m(?:in(?:ute)?s?)?"
    r"|s(?:ec(?:onds?|s)?)?)(?![a-z])[\s,]{0,2}(?:and\s)?",
    re.IGNORECASE,
)
_IN_WORDS = re.compile(
    rf"(?:(?:try again|retry|wait|reset\w*)\s(?:in|after|for)?\s?|retry_?delay\W{{1,6}})"
    rf"(?P<time>(?:{_PARTS.pattern}){{1,5}})",
    re.IGNORECASE,
)
_UNIT_S = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0}


def asked_wait(headers: httpx.Headers, words: str = "") -> float:
    """The seconds of the header Retry-After, a number or a date (RFC 9110, 10.2.3); 0 without it.

    A date is compared with the server's own clock, if the answer states its time. Without that
    header, ``retry-after-ms`` counts, then a time in the error's ``words``: ``try again in 7h12m``.
    """
    after = headers.get("Retry-After", "").strip()
    if not after:
        milliseconds = headers.get("retry-after-ms", "").strip()
        if _NUMBER.fullmatch(milliseconds):
            return float(milliseconds) / 1000
        return _wait_in_words(words)
    if _NUMBER.fullmatch(after):
        return float(after)
    until = _seconds(after)
    return 0.0 if until is None else until - (_seconds(headers.get("Date", "")) or time.time())


def _wait_in_words(words: str) -> float:
    named = _IN_WORDS.search(words)
    if named is None:
        return 0.0
    parts = [(float(number), unit.lower()) for number, unit in _PARTS.findall(named["time"])]
    return sum(
        number / 1000 if unit.startswith(("ms", "milli")) else number * _UNIT_S[unit[0]]
        for number, unit in parts
    )


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
