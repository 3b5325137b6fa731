"""Reads the verdict in a judge's JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping

from ohr.metrics.judgement_markup import joint

Read = Callable[[str], bool | None]
UNREAD = "verdict: unread"
_LINES = {True: "verdict: correct", False: "verdict: incorrect", None: UNREAD}

_OF_CORRECT = re.compile(r"(?:the)?(?:answer|response)?(?:is|was)?(?P<word>correct|right)(?:ness)?")
_OF_INCORRECT = re.compile(r"(?:the)?(?:answer|response)?(?:is|was)?(?:incorrect|wrong)")
_OF_VERDICT = re.compile(
    r"(?:the|my|your|final|overall)*(?:verdict|judge?ment|grade|grading|label|result|decision"
    r"|conclusion|evaluation|assessment)"
)
_OF_ANSWER = re.compile(r"(?:the|my|your|final)*answer")
_OTHERS = re.compile(
    r"given|student|candidate|submitted|graded|prediction|predicted|provided|expected|actual|user"
    r"|model|response"
)
_TRUE = frozenset({"true", "yes", "correct", "right", "1"})
_FALSE = frozenset({"false", "no", "incorrect", "wrong", "0"})
_DEEPEST = 8
_TRIES = 64
"""Most braces at which an object is searched for."""


def replace_objects(text: str, read: Read) -> str:
    """A reply with ``verdict: …`` in place of each JSON object that has a verdict.

    It is :data:`UNREAD` for a field whose value is not understood. ``read`` reads a field's text.
    Objects without a verdict are removed.
    """
    decoder = json.JSONDecoder()
    parts, position = [], 0
    for _ in range(_TRIES):
        start = text.find("{", position)
        if start < 0:
            break
        try:
            fields, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            parts.append(text[position : start + 1])
            position = start + 1
            continue
        before = re.sub(r"```\w*\s*$|\[\s*$", "", text[position:start])
        parts.append(before)
        if fields:
            verdicts = set(_verdicts(fields, read))
            parts.append(joint(before[before.rfind("\n") + 1 :]) if verdicts else "")
            parts += [f"\n{_LINES[verdict]}" for verdict in sorted(verdicts, key=str)]
            parts.append("\n")
        position = end + len((re.match(r"\s*[\],]?\s*(?:```)?", text[end:]) or [""])[0])
    return "".join([*parts, text[position:]])


def _verdicts(fields: Mapping[str, object], read: Read) -> Iterator[bool | None]:
    """What the fields say that are nearest to the root; None for one that cannot be read."""
    level: list[object] = [fields]
    for _ in range(_DEEPEST):
        objects = [item for item in level if isinstance(item, dict)]
        verdicts = [verdict for item in objects for verdict in _object_verdicts(item, read)]
        if verdicts:
            yield from verdicts
            return
        level = [
            inner
            for item in level
            if isinstance(item, dict | list)
            for inner in (item.values() if isinstance(item, dict) else item)
        ]


def _object_verdicts(fields: Mapping[str, object], read: Read) -> list[bool | None]:
    names = {re.sub(r"[\W_]+", "", name.casefold()): value for name, value in fields.items()}
    verdicts = []
    for name, value in names.items():
        if match := _OF_CORRECT.fullmatch(name):
            if isinstance(value, dict | list):
                continue
            rest = match[0] == match["word"] and any(map(_OTHERS.search, names))
            # {"correct": "yes", "given": "no"} lists two answers.
            verdicts.append(None if rest and isinstance(value, str) else _truth(value, read))
        elif _OF_INCORRECT.fullmatch(name) and not isinstance(value, dict | list):
            truth = _truth(value, read, words=False)
            verdicts.append(None if truth is None else not truth)
        elif _OF_VERDICT.fullmatch(name) and isinstance(value, bool | str):
            verdicts.append(value if isinstance(value, bool) else read(value))
    if verdicts:
        return verdicts
    return [
        value if isinstance(value, bool) else read(value)
        for name, value in names.items()
        if _OF_ANSWER.fullmatch(name) and isinstance(value, bool | str)
    ]


def _truth(value: object, read: Read, *, words: bool = True) -> bool | None:
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float) and value in (0, 1):
        return value == 1
    if isinstance(value, str):
        text = value.strip(" .!").casefold()
        if not words and text.endswith(("correct", "right", "wrong")):
            return None
        if text in _TRUE | _FALSE:
            return text in _TRUE
        return read(f"correct? {value}" if re.match(r"(?:yes|no)\b", text) else value)
    return None
