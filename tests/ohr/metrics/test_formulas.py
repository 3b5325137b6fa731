from __future__ import annotations

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.markup.symbols import COMMAND_TO_CHAR
from ohr.metrics.formulas import (
    find_formulas,
    formula_distance,
    formula_tokens,
    page_formula_distance,
)
from tests.patience import ends

LATEX = st.text(alphabet="\\{}^_&ab1 frac$[]'%", max_size=60)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("so $x$ and $$y$$", [("x", False), ("y", True)]),
        (r"\(x\) and \[y\]", [("x", False), ("y", True)]),
        ("from $5 to $6, or $ 7 and $8", []),
        ("costs $12 (net_income) or $15 each", []),
        ("& $5 & 3$ \\\\", []),
        ("let $ a_1 $ be, and $x_1$2", [("a_1", False), ("x_1", False)]),
        (r"a price of $\$ 223$ million", [(r"\$ 223", False)]),
        ("one $x\n\ny$ two", []),
        (r"\begin{align} a &= b \end{align}", [(r"\begin{align} a &= b \end{align}", True)]),
        ("$$x = $ y$$", [("x = $ y", True)]),
        ("$$never closed", []),
    ],
)
def test_formulas_are_found_and_prices_are_not(text, found):
    formulas = find_formulas(text)
    assert [(formula.latex.strip(), formula.display) for formula in formulas] == found
    for formula in formulas:
        assert formula.latex in text[formula.start : formula.end]


def test_what_a_table_must_escape_is_no_part_of_its_formulas():
    formulas = [r"p < 0.05", r"A \& B^{2}", r"|x| \le 1", r"a > b_{i}"]
    cells = [f"${formula}$" for formula in formulas]
    latex = rf"\begin{{tabular}}{{cccc}} a & b & c & d \\ {' & '.join(cells)} \end{{tabular}}"
    escaped = [html.escape(cell, quote=False) for cell in cells]
    of_html = f"<table><tr><td>{'</td><td>'.join(escaped)}</td></tr></table>"
    barred = [cell.replace("|", r"\|") for cell in cells]
    markdown = f"| a | b | c | d |\n|---|---|---|---|\n| {' | '.join(barred)} |\n"
    after = "\n\nThen $z = 1$."
    for table in (latex, of_html, markdown):
        found = find_formulas(table + after)
        assert [" ".join(one.latex.split()) for one in found] == [*formulas, "z = 1"]
        assert (table + after)[found[-1].start : found[-1].end] == "$z = 1$"
        assert page_formula_distance(table, latex) == 0
    # Outside tables nothing has to be: there it is said that it is so.
    assert page_formula_distance(r"$\|x\| = 1$", "$|x| = 1$") > 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"x^2_1", r"x_{1}^{2}"),
        (r"\frac12", r"\dfrac{1}{{2}}"),
        (r"\left( a \right)\, b", "(a)b"),
        (r"\mathbf{x} \le \operatorname*{max} y", r"x\leq \mathrm { m a x } y"),
        (r"f'(x)", r"f^{\prime}(x)"),
        (r"\begin{aligned} a &= b \\ \end{aligned}", "a = b"),
        (r"\begin{array}{r l}{a}&{b}\end{array}", r"\begin{array}{cc} a & b \\ \end{array}"),
        (r"a \quadb \cdot \cdot \cdot c", r"a b \ldots c"),
        (r"\sqrt[3]{x}", r"\sqrt [ 3 ] x"),
        (r"x^{a^b_c}_d", r"x_d^{a_c^b}"),
    ],
)
def test_two_spellings_of_a_formula_are_the_same(one, other):
    assert formula_tokens(one) == formula_tokens(other)
    assert formula_distance(one, other) == 0


@pytest.mark.parametrize("command", sorted(set(COMMAND_TO_CHAR) - {"prime"}))
def test_a_command_and_its_character_are_the_same(command):
    written = rf"x_{{\{command}}} + \{command} \frac{{\{command}}}{{2}}"
    read = written.replace(f"\\{command}", COMMAND_TO_CHAR[command], 2)
    assert formula_distance(read, written) == 0
    assert page_formula_distance(f"$$ {read} $$", f"$$ {written} $$") == 0


def test_a_prime_may_be_any_of_three():
    assert formula_tokens("f′(x)") == formula_tokens("f'(x)") == formula_tokens(r"f^{\prime}(x)")


def test_what_means_something_else_differs():
    assert formula_distance("x_1", "x^1") == 0.2  # braces are tokens
    assert formula_distance("a", "b") == 1
    assert formula_distance(r"\frac{a}{b}", r"a/b") > 0


@given(LATEX, LATEX)
def test_distances_are_bounded_symmetric_and_zero_for_the_same(one, other):
    for distance in (formula_distance, page_formula_distance):
        assert 0 <= distance(one, other) <= 1
        assert distance(one, other) == pytest.approx(distance(other, one))
        assert distance(one, one) == 0


@given(LATEX)
def test_tokens_have_balanced_braces_whatever_comes_in(latex):
    depth = 0
    for token in formula_tokens(latex):
        depth += (token == "{") - (token == "}")
        assert depth >= 0
    assert depth == 0


def test_a_page_s_formulas_are_matched_by_content():
    truth = "Let $$a^2 + b^2 = c^2$$ and $$e = m c^2$$ hold."
    assert page_formula_distance("$e=mc^2$ here, $a^{2}+b^{2}=c^{2}$ there", truth) == 0
    assert page_formula_distance("only words", truth) == 1
    half = page_formula_distance("$$a^2 + b^2 = c^2$$", truth)
    assert half == pytest.approx(8 / 25)  # tokens of the formula that is missing
    assert page_formula_distance("words", "words") == 0
    assert page_formula_distance("a loss of (32)", r"a loss${ }^{(a)}$ of $(32)$ or $\$ 5$") == 0


@pytest.mark.parametrize("piece", ["{", "}", "^", r"\frac", "$", "$$ x ", r"\begin{align}", "^_"])
def test_hostile_text_comes_to_an_end(piece):
    text = piece * 50_000
    with ends(cpu_s=20):
        tokens, found = formula_tokens(text), find_formulas(text)
    assert sum(map(len, tokens)) <= len(text)
    assert all(text[one.start] in "$\\" for one in found)
