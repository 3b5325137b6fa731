"""RapidOCR's settings: lines less padded, a detector that sees large type smaller."""

from __future__ import annotations

import subprocess
import sys

import cv2
import numpy as np
import pytest

from ocr_backends import _text_height
from ocr_backends._text_height import SMALLEST, TARGET, detector_side, text_height
from ocr_backends.rapidocr import RapidOcr
from ohr import registry
from ohr.errors import ConfigError
from tests.ocr_backends.test_engines import LINES, draw


def make_engine(**params: object) -> RapidOcr:
    engine = registry.create("engine", {"name": "rapidocr", "params": params})
    assert isinstance(engine, RapidOcr)
    return engine


def test_usual_settings_are_not_part_of_the_identity():
    usual = make_engine().identity()
    assert make_engine(pad=320, side=None, batch=1, threads=1).identity() == usual
    assert set(usual["params"]) == {"text_score", "normalise"}
    others = [make_engine(**given).identity() for given in ({"pad": 48}, {"side": "text"})]
    assert [set(other["params"]) - set(usual["params"]) for other in others] == [{"pad"}, {"side"}]


@pytest.mark.parametrize("given", [{"pad": 40}, {"pad": 400}, {"side": "small"}, {"side": 100}])
def test_settings_that_are_none(given: dict[str, object]):
    with pytest.raises(ConfigError, match=next(iter(given))):
        make_engine(**given)


def test_the_height_of_letters_grows_with_the_page():
    page = draw(LINES)
    height = text_height(page)
    assert height is not None
    assert 15 <= height <= 20  # DejaVu Sans has an x-height of .55: 17.5 of 32 pixels
    assert text_height(page[:, :, 0]) == text_height(255 - page) == height
    twice = text_height(cv2.resize(page, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC))
    assert twice == pytest.approx(2 * height, abs=2)


def test_a_page_without_letters_has_no_height_of_letters():
    blank = np.full((500, 400), 255, np.uint8)
    assert text_height(blank) is None
    assert detector_side(blank) is None
    assert detector_side(np.zeros((1, 1), np.uint8)) is None
    specks = np.where(np.random.default_rng(0).random((500, 400)) < 0.02, 0, 255).astype(np.uint8)
    assert text_height(specks) is None


def test_small_letters_keep_their_resolution_and_large_ones_do_not():
    page = np.concatenate([draw(LINES)] * 5)  # 900 x 2100, letters of about 17 pixels
    height, half = text_height(page), cv2.resize(page, None, fx=0.5, fy=0.5)
    assert detector_side(page) == round(2100 * TARGET / height) < 2100
    assert detector_side(half) is None
    assert detector_side(cv2.resize(page, None, fx=4, fy=4)[:3000]) >= SMALLEST


@pytest.mark.slow
def test_the_detector_sees_large_type_smaller(monkeypatch: pytest.MonkeyPatch):
    # RapidOCR itself reduces pages of more than 2,000 pixels.
    page, sides = np.concatenate([draw(LINES)] * 4), []
    page = np.where(page < 128, np.uint8([255, 0, 0]), np.uint8([0, 0, 90])).astype(np.uint8)

    def note_side(image: np.ndarray) -> int | None:
        sides.append(detector_side(image))
        return sides[-1]

    monkeypatch.setattr(_text_height, "detector_side", note_side)
    usual, engine = make_engine(), make_engine(side="text")
    assert engine.read(page).value.split() == usual.read(page).value.split()
    assert sides == [detector_side(page)]
    assert sides[0] is not None


@pytest.mark.slow
@pytest.mark.parametrize("given", [{"pad": 48}, {"pad": 160, "side": "text"}, {"batch": 4}])
def test_every_setting_reads_the_words(given: dict[str, object]):
    outcome, words = make_engine(**given).read_with_words(draw(LINES))
    assert outcome.value.split() == " ".join(LINES).split()
    assert "operating" in [word.text for word in words]


@pytest.mark.slow
def test_the_list_of_models_is_parsed_once():
    code = (
        "import yaml; from omegaconf import OmegaConf; before, load = OmegaConf.load, yaml.load; "
        "names = []; "
        "yaml.load = lambda file, **given: names.append(file.name) or load(file, **given); "
        "from ocr_backends.rapidocr import RapidOcr; RapidOcr()._engine(words=False); "
        "assert OmegaConf.load == before; "
        "print(sum('default_models' in name for name in names))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("1\n", "")
