from __future__ import annotations

import fcntl
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
from tests.conftest import draw_unarranged

Made = Callable[[Callable[[Path], Path]], Path]


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
def shared_report(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Made:
    """Makes a report once for all processes of the tests; its figures are drawn unarranged."""
    own = tmp_path_factory.getbasetemp()
    shared = own if worker_id == "master" else own.parent

    def make(maker: Callable[[Path], Path]) -> Path:
        folder = shared / maker.__name__
        index = folder / "report" / "index.html"
        with (shared / f"{maker.__name__}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not index.exists():
                folder.mkdir(exist_ok=True)
                with pytest.MonkeyPatch.context() as patch:
                    draw_unarranged(patch)
                    assert maker(folder) == index
        return index

    return make


@pytest.fixture(scope="session")
def report(shared_report: Made) -> Path:
    """The first page of a small report."""
    return shared_report(small_report)


@pytest.fixture(scope="session")
def hostile_report(shared_report: Made) -> Path:
    """The first page of a report of hostile texts."""
    return shared_report(strange_report)
