"""Lines of a page that carry evidence."""

from ohr.ocr_errors.evidence import evidence_lines
from ohr.ocr_errors.words import page_words

PAGE = "# Annual report\n\nRevenue of the year rose to 17 million.\n\nThe board met twice in May."


def test_the_lines_with_evidence_are_found() -> None:
    [(start, end)] = evidence_lines(page_words(PAGE), "revenue of the year rose to 17 million")
    assert PAGE[start:end].strip() == "Revenue of the year rose to 17 million."


def test_no_line_carries_other_text() -> None:
    assert evidence_lines(page_words(PAGE), "something else entirely") == []
    assert evidence_lines(page_words(PAGE), "") == []
    assert evidence_lines(page_words(""), "revenue") == []
