"""Which model answered, by the replies of servers: its name and ``system_fingerprint``.

Counts travel among the usage of each reply, so that they are stored with an answer or a page and
added up like tokens. Embeddings, whose vectors are stored without their replies, are counted by
process (:func:`note_embedding`).
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from ohr.models.error_bodies import quoted

_PREFIX = "answered by "
_PRINT = ", fingerprint "
_LONGEST_NAME = 120
_NAMED = 4
# Names of one model: a date or a build that the server adds, and files.
_BUILD = re.compile(
    r"[-:@_.](?:\d{4}-\d{2}-\d{2}|\d{2}-\d{2,4}|\d{3,8}|latest|stable|preview(?:-[\d-]+)?)$"
)
_SUFFIXES = (".gguf", ".safetensors", ".bin")
_embeddings: dict[str, Counter[str]] = {}
_lock = threading.Lock()


def origin_of(answer: Any) -> dict[str, float]:
    """A count of one for the model that an answer names, among the usage of a reply.

    Empty if the answer names none.
    """
    name = _name(answer)
    return {f"{_PREFIX}{name}": 1.0} if name else {}


def split_origins(usage: Mapping[str, float]) -> tuple[dict[str, float], dict[str, int]]:
    """Usage without the models that answered, and these: name -> replies, most frequent first."""
    rest, models = dict[str, float](), Counter[str]()
    for name, number in usage.items():
        _, is_origin, model = name.partition(_PREFIX)  # a system may have added its own prefix
        if is_origin:
            models[model] += round(number)
        else:
            rest[name] = number
    return rest, dict(sorted(models.items(), key=lambda entry: (-entry[1], entry[0])))


def origin_in(usage: Mapping[str, float]) -> tuple[str, str]:
    """The model and the fingerprint among the usage of one reply; empty if it named none."""
    origin = next(iter(split_origins(usage)[1]), "")
    name, _, fingerprint = origin.partition(_PRINT)
    return name, fingerprint


def note_embedding(requested: str, answer: Any) -> None:
    """Count the model that an answer with embeddings names; ``requested``: the one asked for."""
    if name := _name(answer):
        with _lock:
            _embeddings.setdefault(requested, Counter())[name] += 1


def take_embeddings() -> dict[str, dict[str, int]]:
    """Model asked for -> model that answered -> replies, in this process since the last call."""
    with _lock:
        counts = {
            requested: dict(models.most_common()) for requested, models in _embeddings.items()
        }
        _embeddings.clear()
    return counts


def origin_notes(label: str, identity: Any, models: Mapping[str, int]) -> list[str]:
    """Lines if a model other than one asked for answered, or if it changed between replies.

    ``identity``: of the plug-in, whose parameters name the models that it asks for.
    """
    requested = _requested(identity)
    replies, prints = Counter[str](), dict[str, set[str]]()
    for origin, count in models.items():
        name, _, fingerprint = origin.partition(_PRINT)
        replies[name] += count
        prints.setdefault(name, set()).add(fingerprint)
    replies.pop("", None)
    lines = []
    different = {
        n: c for n, c in replies.items() if requested and not any(is_same(a, n) for a in requested)
    }
    if different:
        lines.append(
            f"{label}: another model answered than {' or '.join(map(repr, requested))}: "
            f"{_counted(different)}"
        )
    elif len(replies) > max(len(requested), 1):
        lines.append(f"{label}: the model changed between replies: {_counted(replies)}")
    changed = {
        origin.replace(_PRINT, " ").strip(): count
        for origin, count in models.items()
        if len(prints[origin.partition(_PRINT)[0]]) > 1
    }
    if changed:
        lines.append(
            f"{label}: the server's fingerprint changed between replies, so that equal questions "
            f"may have different answers: {_counted(changed)}"
        )
    return lines


def is_same(requested: str, name: str) -> bool:
    """Whether two names mean one model: folders, endings of files, dates and case are ignored."""
    return _plain(requested) == _plain(name)


def _plain(name: str) -> str:
    plain = PurePosixPath(name.strip().lower().replace("\\", "/")).name
    for suffix in _SUFFIXES:
        plain = plain.removesuffix(suffix)
    return _BUILD.sub("", plain)


def _name(answer: Any) -> str:
    if not isinstance(answer, Mapping):
        return ""
    model, fingerprint = answer.get("model"), answer.get("system_fingerprint")
    name = quoted(model)[:_LONGEST_NAME] if isinstance(model, str) else ""
    if isinstance(fingerprint, str) and fingerprint.strip():
        name += f"{_PRINT}{quoted(fingerprint)[:_LONGEST_NAME]}"
    return name


def _requested(identity: Any) -> list[str]:
    """The parameters ``model`` in an identity, also of the plug-ins inside it."""
    requested, level = dict[str, None](), [identity]
    while level:
        inner = level.pop()
        if isinstance(inner, Mapping):
            if isinstance(inner.get("model"), str):
                requested[inner["model"]] = None
            level += inner.values()
        elif isinstance(inner, list | tuple):
            level += inner
    return list(requested)


def _counted(models: Mapping[str, int]) -> str:
    ordered = sorted(models.items(), key=lambda entry: (-entry[1], entry[0]))
    named = [f"{name!r} ({count})" for name, count in ordered[:_NAMED]]
    more = len(ordered) - _NAMED
    return ", ".join(named) + (f" and {more} others" if more > 0 else "")
