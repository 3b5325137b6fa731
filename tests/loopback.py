"""A server on loopback that answers what each test scripts, and keeps what it was sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = tuple[int, bytes, dict[str, str]]


def said(content: object, reason: str = "stop", usage: object = None) -> Reply:
    answer = {"choices": [{"message": {"content": content}, "finish_reason": reason}]}
    return 200, json.dumps(answer | ({"usage": usage} if usage else {})).encode(), {}


def calling(*calls: tuple[str, object], content: object = None, usage: object = None) -> Reply:
    """An answer that asks for tools; arguments that are a text go out as they are."""
    asked = [
        {
            "id": f"id{number}",
            "type": "function",
            "function": {
                "name": name,
                "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments),
            },
        }
        for number, (name, arguments) in enumerate(calls)
    ]
    message = {"content": content, "tool_calls": asked}
    answer = {"choices": [{"message": message, "finish_reason": "tool_calls"}]}
    return 200, json.dumps(answer | ({"usage": usage} if usage else {})).encode(), {}


def refused(status: int, text: str = "", **headers: str) -> Reply:
    return status, text.encode(), {name.replace("_", "-"): value for name, value in headers.items()}


@dataclass
class Server:
    """Answers requests in turn, the last reply again and again."""

    replies: list[Reply | Callable[[BaseHTTPRequestHandler], object]]
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    connections: int = 0
    answer: Callable[[dict[str, Any]], Reply] | None = None
    """Makes the reply from the request, in place of ``replies``."""


class _Listening(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


@contextmanager
def serving() -> Iterator[Server]:
    state = Server([])
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"  # connections are kept open

        def setup(self) -> None:
            with lock:
                state.connections += 1
            super().setup()

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            request = json.loads(body) if body else {}
            with lock:
                state.requests.append(request)
                state.headers.append(dict(self.headers))
                state.paths.append(self.path)
                if state.answer is None:
                    reply = state.replies.pop(0) if len(state.replies) > 1 else state.replies[0]
            if state.answer is not None:
                reply = state.answer(request)
            if callable(reply):
                self.close_connection = True
                reply(self)
                return
            status, data, headers = reply
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST  # noqa: N815  (where a followed redirect would come)

        def log_message(self, *args: object) -> None:
            pass

    listening = _Listening(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{listening.server_port}/v1"
    thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield state
    finally:
        listening.shutdown()
        thread.join()
        listening.server_close()
