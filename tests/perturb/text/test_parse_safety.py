"""Output parses as what it was: independent parsers of Markdown and LaTeX see the same page."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from ohr import registry
from ohr.markup.scanner import MarkupKind
from ohr.markup.strip import strip_markup
from ohr.markup.tables import parse_tables
from perturb.text.page import EditablePage
from tests.examples import examples
from tests.perturb.text.generated import ANY, ODD, PAGES, formulas
from tests.perturb.text.parsing import check_styles, check_titles, latex_problem, skeleton

quick = examples(150)
intensities = st.sampled_from([0.1, 0.3, 0.6, 1.0])
seeds = st.integers(0, 2**32)


def noisy(page, intensity, seed, name="formatting"):
    operator = registry.create("perturbation", name)
    return operator.apply(page, intensity=intensity, rng=np.random.default_rng(seed))


@quick
@given(page=PAGES, intensity=intensities, seed=seeds)
@example(page="Some words.\n\n# A heading\n    code right below\n\n", intensity=1.0, seed=0)
def test_markdown_keeps_its_skeleton(page, intensity, seed):
    value = noisy(page, intensity, seed).value
    assert skeleton(value) == skeleton(page)


@quick
@given(page=PAGES, intensity=intensities, seed=seeds)
def test_latex_stays_readable(page, intensity, seed):
    assume(latex_problem(page) is None)
    assert latex_problem(noisy(page, intensity, seed).value) is None


@quick
@given(page=ANY, intensity=intensities, seed=seeds)
def test_no_word_is_lost(page, intensity, seed):
    value = noisy(page, intensity, seed).value
    assert letters(strip_markup(value)) == letters(strip_markup(page))


def letters(text):
    """What remains of a text without spaces and marks: words run together or not."""
    return "".join(char for char in text if char.isalnum())


@quick
@given(page=PAGES, intensity=intensities, seed=seeds)
def test_words_stay_apart(page, intensity, seed):
    value = noisy(page, intensity, seed).value
    assert strip_markup(value).split() == strip_markup(page).split()


@quick
@given(page=PAGES, intensity=intensities, seed=seeds)
def test_tables_keep_their_grid(page, intensity, seed):
    before = [grid(table) for table in parse_tables(page)]
    after = [grid(table) for table in parse_tables(noisy(page, intensity, seed).value)]
    assert after == before


def grid(table):
    cells = [(c.row, c.column, c.rowspan, c.colspan) for c in table.cells]
    words = [strip_markup(c.content).split() for c in table.cells]
    return table.format, cells, words


@quick
@given(page=PAGES, intensity=intensities, seed=seeds)
def test_formulas_stay_formulas(page, intensity, seed):
    value = noisy(page, intensity, seed).value
    assert formulas_of(value) == formulas_of(page)


def formulas_of(text):
    """How many formulas a page has, outside its tables and inside."""
    page = EditablePage(text)
    kinds = (MarkupKind.INLINE, MarkupKind.DISPLAY)
    body = sum(r.kind in kinds for area in page.body for r in area.regions)
    return body, sum(r.kind in kinds for area in page.cells for r in area.regions)


@quick
@given(page=PAGES, seed=seeds)
def test_every_added_markdown_style_is_read_as_one(page, seed):
    # A block of HTML is not read as Markdown, and a title takes the place of text.
    assume("<" not in page)
    applied = noisy(page, 1.0, seed, "text_style")
    check_styles(page, applied)


@quick
@given(page=PAGES, seed=seeds)
def test_every_added_title_is_read_as_one(page, seed):
    assume("<" not in page)
    applied = noisy(page, 1.0, seed, "titles")
    check_titles(page, applied)


@quick
@given(page=st.lists(st.one_of(formulas(), ODD), max_size=4).map(" ".join), seed=seeds)
def test_odd_text_passes_through_unharmed(page, seed):
    applied = noisy(page, 1.0, seed)
    operator = registry.create("perturbation", "formatting")
    assert operator.undo(applied.value, applied.record) == page


@pytest.mark.parametrize(
    "kept",
    [
        "`code of five plain words`",
        "```\ncode of five plain words\n```",
        "https://example.org/five_plain_words",
        "[the text of a link](http://x.y)",
        "\\caption{five plain words of text}",
        "$\\text{five plain words of text}$",
        "\\begin{verbatim}\nfive plain words of text\n\\end{verbatim}",
        "<!-- five plain words of text -->",
        "<code>five plain words of text</code>",
        "    five plain words of code",
        "Total & five plain words & more words \\\\",
    ],
)
@pytest.mark.parametrize("name", ["text_style", "titles", "line_breaks"])
def test_text_rules_keep_out_of(kept, name):
    page = f"Some words before it.\n\n{kept}\n\nSome words after it."
    for seed in range(5):
        assert kept in noisy(page, 1.0, seed, name).value
