"""RapidOCR's settings: other models, lines less padded, a detector that sees large type smaller."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from ocr_backends import _text_height
from ocr_backends._text_height import SMALLEST, TARGET, detector_side, text_height
from ocr_backends.rapidocr import RapidOcr
from ohr import registry
from ohr.documents.rapidocr_models import DETECTOR, RECOGNISER, model_path, models_of
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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the models of the wheel."""
    for name in (DETECTOR, RECOGNISER):
        shutil.copy(model_path(name), tmp_path)
    return tmp_path


def test_models_of_a_folder_are_known_by_their_digests(folder: Path):
    usual, own = make_engine(), make_engine(models=str(folder))
    assert own.identity() == usual.identity()
    assert usual.reads() == ("zh", "en", "ja")
    assert own.reads() == ()
    other = folder.parent / "other"
    shutil.copytree(folder, other)
    (other / DETECTOR).write_bytes(b"another detector")
    version = str(make_engine(models=str(other)).identity()["engine_version"])
    assert version != usual.engine_version()
    assert version.split(", ")[-1] == usual.engine_version().split(", ")[-1]


@pytest.mark.slow
def test_the_same_models_in_a_folder_read_the_same(folder: Path):
    page = draw(LINES)
    usual, own = make_engine(), make_engine(models=str(folder))
    assert own.read_with_words(page) == usual.read_with_words(page)


def test_a_folder_without_models_is_one_line(tmp_path: Path):
    with pytest.raises(ConfigError, match=r"one \*det\*\.onnx and one \*rec\*\.onnx; it has no"):
        make_engine(models=str(tmp_path)).identity()
    for name in ("my_det.onnx", "my_rec.onnx", "old_rec.onnx"):
        (tmp_path / name).write_bytes(b"")
    with pytest.raises(ConfigError, match=r"it has my_det\.onnx, my_rec\.onnx, old_rec\.onnx"):
        next(make_engine(models=str(tmp_path)).transcribe([draw(LINES)], [0]))


def test_a_recogniser_without_its_characters_is_an_error_not_a_download(folder: Path):
    model = (folder / RECOGNISER).read_bytes()
    assert models_of(folder) == (folder / DETECTOR, folder / RECOGNISER)
    (folder / RECOGNISER).write_bytes(model.replace(b"\x09character", b"\x09characteR"))
    with pytest.raises(ConfigError, match="does not list its characters"):
        models_of(folder)


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
