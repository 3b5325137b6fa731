"""A board in Chromium and in Firefox, opened from disk, without a network; and by axe."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ohr.report.board.build import build_board
from tests.boards import write_board_runs
from tests.browser.test_access import AXE, needed
from tests.browser.test_views import WIDTHS, quiet
from tests.browser.visit import Visit
from tests.browser.windows import chromium_window

pytestmark = pytest.mark.slow

FINDINGS = """
axe.run(document, OPTIONS).then(({passes, violations}) => ({passes: passes.length,
  violations: violations.map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 200)}`)}))
"""
TABLE = "section.ranking:first-of-type table"


def small_board(root: Path) -> Path:
    """A board with two tables per metric, a rerun, and runs that are incomplete."""
    runs = write_board_runs(root)
    build_board(list(runs.values()), root / "report", title="A small board")
    return root / "report" / "index.html"


@pytest.fixture(scope="session")
def board(shared_report) -> Path:
    return shared_report(small_board)


@pytest.fixture
def visit(window, board):
    visit = Visit(window, board)
    window.goto(board.as_uri())
    return visit.wait_until("document.documentElement.dataset.ready === 'yes'")


def engines(visit: Visit) -> list[str]:
    """The first column of the first table, as it is seen."""
    cells: list[str] = visit.window.evaluate(
        f"[...document.querySelector('{TABLE}').tBodies[0].rows]"
        ".map((row) => row.cells[0].textContent)"
    )
    return cells


def sorted_by(visit: Visit) -> list[tuple[str, str]]:
    """The headers of the first table by which it is sorted, and how."""
    heads = visit.window.evaluate(
        f"[...document.querySelectorAll('{TABLE} th')]"
        ".map((head) => [head.textContent, head.getAttribute('aria-sort')])"
    )
    return [(title, order) for title, order in heads if order != "none"]


def test_a_board_opens_and_is_no_wider_than_its_window(visit):
    assert "Incomplete runs" in visit.texts("main h2")
    assert "same bytes as first" in visit.texts(".badge")
    for width in WIDTHS:
        visit.window.resize(width, 900)
        visit.wait_until(f"innerWidth === {width}")
        assert visit.window.evaluate("document.documentElement.scrollWidth") <= width
    quiet(visit)


def test_the_headers_sort_by_mouse_and_by_keyboard(visit):
    assert engines(visit) == ["gt", "half", "tesseract"]
    assert sorted_by(visit) == [("noise cost ▲", "ascending")]
    visit.click(f"{TABLE} th button", "noise cost")
    assert engines(visit) == ["tesseract", "half", "gt"]
    assert sorted_by(visit) == [("noise cost ▼", "descending")]
    visit.window.evaluate(
        f"void [...document.querySelectorAll('{TABLE} th button')]"
        ".find((one) => one.textContent.startsWith('letters')).focus()"
    )
    visit.window.press("Tab", "Enter")
    assert sorted_by(visit) == [("loss ▲", "ascending")]
    assert engines(visit) == ["gt", "half", "tesseract"]
    visit.window.press("Enter")
    assert engines(visit) == ["tesseract", "half", "gt"]
    assert visit.window.evaluate("document.activeElement.textContent") == "loss ▼"
    visit.click(f"{TABLE} th button", "reported")
    assert engines(visit)[0] == "gt"  # what has no number comes last
    visit.click(f"{TABLE} th button", "reported")
    assert engines(visit)[0] == "gt"
    visit.click(f"{TABLE} th button", "engine")
    assert engines(visit) == ["gt", "half", "tesseract"]
    quiet(visit)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_on_a_board(chromium_browser, board, dark):
    axe = needed(AXE)
    options, rules = ({"runOnly": ["color-contrast"]}, 1) if dark else ({}, 15)
    with chromium_window(chromium_browser, dark) as window:
        for width in WIDTHS:
            window.resize(width, 900)
            window.goto(board.as_uri())
            window.evaluate(f"void (() => {{ {axe} }})()")
            result = window.evaluate(FINDINGS.replace("OPTIONS", json.dumps(options)))
            assert result["passes"] >= rules
            assert result["violations"] == []


def test_a_board_without_scripts_has_all_tables(chromium_browser, board):
    context = chromium_browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.goto(board.as_uri())
    head = page.locator("section.ranking th").all_text_contents()
    context.close()
    assert "noise cost" in head
