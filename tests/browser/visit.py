"""What a visitor of a report does, in either browser."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from tests.browser.windows import PATIENCE_S, Window


class Visit:
    """A report that is open in a window."""

    def __init__(self, window: Window, index: Path) -> None:
        self.window = window
        self.index = index

    def open(self, address: str = "") -> Visit:
        """The page under an address such as ``cases?engine=gt``, loaded anew."""
        self.window.goto(self.index.as_uri() + (f"#{address}" if address else ""))
        return self.wait_until("document.documentElement.dataset.ready === 'yes'").settled()

    def go(self, address: str) -> Visit:
        """Follow a link to an address."""
        self.window.evaluate(f"void (location.hash = {json.dumps(address)})")
        return self.settled()

    def settled(self) -> Visit:
        """Wait until what the address names is shown."""
        return self.wait_until("document.documentElement.dataset.shown === location.hash")

    def wait_until(self, condition: str) -> Visit:
        """Wait until an expression is true. Raises AssertionError."""
        end = time.monotonic() + PATIENCE_S
        while not self.window.evaluate(condition):
            said = self.window.said
            assert time.monotonic() < end, f"never: {condition}; at {self.address}; {said}"
            time.sleep(0.02)
        return self

    @property
    def address(self) -> str:
        return str(self.window.evaluate("location.hash"))

    def click(self, selector: str, text: str = "") -> Visit:
        """The first that can be seen of what a selector finds, with that text in it."""
        self.window.evaluate(
            f"((node) => {{ node.focus(); node.click(); }})({_found(selector, text)})"
        )
        return self

    def choose(self, selector: str, value: str) -> Visit:
        """A value of a form's field, as a person's choice does."""
        self.window.evaluate(
            f"(() => {{ const field = {_found(selector)}; field.focus();"
            f" field.value = {json.dumps(value)};"
            " field.dispatchEvent(new Event('input', {bubbles: true}));"
            " field.dispatchEvent(new Event('change', {bubbles: true})); })()"
        )
        return self

    def texts(self, selector: str) -> list[str]:
        """The text of each that a selector finds and that can be seen."""
        found: list[str] = self.window.evaluate(
            f"{_seen(selector)}.map((node) => node.textContent)"
        )
        return found

    def text(self, selector: str) -> str:
        """The text of the first."""
        return self.texts(selector)[0]

    def attribute(self, selector: str, name: str) -> Any:
        return self.window.evaluate(f"{_found(selector)}.getAttribute({json.dumps(name)})")


def _seen(selector: str) -> str:
    return (
        f"[...document.querySelectorAll({json.dumps(selector)})]"
        ".filter((node) => node.getClientRects().length)"
    )


def _found(selector: str, text: str = "") -> str:
    return f"{_seen(selector)}.find((node) => node.textContent.includes({json.dumps(text)}))"
