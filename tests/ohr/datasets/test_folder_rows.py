"""How people write the rows of their questions, for documents in a folder."""

from __future__ import annotations

import pytest

from ohr.errors import ConfigError, DatasetError
from ohr.types import PageRef
from tests.ohr.datasets.test_folder import HEADER, cached_layers, folder, load, pdf_of

__all__ = ["cached_layers", "folder"]


def test_missing_columns_and_useless_options_are_named(folder):
    with pytest.raises(DatasetError, match="no column answer in the header"):
        load(folder, "question,document\n")
    with pytest.raises(DatasetError, match=r"dataset\.path, not \.pdfs"):
        load(folder, HEADER, pdfs=folder)
    with pytest.raises(ConfigError, match="colour"):
        load(folder, HEADER, colour="red")
    with pytest.raises(DatasetError, match="no questions can be asked"):
        load(folder, HEADER)


def test_pages_are_read_as_people_write_them(folder):
    csv = HEADER + "a,12,report,p. 1,\nb,rose,report,1-2,\nc,rose,report,1 and 2,Costs rose.\n"
    dataset = load(folder, csv + "d,12,report,1,\ne,12,report,1/2,\nf,12,report,2-3,\n")
    pages = {q.qid: [ref.page_no for ref in q.evidence_pages] for q in dataset.questions}
    assert pages == {"line-2": [0], "line-3": [0, 1], "line-4": [0, 1], "line-5": [0]}
    assert [q.evidence_text for q in dataset.questions[1:3]] == ["Costs rose.", "Costs rose."]
    assert dataset.report.problems == {
        "malformed_question": ["line 6: page '1/2' is no number from 1 on"],
        "missing_evidence_page": ["line 7: pages 2, 3 of documents/report, which has pages 1 to 2"],
    }
    [line] = [line for line in dataset.report.notes if "write their page" in line]
    assert "4 of 6 rows write their page with words, a range or a list, such as line 2" in line
    assert "'p. 1' is read as page 1" in line


def test_evidence_beside_its_pages_is_said_for_several_pages(folder):
    (folder / "report.pdf").write_bytes(pdf_of("Sales were 12.", "Costs rose.", "Nothing else."))
    dataset = load(folder, HEADER + "a,x,report,1-2,Nothing else.\nb,12,report,1,\n")
    assert dataset.report.problems["evidence_not_on_page"] == [
        "line 2: 0 % of the evidence's words stand on pages 1, 2 of documents/report, in order; "
        "it is on page 3"
    ]


@pytest.mark.parametrize("page", ["", "none", "-"])
def test_a_question_without_a_page_is_asked_and_said(folder, page):
    dataset = load(folder, HEADER + f"a,99,report,{page},\nb,12,report,1,\n")
    assert [q.evidence_pages for q in dataset.questions] == [(), (PageRef("documents/report", 0),)]
    assert dataset.questions[0].place == PageRef("documents/report", -1)
    assert dataset.report.counts == {"empty_evidence": 1, "doubtful_page": 1}
    [line] = dataset.report.problems["doubtful_page"]
    assert line.startswith(
        "line 2: no page, and its answer is on no page of documents/report: it is asked of all of "
        "documents (overall)"
    )
    assert line.endswith("write the page, from 1 on")


def test_a_backslash_parts_folders(folder):
    csv = HEADER + "a,12,documents\\report.pdf,1,\nb,X,sub\\x,1,X\nc,X,sub\\y,1,X\n"
    dataset = load(folder, csv)
    assert [q.doc_id for q in dataset.questions] == ["documents/report", "sub/x"]
    assert dataset.report.problems == {"missing_document": ["sub/y, asked by line-4"]}


def test_a_bar_in_a_formula_is_part_of_the_answer(folder):
    csv = HEADER + "a,$|x|$ | 12,report,1,\nb,|12|,report,1,\n"
    dataset = load(folder, csv)
    assert [q.answers for q in dataset.questions] == [("$|x|$", "12"), ("12",)]
    assert dataset.report.problems["doubtful_answer"] == [
        "line 3: '|12|' is read as '12': the bars round it are left out"
    ]


def test_true_and_false_are_yes_and_no(folder):
    csv = HEADER + "a,TRUE,report,1,\nb,FALSCH|x,report,1,\nc,True,report,1,\n"
    dataset = load(folder, csv)
    answers = [q.answers for q in dataset.questions]
    assert answers == [("TRUE", "yes"), ("FALSCH", "x", "nein"), ("True",)]
    assert not any(q.evidence_text for q in dataset.questions)  # they are looked for on no page
    [line] = [line for line in dataset.report.notes if "TRUE or FALSE" in line]
    assert "2 of 3 answers" in line


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"PK\x03\x04\x14\x00", r"it is no CSV but a workbook \(xlsx or ods\).*CSV UTF-8"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", r"it is no CSV but a workbook \(xls\)"),
        (b"%PDF-1.7", "it is no CSV but a PDF"),
    ],
)
def test_another_kind_of_file_is_named(folder, content, said):
    with pytest.raises(DatasetError, match=said):
        load(folder, content)


def test_unicode_text_of_a_spreadsheet_is_read(folder):
    text = "question\tanswer\tdocument\tpage\r\nWhät?\t12\treport\t1\r\n"
    assert load(folder, text.encode("utf-16")).questions[0].text == "Whät?"


def test_a_swallowed_row_may_write_its_page_with_words(folder):
    csv = HEADER + 'a,"12,report,p. 1,\nb,12,report,p. 2,\nc,12",report,p. 1,\n'
    with pytest.raises(DatasetError, match="a quote left open swallows"):
        load(folder, csv)
