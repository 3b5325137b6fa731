"""JSON over HTTP, against servers on loopback that keep connections, ask to wait, hang and drip."""

from __future__ import annotations

import asyncio
import errno
import functools
import math
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.errors import EngineError, LateError, MissingDependencyError
from ohr.models import http
from ohr.models.http import Endpoint
from ohr.models.waits import asked_wait
from tests.loopback import Server, refused

DATE = "Wed, 21 Oct 2015 07:28:00 GMT"
DATES = ["Wed, 21 Oct 2015 07:28:07 GMT", "Wednesday, 21-Oct-15 07:28:07 GMT",
         "Wed Oct 21 07:28:07 2015"]  # fmt: skip
FINE = 200, b'{"fine": 1}', {}


def endpoint(url: str, timeout_s: float = 30.0, retries: int = 0) -> Endpoint:
    return Endpoint(url, None, timeout_s, retries)


@pytest.fixture
def long_lived_connections(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Connections are kept for as long as a slow machine may need between two requests."""
    connections = functools.cache(http._connections.__wrapped__)
    monkeypatch.setattr(http, "KEPT_OPEN_S", 600.0)
    monkeypatch.setattr(http, "_connections", connections)
    yield
    http._awaited(connections(os.getpid(), None).aclose())


def test_connections_are_used_again(server: Server, long_lived_connections: None) -> None:
    server.replies = [FINE, refused(400, "no"), FINE]
    assert endpoint(server.url).post({}) == {"fine": 1}
    with pytest.raises(EngineError, match="HTTP 400 no"):
        endpoint(server.url).post({})
    assert endpoint(f"{server.url}/else").post({}) == {"fine": 1}
    assert server.connections == 1


def test_a_connection_that_the_server_has_closed_is_not_used_again(
    server: Server, long_lived_connections: None
) -> None:
    closed = threading.Event()

    def answer_and_close(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        handler.connection.shutdown(socket.SHUT_RDWR)
        closed.set()

    server.replies = [answer_and_close, FINE]
    assert endpoint(server.url).post({}) == {}
    assert closed.wait(30)
    assert endpoint(server.url).post({}) == {"fine": 1}


@pytest.mark.slow
def test_each_thread_gets_its_own_answer(server: Server) -> None:
    server.answer = lambda request: (200, str(request["number"]).encode(), {})
    with ThreadPoolExecutor(8) as threads:
        numbers = list(threads.map(lambda n: endpoint(server.url).post({"number": n}), range(80)))
    assert numbers == list(range(80))


def test_within_a_running_event_loop_as_in_a_notebook(server: Server) -> None:
    server.replies = [FINE]

    async def cell() -> object:
        return endpoint(server.url).post({})

    assert asyncio.run(cell()) == {"fine": 1}


def test_a_forked_process_has_connections_of_its_own(
    server: Server, long_lived_connections: None
) -> None:
    server.replies = [FINE]
    endpoint(server.url).post({})
    child = os.fork()
    if child == 0:
        signal.alarm(30)  # it would wait for a thread that only its parent has
        os._exit(0 if endpoint(server.url).post({}) == {"fine": 1} else 1)
    assert os.waitpid(child, 0)[1] == 0
    endpoint(server.url).post({})
    assert server.connections == 2


def test_cookies_are_not_kept(server: Server) -> None:
    server.replies = [(200, b"{}", {"Set-Cookie": "who=you"})]
    for _ in range(2):
        endpoint(server.url).post({})
    assert "Cookie" not in server.headers[1]


@pytest.mark.parametrize("place", ["http://[::bad", "/else", "ftp://h:port", "\\x00"])
def test_wherever_a_redirect_leads_it_is_not_followed(server: Server, place: str) -> None:
    server.replies = [refused(307, Location=place)]
    with pytest.raises(MissingDependencyError, match=r"redirects \(HTTP 307\): name the final"):
        endpoint(server.url).post({})
    assert len(server.requests) == 1


@pytest.mark.parametrize("date", DATES)
def test_a_date_to_wait_for_goes_by_the_servers_own_clock(
    server: Server, waits: list[float], date: str
) -> None:
    def busy(handler: BaseHTTPRequestHandler) -> None:
        head = f"HTTP/1.1 503 Busy\r\nDate: {DATE}\r\nRetry-After: {date}\r\n"
        # It closes after this answer: said, or the next request may be sent into the closing.
        handler.wfile.write(f"{head}Connection: close\r\nContent-Length: 0\r\n\r\n".encode())

    server.replies = [busy, FINE]
    assert endpoint(server.url, retries=1).post({}) == {"fine": 1}
    assert waits == [7]


def test_a_date_from_a_server_without_a_clock_goes_by_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "ohr.models.waits.time.time", lambda: 1_445_412_480.0 - 20
    )  # 20 s before DATE
    assert asked_wait(httpx.Headers({"Retry-After": DATE})) == 20


@given(st.one_of(st.text(st.characters(max_codepoint=127)), st.sampled_from(DATES)),
       st.text(st.characters(max_codepoint=127)))  # fmt: skip
def test_any_header_asks_for_some_wait(after: str, date: str) -> None:
    assert not math.isnan(asked_wait(httpx.Headers({"Retry-After": after, "Date": date})))


def written(*parts: bytes, then: bytes = b"") -> Callable[[socket.socket, threading.Event], None]:
    """A server that reads a request, writes some bytes and then the same ones for ever."""

    def serve(connection: socket.socket, over: threading.Event) -> None:
        connection.recv(1 << 16)
        for part in parts:
            connection.sendall(part)
        while not over.wait(0.02):
            connection.sendall(then)

    return serve


def deaf(connection: socket.socket, over: threading.Event) -> None:
    over.wait()


@contextmanager
def listening(serve: Callable[[socket.socket, threading.Event], None]) -> Iterator[str]:
    """The address of a server of one connection, which ends with the test."""
    over = threading.Event()

    def work(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection, suppress(OSError):  # the client has gone
            serve(connection, over)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=work, args=(listener,), daemon=True)
        thread.start()
        try:
            yield f"//127.0.0.1:{listener.getsockname()[1]}/v1"
        finally:
            over.set()
            thread.join(30)


@pytest.mark.parametrize(
    "serve",
    [
        written(),
        written(b"HTTP/1.1 200 OK\r\n", then=b"X-More: and more\r\n"),
        written(b"HTTP/1.1 200 OK\r\nX-Long: ", then=b"x"),
        written(b"HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n", then=b" "),
        written(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", then=b"1\r\n \r\n"),
    ],
    ids=["silence", "headers", "a header", "a body", "chunks"],
)
def test_one_limit_holds_over_whatever_comes_drop_by_drop(
    serve: Callable[[socket.socket, threading.Event], None],
) -> None:
    with listening(serve) as address, pytest.raises(LateError, match=r"no answer within 0\.3 s"):
        endpoint(f"http:{address}", 0.3).post({})


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_one_limit_holds_over_connecting_and_sending(scheme: str) -> None:
    """A server that takes the connection, but neither a large body nor a handshake."""
    body = {"image": "x" * (32 << 20)} if scheme == "http" else {}
    with (
        listening(deaf) as address,
        pytest.raises(MissingDependencyError, match=r"cannot be reached within 0\.5 s"),
    ):
        endpoint(f"{scheme}:{address}", 0.5).post(body)


def test_an_error_whose_text_never_ends_is_still_that_error() -> None:
    drip = written(b"HTTP/1.1 400 Bad\r\nContent-Length: 99999\r\n\r\nno", then=b" ")
    with listening(drip) as address, pytest.raises(EngineError, match=r"^HTTP 400$"):
        endpoint(f"http:{address}", 0.3).post({})


def test_a_server_that_speaks_no_tls_is_not_trusted(server: Server) -> None:
    server.replies = [FINE]
    with pytest.raises(MissingDependencyError, match="cannot be trusted"):
        endpoint(server.url.replace("http:", "https:")).post({})


def test_the_system_says_why_a_server_cannot_be_reached() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(MissingDependencyError) as caught:
        endpoint(url).post({})
    reason = OSError(errno.ECONNREFUSED, os.strerror(errno.ECONNREFUSED))
    assert str(caught.value) == (
        f"{url} cannot be reached: {reason}: start the server, or fix base_url"
    )


def test_proxies_of_the_environment(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("no_proxy", "NO_PROXY", "all_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    server.replies = [FINE]
    monkeypatch.setenv("http_proxy", server.url.removesuffix("/v1").removeprefix("http://"))
    assert endpoint("http://ohr.invalid/v1").post({}) == {"fine": 1}
    assert server.paths == ["http://ohr.invalid/v1"]
    monkeypatch.setenv("no_proxy", "ohr.invalid")
    with pytest.raises(MissingDependencyError, match="cannot be reached"):
        endpoint("http://ohr.invalid/v1").post({})
    monkeypatch.delenv("no_proxy")
    for unusable in ("socks5://me:secret@host:1", "http://me:secret@host:port"):
        monkeypatch.setenv("http_proxy", unusable)
        with pytest.raises(MissingDependencyError, match="unset http_proxy") as caught:
            endpoint("http://ohr.invalid/v1").post({})
        assert "secret" not in str(caught.value)
