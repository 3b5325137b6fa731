from __future__ import annotations

import numpy as np
import pypdfium2
import pytest
from PIL import Image, ImageDraw

from ohr.documents.layers import TextLayer, judge_layers, text_layers
from ohr.documents.pdf import page_text
from ohr.types import Outcome
from tests.builders import stream, write_objects, write_page

SEEN = "BT /F 9 Tf 10 240 Td (The harbour office opens at nine each morning) Tj ET "
SEEN_TEXT = "The harbour office opens at nine each morning"
HIDDEN = "(A secret line of text) Tj ET"
IMAGE = "/XObject << /I 6 0 R >>"


def image_object(image=None):
    """An image as an object of a PDF; white by default."""
    image = image or Image.new("L", (2, 2), "white")
    data = image.convert("L").tobytes().hex() + ">"
    width, height = image.size
    return stream(
        f"/Type /XObject /Subtype /Image /Width {width} /Height {height} /BitsPerComponent 8 "
        "/ColorSpace /DeviceGray /Filter /ASCIIHexDecode",
        data,
    )


def scan(lines=12):
    """The picture of a page of words."""
    image = Image.new("L", (400, 50 + 40 * lines), 245)
    draw = ImageDraw.Draw(image)
    for line in range(lines):
        draw.text((20, 30 + 40 * line), "minutes of the harbour board, held in May", fill=20)
    return image


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
            image_object(),
            "<< /Type /OCG /Name (Off) >>",
        ],
    )
    assert "secret" in page_text(path, 0)
    layer, found = check(path)
    assert layer.text == SEEN_TEXT
    assert layer.hidden == pytest.approx(17 / 55)
    assert found.fault == ""
    assert found.note == "30.9% of its characters are not drawn, and are left out"


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
    path = write_page(tmp_path / "p.pdf", content, image_object(scan()), form, resources=resources)
    layer, found = check(path)
    assert (layer.text, layer.hidden, layer.images) == ("", 1.0, 1.0)
    assert found.fault == "its text lies under an image"


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
    image = scan()
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
    layer, found = check(path)
    assert layer.images == 1.0
    assert len(layer.text) > 150
    assert found.fault.startswith("only a stamp: the page shows about ")


def test_a_table_that_is_a_picture_is_missed(tmp_path):
    content = f"{SEEN} q 180 0 0 110 10 40 cm /I Do Q"
    path = write_page(tmp_path / "p.pdf", content, image_object(scan(4)), resources=IMAGE)
    layer, found = check(path)
    assert 0.3 < layer.images < 0.5
    assert found.fault.endswith("letters that it lacks, and it has 38 characters")


def test_ruled_lines_and_a_photograph_are_no_letters(tmp_path):
    rng = np.random.default_rng(0)
    noise = Image.fromarray(rng.integers(0, 255, (6, 8), np.uint8)).resize((300, 200))
    rules = "".join(
        f"{10 + 20 * n} 20 m {10 + 20 * n} 90 l S 10 {20 + 9 * n} m 190 {20 + 9 * n} l S "
        for n in range(9)
    )
    content = f"{SEEN} {rules} q 180 0 0 110 10 110 cm /I Do Q"
    path = write_page(tmp_path / "p.pdf", content, image_object(noise), resources=IMAGE)
    layer, found = check(path)
    assert layer.marks < 5
    assert found.fault == ""


def test_an_honest_layer_is_as_the_file_has_it_in_whichever_way_the_page_is_turned(tmp_path):
    lines = SEEN + "BT /F 12 Tf 20 170 Td (Hello  world) Tj 0 -14 Td (Second line.) Tj ET"
    path = write_page(tmp_path / "p.pdf", lines)
    for turn in (0, 90, 180, 270):
        with pypdfium2.PdfDocument(path) as document:
            document[0].set_rotation(turn)
            document[0].set_cropbox(5, 100, 195, 255)
            document.save(tmp_path / "turned.pdf")
        layer = text_layers(tmp_path / "turned.pdf", [0])[0]
        assert layer.text == f"{SEEN_TEXT}\nHello world\nSecond line."
        assert (layer.hidden, layer.invisible, layer.marks) == (0.0, 0.0, 0)


def test_a_layer_that_cannot_be_read_says_why():
    failed = Outcome[TextLayer].error("used more than 250 MB of memory")
    assert judge_layers([failed])[0].fault == "used more than 250 MB of memory"
