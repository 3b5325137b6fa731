"""Why a completion ended, in one set of words for all servers."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ohr.types import FAILED, Status

CUT, FILTERED, STOPPED = "length", "content_filter", "stop"
_ORDINARY = {
    "stop": STOPPED,
    "end": STOPPED,
    "end_turn": STOPPED,
    "eos": STOPPED,
    "eos_token": STOPPED,
    "stop_sequence": STOPPED,
    "complete": STOPPED,
    "completed": STOPPED,
    "finished": STOPPED,
    "finish": STOPPED,
    "none": "None",
    "null": "None",
    "": "None",
    "tool_calls": "tool_calls",
    "tool_call": "tool_calls",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
    "safety": FILTERED,
    "content_filter": FILTERED,
    "content_filtered": FILTERED,
    "recitation": FILTERED,
    "blocklist": FILTERED,
    "prohibited_content": FILTERED,
    "error": "error",
}
_LIMIT = re.compile(
    r"max(?:imum)?_|maxlen|^limit$|_limit|limit_|length|truncated|incomplete|context_window"
)


def end_of(reason: object) -> str:
    """``stop``, ``length``, ``content_filter``, ``tool_calls``, ``None``, or the reason as it is.

    Case, hyphens and a prefix such as ``FINISH_REASON_`` do not matter. A reason that names a limit
    or a length is ``length``: ``max_tokens``, ``MAX_TOKENS``, ``model_context_window_exceeded``.
    """
    text = str(reason)
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", text.strip())
    name = re.sub(r"[\s-]+", "_", name).lower().removeprefix("finish_reason_")
    if name in _ORDINARY:
        return _ORDINARY[name]
    return CUT if _LIMIT.search(name) else text


_NAMED = re.compile(r"finish_reason (\S[^;]*)")


def finish_reason(status: Status, detail: str, usage: Mapping[str, float]) -> str:
    """Why a stored answer ended, in the words of :func:`end_of`; empty for one that failed.

    An answer is stored with its end only where that is not the ordinary one, ``stop``.
    """
    if status in FAILED:
        return ""
    if usage.get("answers_cut"):
        return CUT
    if named := _NAMED.search(detail):
        return named[1].strip().strip("'")
    return FILTERED if "filtered" in detail.split("; ") else STOPPED


def is_known(end: str) -> bool:
    """Whether a reason is one that :func:`end_of` knows."""
    return end == CUT or end in _ORDINARY.values()
