"""Models whose template has no system turn."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ohr.errors import EngineError, MissingDependencyError

SETTING = "system_turn"
# Such errors name the role and say that it is not known; templates also want the turns to begin
# with the user's.
_SYSTEM = r"\bsystem[\s'\"`]*(?:role|message|prompt|turn|instruction)s?\b"
_NOT = r"(?:\b(?:not|no|cannot|never|without|invalid|unsupported)\b|n't\b)"
_REFUSED = re.compile(
    rf"{_SYSTEM}.{{0,40}}{_NOT}|{_NOT}.{{0,40}}{_SYSTEM}"
    r"|\b(?:unknown|unexpected|invalid|unsupported)\b[^.]{0,20}\brole\b[^.]{0,20}\bsystem\b"
    r"|\brole\b[^.]{0,20}\bsystem\b[^.]{0,20}\bnot\b"
    r"|\bsystem\b['\"`]?\s(?:is|was) (?:not|no|an? (?:invalid|unknown|unsupported))\b[^.]{0,40}"
    r"(?:\brole|\buser\b)|\b(?:should|must) be ['\"`]?user['\"`]?,? or ['\"`]?assistant\b"
    r"|\broles?\b.{0,30}\bmust alternate|\bonly\b.{0,20}\buser\b.{0,20}\bassistant\b.{0,20}\brole"
    r"|\bdeveloper instruction is not\b|\bfirst (?:message|turn|role)\b.{0,30}\buser\b",
    re.IGNORECASE,
)
_HAS_ONE = re.compile(r"\boptional system\b", re.IGNORECASE)


def merge_system_turn(turns: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Turns with the system's text at the beginning of the first turn of the user."""
    system = [str(turn["content"]) for turn in turns if turn["role"] == "system"]
    rest = [dict(turn) for turn in turns if turn["role"] != "system"]
    if not system:
        return rest
    text = "\n\n".join(system)
    if not rest or rest[0]["role"] != "user":
        return [{"role": "user", "content": text}, *rest]
    content = rest[0]["content"]
    rest[0]["content"] = (
        [{"type": "text", "text": text}, *content]
        if isinstance(content, list)
        else f"{text}\n\n{content}"
    )
    return rest


def explained(error: EngineError, body: object, url: str) -> Exception:
    """The error, or one that names the setting if the model's template has no system turn.

    MissingDependencyError, which stops a run: every request would fail alike. Only if the request
    had a system turn.
    """
    turns = body.get("messages") if isinstance(body, Mapping) else None
    roles = [turn.get("role") for turn in turns or () if isinstance(turn, Mapping)]
    words = str(error)
    refusal = _REFUSED.search(words)
    if "system" not in roles or refusal is None or _HAS_ONE.search(words):
        return error
    if refusal[0] in json.dumps(turns, ensure_ascii=False):
        return error  # it quotes what was sent, such as a page about templates
    return MissingDependencyError(
        f"{url}: the model's template has no system turn ({words[:200]}): set "
        f"{SETTING}=false, which sends that text at the beginning of the user's turn"
    )
