from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from matplotlib.figure import Figure
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
def unarranged_figures() -> Iterator[None]:
    """As ``unarranged``, for what is made once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Figure, "get_layout_engine", lambda figure: None)
        yield


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory, unarranged_figures: None) -> Path:
    """The first page of a small report."""
    return small_report(tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="session")
def hostile_report(tmp_path_factory: pytest.TempPathFactory, unarranged_figures: None) -> Path:
    """The first page of a report of hostile texts."""
    return strange_report(tmp_path_factory.mktemp("hostile"))
