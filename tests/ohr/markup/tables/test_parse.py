"""What counts as a table, where it stands, and what is in its cells."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.markup.tables import Table, parse_tables
from tests.examples import examples
from tests.patience import ends

PIECES = [
    r"\begin{tabular}", r"\end{tabular}", r"\begin{table}[h]", r"\end{table}", "{c|c}", r"\\", "&",
    r"\&", r"\multicolumn{2}{|c|}", r"\multirow[b]{2}{*}", r"\multirow{-2}{*}", "{a}", "{", "}",
    "$", r"\hline", r"\cline{1-2}", r"\caption{b}", "%", "\n", " ", "x", "<table>", "</table>",
    "<tr>", "</tr>", "<td colspan=2>", "<td rowspan='3'>", "<th>", "</td>", "<!--", "-->",
    "<caption>", "</caption>", "|", "---", ":-:", r"\|", "`", "```", r"\begin{array}",
    r"\end{array}", "\\",
]  # fmt: skip


def the_table(text: str, kind: str) -> Table:
    [found] = parse_tables(text)
    assert found.format == kind
    for cell in found.cells:
        assert text[slice(*cell.content_span)] == cell.content
    return found.table


def grid(table: Table) -> list[tuple[int, int, int, int, str]]:
    return [(c.row, c.column, c.rowspan, c.colspan, c.content) for c in table.cells]


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
@examples(400)
def test_odd_input_never_raises_and_what_is_found_is_whole(text):
    end = 0
    for found in parse_tables(text):
        assert end <= found.span[0] < found.span[1] <= len(text)
        end = found.span[1]
        places = [place for cell in found.cells for place in cell.places()]
        assert len(places) == len(set(places))
        assert all(r < found.table.n_rows and c < found.table.n_columns for r, c in places)
        for cell in found.cells:
            start, stop = cell.content_span
            assert found.span[0] <= start <= stop <= found.span[1]
            assert text[start:stop] == cell.content == cell.content.strip(" \n")
        assert all(found.span[0] < position <= found.span[1] for position in found.row_boundaries)


def test_latex_spans_escapes_lines_and_inner_environments():
    text = r"""before \begin{tabular}[t]{|l|>{\columncolor[gray]{0.9}}m{2cm}|*{2}{c}|}
      \hline
      \multirow[b]{2}{*}{in \% \& \$} & \multicolumn{3}{|c|}{2022} \\ \cline{2-4}
      & $\begin{array}{c} a & b \\ c \end{array}$ & {x & y} &
      \begin{tabular}{c} q \\ r & s \end{tabular} \\[1.5em]
      \hline
    \end{tabular} after"""
    table = the_table(text, "latex")
    assert grid(table) == [
        (0, 0, 2, 1, r"in \% \& \$"),
        (0, 1, 1, 3, "2022"),
        (1, 1, 1, 1, r"$\begin{array}{c} a & b \\ c \end{array}$"),
        (1, 2, 1, 1, "{x & y}"),
        (1, 3, 1, 1, r"\begin{tabular}{c} q \\ r & s \end{tabular}"),
    ]
    assert (table.n_rows, table.n_columns) == (2, 4)
    assert table.alignments == ("l", "l", "c", "c")


def test_latex_row_boundaries_take_a_line():
    text = "\\begin{tabular}{cc}\n a & b \\\\\n c & d \\\\[2pt]\n e & f\n\\end{tabular}"
    [found] = parse_tables(text)
    assert len(found.row_boundaries) == 3
    for position in found.row_boundaries:
        lined = text[:position] + r"\hline " + text[position:]
        [again] = parse_tables(lined)
        assert grid(again.table) == grid(found.table)
        assert "lines" in again.extras
        assert "lines" not in found.extras


def test_latex_star_or_bracket_on_the_next_line_is_a_cell():
    text = (
        "\\begin{tabular}{cc}\n a & b \\\\\n * & [SET] \\\\\n [*] & x \\\\*\n y & z\\end{tabular}"
    )
    table = the_table(text, "latex")
    assert [c.content for c in table.cells] == ["a", "b", "*", "[SET]", "[*]", "x", "y", "z"]


def test_latex_percent_signs_that_an_engine_left_bare_are_no_comments():
    text = "\\begin{tabular}{cc}\n% of sales & 5 % \\\\\n% a note\n b & c\n\\end{tabular}"
    table = the_table(text, "latex")
    assert [c.content for c in table.cells] == ["% of sales", "5 %", "b", "c"]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        # Text under a cell that spans rows ends the span.
        (r"\multirow{3}{*}{a} & b \\ & c \\ x & d", [(0, 0, 2, "a"), (2, 0, 1, "x")]),
        (r"x & b \\ & c \\ \multirow{-2}{*}{a} & d", [(0, 0, 1, "x"), (1, 0, 2, "a")]),
        (r"\multirow{9}{*}{a} & b \\ & c", [(0, 0, 2, "a")]),
    ],
)
def test_latex_row_spans_give_way_to_text(rows, expected):
    table = the_table(rf"\begin{{tabular}}{{cc}} {rows} \end{{tabular}}", "latex")
    assert [
        (c.row, c.column, c.rowspan, c.content) for c in table.cells if c.column == 0
    ] == expected


def test_latex_formula_cut_by_a_bare_ampersand_is_joined_where_the_row_is_too_wide():
    table = the_table(r"\begin{tabular}{cc} $a & b$ & c \\ \$ 5 & \$ 6 \end{tabular}", "latex")
    assert [c.content for c in table.cells] == ["$a & b$", "c", r"\$ 5", r"\$ 6"]


def test_latex_environment_left_open_in_a_cell_protects_nothing():
    text = r"\begin{tabular}{cc} $$\begin{aligned} a$$ & b \\ c & d \end{tabular}"
    assert [c.content for c in the_table(text, "latex").cells][1:] == ["b", "c", "d"]


def test_latex_caption_and_what_else_a_float_holds():
    body = r"\begin{tabular}{c} a \end{tabular}"
    text = rf"\begin{{table}}[h]\centering\caption*{{Of \& {{x}}}}\label{{t}} {body} \end{{table}}"
    [found] = parse_tables(f"x {text} y")
    assert (found.table.caption, found.extras) == (r"Of \& {x}", ("label",))
    assert found.span == (2, 2 + len(text))
    # Words besides the caption stay outside of the table.
    [found] = parse_tables(rf"\begin{{table}}\caption{{c}}{body} Source: us.\end{{table}}")
    assert found.table.caption == ""
    assert found.span[1] - found.span[0] == len(body)
    assert len(parse_tables(rf"\begin{{table}}\caption{{c}}{body}{body}\end{{table}}")) == 2


@pytest.mark.parametrize(
    "text",
    [
        r"\begin{tabular}{c} a paragraph",
        r"a & b \\ \end{tabular}",
        r"\begin{tabular} a & b \end{tabular}",
        r"\begin{tabular}{c} {a & b \end{tabular}",
        r"\begin{tabular}{c} a} & b \end{tabular}",
        r"\begin{tabular}{c} \end{tabular}",
        "<table><tr>a",
        "<table></table>",
        "<table>a<tr><td>b</table>",
        "a | b\nc | d",
        "| a | b |",
        "| a | b |\n| c |",
        "|a| < |b|\n|c| < |d|",
        "|a|b|\n|-|\n|c|d|",
        "title\n-----\n",
        "```\n|a|b|\n|-|-|\n```",
    ],
)
def test_what_is_no_table(text):
    assert parse_tables(text) == []


def test_html_spans_headers_nesting_and_implied_ends():
    text = """<TABLE border="1"><caption>A &amp; <i>b</i></caption><!-- <td>no</td> -->
    <thead><tr><th rowspan=2>a<th colspan='2'>b</thead>
    <tr><td>c &lt; d</td><td><table><tr><td>in</td></tr></table></td></tr>
    <tr><td>e<td rowspan="9">f<td><b>g</b></table>"""
    table = the_table(text, "html")
    assert table.caption == "A &amp; <i>b</i>"
    assert grid(table) == [
        (0, 0, 1, 1, "a"),  # row spans end with their row group
        (0, 1, 1, 2, "b"),
        (1, 0, 1, 1, "c &lt; d"),
        (1, 1, 1, 1, "<table><tr><td>in</td></tr></table>"),
        (2, 0, 1, 1, "e"),
        (2, 1, 1, 1, "f"),
        (2, 2, 1, 1, "<b>g</b>"),
    ]
    assert [c.header for c in table.cells] == [True, True, *[False] * 5]


def test_html_cells_flow_round_row_spans():
    rows = "<tr><td rowspan=2>a<td>b<tr><td colspan=2>c<tr><td>d<td>e<td>f"
    assert grid(the_table(f"<table>{rows}</table>", "html")) == [
        (0, 0, 2, 1, "a"),
        (0, 1, 1, 1, "b"),
        (1, 1, 1, 2, "c"),
        (2, 0, 1, 1, "d"),
        (2, 1, 1, 1, "e"),
        (2, 2, 1, 1, "f"),
    ]


def test_html_table_after_one_that_is_not_closed():
    lost, table = parse_tables("<table><tr><td>lost <table><tr><td>a</td></tr></table>")
    assert [cell.content for cell in lost.cells] == ["lost"]
    assert [c.content for c in table.cells] == ["a"]


def test_markdown_pipes_alignment_and_ragged_rows():
    text = "x\n\n  | a \\| b | `c | d` | $|e|$ |\n|:--|:-:|--:|\nf | g |\n|h|i|j|k|\n\nafter | all"
    table = the_table(text, "markdown")
    assert grid(table) == [
        (0, 0, 1, 1, r"a \| b"),
        (0, 1, 1, 1, "`c | d`"),
        (0, 2, 1, 1, "$|e|$"),
        (1, 0, 1, 1, "f"),
        (1, 1, 1, 1, "g"),
        (2, 0, 1, 1, "h"),
        (2, 1, 1, 1, "i"),
        (2, 2, 1, 1, "j"),
        (2, 3, 1, 1, "k"),
    ]
    assert table.alignments == ("l", "c", "r", "")


def test_markdown_dollars_of_money_protect_no_pipe():
    table = the_table("|a|b|\n|-|-|\n|$5|$6|\n| $ 5 | $ 6 |", "markdown")
    assert [c.content for c in table.cells][2:] == ["$5", "$6", "$ 5", "$ 6"]


def test_tables_come_in_order_and_none_inside_another():
    text = (
        "|a|b|\n|-|-|\n|c|d|\n\n<table><tr><td>\\begin{tabular}{c}x\\end{tabular}</table>\n"
        "\\begin{tabular}{c} <table><tr><td>y</table> \\end{tabular}"
    )
    assert [found.format for found in parse_tables(text)] == ["markdown", "html", "latex"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    [
        r"\begin{tabular}{c}", r"\multicolumn{2}{c}{", r"\multirow{200}{*}{x}&", "<table><tr><td>",
        "<table", "<!--", "|-|\n", "$|$|\n|-|-|\n", "`|", r"\end{tabular}", "<table></table>",
    ],
)  # fmt: skip
@pytest.mark.parametrize("around", [r"\begin{tabular}{c}#\end{tabular}", "<table>#</table>", "#"])
def test_hostile_input_comes_to_an_end(piece, around):
    text = around.replace("#", piece * 8_000)
    with ends(cpu_s=30):  # about 0.3 s; a square would take minutes
        spans = [one.span for one in parse_tables(text)]
    edges = [edge for span in spans for edge in span]
    assert edges == sorted(edges)
    assert not edges or 0 <= edges[0] < edges[-1] <= len(text)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("so\n\\begin{tabular}{cc}\na & b \\\\\nc & d%s", "latex"),
        ("so <table><tr><td>a<td>b</tr><tr><td>c<td>d%s", "html"),
        ("so\n| a | b |\n| c | d |%s", "markdown"),
    ],
)
@pytest.mark.parametrize("rest", ["", "\n\nFurther text & more.", "\n  \n<table>", "\n \n"])
def test_a_table_without_its_frame_ends_before_a_blank_line(text, kind, rest):
    table = the_table(text % rest, kind)
    assert [c.content for c in table.cells] == ["a", "b", "c", "d"]
    assert not any(cell.header for cell in table.cells)


def test_a_table_that_is_not_closed_ends_before_the_next():
    both = "\\begin{tabular}{c} a \\\\\n\\begin{tabular}{c} b \\\\ \\end{tabular}"
    assert [table.cells[0].content for table in parse_tables(both)] == ["a", "b"]
    both = "<table><td>a<table><td>b</table>"
    assert [table.cells[0].content for table in parse_tables(both)] == ["a", "b"]


@pytest.mark.parametrize(
    "text",
    [
        "\\begin{tabular}{" + "*{2}{" * 20_000 + "c" + "}" * 20_000 + "}a & b\\\\ \\end{tabular}",
        "a|b\n|-" + " " * 100_000 + "x\n",
    ],
    ids=["repetitions in repetitions", "blanks after dashes"],
)
def test_one_long_row_comes_to_an_end(text):
    with ends(cpu_s=20):
        assert len(parse_tables(text)) <= 1
