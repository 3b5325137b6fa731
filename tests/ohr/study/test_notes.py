from __future__ import annotations

from ohr.ocr.failures import notes, reasons
from ohr.study.notices.failures import failure_lines
from ohr.types import Outcome

FAULT = "unreliable text layer: its text lies under an image"
PAGES = [
    Outcome.of_text("text", FAULT),
    Outcome.of_text("text", FAULT),
    Outcome.of_text("text", "taken off: code fence"),
    Outcome.of_text("", "nothing on it"),
    Outcome.of_text("text"),
    Outcome[str].error("torn"),
]


def test_what_is_said_of_pages_that_did_not_fail_is_counted():
    assert notes(PAGES) == {FAULT: 2, "taken off: code fence": 1, "nothing on it": 1}
    assert reasons(PAGES) == {"torn": 1}


def test_notes_are_printed_in_a_line_of_their_own():
    entry = {"by_status": {"ok": 4, "empty": 1, "error": 1}, "reasons": {"torn": 1}}
    failed, noted = failure_lines({"pdf_text": entry | {"notes": notes(PAGES)}}, "default")
    assert failed == "pdf_text: 1 error (they count with the worst value): torn (1)"
    assert noted == (
        f"pdf_text: 4 pages with a note: {FAULT} (2); taken off: code fence (1); nothing on it (1)"
    )
    assert failure_lines({"tesseract": {"by_status": {"ok": 5}, "reasons": {}}}, "default") == []
