from __future__ import annotations

from PIL import Image
from typer.testing import CliRunner

from experiments.contact_sheet import BACKGROUND, contact_sheet, main


def test_pages_stand_in_rows():
    pages = [Image.new("L", (100, 150), shade) for shade in (0, 50, 100)]
    sheet = contact_sheet(pages, columns=2, width=50)
    assert sheet.size == (2 * 70 + 20, 2 * 95 + 20)
    assert [sheet.getpixel((30, 30)), sheet.getpixel((100, 30))] == [0, 50]
    assert sheet.getpixel((30, 130)) == 100
    assert sheet.getpixel((100, 130)) == BACKGROUND


def test_a_page_of_each_domain(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["--out", "sheet.png", "--width", "60"])
    assert done.exit_code == 0
    assert done.output.startswith("7 pages: sheet.png")
    assert Image.open("sheet.png").width == 4 * 80 + 20
