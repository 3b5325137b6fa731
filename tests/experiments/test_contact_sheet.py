from __future__ import annotations

from PIL import Image

from experiments.dev_contact_sheet import main
from experiments.noisy.sheets import BACKGROUND, CAPTION, contact_sheet
from tests.builders import CliRunner


def test_pages_stand_in_rows():
    pages = [Image.new("L", (100, 150), shade) for shade in (0, 50, 100)]
    sheet = contact_sheet(pages, columns=2, width=50)
    assert sheet.size == (2 * 70 + 20, 2 * 95 + 20)
    assert [sheet.getpixel((30, 30)), sheet.getpixel((100, 30))] == [0, 50]
    assert sheet.getpixel((30, 130)) == 100
    assert sheet.getpixel((100, 130)) == BACKGROUND


def test_captions_stand_above_the_pages_and_colour_is_kept():
    pages = [Image.new("L", (100, 150), 0), Image.new("RGB", (100, 150), (200, 30, 40))]
    captions = ["a", "a caption that is much too long for the width"]
    sheet = contact_sheet(pages, columns=2, width=50, captions=captions)
    assert sheet.size == (2 * 70 + 20, 95 + CAPTION + 20)
    assert sheet.getpixel((100, 30 + CAPTION)) == (200, 30, 40)
    assert sheet.crop((20, 20, 70, 20 + CAPTION)).getcolors() != [(50 * CAPTION, (BACKGROUND,) * 3)]
    gap = sheet.crop((70 + 50 + 20, 0, 160, 20 + CAPTION)).convert("L")
    assert gap.getextrema() == (BACKGROUND, BACKGROUND)  # the long caption was cut


def test_a_page_of_each_domain(sample_copy, monkeypatch):
    monkeypatch.chdir(sample_copy)
    done = CliRunner().invoke(main, ["--out", "sheet.png", "--width", "60"])
    assert done.exit_code == 0
    assert done.output.startswith("7 pages: sheet.png")
    assert Image.open("sheet.png").width == 4 * 80 + 20
