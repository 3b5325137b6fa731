from __future__ import annotations

import pytest
import typst

from ohr import registry
from ohr.errors import ConfigError, DatasetError
from ohr.types import PageRef
from tests.builders import write_pdf

HEADER = "question,answer,document,page,evidence\n"


def load(folder, csv, **params):
    (folder / "q.csv").write_bytes(csv if isinstance(csv, bytes) else csv.encode())
    given = {"path": folder, "questions": folder / "q.csv"} | params
    return registry.create("dataset", {"name": "folder", "params": given}).load()


@pytest.fixture
def folder(tmp_path):
    for name, pages in {
        "report.pdf": ["Sales were 12 euros.", "Costs rose."],
        "sub/x.pdf": ["X"],
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        source = "\n#pagebreak()\n".join(pages)
        path.write_bytes(typst.compile(source.encode(), format="pdf"))
    return tmp_path


def test_the_text_layer_is_the_truth_and_pages_count_from_one(folder):
    dataset = load(folder, HEADER + "What were sales?,12 euros|EUR 12,report.pdf,1,\nX?,X,x,1,X\n")
    assert list(dataset.documents) == ["documents/report", "sub/x"]
    question, other = dataset.questions
    assert question.evidence_pages == (PageRef("documents/report", 0),)
    assert question.answers == ("12 euros", "EUR 12")
    assert question.evidence_text == "Sales were 12 euros."
    assert other.doc_id == "sub/x"
    assert dataset.pages[PageRef("documents/report", 1)].text.strip() == "Costs rose."


def test_broken_and_scanned_pdfs_are_reported(folder):
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and then nothing")
    (folder / "empty.pdf").write_bytes(b"")
    write_pdf(folder / "scan.pdf", 1)
    csv = HEADER + "a,12,report,1,\nb,1,broken,1,x\nc,1,report,nine,x\nd,12,report,9,x\n"
    dataset = load(folder, csv)
    assert dataset.report.counts == {
        "malformed_question": 1,
        "missing_document": 1,
        "missing_evidence_page": 1,
        "page_without_text_layer": 1,
        "unreadable_document": 2,
    }
    assert [q.text for q in dataset.questions] == ["a", "d"]
    with pytest.raises(DatasetError, match="strict"):
        load(folder, csv, strict=True)


def test_a_spreadsheets_csv_is_read(folder):
    dataset = load(
        folder, b"\xef\xbb\xbf" + HEADER.encode() + '"a, b",12 €,report,1,ev\r\n'.encode()
    )
    assert dataset.questions[0].text == "a, b"
    assert dataset.questions[0].answers == ("12 €",)


@pytest.mark.parametrize(
    ("csv", "said"),
    [
        (
            HEADER.encode() + "a,Café,report,1,ev\n".encode("cp1252"),
            r'q\.csv: not UTF-8.*"CSV UTF-8"',
        ),
        (HEADER + "a,12,report,1,ev\n" + '"' + "a" * 200_000, r"q\.csv: row 3: .*quote left open"),
        ('"' + "a" * 200_000, r"q\.csv: the header: .*quote left open"),
        (HEADER, r"no questions can be asked: .*q\.csv has no rows"),
    ],
)
def test_a_csv_that_cannot_be_read_is_one_line(folder, csv, said):
    with pytest.raises(DatasetError, match=said) as raised:
        load(folder, csv)
    assert "\n" not in str(raised.value)


def test_a_name_that_several_pdfs_have_asks_none_of_them(folder):
    (folder / "other").mkdir()
    (folder / "other" / "x.pdf").write_bytes(b"broken")
    csv = HEADER + "a,X,x.pdf,1,X\nb,X,sub/x.pdf,1,X\nc,12,report,1,ev\n"
    dataset = load(folder, csv)
    assert [(q.text, q.doc_id) for q in dataset.questions] == [
        ("b", "sub/x"),
        ("c", "documents/report"),
    ]
    (line,) = dataset.report.problems["ambiguous_document"]
    assert line == "line 2: 'x.pdf' is any of other/x, sub/x: name the folder too"
    assert load(folder, csv, domains=("sub",)).report.counts["ambiguous_document"] == 1


def test_two_pdfs_for_one_document_are_reported(folder):
    first = folder / "documents" / "report.pdf"
    first.parent.mkdir()
    first.write_bytes((folder / "sub" / "x.pdf").read_bytes())
    (folder / "sub" / "x.PDF").write_bytes((folder / "report.pdf").read_bytes())
    dataset = load(folder, HEADER + "a,X,report,1,X\n")
    assert dataset.documents["documents/report"].source == first
    assert dataset.documents["sub/x"].source == folder / "sub" / "x.PDF"
    assert dataset.report.problems["duplicate_document"] == [
        "documents/report.pdf and report.pdf are both documents/report: only the first is read",
        "sub/x.PDF and sub/x.pdf are both sub/x: only the first is read",
    ]


def test_a_problem_names_the_page_as_the_csv_does(folder):
    dataset = load(folder, HEADER + "a,12,report,9,x\n")
    assert dataset.report.problems["missing_evidence_page"] == [
        "page 9 of documents/report, asked by line-2"
    ]


def test_missing_columns_and_useless_options_are_named(folder):
    with pytest.raises(DatasetError, match="no column answer, page"):
        load(folder, "question,document\n")
    with pytest.raises(DatasetError, match=r"dataset\.path, not \.pdfs"):
        load(folder, HEADER, pdfs=folder)
    with pytest.raises(ConfigError, match="colour"):
        load(folder, HEADER, colour="red")
    with pytest.raises(DatasetError, match="no questions can be asked"):
        load(folder, HEADER)
