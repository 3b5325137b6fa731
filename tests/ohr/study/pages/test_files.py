"""Under which keys the readings of pages of files are stored."""

from PIL import Image

from ohr import registry
from ohr.documents.pdf import RENDERER
from ohr.ocr.files import file_pages
from ohr.ocr.sources import find_pages
from ohr.registry import PluginSpec
from tests.builders import write_pdf

ENGINE = PluginSpec(name="tests.fakes.LoggingEngine")


def test_what_is_drawn_as_ever_keeps_its_key_and_what_is_laid_on_white_gets_another(tmp_path):
    write_pdf(tmp_path / "a.pdf", 1)
    Image.new("L", (20, 20)).save(tmp_path / "b.png")
    Image.new("RGBA", (20, 20)).save(tmp_path / "c.png")
    engine = registry.create("engine", ENGINE)
    pages = file_pages(list(find_pages([tmp_path], 100)), ENGINE, engine, hand_over_pdfs=False)
    assert [page.key["render"] for page in pages] == [[0, 100, RENDERER], None, "on white or black"]
