"""CSVs of questions as people write them: what is wrong is said, with its line."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ohr.collection import ValidationReport
from ohr.datasets.questions_csv import read_rows
from ohr.errors import DatasetError
from tests.ohr.datasets.test_folder import cached_layers, folder, load

__all__ = ["cached_layers", "folder"]

HEADER = "question,answer,document,page,evidence\n"


def rows(tmp_path, text):
    path = tmp_path / "q.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    report = ValidationReport()
    return read_rows(path, report), report


def test_a_quote_left_open_that_a_later_one_closes_is_an_error_that_names_its_line(tmp_path):
    """The evidence of the third row begins with a line break: its quote closes the second's."""
    text = HEADER + 'a,1,report,1,x\nb,2,report,2,"y\nc,3,report,3,"\nz"\nd,4,report,4,w\n'
    with pytest.raises(DatasetError, match=r"line 3: a quote left open .* begins 'c,3,report,3,"):
        rows(tmp_path, text)


def test_a_quote_that_the_end_of_a_field_closes_is_one_too(tmp_path):
    text = HEADER + 'a,1,report,1,"x\nb,2,report,2,y"\nc,3,report,3,z\n'
    with pytest.raises(DatasetError, match="line 2: a quote left open"):
        rows(tmp_path, text)


def test_evidence_may_hold_lines_of_numbers(tmp_path):
    found, report = rows(tmp_path, HEADER + 'a,1,report,1,"Sales,1,2,3,4\nCosts,5,6,7,8"\n')
    assert len(found) == 1
    assert not report


@settings(deadline=None)
@given(st.lists(st.text(alphabet='ab,"\n 1', max_size=12), min_size=1, max_size=5))
def test_whatever_is_quoted_properly_is_read(tmp_path_factory, texts):
    sink = io.StringIO()
    csv.writer(sink).writerows((f"q{i}", "a", "r.pdf", "1", text) for i, text in enumerate(texts))
    found, _ = rows(tmp_path_factory.mktemp("csv"), HEADER + sink.getvalue())
    assert [row["evidence"] for row in found] == [text.strip() for text in texts]


def test_other_names_of_columns_are_known_and_said(tmp_path):
    found, report = rows(tmp_path, "Query;Gold Answer;File Name;Page Number\na;1;report;2\n")
    assert [dict(row.fields) for row in found] == [
        {"question": "a", "answer": "1", "document": "report", "page": "2"}
    ]
    assert len(report.notes) == 4
    assert "'File Name' is read as document" in report.notes[2]


def test_a_columns_own_name_comes_first(tmp_path):
    found, report = rows(tmp_path, "question,answer,document,file,page\na,1,report,other,2\n")
    assert found[0]["document"] == "report"
    assert report.notes == []


def test_bytes_that_are_not_utf8_are_an_error_that_names_the_line(tmp_path):
    text = (HEADER + "a,1,report,1,x\nb,Zürich,report,1,x\n").encode("latin-1")
    with pytest.raises(DatasetError, match=r"line 3: not UTF-8 \(byte 0xfc\): save it as"):
        rows(tmp_path, text)


def test_pages_counted_from_zero_are_said(folder):
    rows = "a,12,report,0,Sales were 12 euros.\nb,rose,report,1,Costs rose.\n"
    more = "c,12,report,1,Costs rose.\nd,12,report,2,Costs rose.\n"
    report = load(folder, HEADER + rows + more).report
    assert report.problems["malformed_question"] == [
        "line 2: page '0' is no number from 1 on: is the first page 0 in this file? add 1"
    ]
    assert report.problems["pages_off_by_one"] == [
        "the evidence of 2 of 3 rows is on the page after theirs: the column page seems to count "
        "from 0: add 1 to each"
    ]


def test_one_page_off_is_only_that_rows(folder):
    rows = "a,12,report,1,Sales were 12 euros.\nb,rose,report,1,Costs rose.\n"
    assert "pages_off_by_one" not in load(folder, HEADER + rows).report.problems


def test_answers_that_are_sentences_are_said(folder):
    long = "Sales were 12 euros and nobody knows why they were not more"
    dataset = load(folder, HEADER + f"a,{long},report,1,Sales were 12 euros.\n")
    assert any("1 of 1 answers are of more than 8 words" in line for line in dataset.report.notes)


def test_a_line_within_a_field_may_lack_the_last_column(tmp_path):
    text = 'question,answer,page,document\n"first line\n""a,b"",c,3",yes,1,doc\n'
    [row], report = rows(tmp_path, text)
    assert row["question"].startswith("first line")
    assert not report


def test_what_was_kept_from_being_a_formula_is_read_as_it_was(tmp_path):
    [row], _ = rows(tmp_path, HEADER + "'=1+1?,-5,report,1,'@x\n")
    assert (row["question"], row["answer"], row["evidence"]) == ("=1+1?", "-5", "@x")


def test_rows_that_repeat_others_are_said(folder):
    row = "a,12,report,1,Sales were 12 euros.\n"
    notes = load(folder, HEADER + row + row + "b,12,report,1,Sales were 12 euros.\n").report.notes
    assert [line for line in notes if "such as line 3, as line 2" in line] == [
        "1 of 3 rows ask what another does of the same page, such as line 3, as line 2: "
        "each counts, so intervals come out too narrow"
    ]
