"""Errors that servers report inside an HTTP 200 answer, and short quotes of answers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ohr.models.error_codes import STOPS, status_of, words_blame_request, words_may_pass

QUOTED_CHARS = 200
"""Most characters of an answer that a message quotes."""
_KEYS: set[str] = set()
_OWN_WORDS = ("message", "detail", "msg", "error_msg", "error", "type", "code")
_CODES = ("code", "status", "status_code", "statusCode", "error_code", "errcode", "type")
_DEPTH = 4
"""How deep a code may be nested in an error, as in ``{"detail": {"error": {"code": 429}}}``."""
_NO_ERROR = frozenset(
    {"", "0", "ok", "okay", "success", "succeeded", "successful", "none", "null", "noerror"}
    | {"false", "noerrors", "noexception", "成功", "请求成功", "无"}
)
_OTHER_CONTENTS = (
    *("message", "response", "text", "content", "output", "output_text", "generated_text"),
    *("candidates", "results", "embedding", "embeddings", "choices", "data"),
)
"""Fields with the content in the answers of other protocols."""
_EMPTY: tuple[object, ...] = (None, "", [], {})


@dataclass(frozen=True)
class ErrorWithin:
    """An error that an answer reports.

    ``code``: its HTTP status, 0 if none is given. ``passes``: whether the server's words say that
    it passes; ``lasts``: whether they blame the request.
    """

    code: int
    words: str
    passes: bool = False
    lasts: bool = False


def hide(key: str) -> None:
    """Never quote this API key."""
    if key:
        _KEYS.add(key)


def quoted(answer: object) -> str:
    """At most :data:`QUOTED_CHARS` characters of an answer on one line, without API keys.

    Bytes and texts are quoted unchanged, anything else as JSON.
    """
    if isinstance(answer, bytes):
        text = answer.decode("utf-8", "replace")
    elif isinstance(answer, str):
        text = answer
    else:
        try:
            text = json.dumps(answer, ensure_ascii=False)
        except (TypeError, ValueError, RecursionError):
            text = f"a {type(answer).__name__}"
    text = text.encode("utf-8", "replace").decode()
    for key in sorted(_KEYS, key=len, reverse=True):  # a server may quote what it was sent
        text = text.replace(key, "[key]")
    return " ".join(text[: 64 * QUOTED_CHARS].split())[:QUOTED_CHARS]


def error_in(body: bytes) -> ErrorWithin:
    """The error in the body of an answer that has an error status."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        words = quoted(body)
        return ErrorWithin(0, words, words_may_pass(words))
    content = answer.get("error", answer) if isinstance(answer, Mapping) else answer
    words = _words(content) or quoted(body)
    return ErrorWithin(_code(answer), words, words_may_pass(words))


def error_within(answer: object) -> ErrorWithin | None:
    """The error that the JSON of an answer reports, or None.

    ``{"error": …}``, ``{"object": "error", …}``, an ``error`` of the first choice, a first choice
    that ended with ``finish_reason: error``, or ``{"code": 500, …}`` without anything else. An
    ``error`` that says that there is none (``{"code": "0", "message": "success"}``) is none.
    """
    if not isinstance(answer, Mapping):
        return None
    choices = answer.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    has_content = bool(choice or answer.get("data"))
    if not _is_no_error(answer.get("error"), has_content=has_content):
        return _inner_error(answer["error"], answer)
    if answer.get("object") == "error":
        return _inner_error(answer, answer)
    if not has_content and _code(answer):
        return _inner_error(answer, answer)
    if not isinstance(choice, Mapping):
        return None
    if not _is_no_error(choice.get("error"), has_content=bool(choice.get("message"))):
        return _inner_error(choice["error"], choice)
    if choice.get("finish_reason") == "error":
        return ErrorWithin(0, "finish_reason error", passes=True)
    return None


def is_hollow(answer: object, content: str) -> bool:
    """Whether an answer is JSON without what it is asked for: ``{}``, ``{"choices": []}``,
    ``{"status": "queued"}``.

    ``content``: the field with the content, ``choices`` or ``data``.
    """
    if not isinstance(answer, Mapping):
        return answer in _EMPTY
    if content not in answer:
        # A report in the server's own words, unless another protocol's answer.
        return not any(answer.get(name) for name in _OTHER_CONTENTS)
    listed = answer[content]
    return listed in _EMPTY or listed == [None] or listed == [{}] or _no_message(listed)


def _no_message(choices: object) -> bool:
    """Whether the first choice is one whose message is null or ``{}``."""
    choice = choices[0] if isinstance(choices, list) else None
    return isinstance(choice, Mapping) and choice.get("message", choice) in (None, {})


def _is_no_error(content: object, *, has_content: bool) -> bool:
    """Whether an ``error`` says that there is none.

    All of its codes say so (0, 2xx, ``ok`` …), and so do its words; beside an answer, words in any
    language may stand with such codes.
    """
    if not isinstance(content, Mapping):
        return not content or _says_no_error(content)
    codes = [content[name] for name in _CODES if content.get(name) not in (None, "")]
    words = [content[name] for name in _OWN_WORDS[:4] if content.get(name) not in (None, "")]
    # Servers have numbers of their own, such as 20000: beside an answer, their words decide.
    says_success = has_content and bool(words) and all(map(_says_no_error, words))
    if not all(_says_no_error(code) or (says_success and _is_own_number(code)) for code in codes):
        return False
    if has_content and codes:
        return True
    rest = [value for name, value in content.items() if name not in (*_CODES, *_OWN_WORDS)]
    return all(map(_says_no_error, words)) and (bool(codes or words) or not any(rest))


def _is_own_number(code: object) -> bool:
    """Whether a code is a long number, beyond HTTP's."""
    return bool(re.fullmatch(r"[1-9]\d{3,}", str(code).strip()))


def _says_no_error(value: object) -> bool:
    if isinstance(value, str):
        text = re.sub(r"[\s_.!]+", "", value).casefold()
        return text in _NO_ERROR or bool(re.fullmatch(r"0+|2\d\d", text))
    return not value or (isinstance(value, int | float) and 200 <= value < 300)


def _inner_error(content: object, around: Mapping[str, Any]) -> ErrorWithin:
    words = _words(content) or quoted(content)
    code = _code(content) or _code({name: around.get(name) for name in _CODES})
    return ErrorWithin(code, words, words_may_pass(words), words_blame_request(quoted(content)))


def _code(content: object) -> int:
    """The first HTTP status in an error, the outermost first; 0 without one."""
    level = [content]
    for _ in range(_DEPTH):
        mappings = [part for part in level if isinstance(part, Mapping)]
        codes = [status_of(part.get(name)) for part in mappings for name in _CODES]
        codes.sort(key=lambda code: code not in STOPS)  # "429 insufficient_quota" does not pass
        if code := next(filter(None, codes), 0):
            return code
        level = [value for part in mappings for value in part.values()]
        level += [item for value in level if isinstance(value, list) for item in value[:4]]
    return 0


def _words(content: object) -> str:
    """The first text that describes the error; empty without one."""
    if isinstance(content, str):
        return quoted(content)
    if isinstance(content, Mapping):
        for name in _OWN_WORDS:
            if isinstance(content.get(name), str) and content[name].strip():
                return quoted(content[name])
            if isinstance(content.get(name), Mapping) and (words := _words(content[name])):
                return words
    return ""
