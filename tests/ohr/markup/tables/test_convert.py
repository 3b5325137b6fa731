"""Tables keep their text and spans between formats, and say what a format cannot hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.markup.tables import Cell, ParsedTable, Table, convert_tables, parse_tables, write_table
from ohr.markup.tables.content import Break, Math, Raw, Styled, Text, plain
from ohr.markup.tables.read_content import read_content
from tests.examples import examples
from tests.patience import ends

FORMATS = ("latex", "html", "markdown")

WORDS = st.text(st.sampled_from("ab5 é&%$#_{}~^\\<>|*`'\"[]()-.:;!"), min_size=1, max_size=8)
ESCAPES = {
    **{c: f"\\{c}" for c in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
TEXT = WORDS.map(lambda words: "".join(ESCAPES.get(c, c) for c in words))
FORMULA = st.sampled_from(
    [
        "$x$", "$a<b$", "$|x|$", r"$\|x\|$", r"$\$ 5$", r"$5\%$", r"$$\frac{a}{b}$$", r"\(y\)",
        r"\[ z \]", r"$\begin{array}{c} a & b \\ c \end{array}$", r"${ }^{(a)}$", r"$a_{1}*b$",
    ]
)  # fmt: skip
COMMAND = st.sampled_from(
    [
        r"\square ",
        r"\foo{a & b}",
        r"\textbackslash{}n",
        r"caf\'e",
        r"\quad ",
        "~",
        r"\,",
        "{}",
        "{a}",
    ]
)
CONTENT = st.recursive(
    st.one_of(TEXT, FORMULA, COMMAND),
    lambda inner: st.one_of(
        st.tuples(
            st.sampled_from(
                [
                    r"\textbf",
                    r"\textit",
                    r"\underline",
                    r"\texttt",
                    r"\textsuperscript",
                    r"\makecell",
                ]
            ),
            inner,
        ).map(lambda pair: f"{pair[0]}{{{pair[1]}}}"),
        st.lists(inner, min_size=1, max_size=3).map(" ".join),
        st.lists(inner, min_size=2, max_size=2).map(
            lambda two: rf"\makecell{{{two[0]}\\{two[1]}}}"
        ),
    ),
    max_leaves=6,
)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """A grid cut into cells that span rows and columns."""
    n_rows, n_columns = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    taken: set[tuple[int, int]] = set()
    cells = []
    for row in range(n_rows):
        for column in range(n_columns):
            if (row, column) in taken:
                continue
            rowspan = draw(st.integers(1, n_rows - row))
            colspan = 1
            while column + colspan < n_columns and (row, column + colspan) not in taken:
                if not draw(st.booleans()):
                    break
                colspan += 1
            content = draw(st.one_of(st.just(""), CONTENT)).strip()
            cell = Cell(row, column, content, rowspan, colspan)
            taken.update(cell.places())
            cells.append(cell)
    caption = draw(st.one_of(st.just(""), TEXT)).strip()
    return Table(tuple(cells), n_rows, n_columns, caption)


def reading(found: ParsedTable) -> tuple:
    """Everything a reader sees: size, caption, and each cell that has text or a span."""
    cells = {
        (c.row, c.column): (c.rowspan, c.colspan, read_content(c.content, found.format))
        for c in found.cells
    }
    kept = {place: cell for place, cell in cells.items() if cell[2] or cell[0] * cell[1] > 1}
    caption = read_content(found.table.caption, found.format)
    return found.table.n_rows, found.table.n_columns, caption, kept


@pytest.mark.slow
@given(tables())
@examples(500)
def test_latex_to_html_to_latex_keeps_every_cells_text_and_span(table):
    page, _ = write_table(table, "latex", "latex")
    [first] = parse_tables(page)
    html, _ = convert_tables(f"before {page} after", "html")
    [second] = parse_tables(html)
    back, _ = convert_tables(html, "latex")
    [third] = parse_tables(back)
    assert (first.format, second.format, third.format) == ("latex", "html", "latex")
    assert reading(first) == reading(second) == reading(third)
    assert back[: third.span[0]] == "before "
    assert back[third.span[1] :] == " after"


@given(tables())
@examples(300)
def test_markdown_keeps_the_text_of_every_cell(table):
    page, _ = write_table(table, "latex", "latex")
    [first] = parse_tables(page)
    markdown, losses = convert_tables(page, "markdown")
    [second] = parse_tables(markdown)
    assert second.format == "markdown"
    merged = any(c.rowspan * c.colspan > 1 for c in first.cells)
    assert merged == any(loss.loss.kind == "merged cells" for loss in losses)
    here = {(c.row, c.column): said(c.content, "latex") for c in first.cells}
    there = {(c.row, c.column): said(c.content, "markdown") for c in second.cells}
    assert {k: v for k, v in here.items() if v} == {k: v for k, v in there.items() if v}


def said(content: str, kind: str) -> str:
    # A double bar is spelt out, and accents that stand for nothing are read as punctuation.
    text = plain(read_content(content, kind))
    return "".join(text.replace(r"\|", r"\Vert ").replace("\\", "").split())


@given(st.text(st.sampled_from("ab $\\{}&%|<>/td\n*_`"), max_size=40), st.sampled_from(FORMATS))
@examples(300)
def test_any_content_can_be_read_and_written(content, kind):
    table = Table((Cell(0, 0, content.strip()),), 1, 1)
    for target in FORMATS:
        page, _ = write_table(table, kind, target)
        found = parse_tables(page)
        if read_content(content.strip(), kind):
            assert [t.format for t in found] == [target]


def test_each_format_of_one_table():
    latex = r"""\begin{table}
\caption{Sales \& costs}
\begin{tabular}{|l|c|r|}
  \multirow{2}{*}{\textbf{Item} $|x|$} & \multicolumn{2}{|c|}{In \$ \_ 5\% $<$ 6} \\
   & a & \makecell{b \\ c} \\
\end{tabular}
\end{table}"""
    html = """<table>
<caption>Sales &amp; costs</caption>
<tr><td rowspan="2"><b>Item</b> $|x|$</td><td colspan="2">In \\$ _ 5% $&lt;$ 6</td></tr>
<tr><td>a</td><td>b<br>c</td></tr>
</table>"""
    markdown = r"""Sales & costs

| **Item** $\|x\|$ | In \$ \_ 5% $<$ 6 |  |
| :--- | :---: | ---: |
|  | a | b<br>c |"""
    assert convert_tables(latex, "html")[0] == html
    assert convert_tables(latex, "markdown")[0] == markdown
    again = convert_tables(html, "latex")[0]
    assert again == latex.replace("|l|c|r|", "|c|c|c|")
    kinds = [(loss.table, loss.loss.kind) for loss in convert_tables(latex, "markdown")[1]]
    assert kinds == [(0, "merged cells"), (0, "caption")]


def test_what_has_the_format_already_stays_to_the_byte():
    page = "x\n\n|a|b|\n|-|-|\n|c|d|\n\n<table><tr><td>1</table>"
    for target, position in (("markdown", 0), ("html", 1)):
        converted, _ = convert_tables(page, target)
        before, after = parse_tables(page)[position], parse_tables(converted)[position]
        assert page[slice(*before.span)] == converted[slice(*after.span)]
    assert convert_tables("no table | here", "html") == ("no table | here", [])


def test_markdown_tables_stand_between_blank_lines():
    table = r"\begin{tabular}{c} a \\ b \end{tabular}"
    converted, _ = convert_tables(f"one\n{table} two\n\n{table}", "markdown")
    rows = "| a |\n| :---: |\n| b |"
    assert converted == f"one\n\n{rows}\n\n two\n\n{rows}"


@pytest.mark.parametrize(
    ("page", "target", "kinds"),
    [
        ("<table><tr><th>a</table>", "latex", {"header cells"}),
        ("<table class=x><tr><td>a</table>", "latex", {"attributes"}),
        ("<table><tr><td><table><tr><td>a</table></table>", "markdown", {"inner table"}),
        (r"\begin{tabular}{c} \hline \square \end{tabular}", "html",
         {"lines", "command", "alignment"}),
        (r"<table><tr><td><img src=x>$\frac{$</table>", "latex", {"content"}),
    ],
)  # fmt: skip
def test_losses_are_named(page, target, kinds):
    assert {loss.loss.kind for loss in convert_tables(page, target)[1]} == kinds


def test_inner_tables_are_converted_too():
    page = r"\begin{tabular}{c} \textbf{\begin{tabular}{cc} a & b \end{tabular}} x \end{tabular}"
    html, _ = convert_tables(page, "html")
    assert "<b><table> <tr><td>a</td><td>b</td></tr> </table></b> x" in html
    assert reading(parse_tables(convert_tables(html, "latex")[0])[0])[0] == 1


@pytest.mark.slow
@pytest.mark.parametrize("target", FORMATS)
@pytest.mark.parametrize(
    "page",
    [
        "<table><tr><td>" * 3000 + "x" + "</td></tr></table>" * 3000,
        r"\begin{tabular}{c}" * 3000 + "x" + r"\end{tabular}" * 3000,
        r"\begin{tabular}{c} a \end{tabular} x " * 3000,
        r"\begin{tabular}{c}" + r"\textbf{" * 3000 + "}" * 3000 + r"\end{tabular}",
        "<table><tr><td>" + "<b>" * 3000 + r"\foo{" * 3000 + "</table>",
        "|a|\n|-|\n|" + "*a _b ` $ " * 3000 + "|",
    ],
)
def test_the_conversion_of_hostile_tables_comes_to_an_end(page, target):
    with ends(cpu_s=30):
        converted, _ = convert_tables(page, target)
        before, after = parse_tables(page), parse_tables(converted)
    assert [one.format for one in after] == [target] * len(before)


def test_contents_in_each_format():
    assert read_content(r"\textbf{a \% $x$}\newline \square{} b", "latex") == (
        Styled("bold", (Text("a % "), Math("x"))), Break(), Raw(r"\square"), Text(" b"),
    )  # fmt: skip
    assert read_content("<strong>a &lt;</strong> $5 to $6<br/><u>b", "html") == (
        Styled("bold", (Text("a <"),)), Text(" $5 to $6"), Break(),
        Styled("underline", (Text("b"),)),
    )  # fmt: skip
    assert read_content(r"**a** _b_ c_d_e \* `x\|y` $\|z\|$ *f", "markdown") == (
        Styled("bold", (Text("a"),)), Text(" "), Styled("italic", (Text("b"),)),
        Text(" c_d_e * "), Styled("code", (Text("x|y"),)), Text(" "), Math("|z|"), Text(" *f"),
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [
        "a|b\n-|-\n" + "|" * 1000 + "\n" + "|\n" * 1000,
        "<table>" + "<td colspan=200>" * 200 + "<tr><td>" * 6000 + "</table>",
    ],
)
def test_a_table_of_nothing_but_gaps_is_left_as_it_stands(page):
    target = "html" if page.startswith("a") else "markdown"
    with ends(cpu_s=20):
        converted, losses = convert_tables(page, target)
    assert converted == page
    assert [loss.loss.kind for loss in losses] == ["size"]


def test_backticks_without_an_end_are_text():
    with ends(cpu_s=20):
        assert read_content("`" * 100_000, "markdown") == (Text("`" * 100_000),)
