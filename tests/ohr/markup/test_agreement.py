"""The scan agrees with independent parsers: markdown-it-py on Markdown, pylatexenc on formulas."""

from __future__ import annotations

import pytest
from hypothesis import given

from ohr.sample import Sample, SampleParams
from tests.examples import examples
from tests.ohr.markup.other_parsers import compared
from tests.perturb.text.generated import PAGES

WRITTEN = [
    "# A\n\n## B *c* ##\n\ntext\n#no\n####### no\n# ",
    "so\n\n- one\n- two\n\n1. three\n2. four\n\n> a quotation",
    "| a | b |\n|---|---|\n| c | d |\n\na | b\n--- | ---\nc | d\n\n| a |\n\n|a|b|\n|-|\n",
    "```python\n# no\nx_y * z\n```\n\n~~~\n- no\n```\n~~~\n\n    a *b* c\n\n`*y*` and `` a`b ``",
    "[of $x$](http://a.b/c_d) and ![b](c.png), [no] (d) and [***] [e](f g)",
    "**bold** and *slanted*, _under_ and ***both***, snake_case_name, 2 * 3 * 4, **two\nlines**",
    "let $x_1$ be, $$\na^2\n$$ and \\(b\\), \\[ c \\], \\textbf{of $d$} \\emph{e}",
    "\\begin{align}a &= b\\end{align} and \\begin{equation*}\nx\n\\end{equation*}\n\n$\\alpha$",
    "\\begin{tabular}{c|c}$a$ & $b$ \\\\ \\hline c & \\$5\\end{tabular}\n\nleft \\$6 and $y$",
]


def disagreements(text):
    """What the scan or a parser finds alone."""
    return [(ours - theirs, theirs - ours) for ours, theirs in compared(text) if ours != theirs]


@pytest.mark.parametrize("text", WRITTEN)
def test_what_is_written_by_hand_is_read_alike(text):
    assert disagreements(text) == []


@examples(150)
@given(PAGES)
def test_generated_pages_have_the_same_headings_code_links_and_tables(text):
    for ours, theirs in compared(text):
        for kind in ("heading", "fenced code", "link", "image"):
            assert {x: n for x, n in ours.items() if x[0] == kind} == {
                x: n for x, n in theirs.items() if x[0] == kind
            }


@pytest.mark.slow
def test_the_pages_of_the_sample_are_read_alike(sample_cache):
    dataset = Sample(SampleParams(cache=sample_cache, strict=True)).load()
    found = {ref: disagreements(page.text) for ref, page in dataset.pages.items()}
    assert {ref: differing for ref, differing in found.items() if differing} == {}
