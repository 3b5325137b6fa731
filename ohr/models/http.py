"""JSON over HTTP: retries with growing waits, no redirects, and no API key in any message.

The OCR engine and the reader for OpenAI-compatible servers share it. Connections are kept open and
reused by all threads: all requests of a process run on one event loop. A single time limit covers
name lookup, connecting, sending and reading.
"""

from __future__ import annotations

import asyncio
import functools
import json
import os
import socket
import ssl
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx

from ohr.errors import EngineError, LateError, MissingDependencyError, RefusedError
from ohr.models.answers import Answer, BrokenAnswerError
from ohr.models.encodings import CutError, decoded
from ohr.models.error_bodies import (
    QUOTED_CHARS,
    ErrorWithin,
    error_in,
    error_within,
    hide,
    is_hollow,
    quoted,
)
from ohr.models.error_codes import NO_CREDIT, NO_KEY, deciding, may_pass
from ohr.models.key_names import unset_key
from ohr.models.proxies import proxy_for
from ohr.models.system_turns import explained
from ohr.models.waits import asked_wait, end_of_wait

CUT_OFF = (ConnectionResetError, ConnectionAbortedError, BrokenPipeError)
LONGEST_WAIT_S = 60.0
"""Longest wait before a request is sent again; a server that asks for more stops the run."""
MAX_ANSWER_BYTES = 16 << 20
MOST_ERROR_BYTES = 8 * QUOTED_CHARS
KEPT_OPEN_S = 1.0
"""How long an idle connection stays open. Common servers close it after 2 to 5 seconds; a shorter
time avoids sending a request at that moment."""

T = TypeVar("T")


class UnreachedError(MissingDependencyError):
    """A server that cannot be reached."""


class PausedError(MissingDependencyError):
    """A server that asks to wait longer than :data:`LONGEST_WAIT_S`."""


class TroubledError(EngineError):
    """A server error that persists after all retries."""


class _PassingError(Exception):
    """An attempt with a temporary error."""

    def __init__(
        self, problem: str, wait_s: float = 0.0, *, reached: bool = True, late: bool = False
    ) -> None:
        super().__init__(problem)
        self.wait_s = wait_s
        self.reached = reached
        self.late = late


@dataclass(frozen=True)
class Endpoint:
    """The target of requests. ``key_variable`` names the environment variable with the API key.

    ``timeout_s``: most seconds for an answer. ``retries``: most retries in total;
    ``late_retries``: most retries after a timeout. ``key_header``: the header for the key, if it is
    not sent as a bearer token.
    """

    url: str
    key_variable: str | None
    timeout_s: float
    retries: int
    late_retries: int = 0
    key_header: str = ""
    content: str = ""

    def key(self) -> str:
        """The API key, empty if none is needed. Raises MissingDependencyError."""
        if self.key_variable is None:
            return ""
        key = os.environ.get(self.key_variable, "").strip()
        if not key:
            raise MissingDependencyError(unset_key(self.key_variable))
        if not (key.isascii() and key.isprintable()):
            # The HTTP library would quote it in its own error.
            raise MissingDependencyError(
                f"the environment variable {self.key_variable} holds characters that no API key has"
            )
        hide(key)
        return key

    def post(self, body: object, stop: threading.Event | None = None) -> Any:
        """The server's JSON answer to a JSON body.

        Retries up to ``retries`` times, after 1, 2, 4 ... seconds or the wait that the server asks
        for, on statuses that may pass (:mod:`ohr.models.error_codes`), lost connections, and
        answers that are cut or empty. An error inside an answer counts by its code. Raises
        MissingDependencyError for a problem with the server and not with this request (unreachable,
        HTTP 401 and 402, redirects, a wait longer than :data:`LONGEST_WAIT_S`), RefusedError for
        HTTP 403 and 404, LateError for no answer in time, and EngineError for other errors, and if
        ``stop`` is set before an attempt.
        """
        try:
            return self.send(body, stop)
        except UnreachedError as error:
            raise MissingDependencyError(str(error)) from error
        except TroubledError as error:
            raise EngineError(str(error)) from error

    def send(self, body: object, stop: threading.Event | None = None) -> Any:
        """As :meth:`post`, but with UnreachedError and TroubledError instead of their base classes
        if another server may succeed.
        """
        data = json.dumps(body).encode()

        def once(key: str) -> Any:
            answer = self._once("POST", data, "application/json", key)
            content = _content(answer)
            if error := error_within(content):
                raise self._refused(200, error, answer.headers, key)
            if self.content and is_hollow(content, self.content):
                raise _PassingError(f"an answer without {self.content}: {quoted(content)}")
            return content

        try:
            return self._tried(once, stop)
        except EngineError as error:
            raise explained(error, body, self.url) from error

    def exchange(
        self,
        method: str,
        data: bytes,
        content_type: str,
        stop: threading.Event | None = None,
        *,
        json_expected: bool = False,
    ) -> Answer:
        """The server's answer to any request, with the retries and errors of :meth:`send`.

        With ``json_expected``, an answer whose JSON is cut is asked for again.
        """

        def once(key: str) -> Answer:
            answer = self._once(method, data, content_type, key)
            if json_expected:
                _content(answer)
            return answer

        return self._tried(once, stop)

    def _tried(self, once: Callable[[str], T], stop: threading.Event | None) -> T:
        """The result of the first successful attempt; each attempt gets the key."""
        key = self.key()
        stop = stop or threading.Event()
        late = 0
        for attempt in range(self.retries + 1):
            if stop.is_set():
                raise EngineError("stopped before it was sent")
            try:
                return once(key)
            except _PassingError as error:
                if error.wait_s > LONGEST_WAIT_S:
                    raise PausedError(
                        f"{self.url} asks to wait {end_of_wait(error.wait_s)} ({error}): run the "
                        "same command again then, which continues from here"
                    ) from error
                late += error.late
                if attempt < self.retries and late <= self.late_retries:
                    pause(stop, min(max(error.wait_s, 2.0**attempt), LONGEST_WAIT_S))
                    continue
                problem = f"{error} ({attempt + 1} attempts)" if attempt else str(error)
                if error.late:
                    raise LateError(problem) from error
                if not error.reached:
                    raise UnreachedError(
                        f"{self.url} cannot be reached: {problem}: start the server, "
                        "or fix base_url"
                    ) from error
                raise TroubledError(problem) from error
        raise AssertionError("unreachable")

    def _once(self, method: str, data: bytes, content_type: str, key: str) -> Answer:
        answer = _awaited(self._exchange(method, data, content_type, key))
        body, encoding = answer.body, answer.headers.get("Content-Encoding", "")
        try:
            if len(body) <= MAX_ANSWER_BYTES:
                body = decoded(body, encoding, MAX_ANSWER_BYTES)
        except CutError as error:
            raise _PassingError(str(error)) from None
        if len(body) > MAX_ANSWER_BYTES:
            raise EngineError(f"an answer of more than {MAX_ANSWER_BYTES:,} bytes")
        return Answer(answer.headers, body)

    async def _exchange(self, method: str, data: bytes, content_type: str, key: str) -> Answer:
        """An answer with its body, or a little more than :data:`MAX_ANSWER_BYTES` of it."""
        headers = {
            "Content-Type": content_type,
            "Content-Length": str(len(data)),
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": "ohr",
        }
        if not data:
            del headers["Content-Type"]
        if key and self.key_header:
            headers[self.key_header] = key
        elif key:
            headers["Authorization"] = f"Bearer {key}"
        sent = False

        async def sending() -> AsyncIterator[bytes]:
            nonlocal sent
            yield data
            sent = True

        response: httpx.Response | None = None
        answer = bytearray()
        try:
            request = httpx.Request(method, self.url, headers=headers, content=sending())
            connections = _connections(os.getpid(), proxy_for(self.url))
            async with asyncio.timeout(self.timeout_s):
                response = await connections.handle_async_request(request)
                async with aclosing(response):
                    limit = MAX_ANSWER_BYTES if response.is_success else MOST_ERROR_BYTES
                    async for block in response.aiter_raw():
                        answer += block
                        if len(answer) > limit:
                            break
        except TimeoutError:
            if response is None:
                raise self._late() if sent else self._unreached(TimeoutError()) from None
            if response.is_success:
                raise self._late() from None
            answer.clear()
        except httpx.ProxyError as error:
            raise self._unreached(OSError(f"Tunnel connection failed: {error}")) from None
        except httpx.ConnectError as error:
            raise self._unreached(_system_error(error)) from None
        except httpx.TransportError as error:
            if response is None or response.is_success:
                raise _lost(error, response, len(answer)) from None
            answer.clear()
        except httpx.InvalidURL as error:
            raise MissingDependencyError(
                f"{self.url} is no address: {error}: fix base_url"
            ) from None
        if not response.is_success:
            status = response.status_code
            if 300 <= status < 400:
                raise MissingDependencyError(
                    f"{self.url} redirects (HTTP {status}): name the final address"
                )
            encoding = response.headers.get("Content-Encoding", "")
            body = decoded(bytes(answer), encoding, MOST_ERROR_BYTES, whole=False)
            raise self._refused(status, error_in(body[:MOST_ERROR_BYTES]), response.headers, key)
        return Answer(response.headers, bytes(answer))

    def _refused(
        self, status: int, error: ErrorWithin, headers: httpx.Headers, key: str
    ) -> Exception:
        """The exception for an answer's status and the error in its body."""
        named = f" {error.code}" if error.code else ""
        what = f"HTTP {status}"
        if status == 200 or error.code not in (0, status):
            what += f" with error{named}"
        # An error that a server sends as a success, and does not explain, may be its own.
        unexplained = status == 200 and not error.code and not error.lasts
        words = error.words
        status, wait = deciding(status, error.code), asked_wait(headers, words)
        if status == NO_KEY:
            fix = f"the key in {self.key_variable}" if key else "no key: name api_key_env"
            return MissingDependencyError(f"{self.url} refuses {fix} ({what}) {words}".strip())
        if status == NO_CREDIT:
            return MissingDependencyError(
                f"{self.url} asks for payment ({what}): {words or 'no reason given'}: add credit "
                "and run the same command again, which continues from here"
            )
        if may_pass(status) or error.passes or wait > 0 or unexplained:
            return _PassingError(f"{what} {words}".strip(), wait)
        if status in (403, 404):
            missing = ", no such endpoint or model" if status == 404 else ""
            sent = "" if key else ", no key was sent"
            # ``what`` begins with HTTP, so that the message contains RefusedError.MARK.
            refusal = f"{self.url} refused ({what}{missing}{sent}): {words or 'no reason given'}"
            return RefusedError(refusal)
        return EngineError(f"{what} {words}".strip())

    def _unreached(self, reason: BaseException) -> Exception:
        if isinstance(reason, TimeoutError):
            return UnreachedError(
                f"{self.url} cannot be reached within {self.timeout_s:g} s: fix base_url"
            )
        if isinstance(reason, ssl.SSLError):
            return MissingDependencyError(f"{self.url} cannot be trusted: {reason}")
        return _PassingError(str(reason), reached=isinstance(reason, CUT_OFF))

    def _late(self) -> _PassingError:
        return _PassingError(f"no answer within {self.timeout_s:g} s: raise timeout_s", late=True)


def _content(answer: Answer) -> Any:
    """The JSON of an answer. Raises _PassingError for a body that is cut, empty or no JSON."""
    try:
        return answer.json()
    except BrokenAnswerError as error:
        raise _PassingError(str(error)) from None


def pause(stop: threading.Event, seconds: float) -> None:
    """Wait for some seconds, or until the event is set."""
    stop.wait(seconds)


def _lost(error: httpx.TransportError, response: httpx.Response | None, n: int) -> _PassingError:
    """A connection that ended early, after ``n`` bytes of the answer."""
    length = response.headers.get("Content-Length", "") if response is not None else ""
    if isinstance(error, httpx.RemoteProtocolError) and length.isdecimal() and int(length) > n:
        return _PassingError(f"connection lost: {int(length) - n} bytes of the answer are missing")
    return _PassingError(f"connection lost: {type(_system_error(error)).__name__}")


def _system_error(error: BaseException) -> BaseException:
    """The operating system's error that caused an error of the HTTP library, or that error."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, (ssl.SSLError, socket.gaierror)):
            return cause
        if isinstance(cause, OSError) and cause.errno is not None:
            return OSError(cause.errno, os.strerror(cause.errno))  # in the system's words
        if isinstance(cause, BaseExceptionGroup):  # of a host with several addresses
            cause = cause.exceptions[-1]
        else:
            cause = cause.__cause__ or cause.__context__
    return error


@functools.cache
def _connections(process: int, proxy: str | None) -> httpx.AsyncHTTPTransport:
    """The connections of a process through a proxy, or direct; they belong to its event loop.

    This is the layer below httpx's client, which would keep cookies and follow redirects.
    """
    return httpx.AsyncHTTPTransport(
        proxy=proxy,
        trust_env=False,
        verify=ssl.create_default_context(),
        limits=httpx.Limits(keepalive_expiry=KEPT_OPEN_S),
    )


_STARTING = threading.Lock()


@functools.cache
def _loop(process: int) -> asyncio.AbstractEventLoop:
    """The event loop of a process; a forked process does not have its parent's threads."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="ohr-http", daemon=True).start()
    return loop


def _awaited(exchange: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine on the event loop; interrupting this thread cancels it."""
    with _STARTING:
        loop = _loop(os.getpid())
    future = asyncio.run_coroutine_threadsafe(exchange, loop)
    try:
        return future.result()
    finally:
        future.cancel()
