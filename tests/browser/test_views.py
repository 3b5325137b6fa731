"""A report in Chromium and in Firefox, opened from disk, without a network."""

from __future__ import annotations

import json

import pytest

from ohr.questions.review import Verdicts
from ohr.report.rows import STATUSES
from tests.browser.visit import Visit

pytestmark = pytest.mark.slow

VIEWS = (
    "overview",
    "cases",
    "case?case=2",
    "case?case=2&beside=3",
    "pages",
    "page?page=1",
    "page?page=1&a=1&b=2",
    "review",
)
ROWS = "table.cases tbody tr"


@pytest.fixture
def visit(window, report):
    return Visit(window, report).open()


def quiet(visit: Visit) -> None:
    """Nothing failed, nothing was forbidden, nothing was asked for but the report's own files."""
    window = visit.window
    assert window.said == []
    assert window.evaluate("window.__hits") == []
    elsewhere = [
        url for url in window.requested if not url.startswith(("file:", "about:", "data:"))
    ]
    assert elsewhere == []


WIDTHS = (400, 1280)


def test_every_view_opens_and_is_no_wider_than_its_window(visit):
    for view in VIEWS:
        visit.open(view)
        assert visit.texts("main h2")
        assert "alert" not in visit.texts("[role=alert]")
        assert visit.texts("header a[aria-current=page]") == [
            {"c": "Cases", "p": "Pages", "o": "Overview", "r": "Review"}[view[0]]
        ]
        for width in WIDTHS:
            visit.window.resize(width, 900)
            visit.wait_until(f"innerWidth === {width}")
            wide = visit.window.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, (view, wide)
    quiet(visit)


def test_what_is_not_there_is_said(visit):
    for address, said in [
        ("case?case=9999", "case does not exist"),
        ("case?case=1&beside=9999", "?"),
        ("case?case=abc", "case does not exist"),
        ("page?page=9999", "page does not exist"),
        ("nowhere", "What does"),
    ]:
        visit.open(address)
        heading = visit.text("main h2")
        assert said in heading


def test_each_filter_leaves_the_rows_that_have_its_value(visit):
    visit.go("cases")
    every = count(visit)
    names = visit.window.evaluate(
        "[...document.querySelectorAll('.filters select')].map((one) => one.name)"
    )
    assert {"engine", "noise", "level", "stage", "source", "domain", "status"} <= set(names)
    for name in names:
        selector = f".filters select[name={name}]"
        values = visit.window.evaluate(
            f"[...document.querySelector('{selector}').options].map((one) => one.value)"
        )
        seen = []
        for value in values[1:]:
            visit.choose(selector, value).settled()
            assert f"{name}=" in visit.address
            seen.append(count(visit))
        assert all(one <= every for one in seen)
        if name not in ("details", "change", "noise", "system", "stage", "status", "reader"):
            assert sum(seen) <= every
        visit.choose(selector, "").settled()
    assert count(visit) == every
    quiet(visit)


def test_filters_together_and_words_of_the_question(visit):
    visit.go("cases")
    every = count(visit)
    visit.choose(".filters select[name=stage]", "overall").settled()
    visit.choose(".filters input[name=text]", "FACT 11").settled()
    assert {name[:15] for name in visit.texts(f"{ROWS} td.question")} == {"What is fact 11"}
    assert all("overall" in line for line in visit.texts(f"{ROWS} td.condition"))
    visit.choose(".filters input[name=text]", "no such words").settled()
    assert count(visit) == 0
    assert visit.texts(ROWS) == []
    visit.click("button.clear").settled()
    assert visit.address == "#cases"
    assert count(visit) == every > 0


def test_a_list_sorts_and_says_so(visit):
    visit.go("cases")
    assert visit.attribute("th:nth-child(8)", "aria-sort") == "descending"
    for position, name in ((6, "score"), (7, "clean"), (9, "evidence LCS")):
        visit.click("th button", name).settled()
        assert visit.attribute(f"th:nth-child({position})", "aria-sort") == "descending"
        falling = numbers(visit, position)
        visit.click("th button", name).settled()
        assert visit.attribute(f"th:nth-child({position})", "aria-sort") == "ascending"
        rising = numbers(visit, position)
        assert falling == sorted(falling, reverse=True)
        assert rising == sorted(rising)
        assert visit.window.evaluate("document.activeElement.textContent").startswith(name)


def test_a_row_has_both_answers_and_why(visit):
    visit.go("cases?stage=overall&details=1")
    visit.wait_until("document.querySelector('td.of-why').textContent !== ''")
    accepted, answers = visit.texts(f"{ROWS} td.of-accepted"), visit.texts(f"{ROWS} td.of-answer")
    marks = visit.window.evaluate(
        "[...document.querySelectorAll('td.of-answer')]"
        ".map((one) => one.querySelector('[role=img]')?.getAttribute('aria-label') ?? '')"
    )
    assert set(marks) == {"right", "wrong"}
    right = [place for place, mark in enumerate(marks) if mark == "right"]
    assert all(answers[place].startswith("✓") for place in right)
    assert any(accepted[place] in answers[place] for place in right)
    assert all(line.startswith("evidence ") for line in visit.texts(f"{ROWS} td.of-why"))
    quiet(visit)


def test_a_row_without_details_says_so(visit):
    visit.go("cases?sort=loss")
    plain = "tr:not(.detailed) td.of-answer"
    assert set(visit.texts(plain) or ["–"]) == {"–"}


def test_a_list_has_pages_of_a_hundred(visit):
    visit.go("cases")
    assert len(visit.texts(ROWS)) == 100
    first = visit.text(ROWS)
    visit.click(".pager button", "next").settled()
    assert "page=1" in visit.address
    assert visit.window.evaluate("document.activeElement.textContent") == "next ›"
    visit.click(".pager button", "previous").settled()
    assert visit.text(ROWS) == first


def test_the_address_keeps_filter_and_case_and_back_comes_back(visit):
    visit.go("cases?stage=overall&sort=score&text=fact")
    visit.click(f"{ROWS} a").settled()
    case = visit.address
    assert case.startswith("#case?")
    assert {"stage=overall", "sort=score", "text=fact"} <= set(case.partition("?")[2].split("&"))
    question = visit.text("#view-case h2")
    visit.window.evaluate("history.back()")
    visit.wait_until("location.hash.startsWith('#cases')").settled()
    assert visit.window.evaluate("document.querySelector('select[name=stage]').value") == "overall"
    visit.window.evaluate("history.forward()")
    visit.wait_until("location.hash.startsWith('#case?')").settled()
    assert visit.text("#view-case h2") == question
    visit.open(case[1:])
    assert visit.text("#view-case h2") == question
    visit.window.press("Escape")
    visit.wait_until("location.hash.startsWith('#cases')").settled()
    assert "stage=overall" in visit.address


def test_keys(visit):
    visit.window.press("?")
    visit.wait_until("document.querySelector('dialog[open]') !== null")
    assert "next and previous case" in visit.text("dialog")
    visit.window.press("Escape")
    visit.wait_until("document.querySelector('dialog') === null")
    visit.window.press("/")
    visit.wait_until("document.activeElement.id === 'search'")
    visit.window.press("1", "1")
    visit.wait_until("location.hash.includes('text=11')").settled()
    visit.window.press("Escape")
    visit.wait_until("document.activeElement.id !== 'search'")
    visit.window.press("j")
    visit.wait_until("location.hash.includes('case=')").settled()
    first = visit.address
    assert visit.text("#view-case h2") == "What is fact 11?"
    visit.window.press("j")
    visit.wait_until(f"location.hash !== {json.dumps(first)}").settled()
    assert visit.text("#view-case h2") == "What is fact 11?"
    visit.window.press("k")
    visit.wait_until(f"location.hash === {json.dumps(first)}").settled()
    quiet(visit)


def test_a_case_by_the_keyboard_alone(visit):
    """From the top: over the skip link to the cases, to a case, to its review, and back."""
    window = visit.window
    window.press("Tab", "Enter")
    visit.wait_until("location.hash === '#cases'").settled()
    for _ in range(60):
        window.press("Tab")
        if window.evaluate("document.activeElement.closest('td.question') !== null"):
            break
    window.press("Enter")
    visit.wait_until("location.hash.startsWith('#case?')").settled()
    assert window.evaluate("document.activeElement.tagName") == "H2"
    for _ in range(60):
        window.press("Tab")
        if window.evaluate("document.activeElement.name === 'review-question'"):
            break
    window.press("ArrowRight")
    visit.wait_until("document.querySelector('input[value=\"question is bad\"]').checked")
    window.press("Escape")
    visit.open("review")
    assert "1 question and 0 answers" in visit.text(".reviewed")


def test_two_conditions_of_a_case_side_by_side(visit):
    visit.go("case?case=2")
    rest = visit.window.evaluate(
        "[...document.querySelectorAll('select[data-key=beside] option')].map((one) => one.value)"
    )
    visit.choose("select[data-key=beside]", rest[-1]).settled()
    assert f"beside={rest[-1]}" in visit.address
    assert len(set(visit.texts("h3.condition"))) == 2
    boxes = visit.window.evaluate(
        "[...document.querySelectorAll('h3.condition')]"
        ".map((one) => one.getBoundingClientRect()).map((one) => [one.left, one.top])"
    )
    assert boxes[0][0] < boxes[1][0]
    assert boxes[0][1] == boxes[1][1]
    assert visit.window.evaluate("document.activeElement.dataset.key") == "beside"
    visit.window.resize(400, 900)
    visit.wait_until(
        "(([one, other]) => one.left === other.left)"
        "([...document.querySelectorAll('h3.condition')].map((h) => h.getBoundingClientRect()))"
    )


def test_a_page_its_conditions_and_its_slider(visit):
    visit.go("pages")
    distances = [
        float(text.partition(" ")[0]) for text in visit.texts(".cards li > span:first-of-type")
    ]
    assert distances == sorted(distances, reverse=True)
    visit.click(".cards a").settled()
    under = visit.window.evaluate(
        "[...document.querySelectorAll('select[name=a] option')].map((one) => one.textContent)"
    )
    assert len(under) > 2
    visit.wait_until("document.querySelector('.stack img.over')?.naturalWidth > 0")
    visit.choose("input[type=range]", "25")
    clip = "getComputedStyle(document.querySelector('img.over')).clipPath"
    assert "75%" in visit.window.evaluate(clip)
    visit.choose("select[name=b]", "0").settled()
    assert len(visit.texts("h3.condition")) == 2
    visit.click("button", "formatted")
    assert visit.texts(".set .heading")
    assert visit.window.evaluate("document.querySelector('.set math') !== null")
    quiet(visit)


def test_evidence_is_boxed(visit, report):
    boxed = []
    for case in range(1, 9):
        visit.go(f"case?case={case}")
        # A box has its size once the page's picture has its own.
        visit.wait_until("[...document.images].every((one) => one.complete && one.naturalWidth)")
        boxed += visit.window.evaluate(
            "[...document.querySelectorAll('.frame')].map((one) => one.getBoundingClientRect())"
            ".map((one) => one.width > 5 && one.height > 2)"
        )
    assert boxed
    assert all(boxed)


def test_a_review_is_kept_and_saved_as_a_study_takes_it(visit):
    visit.go("case?case=2")
    qid = visit.texts(".facts dd")[-1]
    visit.click("input[value='evidence is wrong']")
    visit.choose(".review input[type=text]", 'a "note" <b>')
    visit.click("td input[value=right]")
    visit.open("review")
    assert visit.texts("th[scope=row]") == [qid, qid]
    assert visit.texts("td")[:3] == ["the question", "evidence is wrong", 'a "note" <b>']
    visit.window.evaluate(
        "void (URL.createObjectURL = (blob) => { window.saved = blob; return 'blob:'; },"
        " HTMLAnchorElement.prototype.click = function () { window.name = this.download; })"
    )
    visit.click("button", "save")
    assert visit.window.evaluate("window.name") == "verdicts.json"
    verdicts = Verdicts.model_validate_json(visit.window.evaluate("window.saved.text()"))
    assert verdicts.questions[qid].verdict == "evidence is wrong"
    assert verdicts.questions[qid].note == 'a "note" <b>'
    assert [one.verdict for one in verdicts.answers] == ["right"]
    assert verdicts.answers[0].qid == qid


def test_statuses_are_those_of_the_page(visit):
    assert tuple(visit.window.evaluate("STATUSES")) == STATUSES


def count(visit: Visit) -> int:
    return int(visit.text(".count").split(" of ")[0].replace(",", ""))


def numbers(visit: Visit, column: int) -> list[float]:
    texts = visit.texts(f"{ROWS} td:nth-child({column})")
    return [float(text.split(" ")[0]) for text in texts if text[0] != "–"]
