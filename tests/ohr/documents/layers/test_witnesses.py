"""Lines that engines read again: what they are shown, and what the verdict makes of it."""

from __future__ import annotations

import numpy as np
import pytest

from ohr.documents import verifying
from ohr.documents.layers import read_lines, witnesses
from ohr.documents.layers.scripts import main_script
from ohr.documents.verifying import verified_page
from ohr.errors import OhrError
from tests.ohr.documents.layers.sheets import SANS, Sheet, layer_of
from tests.ohr.documents.layers.texts import NOTICE

WHOLE = (0.0, 0.0, 1.0, 1.0)


@pytest.fixture
def engines(monkeypatch):
    """Engines by name, which tests fill: each gets the picture of a line, and says a text."""
    engines = {}
    monkeypatch.setattr(witnesses, "witnesses", lambda script: engines)
    return engines


def test_a_witness_sees_the_line_and_nothing_else(tmp_path, engines):
    seen = []
    engines["Eye"] = lambda pictures: seen.extend(pictures) or ["text"] * len(pictures)
    sheet = Sheet().text(20, 260, "Harbour").text(20, 100, "office", size=30)
    layer = layer_of(sheet, tmp_path)
    lines = [(0, word.box, word.text) for word in layer.words]
    assert read_lines(tmp_path / "sheet.pdf", lines) == [{"Eye": "text"}] * 2
    for picture in seen:
        assert picture.dtype == np.uint8
        assert 48 <= picture.shape[0] <= 120
        assert picture[0].min() == picture[-1].min() == 255  # paper above and below
        assert (picture < 128).mean() > 0.05
    small, large = (picture.shape[1] / picture.shape[0] for picture in seen)
    assert small == pytest.approx(3.5, abs=1)
    assert large == pytest.approx(2.5, abs=1)


def test_light_text_on_a_dark_box_is_shown_dark_on_light(tmp_path, engines):
    seen = []
    engines["Eye"] = lambda pictures: seen.extend(pictures) or [""] * len(pictures)
    sheet = Sheet().draw("0 g 0 240 400 60 re f")
    sheet.pieces.append("1 g ")
    layer = layer_of(sheet.text(20, 260, "Harbour"), tmp_path)
    [word] = layer.words
    read_lines(tmp_path / "sheet.pdf", [(0, word.box, word.text)])
    assert seen[0].mean() > 127


def test_a_witness_that_fails_says_nothing(tmp_path, engines):
    def fail(pictures):
        raise OhrError("no model")

    engines.update(Broken=fail, Eye=lambda pictures: ["text"])
    Sheet().text(20, 260, "Harbour").write(tmp_path / "sheet.pdf")
    assert read_lines(tmp_path / "sheet.pdf", [(0, WHOLE, "Harbour")]) == [{"Eye": "text"}]


def test_lines_are_read_at_once_and_one_by_one_if_that_fails(tmp_path, engines):
    calls = []

    def stumble(pictures):
        calls.append(len(pictures))
        if any(picture.shape[1] > 400 for picture in pictures):
            raise RuntimeError("too wide")
        return ["short"] * len(pictures)

    engines.update(Eye=lambda pictures: ["text"] * len(pictures), Narrow=stumble)
    sheet = Sheet().text(20, 260, "Harbour office, open all year").text(20, 100, "Quay")
    lines = layer_of(sheet, tmp_path).words
    boxes = [(0, (0.0, word.box[1], 1.0, word.box[3]), word.text) for word in lines[:1]]
    boxes += [(0, word.box, word.text) for word in lines[-1:]]
    long, short = read_lines(tmp_path / "sheet.pdf", boxes)
    assert long == {"Eye": "text"}
    assert short == {"Eye": "text", "Narrow": "short"}
    assert calls == [2, 1, 1]


def test_tesseract_reads_lines_at_once_as_it_reads_each(tmp_path):
    if "eng" not in witnesses._tesseract_languages():
        pytest.skip("Tesseract is not installed")
    sheet = Sheet().text(20, 260, "Harbour office", size=20).text(20, 180, "12.50 paid", size=20)
    words = layer_of(sheet, tmp_path).words
    nothing = (0, (0.1, 0.5, 0.9, 0.6), "?")  # blank paper between two lines
    lines = [(0, word.box, word.text) for word in words]
    lines = [lines[0], nothing, *lines[1:], nothing]
    alone = [read_lines(tmp_path / "sheet.pdf", [line])[0]["Tesseract"] for line in lines]
    together = [each["Tesseract"] for each in read_lines(tmp_path / "sheet.pdf", lines)]
    assert together == alone
    assert together[0] == "Harbour"


def test_a_line_without_a_place_is_not_read(tmp_path, engines):
    engines["Eye"] = lambda pictures: ["text"]
    Sheet().text(20, 260, "Harbour").write(tmp_path / "sheet.pdf")
    assert read_lines(tmp_path / "sheet.pdf", [(0, (0.5, 0.5, 0.5, 0.5), "Harbour")]) == [{}]


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("Harbour 12", "LATIN"),
        ("портовая контора of", "CYRILLIC"),
        ("港务局", "CJK"),
        ("משרד", "HEBREW"),
        ("12.50", "LATIN"),
    ],
)
def test_the_script_of_a_line_is_that_of_most_letters(text, script):
    assert main_script(text) == script


def lying(tmp_path):
    """A page whose layer has ``c`` for each ``o``, which look nearly the same."""
    sheet = Sheet().font("F", SANS, {"o": "c"}).lines(20, 260, NOTICE)
    return sheet.write(tmp_path / "lying.pdf")


SHOWN = {line.replace(" ", ""): line for line in NOTICE}
"""What a line shows, by which engines for its script are chosen, and what they read in it."""


@pytest.fixture
def witness_calls(monkeypatch):
    """What engines read in lines of the layer: by name, a function of the line's text."""
    engines, read = {}, []

    def read_lines(path, lines):
        read.extend(text for _, _, text in lines)
        return [{name: say(text) for name, say in engines.items()} for _, _, text in lines]

    monkeypatch.setattr(verifying, "read_lines", read_lines)
    return engines, read


def test_lines_with_letters_that_are_in_doubt_are_read_and_engines_that_agree_win(
    tmp_path, witness_calls
):
    engines, read = witness_calls
    engines.update(A=SHOWN.__getitem__, B=SHOWN.__getitem__)
    verdict = verified_page(lying(tmp_path), 0)
    assert "'c' looks like 'o'" in verdict.fault
    assert set(read) <= set(SHOWN)
    assert read


def test_an_honest_page_is_not_read_again(tmp_path, witness_calls):
    engines, read = witness_calls
    engines["A"] = str.upper
    Sheet().lines(20, 260, NOTICE).write(tmp_path / "page.pdf")
    verdict = verified_page(tmp_path / "page.pdf", 0)
    assert (verdict.fault, verdict.note, read) == ("", "", [])


def test_what_one_engine_misreads_in_an_honest_page_changes_nothing(
    tmp_path, monkeypatch, witness_calls
):
    engines, read = witness_calls
    engines["A"] = lambda text: text.replace("o", "q").replace("e", "x")
    monkeypatch.setattr(verifying, "suspects", lambda layers: {g for g, _ in layers[0].glyphs})
    Sheet().lines(20, 260, NOTICE).write(tmp_path / "page.pdf")
    verdict = verified_page(tmp_path / "page.pdf", 0)
    assert read
    assert (verdict.fault, verdict.doubtful) == ("", ())
