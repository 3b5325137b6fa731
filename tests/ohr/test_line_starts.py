"""A paragraph of Markdown in which no line begins a block; a caption never takes in its table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ohr.markup.line_starts import escape_line_starts
from ohr.markup.tables import convert_tables, parse_tables

MARKDOWN = MarkdownIt("commonmark").enable("table")
STARTS = st.sampled_from(
    [
        *("~~~", "```", "# ", "###### x", "> ", "- ", "+ ", "* ", "1. ", "12) ", "---", "- - -"),
        *("===", "___", "***", "| a |", ":--", "[x]: y", "<div>", "<!-- ", "    ", "\t", "plain"),
        *("\n", "\n\n", " word", "#tag", "-5 °C", "1.5", "~~", "2019.", "#", "-", "10.", "="),
    ]
)


@given(text=st.lists(STARTS, min_size=1, max_size=6).map("".join))
def test_the_text_is_one_paragraph(text):
    escaped = escape_line_starts(text)
    kinds = [token.type for token in MARKDOWN.parse(escaped) if not token.hidden]
    assert kinds == (["paragraph_open", "inline", "paragraph_close"] if escaped else [])


@pytest.mark.parametrize("text", ["plain", "-5 °C", "1.5 m", "#tag", "a - b", "~~gone~~", "2019"])
def test_other_text_stays(text):
    assert escape_line_starts(text) == text


@pytest.mark.parametrize(
    "caption",
    [
        r"\textasciitilde{}\textasciitilde{}\textasciitilde{} tides",
        r"\textasciitilde{}\textasciitilde{}\textasciitilde{}\textasciitilde{}",
        *(r"\# berths", "- berths", "1. berths", "> berths", "+ berths", "=== ", "[a]: b"),
    ],
)
def test_a_caption_never_takes_in_its_table(caption):
    page = (
        f"\\begin{{table}}\\caption{{{caption}}}\\begin{{tabular}}{{ll}}x & y \\\\ 4 & 5 \\\\ "
        "\\end{tabular}\\end{table}"
    )
    markdown, _ = convert_tables(page, "markdown")
    assert len(parse_tables(markdown)) == 1
    kinds = [token.type for token in MARKDOWN.parse(markdown)]
    assert kinds[:4] == ["paragraph_open", "inline", "paragraph_close", "table_open"]
