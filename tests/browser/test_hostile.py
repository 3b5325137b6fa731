"""Nothing that a document, an engine, a model or a name says is executed, or breaks a page."""

from __future__ import annotations

import json
import re
import shutil

import pytest

from ohr.report.chunks import script_json
from tests.browser.strange import ALL, HOSTILE, LONG_WORD
from tests.browser.test_views import WIDTHS, quiet
from tests.browser.visit import Visit

pytestmark = pytest.mark.slow

VIEWS = ("overview", "cases", "pages", "review", "page?page=1&a=0&b=1")
CASES = 6
FOREIGN = "main script, main style, main link, main iframe, main base, main object, main embed"


def harmless(visit: Visit) -> None:
    quiet(visit)
    assert visit.window.evaluate(f"document.querySelectorAll('{FOREIGN}').length") == 0
    listening = (
        "[...document.querySelectorAll('*')].filter((node) => [...node.attributes].some((one) =>"
        " one.name.startsWith('on') || (/href|src|action|data|srcdoc/.test(one.name)"
        " && /javascript:|\\/\\//i.test(one.value)))).length"
    )
    assert visit.window.evaluate(listening) == 0
    width, wide = visit.window.evaluate("[innerWidth, document.documentElement.scrollWidth]")
    assert wide <= width, f"{visit.address}: {wide} px wide"


def test_views_of_a_hostile_report(window, hostile_report):
    visit = Visit(window, hostile_report)
    for view in (*VIEWS, *(f"case?case={number}" for number in range(1, CASES + 1))):
        visit.open(view)
        if view.startswith(("case?", "page?")):
            assert HOSTILE[0] in visit.text("main h2") + "".join(visit.texts("main pre"))
            window.evaluate(
                "void document.querySelectorAll('details').forEach((d) => d.open = true)"
            )
            window.evaluate(
                "void [...document.querySelectorAll('figure button')].forEach((one) => one.click())"
            )
        for width in WIDTHS:
            window.resize(width, 900)
            visit.wait_until(f"innerWidth === {width}")
            harmless(visit)


def test_hostile_values_filter_and_stand_in_the_address(window, hostile_report):
    visit = Visit(window, hostile_report).open("cases")
    names = window.evaluate(
        "[...document.querySelectorAll('.filters select')].map((one) => one.name)"
    )
    for name in names:
        selector = f".filters select[name={name}]"
        values = window.evaluate(
            f"[...document.querySelector('{selector}').options].map((one) => one.value)"
        )
        for value in values[1:3]:
            visit.choose(selector, value).settled()
            harmless(visit)
        visit.choose(selector, "").settled()
    visit.choose(".filters input[name=text]", HOSTILE[1]).settled()
    harmless(visit)
    assert visit.texts("table.cases tbody tr")


@pytest.mark.parametrize("text", [ALL, "\x00\ud800", LONG_WORD], ids=["mark-up", "nul", "long"])
def test_data_that_is_hostile_in_every_field(window, report, tmp_path, text):
    """Each text of the data is replaced, whatever it is: names, titles, settings, conditions."""
    folder = tmp_path / "report"
    unread = shutil.ignore_patterns("images")
    shutil.copytree(report.parent, folder, ignore=unread, copy_function=shutil.copyfile)
    texts = 0
    for path in (folder / "data").glob("*.js"):
        name, written = re.fullmatch(
            r'ohrData\("([^"]+)",(.*)\);\n', path.read_text("utf-8")
        ).groups()
        spread = text[: 1_000 if name.startswith("page-") and len(text) > 10_000 else None]
        count = [0]
        changed = script_json(replaced(json.loads(written), spread, count))
        texts += count[0]
        path.write_text(f'ohrData("{name}",{changed});\n', "utf-8")
    assert texts > 1_000
    window.resize(400, 900)
    visit = Visit(window, folder / "index.html")
    for view in ("overview", "cases", "case?case=1", "pages", "page?page=1", "review"):
        visit.open(view)
        harmless_but_for_pictures(visit)


def harmless_but_for_pictures(visit: Visit) -> None:
    """The pictures were left away: only that may be said."""
    visit.window.said[:] = [one for one in visit.window.said if "ERR_FILE_NOT_FOUND" not in one]
    harmless(visit)


def replaced(value, text, count):
    """Data with each text made hostile; packed numbers, MathML's tags and pictures stay."""
    if isinstance(value, str):
        count[0] += 1
        return f"{text}{count[0]}" if len(text) < 10_000 or count[0] % 400 == 0 else value
    if isinstance(value, list):
        if len(value) >= 2 and isinstance(value[0], str) and isinstance(value[1], dict):
            return [value[0], value[1], *(replaced(one, text, count) for one in value[2:])]
        return [replaced(one, text, count) for one in value]
    if isinstance(value, dict):
        if set(value) <= {"u8", "u16", "u32", "i16", "i32"} and len(value) == 1:
            return value
        kept = ("images", "picture", "report", "status")
        return {
            key: inner if key in kept else replaced(inner, text, count)
            for key, inner in value.items()
        }
    return value
