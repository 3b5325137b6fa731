r"""Formulas: which are text, how they are repaired, and that no code gets through Pandoc."""

from __future__ import annotations

import pytest

from ohr.markup.tables.content import Styled, Text
from ohr.typeset.formulas import balanced, convert, plain_formula, repair


def test_prices_percentages_and_note_marks_are_text() -> None:
    assert plain_formula(r"\$ 57,500") == (Text("$"), Text(" "), Text("57,500"))
    marks = plain_formula(r"{ }^{(a)}")
    assert marks is not None
    [_, mark] = [node for node in marks if node != Text("")]
    assert isinstance(mark, Styled)
    assert mark.style == "superscript"
    assert plain_formula(r"2.75 \mathrm{~kW}") is not None


@pytest.mark.parametrize("latex", ["x", r"\frac{1}{2}", "^", "1^", r"{x}", r"\text{a$b}", "1^^2"])
def test_mathematics_and_broken_scripts_are_no_text(latex: str) -> None:
    assert plain_formula(latex) is None


def test_what_is_not_in_pairs_is_left_out() -> None:
    assert balanced(r"\begin{gathered} a \\ b").split() == ["a", "b"]
    assert balanced(r"\frac{1}{2").count("}") == 2
    assert balanced("1}").strip() == "1"
    whole = r"\begin{aligned} a & b \\ c & d \end{aligned}"
    assert balanced(whole) == whole


def test_commands_that_pandoc_does_not_know_are_written_otherwise() -> None:
    assert repair(r"{\bf x} + \cfrac{1}{2}") == r"\mathbf{x} + \frac{1}{2}"
    assert repair(r"\textcircled{3} \text{中} 高") == r"③ \text{中} \text{高}"
    assert repair(r"\circ \Sigma") == r"\circ \Sigma"


def test_pandoc_converts_many_at_once_and_names_what_it_refuses() -> None:
    pytest.importorskip("pypandoc", reason="pypandoc_binary is not installed")
    sources = [r"\frac{a}{b}", r"\nosuchcommand{1}", "A \\cap B", r"x \otimes y", r"\frac{1}{}"]
    written = convert(sources)
    assert list(written) == sources
    assert written[sources[0]] == "$a / b$" or "frac" in (written[sources[0]] or "")
    assert written[sources[1]] is None
    assert "\u2229" in (written[sources[2]] or "")
    assert "\u2297" in (written[sources[3]] or "")
    assert "zws" in (written[sources[4]] or "")


@pytest.mark.parametrize(
    "latex",
    [
        r'#read("/etc/passwd")',
        r'\text{#read("/etc/passwd")}',
        r"\text{" + '"' + r' #read("x") ' + '"' + "}",
        r'\operatorname{std}.read("x")',
        'std.read("x")',
        r"\mathrm{std}.\mathrm{read}(x)",
        "$ #panic() $",
        "x // y",
    ],
)
def test_no_formula_becomes_code(latex: str) -> None:
    pytest.importorskip("pypandoc", reason="pypandoc_binary is not installed")
    typst = pytest.importorskip("typst")
    written = convert([latex])[latex]
    if written is not None:
        # It compiles to marks on a page: nothing is read and nothing is called.
        assert typst.compile(f"#let f = {written}\n#f".encode(), format="pdf")
