"""Answers that are compressed or streamed although neither was asked for."""

from __future__ import annotations

import contextlib
import gzip
import json
import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.errors import EngineError, MissingDependencyError
from ohr.models import http
from ohr.models.encodings import CutError, decoded
from ohr.models.http import Endpoint
from tests.loopback import Reply, Server, refused, said

WHOLE = said("neun Jahre, é 九年")
LIMIT = 1 << 16


def raw_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(body) + packer.flush()


WAYS = {"gzip": gzip.compress, "deflate": zlib.compress, "raw deflate": raw_deflate}


def endpoint(server: Server, retries: int = 1) -> Endpoint:
    return Endpoint(f"{server.url}/chat", None, 30.0, retries, content="choices")


def text_of(answer: Any) -> str:
    return str(answer["choices"][0]["message"]["content"])


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (gzip.compress(WHOLE[1]), "gzip"),
        (gzip.compress(WHOLE[1]), "X-GZIP"),
        (gzip.compress(WHOLE[1]), ""),
        (zlib.compress(WHOLE[1]), "deflate"),
        (zlib.compress(WHOLE[1], 1), "gzip"),
        (zlib.compress(WHOLE[1], 9), ""),
        (raw_deflate(WHOLE[1]), "deflate"),
        (gzip.compress(zlib.compress(WHOLE[1])), "deflate, gzip"),
        (gzip.compress(WHOLE[1][:9]) + gzip.compress(WHOLE[1][9:]), "gzip"),
        (WHOLE[1], "gzip"),
        (WHOLE[1], "deflate"),
        (WHOLE[1], "br"),
    ],
)
def test_compressed_answers_are_decoded(server: Server, body: bytes, encoding: str) -> None:
    server.replies = [(200, body, {"Content-Encoding": encoding} if encoding else {})]
    assert text_of(endpoint(server, 0).post({})) == "neun Jahre, é 九年"


def test_compressed_errors_are_quoted(server: Server) -> None:
    server.replies = [(400, gzip.compress(b"no such field"), {"Content-Encoding": "gzip"})]
    with pytest.raises(EngineError, match=r"^HTTP 400 no such field$"):
        endpoint(server).post({})


def test_a_compressed_answer_that_is_cut_is_asked_for_again(
    server: Server, waits: list[float]
) -> None:
    cut = gzip.compress(WHOLE[1])[:-12]
    server.replies = [(200, cut, {"Content-Encoding": "gzip"}), WHOLE]
    assert text_of(endpoint(server).post({})) == "neun Jahre, é 九年"


@pytest.mark.parametrize("way", WAYS)
def test_a_small_body_cannot_fill_the_memory(
    server: Server, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setattr(http, "MAX_ANSWER_BYTES", LIMIT)
    bomb = WAYS[way](b" " * (LIMIT * 200))
    assert len(bomb) < LIMIT
    assert len(decoded(bomb, way.split()[-1], LIMIT)) == LIMIT + 1
    nested = gzip.compress(gzip.compress(b" " * (LIMIT * 200)))
    assert len(decoded(nested, "gzip, gzip", LIMIT)) == LIMIT + 1
    server.replies = [(200, bomb, {"Content-Encoding": way.split()[-1]})]
    with pytest.raises(EngineError, match="more than 65,536 bytes"):
        endpoint(server).post({})


def test_a_compression_that_cannot_be_read_is_named(server: Server) -> None:
    server.replies = [(200, b"\x28\xb5\x2f\xfd\x00", {"Content-Encoding": "zstd"})]
    with pytest.raises(MissingDependencyError, match="compresses its answers as 'zstd'"):
        endpoint(server).post({})


@given(st.binary(max_size=2000), st.sampled_from(sorted(WAYS)))
def test_what_is_compressed_comes_back(body: bytes, way: str) -> None:
    packed, name = WAYS[way](body), way.split()[-1]
    if body.startswith(b"\x1f\x8b"):
        return
    assert decoded(packed, name, LIMIT) == body


@given(st.binary(max_size=200), st.sampled_from(["gzip", "deflate", "gzip, deflate", "", "x"]))
def test_no_body_raises_anything_else(body: bytes, encoding: str) -> None:
    with contextlib.suppress(CutError, EngineError, MissingDependencyError):
        assert len(decoded(body, encoding, LIMIT)) <= LIMIT + 1


def part(delta: dict[str, Any], reason: str | None = None, **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return {"object": "chat.completion.chunk", "model": "m-1", "choices": [choice], **more}


PARTS = [
    part({"role": "assistant", "content": ""}),
    part({"reasoning_content": "Let me see. "}),
    part({"content": "nine "}),
    part({"content": "years"}),
    part({}, "stop"),
    {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}},
]


def events(*parts: object, done: bool = True, end: str = "\n") -> bytes:
    lines = [f"data: {json.dumps(each)}{end}{end}" for each in parts]
    return "".join([*lines, f"data: [DONE]{end}{end}" if done else ""]).encode()


def streamed(body: bytes, kind: str = "text/event-stream") -> Reply:
    return 200, body, {"Content-Type": kind}


@pytest.mark.parametrize(
    "reply",
    [
        streamed(events(*PARTS)),
        streamed(events(*PARTS, done=False)),
        streamed(events(*PARTS, end="\r\n"), "application/json"),
        streamed(b": keep-alive\n\n" + events(*PARTS)),
        streamed("\n".join(map(json.dumps, PARTS)).encode(), "application/x-ndjson"),
        streamed(json.dumps(PARTS).encode(), "application/json"),
    ],
    ids=["events", "no DONE", "CRLF", "comment", "lines", "list"],
)
def test_streamed_answers_are_joined(server: Server, reply: Reply) -> None:
    server.replies = [reply]
    answer = endpoint(server, 0).post({})
    assert text_of(answer) == "nine years"
    assert answer["choices"][0]["message"]["reasoning_content"] == "Let me see. "
    assert answer["choices"][0]["finish_reason"] == "stop"
    assert (answer["model"], answer["usage"]["completion_tokens"]) == ("m-1", 3)


def test_a_single_event_with_a_whole_answer(server: Server) -> None:
    server.replies = [streamed(b"event: message\ndata: " + WHOLE[1] + b"\n\n")]
    assert text_of(endpoint(server, 0).post({})) == "neun Jahre, é 九年"


def test_tool_calls_in_a_stream_are_joined(server: Server) -> None:
    def call(**function: str) -> dict[str, Any]:
        return part({"tool_calls": [{"index": 0, "function": function}]})

    first = part({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "look"}}]})
    parts = [first, call(arguments='{"page"'), call(arguments=": 3}"), part({}, "tool_calls")]
    server.replies = [streamed(events(*parts))]
    [made] = endpoint(server, 0).post({})["choices"][0]["message"]["tool_calls"]
    assert made["id"] == "a"
    assert made["function"] == {"name": "look", "arguments": '{"page": 3}'}


@pytest.mark.parametrize("cut_at", [0.3, 0.6, 0.8])
def test_a_stream_that_is_cut_is_asked_for_again(
    server: Server, waits: list[float], cut_at: float
) -> None:
    whole = events(*PARTS[:4])
    server.replies = [streamed(whole[: int(len(whole) * cut_at)]), streamed(events(*PARTS))]
    assert text_of(endpoint(server).post({})) == "nine years"
    assert waits == [1]


@pytest.mark.parametrize(
    "body",
    [events(*PARTS[:3], {"error": {"code": 503, "message": "died"}}),
     events(PARTS[0], done=False) + b'event: error\ndata: {"code": 503, "message": "died"}\n\n'],
)  # fmt: skip
def test_an_error_in_a_stream_is_one(server: Server, waits: list[float], body: bytes) -> None:
    server.replies = [streamed(body)]
    with pytest.raises(EngineError, match=r"error 503 died \(2 attempts\)"):
        endpoint(server).post({})


def test_a_stream_may_be_compressed_too(server: Server) -> None:
    headers = {"Content-Type": "text/event-stream", "Content-Encoding": "gzip"}
    server.replies = [(200, gzip.compress(events(*PARTS)), headers)]
    assert text_of(endpoint(server, 0).post({})) == "nine years"


@given(st.lists(st.text(max_size=6), min_size=1, max_size=8))
def test_any_division_into_parts_gives_the_same_text(pieces: list[str]) -> None:
    answer = http.Answer(
        http.httpx.Headers({"Content-Type": "text/event-stream"}),
        events(*(part({"content": piece}) for piece in pieces), part({}, "stop")),
    ).json()
    assert text_of(answer) == "".join(pieces)


def test_errors_of_a_plain_kind_are_unchanged(server: Server) -> None:
    server.replies = [refused(400, "no")]
    with pytest.raises(EngineError, match=r"^HTTP 400 no$"):
        endpoint(server).post({})
