"""Tokens and cost of an answer, as servers report them in various ways."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

_PROMPT = ("prompt_tokens", "input_tokens")
_COMPLETION = ("completion_tokens", "output_tokens")
_DETAILS = ("completion_tokens_details", "output_tokens_details")
_NUMBER = re.compile(r"\d{1,12}(?:,\d{3})*(?:\.0*)?", re.ASCII)
_MOST = 1 << 40


def tokens_used(answer: Any, prompt_price: float, completion_price: float) -> dict[str, float]:
    """The tokens and cost of an answer. Prices are per million tokens.

    Tokens of thoughts count as written: some servers (xAI, Google) do not include them in the
    completion, only in the total. If the server does not report the tokens, only ``unmetered``
    with the value 1.
    """
    reported = answer.get("usage") if isinstance(answer, Mapping) else None
    if not isinstance(reported, Mapping):
        return {"unmetered": 1.0}
    prompt, completion = _first(reported, _PROMPT), _first(reported, _COMPLETION)
    if prompt is None or completion is None:
        return {"unmetered": 1.0}
    total, thoughts = _count(reported.get("total_tokens")), _thoughts(reported)
    if total is not None and total > prompt + completion:
        completion = total - prompt
    elif total is None and thoughts > completion:
        completion += thoughts
    used = {"prompt_tokens": float(prompt), "completion_tokens": float(completion)}
    if prompt_price or completion_price:
        used["cost"] = (prompt * prompt_price + completion * completion_price) / 1e6
    return used


def tokens_read(answer: Any, estimate: Callable[[], float]) -> float:
    """The tokens of what was sent, as the server reports them, else the estimate."""
    reported = answer.get("usage") if isinstance(answer, Mapping) else None
    count = None
    if isinstance(reported, Mapping):
        count = _first(reported, (*_PROMPT, "total_tokens"))
    return estimate() if count is None else float(count)


def _first(reported: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    return next((n for name in names if (n := _count(reported.get(name))) is not None), None)


def _thoughts(reported: Mapping[str, Any]) -> int:
    """Tokens of thoughts, wherever they are reported; 0 without them."""
    details = [reported.get(name) for name in _DETAILS]
    places = [reported, *(place for place in details if isinstance(place, Mapping))]
    return max(_count(place.get("reasoning_tokens")) or 0 for place in places)


def _count(number: Any) -> int | None:
    """A number of tokens, also as a text or a float; None for anything else."""
    if isinstance(number, str) and _NUMBER.fullmatch(number.strip()):
        number = float(number.strip().replace(",", ""))
    if isinstance(number, bool) or not isinstance(number, int | float):
        return None
    return int(number) if 0 <= number < _MOST and number == int(number) else None
