"""Each step of the normaliser does one thing, can be switched off, and leaves the rest alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocr_backends.normalise import Normalise, finished, normalise
from ohr.types import Status
from tests.patience import ends

OFF = Normalise(headings=False, formulas=False, hyphenation=False, furniture=False, loops=False)
STEPS = [
    ("headings", "\\section{Method}\ntext", "# Method\ntext"),
    ("headings", "\\subsection*{A method}", "## A method"),
    ("headings", '<h2 class="x">Method</h2>', "## Method"),
    ("headings", "##Method", "## Method"),
    ("headings", "The method\n==========\ntext", "# The method\ntext"),
    ("formulas", r"so \( a^2 + b^2 \) holds", "so $a^2 + b^2$ holds"),
    ("formulas", "\\[\n\\frac{a}{b}\n\\]", r"$$\frac{a}{b}$$"),
    ("formulas", r"\begin{equation} x = 1 \end{equation}", "$$x = 1$$"),
    ("formulas", r"\[ a\  \] and \( b \)", r"$$a\ $$ and $b$"),
    ("formulas", r"as in \[12\] and \[3, 5–7\]", "as in [12] and [3, 5–7]"),
    ("formulas", r"he said \[see chapter 4\] so", "he said [see chapter 4] so"),
    ("formulas", r"then \(see below\) we set \(x\)", "then (see below) we set $x$"),
    ("formulas", "\\[\n12\n\\]", "$$12$$"),
    ("hyphenation", "the exam-\nple of a word", "the example of a word"),
    ("hyphenation", "Anglo-\nAmerican", "Anglo-American"),
    ("hyphenation", "soft\xadhyphen", "softhyphen"),
    ("hyphenation", "con\xad the", "con the"),
    ("furniture", "Revenue rose.\n\nPage 12 of 30", "Revenue rose."),
    ("furniture", "- 7 -\nRevenue rose.", "Revenue rose."),
    ("furniture", "收入增加。\n第 3 页", "收入增加。"),
    ("furniture", "Total\n\n199\n\n200\n\n201", "Total\n\n199\n\n200"),
]
UNTOUCHED = [
    r"\begin{tabular}{ll} a & b \\[2pt] c & d \\ \end{tabular}",
    "$5 and $6, #1 of 3, a-\n1",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "A paragraph\n\n---\n\nanother",
    r"\left( x \right)",
    "2017\nwas a good year\n2018 too",
]


@pytest.mark.parametrize(("step", "text", "expected"), STEPS)
def test_a_step(step: str, text: str, expected: str) -> None:
    assert normalise(text, OFF.model_copy(update={step: True})) == expected
    assert normalise(text, OFF) == text


@pytest.mark.parametrize("text", UNTOUCHED)
def test_what_is_no_concern_of_any_step(text: str) -> None:
    assert normalise(text, Normalise()) == text


@given(st.text())
def test_switched_off_it_changes_nothing(text: str) -> None:
    assert finished(text, OFF).value == text


@given(st.text(alphabet="ab-\n#$\\()[] {}=<h1>", max_size=60))
def test_normalising_twice_is_normalising_once(text: str) -> None:
    once = normalise(text, Normalise(headings=False))
    assert normalise(once, Normalise(headings=False)) == once


@pytest.mark.parametrize(
    "text",
    ["7", "1482", "Founded\n1922", "Report\n(2019)", "Net result\n-512", "2024\nAnnual report"],
)
def test_what_may_be_a_year_or_an_amount_or_all_there_is_stays(text: str) -> None:
    assert normalise(text, Normalise(furniture=True)) == text


@pytest.mark.parametrize(
    ("begins", "piece"),
    [
        *(("", piece) for piece in ("a", "-\n", "\\(", "\\[", "#")),
        *((opened, blank) for opened in ("Report.\n\\(", "\\[", "a\xad") for blank in " \n"),
        ("\\[", "\nx"),
        ("Title\n===\n", "long line "),
        ("", "\\begin{equation} x "),
    ],
)
@pytest.mark.parametrize("ends_with", ["", "\n. 7"])
def test_a_megabyte_comes_to_an_end(begins: str, piece: str, ends_with: str) -> None:
    text = begins + piece * (1_000_000 // len(piece)) + ends_with
    with ends(cpu_s=30):
        outcome = finished(text, Normalise(furniture=True), generative=True)
    assert outcome.status in (Status.OK, Status.EMPTY)
    assert len(outcome.value or "") <= len(text)


def test_blank_pages_are_empty() -> None:
    assert finished(" \n\t", Normalise()).status is Status.EMPTY
