"""Blocks on the page: merged cells, charts, columns, boxes, breaks."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Literal

import numpy as np
import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.errors import DatasetError
from ohr.sample import corpus
from ohr.sample.authors.all import AUTHORS
from ohr.sample.blocks import (
    Cell,
    Chart,
    Columns,
    Emph,
    Figure,
    Formula,
    Heading,
    ListBlock,
    PageLayout,
    Paragraph,
    Series,
    Span,
    Strong,
    TableBlock,
    Words,
    text,
)
from ohr.sample.markdown import block_text, joined, page_text, pieces, table_evidence
from ohr.sample.typesetting.boxes import Box
from ohr.sample.typesetting.charts import nice_ticks
from ohr.sample.typesetting.looks import A4
from ohr.sample.typesetting.printing import print_document
from ohr.sample.typesetting.render import Rendered, render
from tests.examples import examples

TEXT_KINDS = ("heading", "paragraph", "list", "footnote", "header", "footer")

Printed = dict[str, tuple[corpus.Written, Rendered]]


@pytest.fixture(scope="module")
def printed() -> Printed:
    """One document of each domain."""
    written = [corpus.document(7, number, 3) for number in range(len(AUTHORS))]
    return {one.domain: (one, print_document(one, images=False)) for one in written}


def words_of(markdown: str) -> list[str]:
    """Plain words, without mathematics, commands and marks."""
    plain = re.sub(r"(?s)\$\$.*?\$\$|\$[^$]*\$|</?chart>", " ", markdown)
    commands = r"\\begin\{\w+\}\{[^}]*\}|\\end\{\w+\}|\\multi\w+\{\w+\}\{[^}]*\}|\\\w+|[*&\\#{}|]"
    prose = re.sub(commands, " ", plain)
    return [word for word in re.findall(r"[A-Za-z]+", prose) if len(word) > 2]


def shown_in(page: pypdfium2.PdfPage, box: tuple[float, float, float, float]) -> list[str]:
    left_edge, top, right, bottom = box
    shown = page.get_textpage().get_text_bounded(
        left_edge - 2, A4[1] - bottom + 1, right + 2, A4[1] - top - 1
    )
    return re.findall(r"[A-Za-z]+", shown)


# Ground truth


def test_merged_cells_in_latex() -> None:
    table = TableBlock(
        (Cell(text("Area"), rowspan=2), Cell(text("Budget"), colspan=2)),
        (
            (Cell(text("Roads"), rowspan=2), text("1"), text("2")),
            (text("3"), text("4")),
            (Cell(text("Total"), colspan=2), text("10")),
        ),
        "lrr",
        grid=True,
        subheader=(text("plan"), text("actual")),
        caption=text("Table 1. Budget."),
    )
    assert block_text(table).splitlines() == [
        "Table 1. Budget.",
        "",
        r"\begin{tabular}{|l|r|r|}",
        r"\hline",
        r"\multirow{2}{*}{Area} & \multicolumn{2}{c|}{Budget} \\",
        r"\cline{2-3}",
        r"& plan & actual \\",
        r"\hline",
        r"\multirow{2}{*}{Roads} & 1 & 2 \\",
        r"\cline{2-3}",
        r"& 3 & 4 \\",
        r"\hline",
        r"\multicolumn{2}{|c|}{Total} & 10 \\",
        r"\hline",
        r"\end{tabular}",
    ]
    assert table_evidence(table, 1) in block_text(table)
    assert table_evidence(table, 1).endswith(r"& 3 & 4 \\")


@pytest.mark.parametrize(
    "rows",
    [
        ((Cell(text("a"), colspan=3),),),
        ((Cell(text("a"), rowspan=2), text("b")),),
        ((Cell(text("a"), rowspan=2), text("b")), (text("c"), text("d"))),
        ((text("a"),),),
    ],
)
def test_cells_that_jut_out_or_overlap_are_refused(rows: tuple[tuple[object, ...], ...]) -> None:
    with pytest.raises(ValueError, match="uneven"):
        TableBlock((text("x"), text("y")), rows, "lr")  # type: ignore[arg-type]


@examples(60)
@given(st.data())
def test_merged_rows_have_an_entry_for_every_column(data: st.DataObject) -> None:
    """However cells are merged, a row of the LaTeX adds up to the columns of the table."""
    columns, n_rows = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 4))
    free = [[True] * columns for _ in range(n_rows)]
    rows = []
    for i in range(n_rows):
        cells: list[Cell] = []
        for j in range(columns):
            if not free[i][j]:
                continue
            wide = next((k for k in range(j, columns) if not free[i][k]), columns) - j
            across, down = data.draw(st.integers(1, wide)), data.draw(st.integers(1, n_rows - i))
            for y in range(i, i + down):
                for x in range(j, j + across):
                    free[y][x] = False
            cells.append(Cell(text("v"), across, down))
        rows.append(tuple(cells))
    table = TableBlock(
        tuple(text("h") for _ in range(columns)), tuple(rows), "l" * columns, grid=True
    )
    lines = [line for line in block_text(table).splitlines() if line.endswith(r" \\")]
    assert len(lines) == 1 + n_rows
    for line in lines:
        spans = [
            int(match[1]) if (match := re.match(r" *\\multicolumn\{(\d+)\}", entry)) else 1
            for entry in line.removesuffix(r" \\").split("&")
        ]
        assert sum(spans) == columns


def test_chart_ground_truth_is_ohrbenchs() -> None:
    chart = Chart(
        "bar",
        ("2021", "2022"),
        (Series("Roads", ("1,204.5", "980.0")), Series("R&D", ("3", "4"))),
        "Year",
        "EUR",
        text("Figure 1. Cost."),
    )
    assert block_text(chart).splitlines() == [
        "<chart>",
        r"\begin{tabular}{|l|r|r|}",
        r"\hline",
        r"Year & Roads (EUR) & R\&D (EUR) \\",
        r"\hline",
        r"2021 & 1,204.5 & 3 \\",
        r"\hline",
        r"2022 & 980.0 & 4 \\",
        r"\hline",
        r"\end{tabular}",
        "</chart>",
        "",
        "Figure 1. Cost.",
    ]


@pytest.mark.parametrize("kind", ["bar", "line", "pie"])
def test_everything_in_a_charts_ground_truth_is_drawn(kind: Literal["bar", "line", "pie"]) -> None:
    series = (Series("Berths", ("1,240", "1,310", "87")),)
    if kind != "pie":
        series += (Series("Boats", ("902", "11", "640")),)
    chart = Chart(kind, ("North quay", "South quay", "Pier"), series, "Place", "thousand")
    pdf = render("chart", "finance", [(chart,)], images=False).pdf
    shown = pypdfium2.PdfDocument(pdf)[0].get_textpage().get_text_range()
    shown = re.findall(r"[\w,]+", shown)
    for entry in re.findall(r"[\w,]+", re.sub(r"\\\w+(\{[^}]*\})*|chart", " ", block_text(chart))):
        assert entry in shown, entry


@pytest.mark.parametrize(
    ("kind", "values"), [("bar", (("1",),)), ("pie", (("1", "-2"),)), ("pie", (("1", "2"),) * 2)]
)
def test_charts_that_cannot_be_drawn(
    kind: Literal["bar", "pie"], values: tuple[tuple[str, ...]]
) -> None:
    with pytest.raises(ValueError, match="chart"):
        Chart(kind, ("a", "b"), tuple(Series("s", one) for one in values), "x")


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_ticks_are_round_and_span_the_values(low: float, reach: float) -> None:
    ticks = nice_ticks(low, low + reach)
    assert ticks[0] <= low + 1e-6 * reach
    assert ticks[-1] >= low + reach * (1 - 1e-6)
    assert 2 <= len(ticks) <= 9


def test_notes_figures_numbers_and_furniture() -> None:
    page = (
        Paragraph(text("It was *stated* first.^[1 In 1998.] So $x^{2}$.")),
        Formula("a = b", "2"),
        Figure("flow", text("Figure 1. The way."), ("In", "Out")),
    )
    layout = PageLayout(header="Report, 2021", footer="Page {page}")
    assert page_text(page, layout, 4) == (
        "Report, 2021\n\nIt was *stated* first.$^{1}$ So $x^{2}$.\n\n$$\na = b \\tag{2}\n$$\n\n"
        "In\nOut\n\nFigure 1. The way.\n\n$^{1}$ In 1998.\n\nPage 5"
    )
    assert page_text((), PageLayout(header="The News, 4 May", nameplate=True)) == "The News 4 May"


@given(st.lists(st.tuples(st.sampled_from([Words, Strong, Emph]), st.text("ab ", min_size=1))))
def test_pieces_join_to_the_text(spans: list[tuple[type[Words], str]]) -> None:
    words = tuple(kind(string) for kind, string in spans)
    cut = pieces(words)
    assert "".join(piece.text for piece in cut) == "".join(string for _, string in spans)  # type: ignore[union-attr]
    assert joined(cut) == joined(words)


# Places


@pytest.mark.slow
def test_boxes_are_inside_the_page_and_hold_their_words(printed: Printed) -> None:
    for written, rendered in printed.values():
        pdf = pypdfium2.PdfDocument(rendered.pdf)
        texts = [page_text(p.blocks, written.layout, n) for n, p in enumerate(written.pages)]
        for box in rendered.arrangement.boxes:
            left_edge, top, right, bottom = box.box
            assert 0 <= left_edge < right <= A4[0]
            assert 0 <= top < bottom <= A4[1]
            said = texts[box.page_no][box.start : box.end]
            shown = shown_in(pdf[box.page_no], box.box)
            own = words_of(said)
            missing = [word for word in own if word not in " ".join(shown)]
            assert len(missing) <= 0.03 * len(own), (written.doc_id, box, missing)
            if box.kind in TEXT_KINDS and len(own) > 12:
                strange = [word for word in shown if len(word) > 2 and word not in own]
                assert len(strange) <= 0.2 * len(shown), (written.doc_id, box, strange)


@pytest.mark.slow
def test_boxes_follow_the_ground_truth_and_the_columns(printed: Printed) -> None:
    for written, rendered in printed.values():
        for page_no, page in enumerate(written.pages):
            boxes = [box for box in rendered.arrangement.boxes if box.page_no == page_no]
            said = page_text(page.blocks, written.layout, page_no)
            ends = [(box.start, box.end) for box in boxes]
            assert ends == sorted(ends)
            # All of the page is in its boxes but the white space between them.
            gaps = zip([0, *(end for _, end in ends)], [start for start, _ in ends], strict=False)
            assert not "".join(said[a:b] for a, b in gaps).strip()
            body = [box for box in boxes if box.kind not in ("header", "footer", "footnote")]
            for first, second in pairwise(body):
                if first.column == second.column:
                    assert second.box[1] > first.box[1]
                if overlap(first, second) > 0:
                    assert overlap(first, second) < 9, (written.doc_id, first, second)


def overlap(first: Box, second: Box) -> float:
    """Height in points that two boxes share, if they share any width."""
    width = min(first.box[2], second.box[2]) - max(first.box[0], second.box[0])
    height = min(first.box[3], second.box[3]) - max(first.box[1], second.box[1])
    return height if width > 1 else 0.0


WORDS = "council bridge river harbour summer engineers carried closed ferry tender quay".split()


@pytest.mark.parametrize("columns", [2, 3])
def test_a_paragraph_that_a_column_break_cuts_is_recorded(columns: Literal[2, 3]) -> None:
    rng = np.random.default_rng(columns)
    paragraphs = tuple(
        Paragraph((Words(" ".join(rng.choice(WORDS, 150))), Strong(" in bold"))) for _ in range(5)
    )
    rendered = render("cut", "newspaper", [paragraphs], layout=PageLayout(columns=columns))
    breaks = rendered.arrangement.continuations
    assert breaks
    page = pypdfium2.PdfDocument(rendered.pdf)[0]
    for one in breaks:
        whole = block_text(paragraphs[one.block])
        assert whole == f"{one.before} {one.after}"
        assert one.column_after == one.column_before + 1
        parts = [box for box in rendered.arrangement.boxes if box.block == one.block]
        first, second = (box.box for box in parts)
        assert shown_in(page, first) == words_of_all(one.before)
        assert shown_in(page, second) == words_of_all(one.after)
        assert first[0] < second[0]
        assert first[1] > second[1]


def words_of_all(markdown: str) -> list[str]:
    return re.findall(r"[A-Za-z]+", markdown)


@pytest.mark.slow
def test_a_question_about_what_a_break_cuts_is_about_reading_order() -> None:
    changed = 0
    for number in (4, 5, 11, 12):
        written = corpus.document(7, number, 3)
        rendered = print_document(written, images=False)
        after = corpus.apply_breaks(written, rendered.arrangement.continuations)
        for page_no, (old, new) in enumerate(zip(written.pages, after.pages, strict=True)):
            said = page_text(old.blocks)
            for before, now in zip(old.candidates, new.candidates, strict=True):
                if before != now:
                    changed += 1
                    assert (now.source, now.content) == ("reading_order", before.content)
                    assert " ".join(now.evidence) == before.evidence[0]
                    assert all(part in said for part in now.evidence), page_no
    assert changed


def test_columns_spans_and_page_blocks_keep_the_reading_order() -> None:
    one, two, three = (Paragraph(text(f"{word} paragraph.")) for word in ("One", "Two", "Three"))
    page = (
        Span((Heading(1, text("Title")),)),
        Columns(2, (one, ListBlock((text("x"),)))),
        two,
        three,
    )
    assert page_text(page) == (
        "# Title\n\nOne paragraph.\n\n- x\n\nTwo paragraph.\n\nThree paragraph."
    )
    rendered = render("order", "academic", [page], layout=PageLayout(columns=2), images=False)
    assert [box.kind for box in rendered.arrangement.boxes] == [
        "heading",
        "paragraph",
        "list",
        "paragraph",
        "paragraph",
    ]


def test_a_block_wider_than_its_column_is_refused() -> None:
    wide = Formula(" + ".join(["a_{1} b_{2} c_{3} d_{4}"] * 9))
    page = (Paragraph(text("Words before. " * 40)), wide)
    with pytest.raises(DatasetError, match="juts out of its column"):
        render("wide", "newspaper", [page], layout=PageLayout(columns=3), images=False)


def test_type_grows_only_as_far_as_its_page() -> None:
    few = tuple(Paragraph(text("A short line of words. " * 12)) for _ in range(9))
    rendered = render("few", "law", [few], images=False)
    assert max(box.box[3] for box in rendered.arrangement.boxes) < A4[1] - 60
