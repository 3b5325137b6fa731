"""The table of text layers, and the sentences about it."""

from __future__ import annotations

import pytest

from ohr.adviser.layers.table import (
    COLUMNS,
    advice,
    document_line,
    flawed_rows,
    is_flawless,
    layer_table,
)
from ohr.store.csv import csv_text
from tests.ohr.adviser.layers.verdicts import EMPTY, RIGHT, broken, checked, doubtful


def test_the_table_has_one_row_per_page_and_each_column_in_its_form():
    refused = doubtful("x", fault="its letters are others, 'a' is 'b'", covered=0.98349)
    rows = csv_text(layer_table([checked(RIGHT, refused), broken(), checked(EMPTY, name="scan")]))
    assert rows.splitlines() == [
        "document,page,usable,doubtful_words,order_known,covered,reason",
        "documents/report,1,yes,0,yes,1.000,",
        "documents/report,2,no,1,yes,0.983,\"its letters are others, 'a' is 'b'\"",
        "documents/broken,1,no,0,,,it is torn",
        "documents/scan,1,no,0,,,it has no text",
    ]


@pytest.mark.parametrize(
    ("share", "text"), [(1.0, "1.000"), (0.99999, "0.999"), (0.95, "0.950"), (0.0, "0.000")]
)
def test_only_all_of_the_ink_is_1(share, text):
    (row,) = layer_table([checked(doubtful(covered=share))]).to_dict("records")
    assert row["covered"] == text


def test_a_table_without_pages_keeps_its_columns():
    assert list(layer_table([])) == list(COLUMNS)


def test_pages_count_from_1_also_when_only_some_were_checked():
    table = layer_table([checked(RIGHT, EMPTY, first=6)])
    assert table["page"].tolist() == [7, 8]


def test_a_reason_is_one_line_without_control_characters():
    (row,) = layer_table([checked(doubtful(fault="a\nb\x1b[31m"))]).to_dict("records")
    assert row["reason"] == "a?b?[31m"


def test_equal_pages_that_follow_one_another_share_a_row():
    pages = [EMPTY, EMPTY, RIGHT, EMPTY, doubtful("x"), doubtful("x", order=False)]
    rows = flawed_rows(checked(*pages))
    assert [(row.pages, row.count) for row in rows] == [
        ("1-2", 2), ("4", 1), ("5", 1), ("6", 1),
    ]  # fmt: skip
    assert [row.assessment.order_known for row in rows] == ["", "", "yes", "no"]


def test_a_pdf_is_flawless_only_with_its_whole_text_in_a_known_order():
    assert is_flawless(checked(RIGHT, RIGHT))
    for flaw in (EMPTY, doubtful("x"), doubtful(order=False), doubtful(covered=0.9)):
        assert not is_flawless(checked(RIGHT, flaw))
        assert [row.pages for row in flawed_rows(checked(RIGHT, flaw))] == ["2"]
    assert not is_flawless(broken())


@pytest.mark.parametrize(
    ("verdicts", "line"),
    [
        ([RIGHT], "report.pdf: 1 of 1 page usable"),
        ([RIGHT, EMPTY], "report.pdf: 1 of 2 pages usable"),
        ([doubtful("x", "y"), RIGHT], "report.pdf: 2 of 2 pages usable; 2 words doubtful"),
        # Words of a layer that is not used are no reason for doubt.
        ([doubtful("x", fault="wrong"), RIGHT], "report.pdf: 1 of 2 pages usable"),
        (
            [doubtful(order=False), doubtful("x", covered=0.8)],
            "report.pdf: 2 of 2 pages usable; 1 word doubtful; order of words not known on 1 page; "
            "text missing on 1 page",
        ),
    ],
)
def test_a_line_per_pdf(verdicts, line):
    assert document_line(checked(*verdicts)) == line


def test_a_pdf_that_cannot_be_opened_is_named_with_the_reason():
    assert document_line(broken("locked")) == "locked.pdf: it is torn"


def test_advice_names_the_pages_that_need_ocr():
    pages = [EMPTY, EMPTY, RIGHT, EMPTY, doubtful("x")]
    assert advice([checked(*pages), checked(EMPTY, name="scan"), broken()], "out/sheet") == [
        "Use the text layer of 2 of 6 pages; read 4 pages with OCR (ohr read): "
        "report.pdf pages 1-2, 4; scan.pdf page 1.",
        "Check 1 doubtful word: out/sheet",
    ]


@pytest.mark.parametrize(
    ("pdfs", "sentence"),
    [
        ([checked(RIGHT, RIGHT)], "Use the text layer of all 2 pages: no OCR is needed"),
        ([checked(RIGHT)], "Use the text layer: no OCR is needed"),
        ([checked(EMPTY, EMPTY)], "Read all 2 pages with OCR (ohr read): no text layer can be"),
        ([broken()], "No PDF could be opened."),
    ],
)
def test_advice_is_one_sentence_if_all_pages_are_alike(pdfs, sentence):
    (line,) = advice(pdfs, "sheet")
    assert line.startswith(sentence)


def test_advice_says_where_the_layer_is_not_the_whole_page():
    lines = advice([checked(RIGHT, doubtful(order=False), doubtful(covered=0.6))], "sheet")
    assert lines == [
        "Use the text layer of all 3 pages.",
        "On 1 page text is missing from the layer; if you need it, use OCR there too: "
        "report.pdf page 3.",
        "On 1 page the order of the layer's words is not known; if you need it, use OCR there "
        "too: report.pdf page 2.",
    ]


def test_advice_on_many_pdfs_is_cut_and_says_so():
    pdfs = [checked(RIGHT, EMPTY, name=f"n{number}") for number in range(9)]
    (line,) = advice(pdfs, "sheet")
    assert line.count(".pdf page 2") == 5
    assert line.endswith("; and 4 more PDFs, in layers.csv.")
    (line,) = advice([checked(*[EMPTY, RIGHT] * 20)], "sheet")
    assert line.endswith("report.pdf pages 1, 3, 5, 7, 9, ….")
