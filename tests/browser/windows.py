"""A window of a real browser, headless and without a network: Chromium by Playwright, Firefox by
WebDriver BiDi.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, Protocol

import pytest
from playwright.sync_api import Browser, Page, sync_playwright
from websockets.sync.client import ClientConnection, connect

PATIENCE_S = 60.0
SIZE = (1280, 900)
WATCH = """
(() => {
  window.__hits = [];
  window.__hit = (what) => window.__hits.push(String(what));
  document.addEventListener("securitypolicyviolation", (event) => {
    window.__hits.push(`policy: ${event.violatedDirective} ${event.blockedURI}`);
  });
})()
"""
"""Runs before a page's own scripts: notes what is executed, and what the policy had to forbid."""


def missing(what: str) -> NoReturn:
    """Skip a test for want of something; fail it where everything should be there."""
    if os.environ.get("CI") == "true":
        pytest.fail(what)
    pytest.skip(what)


class Window(Protocol):
    """What a person and their browser do."""

    kind: str
    said: list[str]
    """Errors on the console, and scripts that failed."""
    requested: list[str]
    """Addresses that were asked for."""

    def goto(self, url: str) -> None:
        """Open a page as a double click does, anew."""

    def evaluate(self, expression: str) -> Any:
        """The value of an expression as JSON has it; a promise is awaited."""

    def press(self, *keys: str) -> None:
        """Keys by name, as ``Tab``, ``Enter``, ``Escape``, ``ArrowLeft``, or by what they write."""

    def resize(self, width: int, height: int) -> None: ...

    def picture(self) -> bytes:
        """What is seen, as PNG."""


class Chromium:
    """A window of Chromium."""

    kind = "chromium"

    def __init__(self, page: Page) -> None:
        self.page = page
        self.said: list[str] = []
        self.requested: list[str] = []
        page.on("console", lambda m: self.said.append(m.text) if m.type != "log" else None)
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("dialog", lambda dialog: self.said.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: self.requested.append(request.url))
        page.add_init_script(WATCH)
        self._direct = page.context.new_cdp_session(page)

    def goto(self, url: str) -> None:
        self.page.goto("about:blank")
        self.page.goto(url)

    def evaluate(self, expression: str) -> Any:
        # Not the page's evaluate: that is an eval inside of it, which the policy forbids.
        answer = self._direct.send(
            "Runtime.evaluate",
            {"expression": expression, "awaitPromise": True, "returnByValue": True},
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:1000])
        return answer["result"].get("value")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def resize(self, width: int, height: int) -> None:
        self.page.set_viewport_size({"width": width, "height": height})

    def picture(self) -> bytes:
        return self.page.screenshot()


@contextmanager
def chromium() -> Iterator[Browser]:
    """Chromium, started."""
    path = shutil.which("chromium")
    if path is None:
        missing("chromium is not installed: apt-get install chromium")
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()


@contextmanager
def chromium_window(browser: Browser, dark: bool = False) -> Iterator[Chromium]:
    """A window with storage of its own."""
    context = browser.new_context(
        viewport={"width": SIZE[0], "height": SIZE[1]},
        offline=True,
        color_scheme="dark" if dark else "light",
    )
    yield Chromium(context.new_page())
    context.close()


class FirefoxProcess:
    """A Firefox that is driven over a socket; see https://w3c.github.io/webdriver-bidi/."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._last = 0
        self.events: list[dict[str, Any]] = []
        self.send("session.new", capabilities={})
        self.send("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])
        self.send("script.addPreloadScript", functionDeclaration=f"() => {WATCH.strip()}")

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """A command's result. Events that come before it are kept. Raises RuntimeError."""
        self._last += 1
        self._socket.send(json.dumps({"id": self._last, "method": method, "params": params}))
        while True:
            message: dict[str, Any] = json.loads(self._socket.recv(timeout=PATIENCE_S))
            if message.get("type") == "event":
                self.events.append(message)
            elif message.get("id") == self._last:
                if message["type"] == "error":
                    raise RuntimeError(f"{method}: {message['message']}")
                result: dict[str, Any] = message["result"]
                return result


KEYS = {
    "Tab": "\ue004",
    "Enter": "\ue007",
    "Escape": "\ue00c",
    "ArrowLeft": "\ue012",
    "ArrowRight": "\ue014",
}


class Firefox:
    """A window of Firefox."""

    kind = "firefox"

    def __init__(self, process: FirefoxProcess) -> None:
        self._process = process
        self._user = process.send("browser.createUserContext")["userContext"]
        created = process.send("browsingContext.create", type="tab", userContext=self._user)
        self._context = created["context"]
        self.resize(*SIZE)
        process.events.clear()

    def goto(self, url: str) -> None:
        for address in ("about:blank", url):
            self._process.send(
                "browsingContext.navigate", context=self._context, url=address, wait="complete"
            )

    def evaluate(self, expression: str) -> Any:
        answer = self._process.send(
            "script.evaluate",
            expression=f"(async () => JSON.stringify(await ({expression})))()",
            target={"context": self._context},
            awaitPromise=True,
        )
        if answer["type"] == "exception":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        value = answer["result"].get("value")
        return None if value is None else json.loads(value)

    def press(self, *keys: str) -> None:
        actions = []
        for key in keys:
            value = KEYS.get(key, key)
            actions += [{"type": kind, "value": value} for kind in ("keyDown", "keyUp")]
        keyboard = {"type": "key", "id": "keyboard", "actions": actions}
        self._process.send("input.performActions", context=self._context, actions=[keyboard])

    def resize(self, width: int, height: int) -> None:
        size = {"width": width, "height": height}
        self._process.send("browsingContext.setViewport", context=self._context, viewport=size)

    def picture(self) -> bytes:
        shot = self._process.send("browsingContext.captureScreenshot", context=self._context)
        return base64.b64decode(shot["data"])

    @property
    def said(self) -> list[str]:
        entries = self._events("log.entryAdded")
        return [str(one["text"]) for one in entries if one["level"] in ("error", "warn")]

    @property
    def requested(self) -> list[str]:
        return [one["request"]["url"] for one in self._events("network.beforeRequestSent")]

    def _events(self, method: str) -> list[dict[str, Any]]:
        return [event["params"] for event in self._process.events if event["method"] == method]

    def close(self) -> None:
        self._process.send("browser.removeUserContext", userContext=self._user)


PREFERENCES = {
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
    "browser.shell.checkDefaultBrowser": False,
    "browser.download.folderList": 2,
    "datareporting.policy.dataSubmissionEnabled": False,
    "browser.startup.page": 0,
    "browser.newtabpage.enabled": False,
    "browser.newtab.preload": False,
    "dom.ipc.processCount": 1,
    "dom.ipc.processPrelaunch.enabled": False,
    "dom.ipc.keepProcessesAlive.file": 1,
    "layout.frame_rate": 10,
}
"""No network: every request goes to a port at which nothing listens. No process is started that
the pages under test do not need."""


@contextmanager
def firefox(profile: Path) -> Iterator[FirefoxProcess]:
    """Firefox, started with a profile of its own."""
    path = shutil.which("firefox-esr") or shutil.which("firefox")
    if path is None:
        missing("firefox is not installed: apt-get install firefox-esr")
    lines = [f"user_pref({json.dumps(n)}, {json.dumps(v)});" for n, v in PREFERENCES.items()]
    (profile / "user.js").write_text("\n".join(lines))
    log = profile / "log"
    command = [path, "--headless", "--no-remote", "--profile", str(profile)]
    with log.open("w") as sink:
        process = subprocess.Popen(
            [*command, "--remote-debugging-port", "0"], stdout=sink, stderr=sink
        )
    try:
        with connect(f"{_address(log, process)}/session", max_size=None) as socket:
            yield FirefoxProcess(socket)
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def _address(log: Path, process: subprocess.Popen[bytes]) -> str:
    """Where a Firefox listens, by what it has written."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until and process.poll() is None:
        found = re.search(r"WebDriver BiDi listening on (ws://\S+)", log.read_text())
        if found:
            return found[1]
        time.sleep(0.05)
    raise RuntimeError(f"Firefox does not listen: {log.read_text()}")


@contextmanager
def firefox_window(process: FirefoxProcess) -> Iterator[Firefox]:
    """A window with storage of its own."""
    window = Firefox(process)
    yield window
    window.close()
