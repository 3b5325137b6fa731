from __future__ import annotations

import functools
import os
import unicodedata
from pathlib import Path

import pytest
import typst
from PIL import Image

from ohr import registry
from ohr.documents.verifying import verified_layers
from ohr.errors import DatasetError
from ohr.types import PageRef
from tests.builders import image_object, scan_of_text, write_bomb, write_page, write_pdf

HEADER = "question,answer,document,page,evidence\n"


def load(folder, csv, **params):
    (folder / "q.csv").write_bytes(csv if isinstance(csv, bytes) else csv.encode())
    given = {"path": folder, "questions": folder / "q.csv"} | params
    return registry.create("dataset", {"name": "folder", "params": given}).load()


@functools.cache
def pdf_of(*pages: str) -> bytes:
    return typst.compile("\n#pagebreak()\n".join(pages).encode(), format="pdf")


@pytest.fixture
def folder(tmp_path):
    for name, pages in {
        "report.pdf": ["Sales were 12 euros.", "Costs rose."],
        "sub/x.pdf": ["X"],
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(pdf_of(*pages))
    return tmp_path


OPENED = {}


@pytest.fixture(autouse=True)
def cached_layers(monkeypatch):
    """What a worker process has read of a file is kept for the tests that have the same file."""

    def layers(paths, limits, report):
        keys = [(path.name, path.read_bytes(), limits) for path in paths]
        unread = {key: path for key, path in zip(keys, paths, strict=True) if key not in OPENED}
        OPENED.update(zip(unread, verified_layers(list(unread.values()), limits), strict=True))
        return [OPENED[key] for key in keys]

    monkeypatch.setattr("ohr.datasets.folder.verified_layers", layers)


def test_whoever_loads_a_folder_sees_how_many_layers_are_checked(folder, monkeypatch):
    def layers(paths, limits, report):
        report("text layers", 2, 3)
        return verified_layers(paths, limits)

    monkeypatch.setattr("ohr.datasets.folder.verified_layers", layers)
    (folder / "q.csv").write_text(HEADER + "What were sales?,12 euros,report.pdf,1,\n")
    given = {"path": folder, "questions": folder / "q.csv"}
    source = registry.create("dataset", {"name": "folder", "params": given})
    seen = []
    source.progress = lambda *report: seen.append(report)
    source.load()
    assert seen == [("text layers", 2, 3)]


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
    csv += "e,1,scan,1,\nf,12,report,1,Nobody wrote this here.\ng,rose,report,1,Costs rose.\n"
    dataset = load(folder, csv)
    assert dataset.report.problems == {
        "empty_evidence": ["line-6: no evidence, and page 1 of documents/scan has no usable text"],
        "evidence_not_on_page": [
            "line 7: 0 % of the evidence's words stand on page 1 of documents/report, in order",
            "line 8: 0 % of the evidence's words stand on page 1 of documents/report, in order; "
            "it is on page 2",
        ],
        "malformed_question": ["line 4: page 'nine' is no number from 1 on"],
        "missing_document": ["documents/broken, asked by line-3"],
        "missing_evidence_page": ["line 5: page 9 of documents/report, which has pages 1 to 2"],
        "unreadable_document": [
            "documents/broken: cannot open broken.pdf as a PDF: it is cut short: a PDF without its "
            "end (%%EOF)",
            "documents/empty: cannot open empty.pdf as a PDF: it is empty",
        ],
        "unusable_text_layer": ["page 1 of documents/scan: it has no text"],
    }
    assert [q.text for q in dataset.questions] == ["a", "e"]
    assert dataset.without_truth == {PageRef("documents/scan", 0): "it has no text"}
    with pytest.raises(DatasetError, match="strict"):
        load(folder, csv, strict=True)


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_spreadsheets_csv_is_read(folder, bom, separator):
    header = [" Question", "ANSWER", "Document ", "page", "Evidence Source"]
    row = ['"a, b; c"', "12 €", "report", "1.0", "table"]
    text = f"{separator.join(header)}\r\n{separator.join(row)}\r\n"
    (question,) = load(folder, bom + text.encode()).questions
    assert question.text == "a, b; c"
    assert question.answers == ("12 €",)
    assert question.evidence_source == "table"


@pytest.mark.parametrize(
    ("written", "source"),
    [("Table", "table"), ("equation", "formula"), ("Reading Order", "reading_order")],
)
def test_an_evidence_source_is_known_however_it_is_written(folder, written, source):
    header = "question,answer,document,page,evidence source"
    dataset = load(folder, f"{header}\na,12,report,1,{written}\n", strict=True)
    assert [question.evidence_source for question in dataset.questions] == [source]


def test_an_open_quote_is_an_error_that_names_its_line(folder):
    rows = ['"a\nb",12,report,1,', "c,12,report,1,", 'd,"12,report,1,', "e,12,report,1,"]
    with pytest.raises(DatasetError, match=r"q\.csv: line 5: .*quote left open"):
        load(folder, HEADER + "\n".join(rows) + "\n")
    rows.append('f,"12",report,1,')
    with pytest.raises(DatasetError, match=r"q\.csv: line 5: .*quote left open"):
        load(folder, HEADER + "\n".join(rows) + "\n")


def test_rows_are_named_by_the_line_that_they_begin_on(folder):
    csv = HEADER + '"a\nb",12,report,1,\nc,1,2,report,1,ev\nd,12,report,x\n\ne,12,report,1,\n'
    dataset = load(folder, csv)
    assert [question.qid for question in dataset.questions] == ["line-2", "line-7"]
    assert dataset.report.problems["malformed_question"] == [
        "line 4: 6 fields under a header of 5: put a field that holds a comma in quotes",
        "line 5: page 'x' is no number from 1 on",
    ]


def test_a_row_that_ends_before_its_page_is_said_to_be_short(folder):
    dataset = load(folder, HEADER + "a;12;report;1\nb,12,report,1\n")
    assert [question.text for question in dataset.questions] == ["b"]
    assert dataset.report.problems["malformed_question"] == [
        "line 2: 1 fields under a header of 5: at least 4 are needed, of which some may be empty"
    ]


@pytest.mark.parametrize("page", ["9" * 23, "9" * 5000, "0", "-1", "1e9", "٣٣"])
def test_no_page_number_ends_a_study(folder, page):
    dataset = load(folder, HEADER + f"a,99,report,{page},\nb,12,report,1,\n")
    assert [question.text for question in dataset.questions] == ["b"]


def test_questions_are_read_from_a_file_alone(folder):
    with pytest.raises(DatasetError, match=r"/dev/zero: it is a device or a pipe, not a file"):
        load(folder, HEADER, questions="/dev/zero")
    with pytest.raises(DatasetError, match="it is a folder, not a file"):
        load(folder, HEADER, questions=folder)


@pytest.mark.slow
def test_a_text_that_stands_for_no_page_is_no_truth(folder):
    long = "The quick brown fox jumps over the lazy dog. " * 4
    hidden = f"BT /F 9 Tf 3 Tr 10 99 Td ({long}) Tj ET"
    grey, scan = (image_object(Image.new("L", (1, 1), 120)), image_object(scan_of_text()))
    xobject = "/XObject << /I 6 0 R >>"
    stamped = "q 200 0 0 260 0 0 cm /I Do Q BT /F 9 Tf 10 99 Td (Received 4 May) Tj ET"
    drawn = stamped.replace("Received 4 May", long).replace("/F 9", "/F 1")
    write_page(folder / "ocr.pdf", hidden)
    write_page(folder / "stamp.pdf", stamped, scan, resources=xobject)
    write_page(folder / "cover.pdf", stamped, grey, resources=xobject)
    write_page(folder / "drawn.pdf", drawn, grey, resources=xobject)
    csv = HEADER + "a,12,report,1,\nb,fox,ocr,1,\nc,fox,ocr,1,a brown fox\n"
    dataset = load(folder, csv)
    assert dataset.without_truth == {
        PageRef("documents/ocr", 0): "its text is invisible, as OCR programs lay it over a scan",
        PageRef(
            "documents/stamp", 0
        ): "only a stamp: an image covers the page, and its text is 12 characters",
    }
    assert [q.evidence_text for q in dataset.questions][1:] == ["", "a brown fox"]


def test_words_that_a_line_cuts_are_whole_in_the_layer_and_in_evidence(folder):
    lines = (
        "BT /F 12 Tf 10 240 Td (The board of the inter-) Tj 0 -14 Td (national harbour met) Tj ET"
    )
    write_page(folder / "minutes.pdf", lines)
    typed, copied = "of the international harbour", "of the inter-\nnational harbour"
    csv = HEADER + f'a,12,minutes,1,{typed}\nb,12,minutes,1,"{copied}"\n'
    dataset = load(folder, csv)
    assert dataset.pages[PageRef("documents/minutes", 0)].text == (
        "The board of the international harbour met"
    )
    assert [question.evidence_text for question in dataset.questions] == [typed, typed]


@pytest.mark.slow
def test_a_bomb_costs_its_own_page_alone(folder):
    assert write_bomb(folder / "bomb.pdf").stat().st_size < 3000
    dataset = load(
        folder, HEADER + "a,12,report,1,\nb,1,bomb,1,ev\n", open_memory_mb=250, open_cpu_s=20
    )
    assert list(dataset.documents) == ["documents/bomb", "documents/report", "sub/x"]
    assert len(dataset.questions) == 2
    (why,) = dataset.without_truth.values()
    assert why.startswith("used ")


def test_names_that_are_not_utf_8_and_letters_taken_apart_are_the_names_in_the_csv(folder):
    content = (folder / "report.pdf").read_bytes()
    Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.pdf")).write_bytes(content)
    (folder / unicodedata.normalize("NFD", "Zürich.pdf")).write_bytes(content)
    dataset = load(folder, HEADER + "a,12,café,1,\nb,12,Zürich.pdf,1,\n")
    assert [q.doc_id for q in dataset.questions] == ["documents/café", "documents/Zürich"]
    assert dataset.report.counts == {}


def test_what_is_passed_over_is_named(folder, tmp_path):
    (folder / "notes.docx").write_bytes(b"")
    (folder / "more.docx").write_bytes(b"")
    (folder / "linked").symlink_to(folder / "sub")
    (folder / "gone.pdf").symlink_to(folder / "nowhere.pdf")
    dataset = load(folder, HEADER + "a,12,report,1,\n")
    assert dataset.report.skipped == [
        "linked, a link to a folder: links are not followed",
        "more.docx and 1 more of the type .docx: only PDFs are read",
    ]
    assert dataset.report.problems == {
        "unreadable_document": ["gone.pdf: it is no file, or a link to nothing"]
    }
    assert ("skipped", dataset.report.skipped[0]) in dataset.report.lines()


def test_hidden_files_are_no_documents_and_those_called_pdfs_are_named(folder):
    for name in ("._report.pdf", "sub/._x.pdf", ".trash/old.pdf", ".DS_Store"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(b"what macOS puts beside a file")
    dataset = load(folder, HEADER + "a,12,report,1,\n")
    assert dataset.report.problems == {}
    assert dataset.report.skipped == ["._report.pdf and 1 more: hidden files are passed over"]
    assert list(dataset.documents) == ["documents/report", "sub/x"]


def test_only_the_questions_of_the_domains_that_are_named_are_asked(folder):
    dataset = load(folder, HEADER + "a,12,report,1,\nb,X,x,1,\n", domains=("sub",))
    assert [q.text for q in dataset.questions] == ["b"]
    assert not dataset.report


@pytest.mark.parametrize(
    ("csv", "said"),
    [
        (
            HEADER.encode() + "a,Café,report,1,ev\n".encode("cp1252"),
            r'q\.csv: line 2: not UTF-8.*"CSV UTF-8"',
        ),
        (HEADER + "a,12,report,1,ev\n" + '"' + "a" * 200_000, r"q\.csv: line 3: .*quote left open"),
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
    csv = HEADER + "a,X,x.pdf,1,X\nb,X,sub/x.pdf,1,X\nc,12,report,1,\n"
    dataset = load(folder, csv)
    assert [(q.text, q.doc_id) for q in dataset.questions] == [
        ("b", "sub/x"),
        ("c", "documents/report"),
    ]
    (line,) = dataset.report.problems["ambiguous_document"]
    assert line == "line 2: 'x.pdf' is any of other/x, sub/x: name the folder too"
    assert load(folder, csv, domains=("sub",)).report.counts["ambiguous_document"] == 1


@pytest.mark.parametrize(
    ("named", "meant"),
    [("Report", "documents/report"), ("re-port.PDF", "documents/report"), ("sub/X", "sub/x")],
)
def test_a_name_that_no_pdf_has_is_told_the_nearest(folder, named, meant):
    dataset = load(folder, HEADER + f"a,rose,report,2,\nb,X,{named},1,X\n")
    (line,) = dataset.report.problems["missing_document"]
    assert line.endswith(f"asked by line-3; did you mean {meant!r}?")


def test_a_name_like_no_other_is_told_nothing(folder):
    dataset = load(folder, HEADER + "a,rose,report,2,\nb,X,balance,1,X\n")
    assert dataset.report.problems == {"missing_document": ["documents/balance, asked by line-3"]}


def test_an_answer_that_is_not_on_its_page_says_so_and_where_it_is(folder):
    csv = HEADER + "a,rose,report,1,\nb,Sales were 12,report,2,\nc,up,report,1,\n"
    assert load(folder, csv).report.problems == {
        "empty_evidence": [
            "line-2: no evidence, and no answer stands on page 1 of documents/report; "
            "one does on page 2",
            "line-3: no evidence, and no answer stands on page 2 of documents/report; "
            "one does on page 1",
            "line-4: no evidence, and no answer stands on page 1 of documents/report",
        ]
    }


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
