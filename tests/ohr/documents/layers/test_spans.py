"""Spans with a text of their own: each is read once, however many pieces it is drawn in."""

from __future__ import annotations

from pathlib import Path

import pytest

from ohr.documents.layers import text_layers
from tests.builders import stream, write_objects

ROW = 100
FIRST, SECOND = "T", "o"


def span(text, *pieces):
    shown = "".join(f"1 0 0 1 {x} {y} Tm ({piece}) Tj " for x, y, piece in pieces)
    return f"/Span << /ActualText ({text}) >> BDC {shown}EMC "


def page_of(path: Path, *spans):
    content = "BT /F 14 Tf " + "".join(spans) + "ET"
    return write_objects(
        path,
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R "
            "/Resources << /Font << /F 5 0 R >> >> >>",
            stream("", content),
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        ],
    )


def layer_of(path):
    [layer] = text_layers(path, [0])
    return layer


@pytest.mark.parametrize("drop", [0, 4])
def test_a_syllable_of_two_pieces_is_read_once(tmp_path, drop):
    """The second piece begins after the next syllable does, as a sign below its letter may."""
    first = span("Te", (20, ROW, FIRST), (33, ROW - drop, "."))
    layer = layer_of(page_of(tmp_path / "page.pdf", first, span("o", (31, ROW, SECOND))))
    assert layer.text == "Teo"
    [word] = layer.words
    assert not word.incomplete
    assert layer.marks == 0


def test_a_span_is_as_wide_as_its_pieces(tmp_path):
    first = span("Te", (20, ROW, FIRST), (29, ROW, "e"))
    layer = layer_of(page_of(tmp_path / "page.pdf", first, span("o", (37, ROW, SECOND))))
    assert layer.text == "Teo"


def test_a_piece_that_is_far_away_belongs_to_no_glyph(tmp_path):
    far = span("Te", (20, ROW, FIRST), (200, 40, FIRST))
    layer = layer_of(page_of(tmp_path / "page.pdf", far))
    [word] = layer.words
    assert word.text == "Te"
    assert word.box[2] < 0.2


def test_the_same_text_in_two_spans_is_read_twice(tmp_path):
    spans = span("To", (20, ROW, FIRST)), span("To", (60, ROW, FIRST))
    assert layer_of(page_of(tmp_path / "page.pdf", *spans)).text == "To To"
