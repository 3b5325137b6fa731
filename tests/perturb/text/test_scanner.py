"""The scanner finds each construct, and nothing in what only looks like one."""

from __future__ import annotations

import pytest

from perturb.text.page import EditablePage
from perturb.text.scanner import MarkupKind, scan
from perturb.text.structure import Structure


def regions(text):
    return [(r.kind, text[r.start : r.end]) for r in scan(Structure(text), 0, len(text))]


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
        ("a ![b](c.png)", MarkupKind.LINK, "![b](c.png)"),
        ("a <br/> b", MarkupKind.TAG, "<br/>"),
        ("**bold**", MarkupKind.EMPHASIS, "**bold**"),
        ("a _b c_ d", MarkupKind.EMPHASIS, "_b c_"),
        ("**two\nlines**", MarkupKind.EMPHASIS, "**two\nlines**"),
        (r"\textbf{a {b} c}", MarkupKind.EMPHASIS, r"\textbf{a {b} c}"),
        (r"\section*{A}", MarkupKind.TITLE, r"\section*{A}"),
        (r"\caption[a]{b}", MarkupKind.COMMAND, r"\caption[a]{b}"),
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
    found = scan(Structure(text), 0, len(text))
    assert [text[r.inner_start : r.inner_end] for r in found] == ["x", "y", "z", "w"]


def test_a_stretch_is_scanned_alone():
    text = "a $x + y$ b"
    assert scan(Structure(text), 0, 5) == []
    assert scan(Structure(text), 2, 9)[0].kind is MarkupKind.INLINE


def test_plain_words_stand_apart_from_marks():
    page = EditablePage("- one two $x$ three four* five\n# six\nseven\\_ eight R\\&D nine")
    lines = [page.text[words.start : words.end] for area in page.body for words in area.words]
    assert lines == ["one two", "three", "five", "eight R\\&D nine"]


def test_an_unfenced_row_is_no_text():
    page = EditablePage("words before\n\nTotal & 5 & 6 \\\\\n\nwords after")
    lines = [page.text[words.start : words.end] for area in page.body for words in area.words]
    assert lines == ["words before", "words after"]


def test_a_table_in_code_is_code():
    table = "\\begin{tabular}{c}\na \\\\\n\\end{tabular}"
    assert len(EditablePage(table).tables) == 1
    assert EditablePage(f"```\n{table}\n```").tables == []
    assert EditablePage(f"```\n{table}\n```").cells == []
