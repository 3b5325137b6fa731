"""Chat completions of OpenAI-compatible servers: parameters, requests and replies."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from ohr import plugins
from ohr.errors import EngineError
from ohr.models.ends import CUT, STOPPED, end_of
from ohr.models.error_bodies import quoted
from ohr.models.forms import is_address, split_address
from ohr.models.http import Endpoint
from ohr.models.key_names import KeyName
from ohr.models.system_turns import merge_system_turn
from ohr.plugins import Message, ToolCall


def plain_address(url: str) -> str:
    """An http or https address without its last slash.

    Raises ValueError, which does not quote it, for another address, and for one with a password or
    a query.
    """
    try:
        parts = urlsplit(url)
        fine = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fine = False
    if not fine:
        raise ValueError("not an http or https address")
    if parts.username is not None or parts.password is not None or parts.query:
        raise ValueError("no password or key in an address: name api_key_env")
    return url.rstrip("/")


class ServerParams(plugins.Params):
    """Parameters of a server.

    ``base_url``: the address including ``/v1``. ``model``: its name on the server; or both in one,
    as ``http://localhost:8000/v1#NAME``. ``revision``: any text that distinguishes checkpoints
    served under one name; it is not sent. ``api_key_env``: the environment variable with the API
    key, if the server needs one.
    ``timeout_s``: most seconds for an answer. ``retries``: how often a request is sent again after
    a temporary error.
    """

    model: str = Field(min_length=1)
    base_url: str = "http://localhost:8000/v1"
    revision: str = ""
    api_key_env: KeyName | None = None
    timeout_s: float = Field(300.0, gt=0)
    retries: int = Field(4, ge=0, le=20)

    @model_validator(mode="before")
    @classmethod
    def _split_address(cls, values: Any) -> Any:
        model = values.get("model") if isinstance(values, Mapping) else None
        if not (isinstance(model, str) and is_address(model)):
            return values
        address, name = split_address(model)
        given = values.get("base_url") or address
        if str(given).rstrip("/") != address.rstrip("/"):
            raise ValueError("two addresses, in model and in base_url: name one")
        return {**values, "base_url": address, "model": name}

    @field_validator("base_url")
    @classmethod
    def _plain(cls, url: str) -> str:
        return plain_address(url)

    def endpoint(
        self, late_retries: int = 0, path: str = "chat/completions", content: str = "choices"
    ) -> Endpoint:
        """The endpoint of chat completions, or that of a path below ``base_url``."""
        return Endpoint(
            f"{self.base_url}/{path}",
            self.api_key_env,
            self.timeout_s,
            self.retries,
            late_retries,
            content=content,
        )


class ChatParams(ServerParams):
    """``system_turn``: whether the model's template has a turn of the system; without one, its text
    begins the user's turn.
    """

    system_turn: bool = True

    def turns(self, turns: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Turns as the model's template takes them."""
        return list(map(dict, turns)) if self.system_turn else merge_system_turn(turns)


TRANSPORT = frozenset({"api_key_env", "timeout_s", "retries"})
"""Parameters that do not change an answer, and therefore are not part of the identity."""


_TEXTS = (None, "text", "output_text")
"""Types of message parts that are text; others are thoughts, refusals, media."""
NO_TEXT = "no text"
_ORDINARY = (STOPPED, CUT, "tool_calls", "None")
"""Reasons for ending that do not explain why there is no text."""


@dataclass(frozen=True)
class Written:
    """The ``text`` of a chat completion, and its ``finish_reason`` (:mod:`ohr.models.ends`).

    ``why_empty``: if there is no text, what there was instead, on one line.
    """

    text: str
    finish_reason: str
    why_empty: str = ""


def completion(answer: Any) -> Written:
    """Parse a chat completion. Raises EngineError, which quotes it, for another answer."""
    try:
        choice = answer["choices"][0]
        message, content = choice["message"], choice["message"].get("content")
        if isinstance(content, list):
            content = "".join(_texts(content))
        if content is not None and not isinstance(content, str):
            raise TypeError(f"content is a {type(content).__name__}")
        reason = end_of(choice.get("finish_reason"))
        text = _whole(content or "")
        return Written(text, reason, "" if text.strip() else _why_empty(message, reason))
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise not_understood("chat completion", error, answer) from error


def log_chances(answer: Any) -> list[float]:
    """The log probability of each token of a chat completion; empty where it does not give them."""
    try:
        content = answer["choices"][0]["logprobs"]["content"]
        chances = [float(token["logprob"]) for token in content]
    except (KeyError, IndexError, TypeError, ValueError):
        return []
    return chances if all(chance <= 0 for chance in chances) else []


def not_understood(what: str, error: Exception, answer: Any) -> EngineError:
    """The error for an answer that is no ``what``, with the answer's first characters."""
    return EngineError(f"an answer that is no {what} ({error!r}): {quoted(answer)}")


def _texts(parts: Sequence[Any]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, str):
            yield part
        elif part.get("type") in _TEXTS:
            yield part["text"]


def _whole(text: str) -> str:
    """A text without lone surrogates, which are possible in JSON but not in UTF-8."""
    return text.encode("utf-8", "replace").decode()


def _why_empty(message: Mapping[str, Any], reason: str) -> str:
    """What a message has instead of text: a refusal, tool calls, thoughts, or nothing."""
    reasons = [] if reason in _ORDINARY else [f"finish_reason {reason}"]
    content = message.get("content")
    parts = [p for p in content if isinstance(p, Mapping)] if isinstance(content, list) else []
    refusals = [message.get("refusal"), *(part.get("refusal") for part in parts)]
    if refusal := next((text for text in refusals if text), None):
        reasons.append(f"refusal: {quoted(refusal)}")
    match message.get("tool_calls"):
        case [{"function": {"name": name}}, *_]:
            reasons.append(f"a tool call in place of an answer: {quoted(name)}")
        case calls if calls:
            reasons.append("a tool call in place of an answer")
    thoughts = [message.get("reasoning_content"), message.get("reasoning")]
    if any(thoughts) or any(part.get("type") in ("thinking", "reasoning") for part in parts):
        reasons.append("reasoning without an answer")
    return "; ".join(reasons) or NO_TEXT


def sent(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Turns in the form that servers expect."""
    return [_sent(message) for message in messages]


def _sent(message: Message) -> dict[str, Any]:
    turn: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.role == "tool":
        turn["tool_call_id"] = message.call_id
    if message.calls:
        turn["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.object())},
            }
            for call in message.calls
        ]
    return turn


def tool_calls(answer: Any) -> tuple[ToolCall, ...]:
    """The tool calls of a chat completion, with any arguments. Raises EngineError."""
    try:
        entries = answer["choices"][0]["message"].get("tool_calls") or []
        calls = []
        for number, entry in enumerate(entries):
            name, arguments = entry["function"]["name"], entry["function"].get("arguments")
            if not isinstance(name, str):
                raise TypeError(f"a tool's name is a {type(name).__name__}")
            if not isinstance(arguments, str):
                arguments = json.dumps({} if arguments is None else arguments)
            name, arguments = _whole(name), _whole(arguments)
            calls.append(ToolCall(name, arguments, str(entry.get("id") or f"call_{number}")))
        return tuple(calls)
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        message = f"an answer whose tool calls are none ({error!r}): {quoted(answer)}"
        raise EngineError(message) from error
