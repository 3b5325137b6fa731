"""Questions as people have them: without a page, without a document, in a workbook."""

from __future__ import annotations

import datetime
import io
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr.collection import ValidationReport
from ohr.datasets.page_search import evidence_of, holds, search_page
from ohr.datasets.questions_csv import read_rows
from ohr.datasets.workbook import cell_text, is_workbook
from ohr.errors import DatasetError, MissingDependencyError
from ohr.types import Document, Page, PageRef, Question
from tests.ohr.datasets.test_folder import cached_layers, folder, load, pdf_of

__all__ = ["cached_layers", "folder"]

a_word = st.text(alphabet="abcdeäß", min_size=1, max_size=6)
some_words = st.lists(a_word, min_size=1, max_size=30)


@pytest.fixture
def document_folder(folder):
    """A folder with one document of two pages."""
    (folder / "sub" / "x.pdf").unlink()
    return folder


def document(*texts: str) -> Document:
    pages = [Page(PageRef("d/a", number), text) for number, text in enumerate(texts)]
    return Document("d/a", "d", tuple(pages), None)


def question(*answers: str, evidence: str = "") -> Question:
    return Question(
        qid="q",
        text="What?",
        answers=answers,
        doc_id="d/a",
        domain="d",
        evidence_pages=(),
        evidence_text=evidence,
        evidence_source="text",
        answer_form="",
        task="",
        category="",
    )


@given(some_words, st.data())
def test_an_answer_is_found_wherever_its_lines_break(words, data):
    start = data.draw(st.integers(0, len(words) - 1))
    answer = words[start : start + 5]
    text = "".join(word + data.draw(st.sampled_from([" ", "\n", " \n  "])) for word in words)
    assert holds([" ".join(answer).upper()], text) or "ß" in "".join(answer)
    assert holds([" ".join(answer)], text)
    evidence = evidence_of([" ".join(answer)], text)
    assert holds([" ".join(answer)], evidence)
    assert set(evidence.splitlines()) <= set(text.splitlines())


@given(some_words, a_word)
def test_only_whole_words_are_found(words, answer):
    assert holds([answer], " ".join(words)) == (answer in words)


@given(st.lists(some_words.map(" ".join), min_size=1, max_size=6), a_word)
def test_a_page_is_taken_only_if_no_other_holds_the_answer(texts, answer):
    result = search_page(question(answer), document(*texts), ())
    matches = [number for number, text in enumerate(texts) if answer in text.split()]
    if len(matches) == 1:
        assert result.page == PageRef("d/a", matches[0])
        assert not result.doubt
    else:
        assert result.page is None
        assert ("on no page" in result.doubt) == (not matches)


@pytest.mark.parametrize(
    ("answer", "text", "expected"),
    [
        ("oil", "boiled", False),
        ("5", "15 or 1.5 or 5,000 or 5.25", False),
        ("5", "It was 5.", True),
        ("12 euros", "12\neuros", True),
        ("中文", "这是中文文本", True),
        ("C++", "in C++, too", True),
    ],
)
def test_words_and_numbers_are_found_whole(answer, text, expected):
    assert holds([answer], text) is expected


def test_doubtful_pages_have_their_reason():
    pages = document("Sales of 12", "Costs of 12", "Nothing")
    assert search_page(question("12"), pages, ()).doubt == "its answer is on pages 1, 2 of d/a"
    other = search_page(question("99"), pages, {PageRef("d/a", 1)}).doubt
    assert other == "its answer is on no page of d/a; 1 of its pages have no usable text"
    assert search_page(question("12"), pages, {PageRef("d/a", 1)}).page == PageRef("d/a", 0)
    assert search_page(question("yes"), pages, ()).doubt == "yes and no are not searched for"
    assert search_page(question(), pages, ()).doubt == "it has no answer"
    result = search_page(question("12", evidence="Costs of 12"), pages, ())
    assert (result.page, result.evidence) == (PageRef("d/a", 1), "Costs of 12")


def test_question_and_answer_are_enough_for_one_document(document_folder):
    dataset = load(
        document_folder, "question,answer\nWhat were sales?,12 euros\nWhat rose?,costs\nWhy?,99\n"
    )
    first, second, third = dataset.questions
    assert first.evidence_pages == (PageRef("documents/report", 0),)
    assert first.evidence_text == "Sales were 12 euros."
    assert second.evidence_pages == (PageRef("documents/report", 1),)
    assert third.evidence_pages == ()
    [line] = dataset.report.problems["doubtful_page"]
    assert line.startswith("line 4: no page, and its answer is on no page of documents/report:")
    [line] = [line for line in dataset.report.notes if "have no page" in line]
    assert line == (
        "3 rows have no page: 2 got the only page of their document that holds their "
        "evidence or answer, such as line 2: page 1 of documents/report"
    )


def test_an_answer_on_several_pages_is_doubtful(document_folder):
    (document_folder / "report.pdf").write_bytes(
        pdf_of("Sales were 12.", "Costs were 12.", "Page three")
    )
    dataset = load(document_folder, "question,answer,page\na,12,\nb,12,2-3\n")
    assert "its answer is on pages 1, 2 of" in dataset.report.problems["doubtful_page"][0]
    assert [ref.page_no for ref in dataset.questions[1].evidence_pages] == [1, 2]
    assert dataset.questions[1].evidence_text == "Costs were 12."


def test_several_documents_need_their_column(folder):
    with pytest.raises(DatasetError, match="no column document in the header, which only"):
        load(folder, "question,answer,page\na,12,1\n")


def test_an_answer_is_still_needed(document_folder):
    with pytest.raises(DatasetError, match="no column answer in the header"):
        load(document_folder, "question,page\na,12\n")


@pytest.mark.parametrize(
    ("value", "number_format", "expected"),
    [
        (None, "General", ""),
        (12.0, "General", "12"),
        (0.1, "0.00", "0.1"),
        (0.125, "0.0%", "12.5%"),
        (1, "0%", "100%"),
        (True, "General", "TRUE"),
        (datetime.datetime(2024, 5, 3), "", "2024-05-03"),
        (datetime.datetime(2024, 5, 3, 4, 5), "", "2024-05-03T04:05:00"),
        (" a", "@", " a"),
    ],
)
def test_cells_are_read_as_they_are_shown(value, number_format, expected):
    assert cell_text(value, number_format) == expected


@given(st.integers(-(10**15), 10**15))
def test_whole_numbers_have_no_decimals(number):
    assert cell_text(float(number)) == cell_text(number) == str(number)


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e12, max_value=1e12))
def test_decimals_keep_their_value(number):
    assert float(cell_text(number)) == pytest.approx(number, rel=1e-14)


def workbook(rows, *more: str) -> bytes:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.title = "Questions"
    for row in rows:
        book.active.append(row)
    for name in more:
        book.create_sheet(name)
    sink = io.BytesIO()
    book.save(sink)
    return sink.getvalue()


def test_a_workbook_is_read_like_its_csv(folder):
    header = ["Question", "answer", "document", "page", None, "evidence"]
    rows = [header, ["What were sales?", "12 euros", "report", 1], [], ["X?", "X", "x", "1-1"]]
    data = workbook(rows, "Notes")
    assert is_workbook(data)
    dataset = load(folder, data)
    assert [q.evidence_pages[0] for q in dataset.questions] == [
        PageRef("documents/report", 0),
        PageRef("sub/x", 0),
    ]
    assert [q.qid for q in dataset.questions] == ["line-2", "line-4"]
    assert "the sheets 'Notes': only the first, 'Questions', is read" in dataset.report.skipped


def test_a_damaged_workbook_is_an_error(tmp_path):
    pytest.importorskip("openpyxl")
    path = tmp_path / "q.xlsx"
    import zipfile

    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", "<nothing")
    with pytest.raises(DatasetError, match="it cannot be read as a workbook"):
        read_rows(path, ValidationReport())


def test_a_workbook_without_its_reader_names_the_extra(tmp_path, monkeypatch):
    import zipfile

    monkeypatch.setitem(sys.modules, "openpyxl", None)
    path = tmp_path / "q.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", "")
    with pytest.raises(MissingDependencyError, match=r"pip install 'ohr\[xlsx\]'"):
        read_rows(path, ValidationReport())
