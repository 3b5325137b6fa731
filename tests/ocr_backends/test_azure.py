"""Document Intelligence, against a service on loopback that answers what each test scripts."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from ocr_backends.azure import Azure
from ohr import registry
from ohr.errors import ConfigError, MissingDependencyError
from ohr.store.identity import canonical_json
from ohr.types import Outcome, Status

KEY = "0123456789abcdef-not-a-real-key"
PAGE = np.full((60, 80, 3), 255, np.uint8)


def done(content: str) -> dict[str, Any]:
    return {"status": "succeeded", "analyzeResult": {"content": content}}


@dataclass
class Service:
    url: str = ""
    status: int = 202
    location: str = "{url}/results/1?api-version=x"
    results: list[Any] = field(default_factory=list)
    requests: list[tuple[str, str, str, bytes]] = field(default_factory=list)


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    state = Service()
    monkeypatch.setenv("AZURE_DOCUMENT_INTELLIGENCE_KEY", KEY)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            key = self.headers.get("Ocp-Apim-Subscription-Key", "")
            state.requests.append((self.command, self.path, key, data))
            if self.command == "POST":
                refusal = b"" if state.status == 202 else f"no, {KEY}".encode()
                self._answer(state.status, refusal, state.location.format(url=state.url))
                return
            result = state.results.pop(0) if len(state.results) > 1 else state.results[0]
            data = result if isinstance(result, bytes) else json.dumps(result).encode()
            self._answer(200, data, "")

        do_GET = do_POST  # noqa: N815

        def _answer(self, status: int, data: bytes, location: str) -> None:
            self.send_response(status)
            if location:
                self.send_header("Operation-Location", location)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield state
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    waited: list[float] = []
    for module in ("ocr_backends.azure", "ohr.models.http"):
        monkeypatch.setattr(f"{module}.pause", lambda stop, seconds: waited.append(seconds))
    return waited


def engine(service: Service, **params: Any) -> Azure:
    params = {"base_url": service.url, "retries": 0, **params}
    made: Azure = registry.create("engine", {"name": "azure", "params": params})
    return made


def read(made: Azure) -> Outcome[str]:
    [(number, outcome)] = made.transcribe([PAGE], [3])
    assert number == 3
    return outcome


def test_a_page_is_sent_and_its_result_fetched(service: Service, waits: list[float]) -> None:
    service.results = [
        {"status": "notStarted"},
        {"status": "running"},
        done(
            '<!-- PageHeader="Annual &amp; report" -->\n\n# Title\n\n<figure>\n\nIn a figure\n\n'
            "</figure>\n\n<table>\n<tr>\n<td>1</td>\n</tr>\n</table>\n\n:selected: yes\n"
            '<!-- PageNumber="7" -->\n<!-- PageBreak -->'
        ),
    ]
    made = engine(service, features=["formulas"], page_price=10.0)
    outcome = read(made)
    assert outcome == Outcome(
        "Annual & report\n\n# Title\n\nIn a figure\n\n<table>\n<tr>\n<td>1</td>\n</tr>\n</table>"
        "\n\n☒ yes\n7"
    )
    (method, path, key, data), *polls = service.requests
    assert (method, key, data[:4]) == ("POST", KEY, b"\x89PNG")
    assert path == (
        "/documentintelligence/documentModels/prebuilt-layout:analyze"
        "?api-version=2024-11-30&outputContentFormat=markdown&features=formulas"
    )
    assert [poll[:3] for poll in polls] == [("GET", "/results/1?api-version=x", KEY)] * 3
    assert waits == [1, 2]
    taken = made.usage()
    assert taken.pop("answer_s") > 0
    assert taken == {"replies": 1, "cost": 0.01}


def test_headers_and_footers_can_be_kept(service: Service) -> None:
    service.results = [done('<!-- PageHeader="Annual &amp; report" -->\ntext')]
    outcome = read(engine(service, normalise={"furniture": False}))
    assert outcome.value == "Annual & report\ntext"


def test_an_empty_page(service: Service) -> None:
    service.results = [done("<!-- PageBreak -->")]
    assert read(engine(service)).status is Status.EMPTY


@pytest.mark.parametrize(
    ("result", "detail"),
    [
        ({"status": "failed", "error": {"code": "InvalidImage", "message": "too\nsmall"}},
         "azure: the service did not read the page: InvalidImage too small"),
        ({"status": "canceled"}, "no reason given"),
        ({"status": "succeeded"}, "without content"),
        ({"status": "succeeded", "analyzeResult": {"content": 3}}, "without content"),
        ([], "no reason given"),
        (b"<html>", "not JSON"),
    ],
)  # fmt: skip
def test_what_is_no_result_is_the_pages_error(service: Service, result: Any, detail: str) -> None:
    service.results = [result]
    outcome = read(engine(service))
    assert outcome.status is Status.ERROR
    assert detail in outcome.detail


def test_a_result_that_never_comes_is_late(service: Service, waits: list[float]) -> None:
    service.results = [{"status": "running"}]
    outcome = read(engine(service, timeout_s=0.5))
    assert "no result within 0.5 s" in outcome.detail
    assert waits == []


def test_the_same_address_written_otherwise_is_the_same(service: Service) -> None:
    local = service.url.replace("127.0.0.1", "localhost")
    service.location, service.results = f"{local}/results/1", [done("text")]
    outcome = read(engine(service, base_url=local.replace("localhost", "LocalHost")))
    assert outcome == Outcome("text")


@pytest.mark.parametrize("location", ["http://127.0.0.2:1/steal", "", "https://{url}", "/results"])
def test_the_key_goes_to_no_other_address(service: Service, location: str) -> None:
    service.location, service.results = location, [done("text")]
    outcome = read(engine(service))
    assert "another address" in outcome.detail
    assert len(service.requests) == 1


@pytest.mark.parametrize(
    ("status", "message"),
    [(401, "refuses the key"), (307, "redirects")],
)
def test_what_ails_the_service_stops_the_run(service: Service, status: int, message: str) -> None:
    service.status = status
    with pytest.raises(MissingDependencyError, match=message):
        read(engine(service))


def test_no_key_stops_the_run(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AZURE_DOCUMENT_INTELLIGENCE_KEY")
    with pytest.raises(MissingDependencyError, match="AZURE_DOCUMENT_INTELLIGENCE_KEY is not set"):
        read(engine(service))
    assert service.requests == []


def test_the_key_is_shown_nowhere(
    service: Service, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    shown = []
    for status in (400, 500, 429):
        service.status = status
        shown.append(read(engine(service)).detail)
    made = engine(service)
    shown += [canonical_json(made.identity()), repr(made.params), caplog.text, *capfd.readouterr()]
    assert KEY not in "".join(shown)
    assert service.url not in canonical_json(made.identity())


def test_addresses_and_features_are_checked(service: Service) -> None:
    for wrong in ({"base_url": "https://me:secret@h"}, {"features": ["a&key=b"]}):
        with pytest.raises(ConfigError) as caught:
            engine(service, **wrong)
        assert "secret" not in str(caught.value)
