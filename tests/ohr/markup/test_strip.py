from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.markup.strip import strip_markup
from tests.patience import ends

CASES = [
    ("# A title\n\n**Bold** and *italic* __text__", "A title Bold and italic text"),
    (r"\section*{Scope} \textbf{Bold} \underline{x}", "Scope Bold x"),
    (r"Loans retained $^{(\mathrm{a})}$ & \$ & 842 & $22 \%$", "Loans retained (a) $ 842 22 %"),
    (
        r"\begin{tabular}{|l|r|} \hline Year & Sales \\ \hline 2017 & 1,234 \\ \end{tabular}",
        "Year Sales 2017 1,234",
    ),
    (r"\multicolumn{2}{|c|}{Both years} & \multirow{3}{*}{Left}", "Both years Left"),
    ("| a | b |\n|---|:-:|\n| 1 | 2 |", "a b 1 2"),
    ("<table><tr><td colspan='2'>x</td><td>y</td></tr></table>", "x y"),
    ("H<sub>2</sub>O", "H2O"),
    ("<td>R&amp;D</td><td>a &amp; b</td><td>&lt;b&gt;</td>", "R&D a & b <b>"),
    ("&#8364;5&nbsp;m &NotAnEntity; a&#95;b", "€5 m &NotAnEntity; a_b"),
    (r"\begin{tabular}{ll} a\&amp; & b &amp;c \\ \end{tabular}", "a&amp; b &c"),
    (r"the angle $\alpha_{1} \leq \pi$", "the angle α1 ≤ π"),
    (r"$$\frac{1}{2} x^{2}$$", "1 2 x2"),
    (r"R\&D at AT&T costs \$5", "R&D at AT&T costs $5"),
    ("snake_case stays, -5 too", "snake_case stays, -5 too"),
    ("[link](http://x.y/z) ![alt](a.png)", "link alt"),
    ("- one\n* two", "one two"),
    ("costs $12 (net_income) or $15 each", "costs $12 (net_income) or $15 each"),
    ("let $ a_1 $ be, and $x_1$2", "let a1 be, and x12"),
    (r"\begin{align}x_1\end{align} and \(y_2\)", "x1 and y2"),
    ("$a<b>c$ and $f[x](y)$", "a<b>c and f[x](y)"),
    ("so\n```text\n- a_ *b* $5\n```\n`c_`", "so - a_ *b* $5 c_"),
    ("[of $x_1$](http://a.b/c)", "of x1"),
]


@pytest.mark.parametrize(("marked", "plain"), CASES)
def test_keeps_what_a_reader_sees(marked, plain):
    seen = strip_markup(marked).replace("|", " ")
    assert seen.split() == plain.split()


@given(st.text(alphabet="ab1 .\n"))
def test_plain_text_stays(text):
    assert strip_markup(text).split() == text.split()


@given(st.text())
def test_never_fails(text):
    assert isinstance(strip_markup(text), str)


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["a", "$", "\\begin{", "{", "<td", "|", "\\(", "*_", "![", "$a"])
def test_hostile_text_comes_to_an_end(piece):
    text = piece * (400_000 // len(piece))
    with ends(cpu_s=30):
        assert isinstance(strip_markup(text), str)
