"""Images that are cut off, or whose numbers are no pixels: all that can be read is."""

from __future__ import annotations

import warnings

import cv2
import numpy as np
import pytest
from PIL import Image

from ohr.collection import ValidationReport
from ohr.documents.images import load_image, tiff_pages
from ohr.errors import EngineError


@pytest.fixture
def cut_tiff(tmp_path):
    pages = [Image.fromarray(np.full((50, 40), 60 * n, np.uint8)) for n in range(1, 4)]
    whole = tmp_path / "whole.tif"
    pages[0].save(whole, save_all=True, append_images=pages[1:])
    cut = tmp_path / "cut.tif"
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    return cut


def test_the_pages_before_the_cut_are_read(cut_tiff):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        count = tiff_pages(cut_tiff)
        assert count in (2, 3)
        assert load_image(cut_tiff, 0).shape == (50, 40)
        with pytest.raises(EngineError, match="cannot be read"):
            load_image(cut_tiff, count - 1)


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        (np.int16, "numbers of 16 bits with a sign"),
        (np.int32, "numbers of 32 bits with a sign"),
        (np.float32, "floating-point numbers"),
    ],
)
def test_numbers_that_are_no_pixels_are_named(tmp_path, numbers, said):
    path = tmp_path / "x.tif"
    cv2.imwrite(str(path), np.arange(600).reshape(20, 30).astype(numbers))
    with pytest.raises(EngineError, match=said):
        load_image(path)


def test_a_note_is_no_omission():
    report = ValidationReport()
    report.notes.append("column 'file' is read as document")
    report.skipped.append("a.txt: only PDFs are read")
    assert not report
    assert report.lines() == [
        ("skipped", "a.txt: only PDFs are read"),
        ("note", "column 'file' is read as document"),
    ]
