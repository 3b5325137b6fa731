from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from ohr import registry
from ohr.collection import Dataset
from ohr.datasets.line_boxes import drop_repeated, lines_of, rows_of
from ohr.errors import DatasetError
from ohr.types import Line, PageRef

DATA = Path(os.environ.get("OHR_DATA", "../shared/data"))

SHOP = [
    (20, 10, 200, 20, "HARBOUR TOOLS LTD"),
    (20, 40, 200, 20, "4 QUAY STREET, PORT ELLEN"),
    (20, 80, 90, 20, "DATE: 03/04/2019"),
    (150, 82, 60, 20, "NO 118"),
    (20, 120, 60, 20, "HAMMER"),
    (160, 119, 50, 20, "17.50"),
    (20, 150, 60, 20, "TOTAL RM"),
    (160, 151, 50, 20, "17.50"),
]
FIELDS = {
    "company": "HARBOUR TOOLS LTD",
    "date": "03/04/2019",
    "address": "4 QUAY STREET, PORT ELLEN",
    "total": "17.50",
}


def load(path: Path, **params: object) -> Dataset:
    given_params = {"path": path} | params
    return registry.create("dataset", {"name": "sroie", "params": given_params}).load()


def write_receipt(root: Path, name: str, lines=SHOP, fields=FIELDS, *, published: bool) -> None:
    images, boxes = ("img", "box") if published else ("images/receipt", "boxes")
    for folder in (images, boxes, "key"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    Image.new("L", (240, 200), 255).save(root / images / f"{name}.jpg")
    if published:
        written = "\n".join(
            f"{x},{y},{x + w},{y},{x + w},{y + h},{x},{y + h},{text}" for x, y, w, h, text in lines
        )
        (root / boxes / f"{name}.txt").write_text(written)
    else:
        (root / boxes / f"{name}.json").write_text(json.dumps(lines))
    if fields is not None:
        (root / "key" / f"{name}.json").write_text(json.dumps(fields))


@pytest.mark.parametrize("published", [True, False])
def test_lines_are_joined_to_rows_and_fields_are_asked(tmp_path, published) -> None:
    write_receipt(tmp_path, "001", published=published)
    dataset = load(tmp_path)
    assert not dataset.report
    page = dataset.pages[PageRef("receipt/001", 0)]
    assert page.text.split("\n") == [
        "HARBOUR TOOLS LTD",
        "4 QUAY STREET, PORT ELLEN",
        "DATE: 03/04/2019 NO 118",
        "HAMMER 17.50",
        "TOTAL RM 17.50",
    ]
    assert page.lines[3] == Line("NO 118", (150, 82, 210, 102))
    asked = {question.qid: question for question in dataset.questions}
    assert sorted(asked) == ["receipt/001-address", "receipt/001-date", "receipt/001-total"]
    total = asked["receipt/001-total"]
    assert (total.answers, total.evidence_text) == (("17.50",), "TOTAL RM 17.50")
    assert (total.evidence_source, total.answer_form) == ("table", "Numeric")
    assert "17.50" in asked["receipt/001-date"].text
    assert asked["receipt/001-date"].evidence_text == "DATE: 03/04/2019 NO 118"


def test_what_several_receipts_could_answer_is_not_asked(tmp_path) -> None:
    for name in ("001", "002"):
        write_receipt(tmp_path, name, published=True)
    write_receipt(tmp_path, "003", fields=FIELDS | {"total": "99.00"}, published=True)
    dataset = load(tmp_path)
    # Only the third has a total of its own; 99.00 stands nowhere, the date does.
    assert [question.qid for question in dataset.questions] == ["receipt/003-date"]
    notes = " ".join(dataset.report.notes)
    assert "8 key fields are not asked: several receipts could be meant" in notes


def test_a_field_that_does_not_stand_on_the_page_is_counted(tmp_path) -> None:
    write_receipt(tmp_path, "001", fields=FIELDS | {"total": "17.5"}, published=True)
    dataset = load(tmp_path)
    assert "receipt/001-total" not in {question.qid for question in dataset.questions}
    assert any("1 key fields are not asked: they do not" in note for note in dataset.report.notes)


def test_receipts_without_fields_are_counted(tmp_path) -> None:
    write_receipt(tmp_path, "001", published=True)
    write_receipt(tmp_path, "002", fields=None, published=True)
    write_receipt(tmp_path, "003", fields=FIELDS | {"company": ""}, published=True)
    notes = " ".join(load(tmp_path).report.notes)
    assert "1 images have no file of key fields" in notes
    assert "3 key fields are not asked: they, or the company, are empty" in notes


def test_a_domain_is_the_outermost_folder(tmp_path) -> None:
    write_receipt(tmp_path, "001", published=False)
    deeper = tmp_path / "images" / "receipt" / "2019"
    deeper.mkdir()
    (tmp_path / "images" / "receipt" / "001.jpg").rename(deeper / "001.jpg")
    [document] = load(tmp_path).documents.values()
    assert (document.doc_id, document.domain) == ("receipt/2019/001", "receipt")


def test_without_fields_pages_are_searched_by_their_first_words(tmp_path) -> None:
    write_receipt(tmp_path, "001", fields=None, published=False)
    (tmp_path / "key").rmdir()
    dataset = load(tmp_path)
    assert [question.text for question in dataset.questions] == [
        "HARBOUR TOOLS LTD 4 QUAY STREET, PORT ELLEN DATE: 03/04/2019 NO 118"
    ]


def test_marks_of_the_transcription_are_taken_out(tmp_path) -> None:
    lines = [(0, 0, 50, 10, "_Plan _de ^2"), (0, 20, 50, 10, "~~~"), (0, 40, 50, 10, "a~b")]
    write_receipt(tmp_path, "001", lines=lines, fields=None, published=False)
    (tmp_path / "key").rmdir()
    [page] = load(tmp_path, marks="_^~").pages.values()
    assert [line.text for line in page.lines] == ["Plan de 2", "ab"]


def test_missing_and_broken_files_are_reported(tmp_path) -> None:
    write_receipt(tmp_path, "001", published=True)
    write_receipt(tmp_path, "002", published=True)
    write_receipt(tmp_path, "003", published=True)
    write_receipt(tmp_path, "004", fields={"total": ["1", "2"]}, published=True)
    (tmp_path / "box" / "001.txt").write_text("1,2,3,4,5,6,7\n")
    (tmp_path / "box" / "002.txt").unlink()
    (tmp_path / "img" / "003.jpg").unlink()
    with pytest.raises(DatasetError, match="no questions"):
        load(tmp_path)
    write_receipt(tmp_path, "005", published=True)
    problems = load(tmp_path).report.problems
    assert problems["unreadable_document"] == [
        "001: 001.txt: line 1 does not have 8 numbers and a text",
        "002: no file of lines",
    ]
    assert problems["missing_image"] == ["003: it has lines and no image"]
    assert len(problems["malformed_question"]) == 1


@pytest.mark.parametrize(
    ("params", "match"),
    [({}, "no folders images and boxes"), ({"pdfs": "x"}, "finds its images in dataset.path")],
)
def test_a_folder_of_another_form_is_an_error(tmp_path, params, match) -> None:
    with pytest.raises(DatasetError, match=match):
        load(tmp_path, **params)


def test_a_line_that_is_transcribed_twice_counts_once() -> None:
    whole = Line("THANK YOU, COME AGAIN", (10, 100, 210, 120))
    again = Line("THANK YOU, C0ME AGAIN", (12, 99, 209, 121))
    part = Line("COME AGAIN", (120, 101, 210, 119))
    below = Line("THANK YOU, COME AGAIN", (10, 122, 210, 142))
    assert drop_repeated([whole, again, part, below]) == [whole, below]
    assert drop_repeated([again, whole, part, below]) == [again, below]


@given(
    st.lists(
        st.tuples(
            st.integers(0, 900), st.integers(0, 900), st.integers(1, 200), st.integers(1, 40)
        ),
        max_size=20,
    )
)
def test_rows_have_every_line_once_from_left_to_right(boxes) -> None:
    lines = [Line(str(n), (x, y, x + w, y + h)) for n, (x, y, w, h) in enumerate(boxes)]
    rows = rows_of(lines)
    assert sorted(int(line.text) for row in rows for line in row) == list(range(len(lines)))
    assert all(row == sorted(row, key=lambda line: line.box[0]) for row in rows)


@pytest.mark.parametrize(
    "data",
    [b'{"a": 1}', b"[[1, 2, 3, 4]]", b'[[1, 2, 0, 4, "x"]]', b'[["1", 2, 3, 4, "x"]]', b"not JSON"],
)
def test_a_file_of_another_form_is_an_error(data) -> None:
    with pytest.raises(ValueError, match=r"entry 0|list of lines|Expecting"):
        lines_of(data, ".json")


@pytest.mark.skipif(not (DATA / "receipts").is_dir(), reason=f"no receipts in {DATA}")
def test_real_receipts() -> None:
    root = DATA / "receipts"
    dataset = load(root, questions=root / "qas.json", strict=True)
    assert (len(dataset.documents), len(dataset.questions)) == (239, 535)
    assert not dataset.case_known
    assert all(page.lines and page.image is not None for page in dataset.pages.values())
