from __future__ import annotations

import struct
import zlib

import numpy as np
import pypdfium2
import pytest
from PIL import Image, ImageDraw, TiffImagePlugin

from ohr.documents.images import image_dpi, load_image, tiff_pages
from ohr.documents.layers import text_layers
from ohr.documents.pdf import (
    RENDERER,
    drawn_by,
    page_text,
    render,
    words_of_page,
)
from ohr.errors import EngineError
from tests.builders import write_objects, write_page, write_pdf

FORM = (
    "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [4 0 R] "
    "/DA (/Helv 18 Tf 0 g) >> >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 200] /Annots [4 0 R] >>",
    "<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (x) /Rect [20 80 300 110] /F 4 "
    "/P 3 0 R /DA (/Helv 18 Tf 0 g) /AP << /N 5 0 R >> >>",
    "<< /Type /XObject /Subtype /Form /BBox [0 0 280 30] /Length 22 >>\n"
    "stream\n0 g 10 10 100 10 re f \nendstream",
)  # fmt: skip


def write_form(path):
    return write_objects(path, FORM)


def page(mode="L"):
    """A page that looks different from every side."""
    image = Image.new(mode, (40, 30), "white")
    ImageDraw.Draw(image).rectangle((2, 2, 20, 5), fill="black")
    return image


def test_the_fields_of_a_form_are_drawn_as_they_are_filled(tmp_path):
    form = write_form(tmp_path / "form.pdf")
    drawn = render(form, 0, 72)
    assert drawn.shape == (200, 400, 3)
    assert (drawn[101:109, 35:125] == 0).all()
    assert (drawn[130:] == 255).all()
    assert np.array_equal(render(form, 0, 72), drawn)
    assert page_text(form, 0) == ""
    with pytest.raises(EngineError, match="has 1 pages, no page 2"):
        render(form, 1, 72)


LINES = (
    "BT /F 12 Tf 20 230 Td (Above the box) Tj 0 -60 Td (Hello  world) Tj "
    "0 -14 Td (Second line) Tj 0 -60 Td (Below it) Tj 120 74 Td (Beside) Tj ET"
)


@pytest.mark.slow
def test_text_beyond_the_crop_box_is_none_of_the_page(tmp_path):
    whole = write_page(tmp_path / "whole.pdf", LINES)
    cropped = tmp_path / "cropped.pdf"
    with pypdfium2.PdfDocument(whole) as document:
        document[0].set_cropbox(15, 140, 125, 200)
        document.save(cropped)
    assert {"Above", "Hello", "Below", "Beside"} < set(page_text(whole, 0).split())
    assert page_text(cropped, 0) == "Hello world\nSecond line"
    [layer] = text_layers(cropped, [0])
    assert layer.text == page_text(cropped, 0)
    words = words_of_page(cropped, 0, 72)
    assert [word for word, _ in words] == ["Hello", "world", "Second", "line"]
    height, width, _ = render(cropped, 0, 72).shape
    for _, (left_edge, top, right, bottom) in words:
        assert 0 <= left_edge < right <= width
        assert 0 <= top < bottom <= height


def test_text_that_all_lies_on_the_page_is_as_it_was(tmp_path):
    path = write_page(tmp_path / "page.pdf", LINES)
    with pypdfium2.PdfDocument(path) as document:
        text = document[0].get_textpage().get_text_range()
    assert page_text(path, 0) == text.replace("\r\n", "\n")


def test_only_what_is_drawn_otherwise_than_before_is_read_again(tmp_path):
    assert drawn_by(write_pdf(tmp_path / "plain.pdf", 1)) == RENDERER
    assert drawn_by(write_form(tmp_path / "form.PDF")) == f"{RENDERER}, forms"
    (tmp_path / "broken.pdf").write_bytes(b"%PDF")
    (tmp_path / "broken.png").write_bytes(b"")
    assert drawn_by(tmp_path / "broken.pdf") == RENDERER
    assert drawn_by(tmp_path / "broken.png") is None
    for mode in ("1", "L", "RGB", "P"):
        page(mode).save(tmp_path / f"{mode}.png")
        assert drawn_by(tmp_path / f"{mode}.png") is None
    page("RGBA").save(tmp_path / "RGBA.png")
    assert drawn_by(tmp_path / "RGBA.png") == "on white or black"


@pytest.mark.parametrize(
    ("orientation", "taken"),
    [
        (1, None),
        (2, Image.Transpose.FLIP_LEFT_RIGHT),
        (3, Image.Transpose.ROTATE_180),
        (4, Image.Transpose.FLIP_TOP_BOTTOM),
        (5, Image.Transpose.TRANSPOSE),
        (6, Image.Transpose.ROTATE_90),
        (7, Image.Transpose.TRANSVERSE),
        (8, Image.Transpose.ROTATE_270),
    ],
)
def test_a_photograph_is_turned_upright(tmp_path, orientation, taken):
    path = tmp_path / "page.png"
    exif = Image.Exif()
    exif[0x0112] = orientation
    (page() if taken is None else page().transpose(taken)).save(path, exif=exif)
    assert np.array_equal(load_image(path), np.asarray(page()))
    assert drawn_by(path) == (None if taken is None else "upright")


@pytest.mark.parametrize("mode", ["L", "P", "CMYK", "RGBA", "I;16", "RGB"])
@pytest.mark.parametrize("orientation", [1, 3, 5, 6, 7, 8])
def test_a_tiff_that_lies_on_a_side_has_its_rows_whether_or_not_it_is_compressed(
    tmp_path, mode, orientation
):
    plain, packed = tmp_path / "plain.tif", tmp_path / "packed.tif"
    lying = page().transpose(Image.Transpose.ROTATE_90)
    deep = np.asarray(lying).astype(np.uint16) * 257
    image = Image.fromarray(deep) if mode == "I;16" else lying.convert(mode)
    exif = Image.Exif()
    exif[0x0112] = orientation
    image.save(plain, exif=exif)
    image.save(packed, exif=exif, compression="tiff_lzw")
    assert np.array_equal(load_image(plain), load_image(packed))
    # What was read of the mixed rows of before does not stand; all else does.
    again = orientation > 4 and mode != "RGB"
    assert ("not mapped" in (drawn_by(plain) or "")) == again
    assert "not mapped" not in (drawn_by(packed) or "")


def test_exif_data_that_is_damaged_turns_nothing(tmp_path):
    page().save(tmp_path / "page.png", exif=b"Exif\x00\x00MM\x00*\xff\xff")
    assert np.array_equal(load_image(tmp_path / "page.png"), np.asarray(page()))
    assert drawn_by(tmp_path / "page.png") is None


@pytest.mark.parametrize("kind", ["png", "jpg"])
def test_damaged_tags_beside_the_orientation_do_not_keep_it_from_being_turned(tmp_path, kind):
    path = tmp_path / f"page.{kind}"
    orientation = struct.pack("<HHLHH", 0x0112, 3, 1, 6, 0)
    date = struct.pack("<HHLf", 0x0132, 11, 1, 2.5)  # a number where text belongs
    tags = b"II*\0\x08\0\0\0" + struct.pack("<H", 2) + orientation + date + bytes(4)
    page().transpose(Image.Transpose.ROTATE_90).save(path, exif=b"Exif\0\0" + tags, quality=100)
    assert np.abs(load_image(path).astype(int) - np.asarray(page())).max() <= 3
    assert drawn_by(path) == "upright"


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P", "L"])
def test_what_is_transparent_is_white(tmp_path, mode):
    path = tmp_path / "page.png"
    ink = page().point(lambda value: 255 - value)
    black = Image.merge("LA", (Image.new("L", ink.size, 0), ink))
    if mode in ("RGBA", "LA"):
        black.convert(mode).save(path)
    else:  # of two shades of black, one is transparent
        image = Image.fromarray(np.asarray(ink) // 255)
        if mode == "P":
            image = image.convert("P")
            image.putpalette([0, 0, 0] * 256)
        image.save(path, transparency=0)
    read = load_image(path)
    assert drawn_by(path) == "on white or black"
    assert read.ndim == (2 if mode == "L" else 3)
    expected = np.asarray(page() if mode == "L" else page("RGB"))
    assert np.array_equal(read > 128, expected > 128)


def test_a_transparent_photograph_is_turned_too(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 3
    page("RGBA").rotate(180).save(tmp_path / "page.png", exif=exif)
    assert np.array_equal(load_image(tmp_path / "page.png"), np.asarray(page("RGB")))
    assert drawn_by(tmp_path / "page.png") == "upright, on white or black"


def test_a_tiff_of_several_pages_is_refused_but_a_thumbnail_is_no_page(tmp_path):
    path = tmp_path / "scan.tif"
    page().save(path, save_all=True, append_images=[page(), page()])
    with pytest.raises(EngineError, match=r"scan\.tif has 3 pages.*make it a PDF"):
        load_image(path)
    assert drawn_by(path) == "one page"
    with TiffImagePlugin.AppendingTiffWriter(path, new=True) as tiff:
        for kind in (0, 1):  # a page, a thumbnail
            page().save(tiff, format="TIFF", tiffinfo={254: kind})
            tiff.newFrame()
    assert np.array_equal(load_image(path), np.asarray(page()))
    assert drawn_by(path) is None


def test_each_page_of_a_tiff_can_be_read(tmp_path):
    path = tmp_path / "scan.tif"
    turned = page().transpose(Image.Transpose.ROTATE_180)
    page().save(path, save_all=True, append_images=[turned])
    assert tiff_pages(path) == 2
    assert np.array_equal(load_image(path, 0), np.asarray(page()))
    assert np.array_equal(load_image(path, 1), np.asarray(turned))
    with pytest.raises(EngineError, match="it has no page 3"):
        load_image(path, 2)


def test_a_tiff_that_is_cut_short_after_its_first_page_is_refused(tmp_path):
    path = tmp_path / "scan.tif"
    page().save(path)
    first = path.stat().st_size
    page().save(path, save_all=True, append_images=[page(), page()])
    path.write_bytes(path.read_bytes()[: first + 40])
    with pytest.raises(EngineError, match=r"scan\.tif: what follows its page 1 cannot be read"):
        load_image(path)


def test_a_png_whose_pixels_break_off_is_said_to_be_broken(tmp_path):
    path = tmp_path / "page.png"
    page().save(path)
    data = path.read_bytes()
    position = data.index(b"IDAT") - 4
    half = data[position + 8 : position + 28]
    first = struct.pack(">L", len(half)) + b"IDAT" + half
    checked = struct.pack(">L", zlib.crc32(first[4:]))
    path.write_bytes(
        data[:position] + first + checked + b"\0\0\0\x09\x10\x03\xc0(" + data[position + 28 :]
    )
    with pytest.raises(EngineError, match=r"cannot read the image page\.png: broken PNG"):
        load_image(path)


@pytest.mark.parametrize("name", ["deep.png", "little.tif", "big.tif"])
def test_grey_of_sixteen_bits_keeps_its_ink(tmp_path, name):
    grey = np.full((30, 40), 65535, np.uint16)
    grey[2:6, 2:21] = 3000
    grey[20:] = 40_000
    mode = "I;16B" if name == "big.tif" else "I;16"
    raw = grey.astype(">u2" if name == "big.tif" else "<u2").tobytes()
    Image.frombytes(mode, (40, 30), raw).save(tmp_path / name)
    assert np.array_equal(load_image(tmp_path / name), (grey >> 8).astype(np.uint8))
    # What was read of the blank page of before does not stand.
    assert drawn_by(tmp_path / name) == "deep"


def test_numbers_whose_white_nobody_knows_are_no_page(tmp_path):
    Image.fromarray(np.ones((9, 9), np.float32)).save(tmp_path / "x.tif")
    with pytest.raises(EngineError, match="make it an image of 8 bits"):
        load_image(tmp_path / "x.tif")
    assert drawn_by(tmp_path / "x.tif") == "deep"


@pytest.mark.parametrize(
    ("jfif", "exif", "named"),
    [
        (None, None, None),
        (200, None, 200),
        (72, None, 72),
        (None, {}, None),  # Pillow gives 72
        (None, {0x011A: 72.0, 0x0128: 2}, None),
        (None, {0x011A: 300.0, 0x0128: 2}, 300),
        (None, {0x011A: 118.0, 0x0128: 3}, 300),
        (300, {0x011A: 72.0, 0x0128: 2}, 300),
    ],
)
def test_a_photograph_names_no_resolution_by_saying_that_it_knows_none(tmp_path, jfif, exif, named):
    options = {} if jfif is None else {"dpi": (jfif, jfif)}
    if exif is not None:
        options["exif"] = Image.Exif()
        options["exif"].update({0x0112: 6} | exif)
    page().save(tmp_path / "page.jpg", **options)
    assert image_dpi(tmp_path / "page.jpg") == named


@pytest.mark.parametrize("kind", ["png", "tif", "bmp"])
def test_other_images_name_their_resolution(tmp_path, kind):
    page().save(tmp_path / f"page.{kind}", dpi=(72, 72))
    assert image_dpi(tmp_path / f"page.{kind}") == 72
