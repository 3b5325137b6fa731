"""What the page does not show is not in its text."""

from __future__ import annotations

import numpy as np
import pypdfium2
import pytest
from PIL import Image, ImageDraw

from ohr.documents.layers import judge_layers, text_layers
from ohr.documents.layers.characters import REPLACEMENT
from ohr.documents.pdf import page_text
from ohr.types import Outcome
from tests.builders import image_object, scan_of_text, stream, write_objects, write_page
from tests.ohr.documents.layers.sheets import Sheet, layer_of
from tests.ohr.documents.layers.texts import NOTICE

SEEN = "BT /F 9 Tf 10 240 Td (The harbour office opens at nine each morning) Tj ET "
SEEN_TEXT = "The harbour office opens at nine each morning"
HIDDEN = "(A secret line of text) Tj ET"
IMAGE = "/XObject << /I 6 0 R >>"


def check(path):
    layer = text_layers(path, [0])[0]
    return layer, judge_layers([Outcome(layer)])[0]


@pytest.mark.parametrize(
    "hidden",
    [
        f"BT 1 1 1 rg /F 9 Tf 10 200 Td {HIDDEN}",
        f"/G gs BT /F 9 Tf 10 200 Td {HIDDEN}",
        f"BT /F 9 Tf 3 Tr 10 200 Td {HIDDEN}",
        f"/OC /Off BDC BT /F 9 Tf 10 200 Td {HIDDEN} EMC",
        f"q 0 0 5 5 re W n BT /F 9 Tf 10 200 Td {HIDDEN} Q",
        f"BT /F 9 Tf 10 200 Td {HIDDEN} 0 g 5 190 190 30 re f",
        f"BT /F .4 Tf 10 200 Td {HIDDEN}",
        f"BT /F 9 Tf 10 200 Td {HIDDEN} q 190 0 0 30 5 190 cm /I Do Q",
    ],
    ids="white clear no-ink switched-off clipped bar tiny image".split(),
)
def test_words_that_are_not_drawn_are_in_no_layer(tmp_path, hidden):
    path = write_objects(
        tmp_path / "page.pdf",
        [
            "<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [7 0 R] "
            "/D << /OFF [7 0 R] >> >> >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 260] /Contents 4 0 R /Resources << "
            f"/Font << /F 5 0 R >> {IMAGE} /ExtGState << /G << /ca 0 >> >> "
            "/Properties << /Off 7 0 R >> >> >>",
            stream("", SEEN + hidden),
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            image_object(Image.new("L", (2, 2), "white")),
            "<< /Type /OCG /Name (Off) >>",
        ],
    )
    assert "secret" in page_text(path, 0)
    layer, verdict = check(path)
    assert layer.text == SEEN_TEXT
    assert layer.hidden == pytest.approx(17 / 55)
    assert verdict.fault == ""
    assert verdict.note == "30.9% of its characters are not drawn, and are left out"


def test_text_without_ink_over_printed_text_is_left_out(tmp_path):
    path = write_page(tmp_path / "p.pdf", f"{SEEN} BT /F 9 Tf 3 Tr 10 240 Td {HIDDEN}")
    assert text_layers(path, [0])[0].text == SEEN_TEXT


def test_glyphs_whose_names_say_nothing_are_no_letters(tmp_path):
    """PDFium takes their codes for letters: here A and B."""
    font = (
        "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 700 700] /FontMatrix [.001 0 0 .001 0 0] "
        "/FirstChar 65 /LastChar 66 /Widths [700 700] /Resources << >> "
        "/Encoding << /Differences [65 /g1 /g2] >> /CharProcs << /g1 7 0 R /g2 8 0 R >> >>"
    )
    drawings = [stream("", f"700 0 0 0 700 700 d1 0 0 {width} 600 re f") for width in (600, 300)]
    content = f"{SEEN} BT /G 12 Tf 20 200 Td (ABBA) Tj ET"
    path = write_page(tmp_path / "p.pdf", content, font, *drawings)
    path.write_text(path.read_text().replace("/F 5 0 R >>", "/F 5 0 R /G 6 0 R >>"))
    layer, verdict = check(path)
    assert layer.text == f"{SEEN_TEXT}\n{REPLACEMENT * 4}"
    assert [word.text for word in verdict.doubtful] == [REPLACEMENT * 4]


def test_text_beyond_the_crop_box_is_left_out_and_is_not_hidden(tmp_path):
    path = write_page(tmp_path / "page.pdf", SEEN + "BT /F 9 Tf 10 40 Td (below the cut) Tj ET")
    with pypdfium2.PdfDocument(path) as document:
        document[0].set_cropbox(0, 100, 200, 260)
        document.save(tmp_path / "cut.pdf")
    layer, _ = check(tmp_path / "cut.pdf")
    assert (layer.text, layer.hidden) == (SEEN_TEXT, 0.0)


@pytest.mark.parametrize("boxed", [False, True], ids=["page", "form"])
def test_text_under_the_picture_of_a_page_is_no_truth(tmp_path, boxed):
    under = (
        "BT /F 9 Tf 10 240 Td (Tbe harb0ur 0ffice 0pens) Tj 0 -20 Td (at n1ne eacb m0rning) Tj ET"
    )
    picture = "q 200 0 0 260 0 0 cm /I Do Q"
    form = stream(
        "/Type /XObject /Subtype /Form /BBox [0 0 200 260] /Resources << "
        f"/Font << /F 5 0 R >> {IMAGE} >>",
        under + picture,
    )
    content = "/X Do" if boxed else under + picture
    resources = "/XObject << /I 6 0 R /X 7 0 R >>"
    image = image_object(scan_of_text())
    path = write_page(tmp_path / "p.pdf", content, image, form, resources=resources)
    layer, verdict = check(path)
    assert (layer.text, layer.hidden, layer.images) == ("", 1.0, 1.0)
    assert verdict.fault == "its text lies under an image"


def test_a_watermark_over_text_hides_nothing(tmp_path):
    mark = Image.new("L", (60, 60), "white")
    ImageDraw.Draw(mark).ellipse((20, 20, 40, 40), fill=200)
    content = f"{SEEN} /G gs q 200 0 0 260 0 0 cm /I Do Q"
    resources = f"{IMAGE} /ExtGState << /G << /ca .3 >> >>"
    path = write_page(tmp_path / "p.pdf", content, image_object(mark), resources=resources)
    layer = text_layers(path, [0])[0]
    assert (layer.text, layer.hidden) == (SEEN_TEXT, 0.0)


STAMP = (
    "Downloaded by a reader of the archive on 3 May, subject to its terms and conditions of use "
)


@pytest.mark.parametrize("strips", [1, 8])
def test_a_long_stamp_on_a_scan_is_no_truth(tmp_path, strips):
    image = scan_of_text()
    height = image.height // strips
    cuts = [image.crop((0, height * n, image.width, height * (n + 1))) for n in range(strips)]
    names = [f"/I{n} {6 + n} 0 R" for n in range(strips)]
    up = 260 / strips
    content = "".join(
        f"q 200 0 0 {up} 0 {260 - up * (n + 1)} cm /I{n} Do Q " for n in range(strips)
    )
    content += f"BT /F 4 Tf 5 8 Td ({STAMP}) Tj 0 -4 Td ({STAMP}) Tj ET"
    resources = f"/XObject << {' '.join(names)} >>"
    path = write_page(tmp_path / "p.pdf", content, *map(image_object, cuts), resources=resources)
    layer, verdict = check(path)
    assert layer.images == 1.0
    assert len(layer.text) > 150
    assert verdict.fault.startswith("only a stamp: the page shows about ")


def test_a_table_that_is_a_picture_is_missed(tmp_path):
    content = f"{SEEN} q 180 0 0 110 10 40 cm /I Do Q"
    image = image_object(scan_of_text(4))
    layer, verdict = check(write_page(tmp_path / "p.pdf", content, image, resources=IMAGE))
    assert 0.3 < layer.images < 0.5
    assert layer.covered < 0.5
    assert verdict.fault.endswith("letters that it lacks, and it has 38 characters")


def test_a_small_picture_of_text_is_noted_and_the_layer_is_not_the_whole_page(tmp_path):
    lines = "".join(f"0 -12 Td ({text}) Tj " for text in NOTICE * 2)
    content = f"BT /F 7 Tf 10 255 Td {lines} ET q 180 0 0 110 10 10 cm /I Do Q"
    image = image_object(scan_of_text(4))
    layer, verdict = check(write_page(tmp_path / "p.pdf", content, image, resources=IMAGE))
    assert 0.5 < layer.covered < 0.95
    assert verdict.fault == ""
    assert verdict.note.endswith("% of the ink looks like letters that it lacks")
    assert verdict.gap.endswith("% of the ink looks like letters that it lacks")
    assert verdict.holes.covered == layer.covered


def test_ruled_lines_and_a_photograph_are_no_letters(tmp_path):
    rng = np.random.default_rng(0)
    noise = Image.fromarray(rng.integers(0, 255, (6, 8), np.uint8)).resize((300, 200))
    rules = "".join(
        f"{10 + 20 * n} 20 m {10 + 20 * n} 90 l S 10 {20 + 9 * n} m 190 {20 + 9 * n} l S "
        for n in range(9)
    )
    content = f"{SEEN} {rules} q 180 0 0 110 10 110 cm /I Do Q"
    path = write_page(tmp_path / "p.pdf", content, image_object(noise), resources=IMAGE)
    layer, verdict = check(path)
    assert layer.marks < 5
    assert verdict.fault == ""


def test_an_honest_layer_is_the_same_in_whichever_way_the_page_is_turned(tmp_path):
    lines = SEEN + "BT /F 12 Tf 20 170 Td (Hello  world) Tj 0 -14 Td (Second line.) Tj ET"
    path = write_page(tmp_path / "p.pdf", lines)
    boxes = []
    for turn in (0, 90, 180, 270):
        with pypdfium2.PdfDocument(path) as document:
            document[0].set_rotation(turn)
            document[0].set_cropbox(5, 100, 195, 255)
            document.save(tmp_path / "turned.pdf")
        layer, _ = check(tmp_path / "turned.pdf")
        assert layer.text == f"{SEEN_TEXT}\nHello world\nSecond line."
        assert (layer.hidden, layer.invisible, layer.marks) == (0.0, 0.0, 0)
        boxes.append(layer.words[0].box)
    (left_edge, top, right, bottom), turned = boxes[0], boxes[1]
    assert turned == pytest.approx((1 - bottom, left_edge, 1 - top, right), abs=0.02)


def test_words_have_their_places_as_shares_of_the_page(tmp_path):
    [word] = layer_of(Sheet((400, 200)).text(100, 100, "Harbour", size=20), tmp_path).words
    assert word.box == pytest.approx((0.25, 0.425, 0.45, 0.505), abs=0.02)
