"""Notes and fields that a page shows are part of its text."""

from __future__ import annotations

import pytest

from ohr.documents.layers import text_layers
from tests.builders import stream, write_objects

BODY = "The harbour office opens at nine"


def write(path, annotation, appearance):
    """A page with one annotation, which shows a text at 20, 100."""
    return write_objects(
        path,
        [
            "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [6 0 R] /DR << /Font << /F 5 0 R "
            ">> >> >> >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 260] /Contents 4 0 R "
            "/Annots [6 0 R] /Resources << /Font << /F 5 0 R >> >> >>",
            stream("", f"BT /F 9 Tf 20 200 Td ({BODY}) Tj ET"),
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            f"<< /Type /Annot /Rect [20 95 180 115] /F 4 /P 3 0 R {annotation} /AP << /N 7 0 R >> "
            "/DA (/F 9 Tf 0 g) >>",
            stream(
                "/Type /XObject /Subtype /Form /BBox [0 0 160 20] /Resources << /Font << /F 5 0 R "
                ">> >>",
                f"/Tx BMC q BT /F 9 Tf 2 5 Td ({appearance}) Tj ET Q EMC",
            ),
        ],
    )


@pytest.mark.parametrize(
    "annotation",
    [
        "/Subtype /FreeText /Contents (Closed on Sunday)",
        "/Subtype /Widget /FT /Tx /T (name) /V (Closed on Sunday)",
        "/Subtype /Stamp /Name /Draft",
    ],
    ids=["note", "field", "stamp"],
)
def test_what_is_written_on_a_page_is_in_its_text(tmp_path, annotation):
    [layer] = text_layers(write(tmp_path / "page.pdf", annotation, "Closed on Sunday"), [0])
    assert layer.text == f"{BODY}\nClosed on Sunday"
    assert (layer.hidden, layer.marks) == (0.0, 0)


def test_a_link_changes_nothing(tmp_path):
    [layer] = text_layers(write(tmp_path / "page.pdf", "/Subtype /Link", "Secret"), [0])
    assert layer.text == BODY


def test_a_note_that_is_hidden_is_no_text(tmp_path):
    annotation = "/Subtype /FreeText /Contents (Secret) /F 2"
    [layer] = text_layers(write(tmp_path / "page.pdf", annotation, "Secret"), [0])
    assert layer.text == BODY
