from __future__ import annotations

from ocr_backends._layer_fault import add_layer_fault
from ocr_backends.pdf_text import PdfText
from ohr.types import Outcome
from tests.builders import write_page


def test_an_unreliable_layer_is_read_and_said(tmp_path):
    hidden = "BT /F 9 Tf 3 Tr 10 99 Td (Text that an OCR program laid over a scan) Tj ET"
    path = write_page(tmp_path / "scan.pdf", hidden)
    [(_, outcome)] = PdfText().transcribe(path, [0])
    assert outcome.value == "Text that an OCR program laid over a scan"
    assert outcome.detail == (
        "unreliable text layer: its text is invisible, as OCR programs lay it over a scan"
    )


def test_an_honest_layer_has_no_note(tmp_path):
    path = write_page(tmp_path / "page.pdf", "BT /F 9 Tf 10 99 Td (Seen by all) Tj ET")
    assert [outcome.detail for _, outcome in PdfText().transcribe(path, [0])] == [""]


def test_a_layer_that_cannot_be_checked_costs_no_page(tmp_path):
    (tmp_path / "broken.pdf").write_bytes(b"%PDF")
    outcome = add_layer_fault(Outcome.of_text("text", "a note"), tmp_path / "broken.pdf", 0)
    assert outcome.value == "text"
    assert outcome.detail.startswith("a note; unreliable text layer: not checked: cannot open")
