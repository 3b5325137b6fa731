"""The block model: ground truth, and what is drawn of it."""

from __future__ import annotations

import re

import numpy as np
import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.errors import DatasetError
from ohr.sample.blocks import Math, Paragraph, Strong, TableBlock, Words, text
from ohr.sample.markdown import block_text
from ohr.sample.template import spin
from ohr.sample.typesetting.mathematics import write_typst
from ohr.sample.typesetting.render import render
from tests.examples import examples


def test_blocks_that_do_not_fit_are_refused() -> None:
    page = tuple(Paragraph(text("A line that is repeated. " * 20)) for _ in range(40))
    with pytest.raises(DatasetError, match="1 pages of blocks take"):
        render("too long", "law", [page])


def test_a_glyph_that_the_fonts_lack_is_refused() -> None:
    with pytest.raises(DatasetError, match="could not be displayed"):
        render("no such glyph", "law", [(Paragraph((Words("漢字"),)),)])


def test_ground_truth_escapes_what_is_markup() -> None:
    words = (Words("5 * 3 costs $4, a_b"), Strong("so"), Math("x^{2}"))
    assert block_text(Paragraph(words)) == r"5 \* 3 costs \$4, a\_b**so**$x^{2}$"
    table = TableBlock((text("A & B"), text("%")), ((text("$x$"), ()),), "lr", grid=True)
    assert block_text(table).splitlines() == [
        r"\begin{tabular}{|l|r|}",
        r"\hline",
        r"A \& B & \% \\",
        r"\hline",
        r"$x$ & \\",
        r"\hline",
        r"\end{tabular}",
    ]
    with pytest.raises(ValueError, match="uneven"):
        TableBlock((text("a"),), ((text("b"), text("c")),), "l")


@examples(30)
@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=40))
def test_any_words_are_shown_as_they_are(words: str) -> None:
    pdf = render(words, "finance", [(Paragraph((Words(f"a {words} b"),)),)]).pdf
    shown = pypdfium2.PdfDocument(pdf)[0].get_textpage().get_text_range()
    assert re.sub(r"\s", "", shown) == re.sub(r"\s", "", f"a{words}b")


@pytest.mark.parametrize(
    ("latex", "typst"),
    [
        (r"\frac{a}{b} \times 100", "frac(a, b) times 100"),
        (r"\sum_{i=1}^{n} x_{i}", "sum_(i = 1)^(n) x_(i)"),
        (r"\sqrt{2.5 \lambda}", "sqrt(2.5 lambda)"),
        (r"\left( a/b \right)^2", r"lr(( a \/ b ))^(2)"),
        (r"V_{\text{max}}, x", 'V_("max") comma x'),
    ],
)
def test_formula_subset(latex: str, typst: str) -> None:
    assert write_typst(latex) == typst


@pytest.mark.parametrize(
    "latex", [r"\oint x", r"\frac{a}", "{a", "a}", "x ~ y", r"\left( a", r"x^", "é"]
)
def test_formula_outside_the_subset(latex: str) -> None:
    with pytest.raises(ValueError, match="formula"):
        write_typst(latex)


def test_spin_fills_slots_and_draws_wordings() -> None:
    drawn = {
        spin("<who> [came|went [home|away]].", {"who": "Ada"}, np.random.default_rng(seed))
        for seed in range(40)
    }
    assert drawn == {"Ada came.", "Ada went home.", "Ada went away."}
    with pytest.raises(KeyError):
        spin("<nobody>", {}, np.random.default_rng(0))
