"""A report on paper shows what is folded on the screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

pytestmark = pytest.mark.slow


def test_what_is_folded_is_printed(chromium_browser: Browser, report: Path) -> None:
    page = chromium_browser.new_page()
    try:
        page.goto(report.as_uri())
        page.wait_for_function("document.documentElement.dataset.ready === 'yes'")
        limit = page.locator("details:has(summary:text('Limits of these results')) li").first
        assert not limit.is_visible()
        page.emulate_media(media="print")
        assert limit.is_visible()
    finally:
        page.close()
