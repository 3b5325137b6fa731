"""The engine over HTTP, against a server on loopback that answers what each test scripts."""

from __future__ import annotations

import base64
import io
import json
import logging
import socket
import threading
from http.server import BaseHTTPRequestHandler
from typing import Any

import numpy as np
import pytest
from PIL import Image

from ocr_backends.openai_vlm import OpenAiVlm, OpenAiVlmParams
from ohr import registry
from ohr.errors import ConfigError, MissingDependencyError
from ohr.store.identity import canonical_json
from ohr.types import Outcome, Status
from tests.loopback import Reply, Server, refused, said

KEY = "sk-not-a-real-key-0123456789"
PAGE = np.full((60, 80, 3), 255, np.uint8)


def engine(server: Server, **params: Any) -> OpenAiVlm:
    made: OpenAiVlm = registry.create(
        "engine",
        {
            "name": "openai_vlm",
            "params": {"model": "a/model", "base_url": server.url, **params},
        },
    )
    return made


def read(server: Server, image: np.ndarray = PAGE, **params: Any) -> Outcome[str]:
    [(number, outcome)] = engine(server, **params).transcribe([image], [7])
    assert number == 7
    return outcome


def sent_image(request: dict[str, Any]) -> np.ndarray:
    [turn] = request["messages"]
    head, _, data = turn["content"][0]["image_url"]["url"].partition(",")
    assert head == "data:image/png;base64"
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(data))))


def test_page_goes_out_whole_and_the_text_comes_back(server: Server) -> None:
    server.replies = [said("# Title\n\n$x$")]
    page = np.random.default_rng(0).integers(0, 256, (60, 80, 3), np.uint8)
    assert read(server, page) == Outcome("# Title\n\n$x$")
    [request] = server.requests
    assert server.paths == ["/v1/chat/completions"]
    assert (sent_image(request) == page).all()
    assert (request["model"], request["temperature"], request["seed"]) == ("a/model", 0, 0)
    assert request["max_tokens"] == 4096
    assert "Authorization" not in server.headers[0]


def test_same_page_same_request(server: Server) -> None:
    server.replies = [said("text")]
    read(server)
    read(server)
    assert server.requests[0] == server.requests[1]


def test_prompts(server: Server) -> None:
    server.replies = [said("text")]
    for prompt in ("simple", "detailed", "Read this page."):
        read(server, prompt=prompt)
    simple, detailed, own = (r["messages"][0]["content"][1]["text"] for r in server.requests)
    assert own == "Read this page."
    assert "Markdown" in simple
    assert len(detailed) > 3 * len(simple)
    with pytest.raises(ConfigError, match="unknown prompt 'detaild'; known: simple, detailed"):
        engine(server, prompt="detaild")


def test_grey_and_large_pages(server: Server) -> None:
    server.replies = [said("text")]
    grey = np.arange(4800, dtype=np.uint8).reshape(60, 80)
    read(server, grey)
    assert (sent_image(server.requests[0]) == grey[:, :, None]).all()
    for height, width in ((2000, 3000), (40, 10_000), (32, 32)):
        read(server, np.full((height, width), 9, np.uint8), max_pixels=100_000)
        shape = sent_image(server.requests[-1]).shape
        assert shape[0] * shape[1] <= 100_000
        ratio = (shape[1] / shape[0]) / (width / height)
        assert ratio == pytest.approx(1, rel=0.05)
    assert sent_image(server.requests[-1]).shape == (32, 32, 3)


def test_fence_around_the_whole_is_taken_off(server: Server) -> None:
    server.replies = [
        said("```markdown\n# A\n\ntext\n```\n"),
        said("```\ncut off", "length"),
        said("before\n```python\nx = 1\n```"),
        said("```\na\n```\nbetween\n```\nb\n```"),
    ]
    texts = [read(server).value for _ in range(4)]
    assert texts[:2] == ["# A\n\ntext", "cut off"]
    assert texts[2] == "before\n```python\nx = 1\n```"
    assert texts[3] == "```\na\n```\nbetween\n```\nb\n```"


@pytest.mark.parametrize(
    ("reply", "page"),
    [
        ("<think>A title, then text.</think>\n\n```markdown\n# A\n```", "# A"),
        ("A title, then text.</think>\n# A", "# A"),  # the template opened it
        ("<think>A title, th", ""),
        ("# R1\n\nIt writes <think> and </think>.", "# R1\n\nIt writes <think> and </think>."),
        ("<think>Tags!</think>It writes </think>.", "It writes </think>."),
    ],
)
def test_thoughts_before_the_page_are_none_of_it(server: Server, reply: str, page: str) -> None:
    server.replies = [said(reply)]
    outcome = read(server)
    assert (outcome.value or "").strip() == page
    assert (outcome.status is Status.EMPTY) == (not page)


@pytest.mark.parametrize("content", [None, "", " \n", []])
def test_empty_answer_is_an_empty_page(server: Server, content: object) -> None:
    server.replies = [said(content)]
    assert read(server).status is Status.EMPTY


def test_answer_in_parts_and_half_a_character(server: Server) -> None:
    parts = [{"type": "text", "text": "a\ud83d"}, {"type": "image"}, {"type": "text", "text": "b"}]
    server.replies = [said(parts)]
    assert read(server).value == "a?b"


def test_cut_answer_is_flagged(server: Server) -> None:
    server.replies = [said("half a", "length")]
    assert read(server, max_tokens=5) == Outcome("half a", Status.OK, "cut at 5 tokens")


def test_text_goes_through_the_normaliser(server: Server) -> None:
    server.replies = [said(r"so \(x\) is"), said("and on, " * 100, "length")]
    assert read(server).value == "so $x$ is"
    looped = read(server)
    assert (looped.value or "").strip() == "and on,"
    assert looped.detail.startswith("cut at 4096 tokens; repeats itself")
    assert read(server, normalise={"loops": False}).detail == "cut at 4096 tokens"


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 522, 529])
def test_passing_trouble_is_tried_again(server: Server, waits: list[float], status: int) -> None:
    server.replies = [refused(status), refused(status), said("at last")]
    assert read(server) == Outcome("at last")
    assert waits == [1, 2]


def test_waits_as_long_as_the_server_asks_within_reason(server: Server, waits: list[float]) -> None:
    server.replies = [
        refused(429, Retry_After="7"),
        refused(429, Retry_After="60"),
        refused(429, Retry_After="Wed, 21 Oct 2026 07:28:00 GMT"),
        said("at last"),
    ]
    assert read(server).status is Status.OK
    assert waits == [7, 60, 4]


def test_lasting_trouble_is_the_pages_error(server: Server, waits: list[float]) -> None:
    server.replies = [refused(503, "overloaded\nplease wait")]
    outcome = read(server, retries=2)
    assert outcome == Outcome.error("openai_vlm: HTTP 503 overloaded please wait (3 attempts)")
    assert waits == [1, 2]


def test_refused_page_is_its_error_and_the_next_is_read(server: Server) -> None:
    server.replies = [refused(400, "image too large " + "x" * 5000), said("fine")]
    outcomes = [outcome for _, outcome in engine(server).transcribe([PAGE, PAGE], [0, 1])]
    assert outcomes[0].status is Status.ERROR
    assert outcomes[0].detail.startswith("openai_vlm: HTTP 400 image too large")
    assert len(outcomes[0].detail) < 300
    assert outcomes[1] == Outcome("fine")


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (refused(401, "who?"), "refuses no key: name api_key_env"),
        (refused(307, Location="/v1/elsewhere"), "redirects"),
        (refused(302, Location="/v1/elsewhere"), "redirects"),
    ],
)
def test_what_ails_the_server_stops_the_run(server: Server, reply: Reply, message: str) -> None:
    server.replies = [reply]
    with pytest.raises(MissingDependencyError, match=message):
        read(server)
    assert len(server.requests) == 1  # not tried again, no redirect followed


def test_a_page_that_is_refused_is_that_pages_error(server: Server) -> None:
    server.replies = [refused(403, "flagged")]
    outcome = read(server)
    assert outcome.status is Status.ERROR
    assert outcome.detail.endswith("refused (HTTP 403, no key was sent): flagged")


def test_an_error_within_success_is_quoted_and_tried_again(
    server: Server, waits: list[float]
) -> None:
    busy = json.dumps({"error": {"message": "loading", "code": 503}}).encode()
    server.replies = [(200, busy, {}), said("A page.")]
    assert read(server, retries=1).value == "A page."
    server.replies = [(200, busy, {})]
    assert "HTTP 200 with error 503 loading" in read(server).detail


@pytest.mark.parametrize(
    "answer",
    [b"", b"<html>", b"[]", b"{}", b'{"choices": []}', b'{"choices": [{"message": 3}]}',
     b'{"choices": [{"message": {"content": 5}}]}', b"[" * 100_000],
)  # fmt: skip
def test_nonsense_is_an_error(server: Server, waits: list[float], answer: bytes) -> None:
    server.replies = [(200, answer, {})]
    assert read(server).status is Status.ERROR


def test_endless_answer_is_an_error(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ohr.models.http.MAX_ANSWER_BYTES", 1000)
    server.replies = [said("x" * 2000)]
    assert "more than 1,000 bytes" in read(server).detail


def test_silence_is_timed_out(server: Server, waits: list[float]) -> None:
    server.replies = [lambda handler: threading.Event().wait(0.5)]
    outcome = read(server, timeout_s=0.1)
    assert outcome.detail == "openai_vlm: no answer within 0.1 s: raise timeout_s"
    assert waits == []  # it would hang again


def test_lost_connection_is_tried_again(server: Server, waits: list[float]) -> None:
    def hang_up(handler: BaseHTTPRequestHandler) -> None:
        handler.connection.shutdown(socket.SHUT_RDWR)

    def half(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.0 200 OK\r\nContent-Length: 100\r\n\r\n{")

    server.replies = [hang_up, half, said("at last")]
    assert read(server) == Outcome("at last")
    assert waits == [1, 2]


def test_no_server_stops_the_run(waits: list[float]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(MissingDependencyError, match=r"cannot be reached.*3 attempts.*start the"):
        read(Server([], url), retries=2)
    assert waits == [1, 2]


def test_loopback_needs_no_proxy(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.delenv("no_proxy", raising=False)
    server.replies = [said("direct")]
    assert read(server) == Outcome("direct")


def test_key_is_sent_and_shown_nowhere(
    server: Server,
    waits: list[float],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("MY_KEY", KEY + "\n")
    server.replies = [
        refused(400, f"bad request by {KEY}"),
        refused(500, f"{KEY} crashed me"),
        refused(401, f"{KEY} is unknown"),
    ]
    shown = []
    for _ in range(2):
        shown.append(read(server, api_key_env="MY_KEY", retries=0).detail)
    with pytest.raises(MissingDependencyError, match="refuses the key in MY_KEY") as caught:
        read(server, api_key_env="MY_KEY")
    assert [headers["Authorization"] for headers in server.headers] == [f"Bearer {KEY}"] * 3
    assert "[key]" in shown[0]
    made = engine(server, api_key_env="MY_KEY")
    shown += [str(caught.value), canonical_json(made.identity()), repr(made.params), caplog.text]
    shown += list(capfd.readouterr())
    assert KEY not in "".join(shown)


@pytest.mark.parametrize(("value", "message"), [(None, "is not set"), ("sk-ключ", "characters"),
                                                ("sk-a\nX-Evil: 1", "characters")])  # fmt: skip
def test_unusable_key_stops_the_run_unquoted(
    server: Server, monkeypatch: pytest.MonkeyPatch, value: str | None, message: str
) -> None:
    server.replies = [said("never")]
    monkeypatch.delenv("MY_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("MY_KEY", value)
    with pytest.raises(MissingDependencyError, match=f"MY_KEY.*{message}") as caught:
        read(server, api_key_env="MY_KEY")
    assert value is None or value not in str(caught.value)
    assert server.requests == []


@pytest.mark.parametrize(
    "url",
    ["localhost:8000", "ftp://host/v1", "http://", "http://me:secret@host/v1",
     "https://host/v1?api-key=secret", "http://host:port/v1"],
)  # fmt: skip
def test_address_without_secrets(url: str) -> None:
    with pytest.raises(ConfigError, match="base_url") as caught:
        registry.create("engine", {"name": "openai_vlm", "params": {"model": "m", "base_url": url}})
    assert "secret" not in str(caught.value)


def test_identity_follows_what_changes_the_text(server: Server) -> None:
    def identity(**params: Any) -> str:
        return canonical_json(engine(server, **params).identity())

    plain = identity()
    for same in ({"timeout_s": 5.0}, {"retries": 0}, {"api_key_env": "MY_KEY"}):
        assert identity(**same) == plain
    for other in ({"revision": "2"}, {"prompt": "simple"}, {"max_tokens": 9}, {"model": "b/m"}):
        assert identity(**other) != plain
    assert OpenAiVlmParams(model="m", base_url="http://h/v1/").base_url == "http://h/v1"


def test_what_is_no_page(server: Server) -> None:
    server.replies = [said("never")]
    outcome = read(server, np.zeros((0, 5), np.uint8))
    assert outcome.status is Status.ERROR
    assert server.requests == []
