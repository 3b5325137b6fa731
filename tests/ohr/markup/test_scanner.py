"""The scanner finds each construct, and nothing in what only looks like one."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.markup.page import MarkupPage, read_page
from ohr.markup.scanner import MarkupKind
from tests.patience import ends
from tests.perturb.text.generated import ANY

TEXT = MarkupKind.TEXT
TABULAR = r"\begin{tabular}{ccc}$5 & $y$ & $6\end{tabular}"


def regions(text):
    return [(r.kind, text[r.start : r.end]) for r in read_page(text).regions if r.kind is not TEXT]


@pytest.mark.parametrize(
    ("text", "kind", "found"),
    [
        ("a $x$ b", MarkupKind.INLINE, "$x$"),
        ("a $ \\alpha $ b", MarkupKind.INLINE, "$ \\alpha $"),
        ("a $ x $ b", MarkupKind.INLINE, "$ x $"),
        (r"was $\$ 39$ million", MarkupKind.INLINE, r"$\$ 39$"),
        (r"a \(x\) b", MarkupKind.INLINE, r"\(x\)"),
        ("a $$x$$ b", MarkupKind.DISPLAY, "$$x$$"),
        ("$$\nx $y$\n$$", MarkupKind.DISPLAY, "$$\nx $y$\n$$"),
        (r"\[ x \]", MarkupKind.DISPLAY, r"\[ x \]"),
        (
            "\\begin{align}a\\end{align}",
            MarkupKind.DISPLAY,
            "\\begin{align}a\\end{align}",
        ),
        ("a `$x` b", MarkupKind.CODE, "`$x`"),
        ("a ``b ` c`` d", MarkupKind.CODE, "``b ` c``"),
        ("```\n$x$\n```", MarkupKind.CODE, "```\n$x$\n```"),
        ("<code>$x$</code>", MarkupKind.CODE, "<code>$x$</code>"),
        ("see https://a.b/c_d*e.", MarkupKind.LINK, "https://a.b/c_d*e."),
        ("[$x$](y)", MarkupKind.LINK, "[$x$](y)"),
        ("a ![b](c.png)", MarkupKind.IMAGE, "![b](c.png)"),
        ("a <br/> b", MarkupKind.TAG, "<br/>"),
        ("**bold**", MarkupKind.EMPHASIS, "**bold**"),
        ("a _b c_ d", MarkupKind.EMPHASIS, "_b c_"),
        ("**two\nlines**", MarkupKind.EMPHASIS, "**two\nlines**"),
        (r"\textbf{a {b} c}", MarkupKind.EMPHASIS, r"\textbf{a {b} c}"),
        (r"\section*{A}", MarkupKind.HEADING, r"\section*{A}"),
        (r"\caption[a]{b}", MarkupKind.COMMAND, r"\caption[a]{b}"),
        ("a\n## b ##\nc", MarkupKind.HEADING, "## b ##"),
        ("a\n\n    b\n", MarkupKind.INDENTED, "    b"),
        ("so\n- one", MarkupKind.LIST, "- "),
        ("so\n(iv) 2. one", MarkupKind.LIST, "(iv) 2. "),
        ("a | b\n--- | ---\n1 | 2", MarkupKind.TABLE, "a | b\n--- | ---\n1 | 2"),
    ],
)
def test_finds(text, kind, found):
    assert regions(text) == [(kind, found)]


@pytest.mark.parametrize(
    "text",
    [
        "between $5 and $6",
        "$5 million and US$",
        "($3,051) & ($2,435)",
        "& $ 15 & $ 16",
        "$unclosed",
        "$a\n\nb$",
        "$$",
        "$$$$",
        "\\(unclosed",
        "it`s",
        "[***] and [ * ]",
        "2 * 3 * 4",
        "snake_case_name",
        "____",
        "a < b > c",
        "\\",
        "{",
        "![not](a link",
    ],
)
def test_finds_nothing_in(text):
    assert [kind for kind, _ in regions(text) if kind is not MarkupKind.COMMAND] == []


def test_inner_spans_are_what_the_delimiters_hold():
    text = r"$x$ \[y\] **z** \textbf{w}"
    found = [region for region in read_page(text).regions if region.kind is not TEXT]
    assert [text[r.inner_start : r.inner_end] for r in found] == ["x", "y", "z", "w"]


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        ("so $x$ and $$y$$", ["$x$", "$$y$$"]),
        ("costs $12 (net_income) or $15 each", []),
        ("costs $ 12 for HTTP_PROXY or $ 15 each", []),
        ("from $900 {l} \\text{teams} to $250", []),
        ("from $5 to $6, or $ 7 and $8", []),
        ("$x_1$2 and $y^2$", ["$x_1$", "$y^2$"]),
        ("let $ a_1 $ be", ["$ a_1 $"]),
        (r"from 1$\sim$50 to 51$\sim$100", [r"$\sim$", r"$\sim$"]),
        ("the $o $0 of an engine", []),
        ("<password $>$ @<host>", ["$>$"]),
        (r"& $2 & 3$ \\", []),
        (r"\caption{of $x$ and \textbf{$y$}}", ["$x$", "$y$"]),
        ("$\n\\caption{of $x$}", ["$x$"]),
        (r"\begin{array}{l}a_1 \\ b\end{array}", [r"\begin{array}{l}a_1 \\ b\end{array}"]),
        (r"\begin{aligned} By: & A. Name \\ & Title \end{aligned}", []),
        ("$$\nx = y\n\n$$", ["$$\nx = y\n\n$$"]),
        ("$$x$$\n\nwords\n\n$$y$$", ["$$x$$", "$$y$$"]),
        ("# Of $x$ ##\nand $y$", ["$x$", "$y$"]),
        ("# Costs $x\ny$ more", []),
        ("[of $x$](y)", ["$x$"]),
        ("`$x$` and <code>$y$</code>", []),
        ("    $x$ in an indented line", ["$x$"]),
        ("| a | b |\n|---|---|\n| $x$ 2 $ | 3 $ |", ["$x$"]),
        (rf"\begin{{table}}\caption{{$x$}}{TABULAR}\end{{table}}", ["$x$", "$y$"]),
    ],
)  # fmt: skip
def test_formulas_are_found_wherever_they_stand_and_prices_are_none(text, formulas):
    assert [text[f.start : f.end] for f in read_page(text).formulas] == formulas


BETWEEN = st.sampled_from(
    ["net_income", "a_1", "x^2", r"\alpha", r"\text{a}", r"5\%", "+", "=", "<", "{", "(b)", "&"]
)  # fmt: skip


@given(st.lists(BETWEEN).map(" ".join))
def test_what_stands_between_two_prices_is_no_formula(text):
    assert read_page(f"costs $12 {text} $15 each").formulas == []


@given(ANY)
def test_regions_cover_the_text_in_order_without_overlap(text):
    done = 0
    for region in MarkupPage(text).regions:
        assert region.start == done < region.end
        done = region.end
    assert done == len(text)


@given(ANY)
def test_what_lies_in_a_region_lies_in_order_inside_it(text):
    for region in MarkupPage(text).walk():
        assert region.start <= region.inner_start <= region.inner_end <= region.end
        done = region.inner_start
        for inner in region.inside:
            assert done <= inner.start < inner.end <= region.inner_end
            done = inner.end


PIECES = [
    "$", "$$", "[", "|", "\\begin{tabular}", "\\begin{tabular}{c}", "\\(", "\\[", "{", "`", "*a",
    "_", "<a ", "<!--", "<pre>", "```\n", "# ", "#\n", "- ", "    a\n\n", "\\textbf{", "$a ",
    "![](", "\\begin{align}", "|-|\n", "a|b\n", "www.", "<table>", "\\end{tabular}", "$1 $2 ",
    "\t\n",
]  # fmt: skip


def test_runs_of_backticks_come_to_an_end():
    with ends(cpu_s=20):
        assert MarkupPage(" ".join("`" * length for length in range(1, 1500))).regions


@pytest.mark.slow
@pytest.mark.parametrize("piece", PIECES)
def test_hostile_text_comes_to_an_end(piece):
    with ends(cpu_s=20):
        page = MarkupPage(piece * (200_000 // len(piece)))
        assert page.regions
        assert isinstance(page.formulas, list)


@pytest.mark.parametrize("piece", PIECES)
def test_four_times_the_text_takes_four_times_the_steps(piece):
    few, many = steps(piece * 300), steps(piece * 1200)
    assert many < 5 * few + 1000


def steps(text):
    """How many functions are called to read a page."""
    count = 0

    def note(_frame, event, _argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        page = MarkupPage(text)
        assert page.regions
        assert page.formulas is not None
    finally:
        sys.setprofile(None)
    return count
