from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.reports import small_report, strange_report
from tests.browser.windows import (
    FirefoxProcess,
    Window,
    chromium,
    chromium_window,
    firefox,
    firefox_window,
)
from tests.conftest import WriteOnce

ReportMaker = Callable[[Callable[[Path], Path]], Path]


@pytest.fixture(scope="session")
def chromium_browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="session")
def firefox_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FirefoxProcess]:
    with firefox(tmp_path_factory.mktemp("firefox")) as process:
        yield process


@pytest.fixture(params=["chromium", "firefox"])
def window(request: pytest.FixtureRequest) -> Iterator[Window]:
    """A window of each browser."""
    if request.param == "chromium":
        with chromium_window(request.getfixturevalue("chromium_browser")) as window:
            yield window
    else:
        with firefox_window(request.getfixturevalue("firefox_process")) as window:
            yield window


@pytest.fixture(scope="session")
def shared_report(write_once: WriteOnce) -> ReportMaker:
    """Makes a report once for all processes of the tests."""

    def make(maker: Callable[[Path], Path]) -> Path:
        folder = write_once(maker.__name__, maker)
        return folder / "report" / "index.html"

    return make


@pytest.fixture(scope="session")
def report(shared_report: ReportMaker) -> Path:
    """The first page of a small report."""
    return shared_report(small_report)


@pytest.fixture(scope="session")
def hostile_report(shared_report: ReportMaker) -> Path:
    """The first page of a report of hostile texts."""
    return shared_report(strange_report)
