"""What a language model wrote, without its thoughts, and the JSON objects in it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_DECODER = json.JSONDecoder()
_TRIES = 64
"""Braces at which an object is looked for."""


_CHANNEL = re.compile(r"<\|channel\|>\s*(\w+)[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>")
"""Begins a message of the harmony format, on the channel analysis, commentary or final."""
_MESSAGE_END = re.compile(r"<\|(?:end|return|call|start|channel)\|>")


def without_thoughts(text: str) -> str:
    """What a model wrote after its last thought, up to one that is left open.

    A template may put the opening ``<think>`` into the prompt: then the model only closes it. Of
    channels (gpt-oss's harmony format), the last message on ``final``, or nothing without any.
    """
    messages = list(_CHANNEL.finditer(text))
    if messages:
        ends = [match.end() for match in messages if match[1] == "final"]
        text = _MESSAGE_END.split(text[ends[-1] :], maxsplit=1)[0] if ends else ""
    return text.rpartition("</think>")[2].partition("<think>")[0]


def objects_in(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects in a text, in order, whatever stands around them; none within another."""
    at = text.find("{")
    for _ in range(_TRIES):
        if at < 0:
            return
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield value
        at = text.find("{", end)
