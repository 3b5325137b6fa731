"""The words of engines that say how sure they are."""

import shutil

import pytest
from PIL import Image, ImageDraw, ImageFont

from ocr_backends._tesseract_library import parse_tsv
from ohr import registry
from ohr.errors import ConfigError
from ohr.plugins import OcrBackend
from ohr.registry import PluginSpec
from ohr.types import Word
from tests.fakes import LoggingEngine

HEADER = "level\tpage\tblock\tpar\tline\tword\tleft\ttop\twidth\theight\tconf\ttext"


def test_rows_of_words_alone_are_words():
    table = "\n".join(
        [
            HEADER,
            "1\t1\t0\t0\t0\t0\t0\t0\t640\t480\t-1\t",
            "5\t1\t1\t1\t1\t1\t40\t49\t38\t13\t96.5\tTable",
            "5\t1\t1\t1\t1\t2\t83\t49\t16\t13\t12\t ",
            "5\t1\t1\t1\t1\t3\t90\t49\t16\t13\t0.000000\tof",
        ]
    )
    assert parse_tsv(table) == (
        Word("Table", 0.965, (40, 49, 78, 62)),
        Word("of", 0.0, (90, 49, 106, 62)),
    )


def test_an_engine_without_confidence_says_so():
    engine = LoggingEngine()
    assert not engine.has_confidence
    with pytest.raises(ConfigError, match="no confidence of words"):
        engine.words(None)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tesseract", "rapidocr"])
def test_words_lie_where_they_are_printed(name):
    if name == "tesseract" and shutil.which("tesseract") is None:
        pytest.skip("Tesseract is not installed")
    page = Image.new("RGB", (900, 300), "white")
    font = ImageFont.load_default(40)
    ImageDraw.Draw(page).text((60, 120), "The harbour has twelve piers", "black", font)
    import numpy as np

    engine = registry.create("engine", PluginSpec(name=name))
    assert isinstance(engine, OcrBackend)
    words = engine.words(np.array(page))
    assert "harbour" in [word.text for word in words]
    for word in words:
        left_edge, top, right, bottom = word.box
        assert 0 <= left_edge < right <= 900
        assert 80 <= top < bottom <= 220
        assert 0.5 <= word.confidence <= 1
    assert engine.read_with_words(np.array(page)) == (engine.read(np.array(page)), words)
