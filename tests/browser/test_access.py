"""Every view by axe, in light and in dark; on paper; and the types and units of the scripts."""

from __future__ import annotations

import functools
import io
import json
import shutil
import subprocess
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pypdfium2
import pytest

from tests.browser.test_views import VIEWS
from tests.browser.visit import Visit
from tests.browser.windows import chromium_window, missing

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
APP = HERE.parents[1] / "ohr" / "report" / "app"
AXE = HERE / "node_modules" / "axe-core" / "axe.min.js"
TSC = HERE / "node_modules" / "typescript" / "bin" / "tsc"
FINDINGS = """
axe.run(document, OPTIONS).then(({passes, violations}) => ({passes: passes.length,
  serious: violations.filter((one) => ["serious", "critical"].includes(one.impact))
    .map((one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 200)).join(" | ")}`)}))
"""


def needed(path: Path) -> str:
    """A file of a package of npm's; other machines than ours may not reach it."""
    if not path.exists():
        pytest.skip(f"{path.name} is not installed: npm ci --prefix tests/browser")
    return path.read_text("utf-8")


def node() -> str:
    found = shutil.which("node")
    if found is None:
        missing("node is not installed: apt-get install nodejs npm")
    return found


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_serious(chromium_browser, report, dark):
    axe = needed(AXE)
    # In the dark, colours alone are others.
    options, rules = ({"runOnly": ["color-contrast"]}, 1) if dark else ({}, 15)
    findings = FINDINGS.replace("OPTIONS", json.dumps(options))
    with chromium_window(chromium_browser, dark) as window:
        visit = Visit(window, report)
        for view in VIEWS:
            visit.open(view)
            if view == "case?case=2":
                visit.click("input[value=right]")
            if view.startswith("page?"):
                visit.click("button", "formatted")
            window.evaluate(f"void (() => {{ {axe} }})()")
            found = window.evaluate(findings)
            assert found["passes"] >= rules
            assert found["serious"] == [], view


def test_a_report_on_paper(chromium_browser, report):
    with chromium_window(chromium_browser) as window:
        visit = Visit(window, report)
        views = (("overview", "What does each noise cost"), ("case?case=2", "What is fact"))
        for view, said in views:
            visit.open(view)
            pages = list(pypdfium2.PdfDocument(io.BytesIO(window.page.pdf(format="A4"))))
            texts = [page.get_textpage().get_text_range() for page in pages]
            assert 1 <= len(pages) < 16
            assert said in texts[0]
            assert "Review of the question" not in "".join(texts)
            assert all(text.strip() for text in texts[:-1])


def test_a_report_on_a_server(chromium_browser, report):
    serve = functools.partial(Quiet, directory=report.parent)
    with ThreadingHTTPServer(("127.0.0.1", 0), serve) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        context = chromium_browser.new_context()
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/#case?case=2")
        heading = page.get_by_role("heading", name="What is fact")
        heading.wait_for()
        assert heading.is_visible()
        context.close()
        server.shutdown()


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def test_types_of_the_scripts():
    needed(TSC)
    done = subprocess.run(
        [node(), str(TSC), "-p", str(APP / "jsconfig.json")], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_units_of_the_scripts():
    done = subprocess.run(
        [node(), "--test", str(HERE / "units.test.js")], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


def test_what_npm_installs_is_pinned_and_names_no_host():
    lock = json.loads((HERE / "package-lock.json").read_text("utf-8"))
    packages = {name: one for name, one in lock["packages"].items() if name}
    assert packages
    assert all(one["integrity"].startswith("sha512-") for one in packages.values())
    assert not any("resolved" in one for one in packages.values())
