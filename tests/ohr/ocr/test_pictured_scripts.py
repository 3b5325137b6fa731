"""The writing system of a page by its picture, where no engine writes it."""

from __future__ import annotations

import shutil

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from ohr.adviser.page_looks import scripts_by_picture
from ohr.documents.osd import Orientation, detect_orientation
from ohr.errors import MissingDependencyError
from ohr.ocr import pictures
from ohr.ocr.worker import PageTask
from ohr.quality.table import Observation, signal_table
from ohr.store.artefacts import ArtefactStore
from ohr.types import Outcome, PageRef, Word
from tests.script_pages import script_page

HINDI = Orientation(0, 20.0, "Devanagari", 3.0)


@pytest.mark.parametrize(
    ("seen", "name"),
    [
        (HINDI, "Devanagari"),
        (Orientation(0, 20.0, "Japanese", 3.0), "Chinese and Japanese"),
        (Orientation(0, 20.0, "Korean", 3.0), "Hangul"),
        (Orientation(0, 4.9, "Thai", 90.0), ""),
        (Orientation(2, 20.0, "Arabic", 9.0), ""),
        # Photographed German was taken for Cyrillic.
        (Orientation(0, 8.46, "Cyrillic", 5.1), ""),
        (Orientation(0, 26.5, "Cyrillic", 9.0), "Cyrillic"),
        (Orientation(0, 20.0, "Latin", 9.0), ""),
    ],
)
def test_only_a_script_that_is_sure_and_unlike_latin_is_believed(seen, name):
    assert seen.writing_system == name


@pytest.fixture
def task(tmp_path):
    image = tmp_path / "page.png"
    Image.fromarray(np.full((60, 60), 255, np.uint8)).save(image)
    return PageTask(PageRef("d", 0), image, 150, None, 0.0, 0, "key")


def observed(text, sure):
    words = tuple(Word(word, sure, (0, 0, 9, 9)) for word in text.split())
    return Observation(Outcome.of_text(text), (), words)


@pytest.mark.parametrize(
    ("texts", "sure", "is_looked_at"),
    [
        ({"a": "nonsense of letters", "b": "quite another nonsense here"}, 0.9, True),
        ({"a": "the same words", "b": "the same words"}, 0.3, False),
        ({"a": "one engine alone"}, 0.7, True),
        ({"a": "one engine alone"}, 0.95, False),
    ],
)
def test_the_picture_is_asked_only_where_no_output_is_near_another(
    texts, sure, is_looked_at, task, tmp_path, monkeypatch
):
    asked = []
    monkeypatch.setattr(pictures, "detect_orientation", lambda image: asked.append(image) or HINDI)
    outputs = {name: {task.ref: observed(text, sure)} for name, text in texts.items()}
    scripts = dict.fromkeys(texts, frozenset({"Latin"}))
    store = ArtefactStore(tmp_path / "cache")
    for _ in range(2):  # the second time it comes from the cache
        table = signal_table(outputs, {task.ref: None}, scripts=scripts)
        (by_outputs,) = set(table["script"])
        assert by_outputs != "Devanagari"
        pictured = scripts_by_picture(table, [task], store)
        table = signal_table(outputs, {task.ref: None}, scripts=scripts, pictured=pictured)
        assert set(table["script"]) == {"Devanagari" if is_looked_at else by_outputs}
        assert set(table["writes_script"]) == {not is_looked_at}
    assert len(asked) == is_looked_at


def test_letters_that_only_one_engine_has_say_what_the_page_is_in(task, tmp_path, monkeypatch):
    """The picture is not asked: of Georgian it says Malayalam."""
    monkeypatch.setattr(pictures, "detect_orientation", lambda image: HINDI)
    georgian = "ჩვენი ქალაქის ნავსადგური სამ წელიწადში აშენდა"
    outputs = {
        name: {task.ref: observed(text, 0.9)}
        for name, text in (("a", georgian), ("b", "hgobo domsdol bszsowsnto"))
    }
    scripts = {"a": frozenset({"Georgian", "Latin"}), "b": frozenset({"Latin"})}
    table = signal_table(outputs, {task.ref: None}, scripts=scripts)
    assert list(table["script"]) == ["Georgian", "Georgian"]
    assert scripts_by_picture(table, [task], ArtefactStore(tmp_path / "cache")) == {}


def test_without_the_detection_nothing_is_said(task, tmp_path, monkeypatch):
    def missing(image):
        raise MissingDependencyError("no Tesseract")

    monkeypatch.setattr(pictures, "detect_orientation", missing)
    table = pd.DataFrame(
        {
            "engine": ["a"],
            "doc_id": ["d"],
            "page_no": [0],
            "disagreement": [0.9],
            "confidence": [0.5],
            "script": ["Latin"],
        }
    )
    assert scripts_by_picture(table, [task], ArtefactStore(tmp_path / "cache")) == {}
    assert scripts_by_picture(table.iloc[:0], [task], ArtefactStore(tmp_path / "cache")) == {}


SHOWN = {
    "hebrew": "Hebrew",
    "devanagari": "Devanagari",
    "thai": "Thai",
    "japanese": "Chinese and Japanese",
    "korean": "Hangul",
    "cyrillic": "Cyrillic",
    "latin": "",
    "german": "",
    "armenian": "",
}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("tesseract") is None, reason="no tesseract")
@pytest.mark.parametrize("script", SHOWN)
def test_pages_in_many_scripts_show_theirs_or_none(script):
    orientation = detect_orientation(script_page(script))
    assert orientation is not None
    assert orientation.writing_system in (SHOWN[script], "")
    if script in ("japanese", "latin"):  # fonts that every machine has
        assert orientation.writing_system == SHOWN[script]
