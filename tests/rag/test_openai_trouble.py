"""What becomes of requests when a server, the network or the user interrupts them."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from ohr.errors import EngineError, MissingDependencyError
from ohr.models.http import Endpoint
from ohr.types import Outcome, Status
from tests.loopback import Reply, Server, refused, said
from tests.patience import ends
from tests.rag.test_openai_reader import ask, reader


@pytest.mark.parametrize("status", [429, 500, 502, 503, 520, 524, 529])
def test_passing_trouble_is_tried_again(server: Server, waits: list[float], status: int) -> None:
    server.replies = [refused(status), refused(status), said("at last")]
    assert ask(server) == Outcome("at last")
    assert waits == [1, 2]


def test_waits_as_long_as_the_server_asks(server: Server, waits: list[float]) -> None:
    server.replies = [refused(429, Retry_After="7"), said("at last")]
    assert ask(server) == Outcome("at last")
    assert waits == [7]


def test_lasting_trouble_is_that_questions_error(server: Server, waits: list[float]) -> None:
    server.answer = lambda request: (
        refused(500, "boom") if "bad" in request["messages"][-1]["content"] else said("fine")
    )
    made = reader(server, retries=2)
    replies = {r.index: r.outcome for r in made.answer_many(["good", "bad", "fine"], [[]] * 3)}
    assert replies[1] == Outcome.error("openai: HTTP 500 boom (3 attempts)")
    assert replies[0] == replies[2] == Outcome("fine")


@pytest.mark.parametrize(
    "answer",
    [b"", b"<html>", b"[]", b"{}", b'{"choices": []}', b'{"choices": [{"message": 3}]}',
     b'{"choices": [{"message": {"content": 5}}]}', b'{"choices": [{"mess', b"[" * 100_000],
)  # fmt: skip
def test_nonsense_is_an_error(server: Server, waits: list[float], answer: bytes) -> None:
    server.replies = [(200, answer, {})]
    outcome = ask(server)
    assert outcome.status is Status.ERROR
    assert "\n" not in outcome.detail


def test_torn_answer_is_tried_again(server: Server, waits: list[float]) -> None:
    def half(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b'HTTP/1.0 200 OK\r\nContent-Length: 100\r\n\r\n{"choices"')

    server.replies = [half, said("at last")]
    assert ask(server) == Outcome("at last")


def test_silence_is_a_timeout_after_another_try(server: Server, waits: list[float]) -> None:
    server.replies = [lambda handler: threading.Event().wait(0.4)]
    outcome = ask(server, timeout_s=0.1, retries=1)
    detail = "openai: no answer within 0.1 s: raise timeout_s (2 attempts)"
    assert outcome == Outcome.timeout(detail)
    assert len(server.requests) == 2


def test_a_drip_of_bytes_is_a_timeout_too(server: Server) -> None:
    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.0 200 OK\r\nContent-Length: 100000000\r\n\r\n")
        with contextlib.suppress(ConnectionError):  # when the other end has had enough
            while True:
                handler.wfile.write(b" ")
                handler.wfile.flush()
                time.sleep(0.05)

    server.replies = [drip]
    with ends(wall_s=60):
        assert ask(server, timeout_s=0.3, retries=0).status is Status.TIMEOUT


def test_what_ails_the_server_stops_the_run_after_what_had_come(server: Server) -> None:
    seen = []

    def answer(request: dict[str, Any]) -> Reply:
        seen.append(request)
        return said("fine") if len(seen) <= 5 else refused(401, "who are you?")

    server.answer = answer
    replies: list[Any] = []
    with pytest.raises(
        MissingDependencyError, match=r"openai: .*refuses no key: name api_key_env .* who are you"
    ):
        replies.extend(reader(server, concurrency=2).answer_many(["q"] * 50, [[]] * 50))
    assert len(replies) == 5
    assert len(seen) < 12


def test_a_request_that_is_refused_is_that_questions_error(server: Server) -> None:
    def answer(request: dict[str, Any]) -> Reply:
        asked = request["messages"][-1]["content"]
        flagged = json.dumps({"error": {"message": "your input was flagged", "code": 403}})
        return refused(403, flagged) if "Question: bad" in asked else said("fine")

    server.answer = answer
    replies = reader(server).answer_many(["good", "bad", "better"], [[]] * 3)
    outcomes = {reply.index: reply.outcome for reply in replies}
    assert [outcomes[position].status for position in range(3)] == [
        Status.OK,
        Status.ERROR,
        Status.OK,
    ]
    assert outcomes[1].detail.endswith(
        "refused (HTTP 403, no key was sent): your input was flagged"
    )


ASKING = """
import signal
import sys
from ohr import registry

# A shell starts what runs in its background with this signal ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
params = {"model": "m", "base_url": sys.argv[1], "timeout_s": 15, "retries": 1, "concurrency": 4}
made = registry.create("reader", {"name": "openai", "params": params})
try:
    list(made.answer_many(["q"] * 20, [[]] * 20))
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.slow
@pytest.mark.parametrize("busy", [False, True])
def test_an_interrupt_ends_the_process_and_its_requests(server: Server, busy: bool) -> None:
    over = threading.Event()
    server.replies = [refused(503, Retry_After="3") if busy else lambda _: over.wait(20)]
    process = subprocess.Popen([sys.executable, "-c", ASKING, server.url])
    try:
        while len(server.requests) < 4:
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        time.sleep(0.5)
        assert len(server.requests) == 4
    finally:
        over.set()
        process.kill()
        process.wait()


@pytest.mark.slow
def test_replies_left_early_stop_the_requests(server: Server) -> None:
    remaining = threading.Event()

    def answer(request: dict[str, Any]) -> Reply:
        if "first" in request["messages"][-1]["content"]:
            return said("x")
        remaining.wait(20)
        return refused(503)

    server.answer = answer
    replies = reader(server, concurrency=2).answer_many(["first"] + ["q"] * 8, [[]] * 9)
    next(replies)
    replies.close()
    remaining.set()
    time.sleep(1.3)  # by then they would be tried again
    assert len(server.requests) <= 3  # the first, and two that were under way


def test_a_request_that_is_stopped_waits_no_longer(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.replies = [refused(503, Retry_After="3600")]
    monkeypatch.setattr("ohr.models.http.LONGEST_WAIT_S", 3600.0)
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    with ends(wall_s=60), pytest.raises(EngineError, match="stopped"):
        Endpoint(server.url, None, 5, retries=3).post({}, stop)
    assert len(server.requests) == 1
