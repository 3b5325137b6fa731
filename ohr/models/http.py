"""JSON over HTTP: retries with growing waits, no redirects, and no key in any message.

What the OCR engine and the reader behind OpenAI-compatible servers share.
"""

from __future__ import annotations

import http.client
import json
import os
import ssl
import threading
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from ohr.errors import EngineError, LateError, MissingDependencyError

RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
CUT_OFF = (ConnectionResetError, ConnectionAbortedError, BrokenPipeError)
LONGEST_WAIT_S = 60.0
MAX_ANSWER_BYTES = 16 << 20
MESSAGE_CHARS = 200
BLOCK_BYTES = 64 << 10


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """urllib would send the key on to wherever a server points."""

    def redirect_request(self, *args: Any, **named: Any) -> None:
        return None


class _PassingError(Exception):
    """An attempt that failed in a way that may pass."""

    def __init__(
        self, problem: str, wait_s: float = 0.0, *, reached: bool = True, late: bool = False
    ) -> None:
        super().__init__(problem)
        self.wait_s = wait_s
        self.reached = reached
        self.late = late


@dataclass(frozen=True)
class Endpoint:
    """Where requests go. ``key_variable`` names the environment variable with the API key.

    ``timeout_s``: seconds that an answer may take. ``late_retries``: how often a request that
    took longer is sent again, of ``retries`` in all.
    """

    url: str
    key_variable: str | None
    timeout_s: float
    retries: int
    late_retries: int = 0

    def key(self) -> str:
        """The API key, or nothing. Raises MissingDependencyError."""
        if self.key_variable is None:
            return ""
        key = os.environ.get(self.key_variable, "").strip()
        if not key:
            raise MissingDependencyError(
                f"no API key: the environment variable {self.key_variable} is not set: "
                f"export {self.key_variable}=..."
            )
        if not (key.isascii() and key.isprintable()):
            # http.client would quote it in its own error.
            raise MissingDependencyError(
                f"the environment variable {self.key_variable} holds characters that no API key has"
            )
        return key

    def post(self, body: object, stop: threading.Event | None = None) -> Any:
        """The server's JSON answer to a JSON body.

        Tries again, up to ``retries`` times, after 1, 2, 4 ... seconds or what the server asks
        for, on HTTP 408, 425, 429, 500, 502, 503, 504 and on lost connections. Raises
        MissingDependencyError for what ails the server and not this request (unreachable,
        HTTP 401, 403, 404, redirects), LateError for an answer that does not come in time,
        EngineError for the rest, and for an attempt that was due after ``stop`` was set.
        """
        key, data = self.key(), json.dumps(body).encode()
        stop = stop or threading.Event()
        late = 0
        for attempt in range(self.retries + 1):
            if stop.is_set():
                raise EngineError("stopped before it was sent")
            try:
                return self._once(data, key)
            except _PassingError as error:
                late += error.late
                if attempt < self.retries and late <= self.late_retries:
                    pause(stop, min(max(error.wait_s, 2.0**attempt), LONGEST_WAIT_S))
                    continue
                problem = f"{error} ({attempt + 1} attempts)" if attempt else str(error)
                if error.late:
                    raise LateError(problem) from error
                if not error.reached:
                    raise MissingDependencyError(
                        f"{self.url} cannot be reached: {problem}: start the server, "
                        "or mend base_url"
                    ) from error
                raise EngineError(problem) from error
        raise AssertionError("unreachable")

    def _once(self, data: bytes, key: str) -> Any:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        request = urllib.request.Request(self.url, data, headers)
        handlers: list[Any] = [_NoRedirect]
        if urlsplit(self.url).hostname in ("localhost", "127.0.0.1", "::1"):
            handlers.append(urllib.request.ProxyHandler({}))  # pages stay on this machine
        started = time.monotonic()
        answer = bytearray()
        try:
            with urllib.request.build_opener(*handlers).open(
                request, timeout=self.timeout_s
            ) as response:
                while len(answer) <= MAX_ANSWER_BYTES and (block := response.read1(BLOCK_BYTES)):
                    answer += block
                    if time.monotonic() - started > self.timeout_s:
                        raise self._late()  # each byte in time, and all of them too late
                missing = response.length or 0
        except urllib.error.HTTPError as error:
            with error:
                raise self._refused(error, key) from None
        except urllib.error.URLError as error:
            raise self._unreached(error.reason) from None
        except TimeoutError:
            raise self._late() from None
        except (OSError, http.client.HTTPException) as error:
            raise _PassingError(f"connection lost: {type(error).__name__}") from None
        if len(answer) > MAX_ANSWER_BYTES:
            raise EngineError(f"an answer of more than {MAX_ANSWER_BYTES:,} bytes")
        if missing:
            raise _PassingError(f"connection lost: {missing} bytes of the answer are missing")
        try:
            return json.loads(answer)
        except (ValueError, RecursionError):
            raise EngineError("an answer that is not JSON") from None

    def _refused(self, error: urllib.error.HTTPError, key: str) -> Exception:
        what = f"HTTP {error.code}"
        if error.code in (401, 403):
            mend = f"the key in {self.key_variable}" if key else "no key: name api_key_env"
            return MissingDependencyError(f"{self.url} refuses {mend} ({what})")
        if 300 <= error.code < 400:
            return MissingDependencyError(f"{self.url} redirects ({what}): name the final address")
        try:
            said = error.read(8 * MESSAGE_CHARS).decode("utf-8", "replace")
        except (OSError, http.client.HTTPException):
            said = ""
        if key:  # a server may quote it
            said = said.replace(key, "[key]")
        what += " " + " ".join(said.split())[:MESSAGE_CHARS]
        if error.code == 404:
            return MissingDependencyError(f"{self.url} has no such endpoint or model: {what}")
        if error.code in RETRIED:
            after = error.headers.get("Retry-After", "")
            return _PassingError(what.strip(), float(after) if after.isdecimal() else 0.0)
        return EngineError(what.strip())

    def _unreached(self, reason: object) -> Exception:
        if isinstance(reason, TimeoutError):
            return MissingDependencyError(
                f"{self.url} cannot be reached within {self.timeout_s:g} s: mend base_url"
            )
        if isinstance(reason, ssl.SSLError):
            return MissingDependencyError(f"{self.url} cannot be trusted: {reason}")
        return _PassingError(str(reason), reached=isinstance(reason, CUT_OFF))

    def _late(self) -> _PassingError:
        return _PassingError(f"no answer within {self.timeout_s:g} s: raise timeout_s", late=True)


def pause(stop: threading.Event, seconds: float) -> None:
    """Wait, but not longer than until the event is set."""
    stop.wait(seconds)
