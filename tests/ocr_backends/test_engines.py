"""Both engines read a rendered page; blank and broken pages are outcomes, not crashes."""

from __future__ import annotations

import importlib.util
import os
import pickle
import re
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont
from rapidfuzz.distance import Levenshtein

from ocr_backends._tesseract_library import tessdata, unusable_library
from ocr_backends.rapidocr import RapidOcr
from ocr_backends.tesseract import Tesseract
from ohr import registry
from ohr.errors import ConfigError, MissingDependencyError
from ohr.plugins import OcrBackend
from ohr.types import Outcome, Status
from ohr.workers import WorkerPool
from tests.faults import tasks

LINES = [
    "The annual report states that revenue",
    "grew by 12.5 percent in 2017, while the",
    "operating margin fell to 2.3 percent.",
    "Shareholders approved every proposal.",
]
TEXT = "\n".join(LINES)

needs_tesseract = pytest.mark.skipif(
    shutil.which("tesseract") is None, reason="no tesseract: apt-get install tesseract-ocr"
)
needs_openvino = pytest.mark.skipif(
    importlib.util.find_spec("openvino") is None, reason="no OpenVINO: pip install openvino"
)
OPENVINO = {"name": "rapidocr", "params": {"runtime": "openvino"}}
LIBRARIES = [
    pytest.param(
        name,
        marks=pytest.mark.skipif(
            bool(unusable_library())
            if name == "libtesseract"
            else importlib.util.find_spec(name) is None,
            reason=f"no {name}",
        ),
    )
    for name in ("libtesseract", "tesserocr", "pytesseract")
]
ENGINES = [
    pytest.param("tesseract", marks=needs_tesseract),
    "rapidocr",
    "structured",
    pytest.param(OPENVINO, marks=needs_openvino, id="rapidocr-openvino"),
]


def draw(lines: list[str]) -> np.ndarray:
    """A white RGB page with lines of DejaVu Sans at 32 px."""
    font_path = Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"
    font = ImageFont.truetype(str(font_path), 32)
    image = Image.new("RGB", (900, 420), "white")
    for row, line in enumerate(lines):
        ImageDraw.Draw(image).text((60, 60 + 60 * row), line, font=font, fill="black")
    return np.asarray(image)


def read(engine: OcrBackend, *images: np.ndarray) -> list[Outcome[str]]:
    numbers = list(range(10, 10 + len(images)))
    found = list(engine.transcribe(images, numbers))
    assert [number for number, _ in found] == numbers
    return [outcome for _, outcome in found]


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> OcrBackend:
    made: OcrBackend = registry.create("engine", request.param)
    return made


@pytest.mark.slow
def test_reads_rgb_and_grey(engine: OcrBackend) -> None:
    page = draw(LINES)
    for outcome in read(engine, page, page[:, :, 0].copy(), page[:, :, :1]):
        assert outcome.status is Status.OK
        assert Levenshtein.normalized_distance((outcome.value or "").strip(), TEXT) < 0.03


@pytest.mark.slow
def test_colour_order_is_rgb(engine: OcrBackend) -> None:
    page = draw(LINES)
    page = np.where(page < 128, np.uint8([200, 0, 0]), np.uint8([255, 255, 230])).astype(np.uint8)
    [outcome] = read(engine, page)
    assert Levenshtein.normalized_distance((outcome.value or "").strip(), TEXT) < 0.03


@pytest.mark.slow
def test_blank_page_is_empty(engine: OcrBackend) -> None:
    blank = np.full((420, 900, 3), 255, np.uint8)
    assert [outcome.status for outcome in read(engine, blank)] == [Status.EMPTY]


@pytest.mark.slow
def test_what_is_no_page_is_an_error_beside_good_pages(engine: OcrBackend) -> None:
    page = draw(LINES)
    bad = [np.zeros((0, 5), np.uint8), page.astype(float), np.zeros((9, 9, 4), np.uint8)]
    statuses = [outcome.status for outcome in read(engine, *bad, page)]
    assert statuses == [Status.ERROR] * 3 + [Status.OK]


@pytest.mark.parametrize("shape", [(1, 1), pytest.param((300, 2), marks=pytest.mark.slow)])
def test_tiny_images_do_not_crash(engine: OcrBackend, shape: tuple[int, int]) -> None:
    [outcome] = read(engine, np.zeros(shape, np.uint8))
    assert outcome.status is not Status.OK


def test_pdf_is_refused(engine: OcrBackend) -> None:
    with pytest.raises(ConfigError, match=r"render report\.pdf"):
        next(engine.transcribe(Path("report.pdf"), [0]))


def test_identity_is_stable_and_names_the_models(engine: OcrBackend) -> None:
    identity = engine.identity()
    again: OcrBackend = registry.create(
        "engine", {"name": engine.name, "params": engine.params.model_dump()}
    )
    assert again.identity() == identity
    assert pickle.loads(pickle.dumps(engine)).identity() == identity
    model = "eng " if engine.name == "tesseract" else "PP-OCRv6_rec_small.onnx "
    assert model in str(identity["engine_version"])


@pytest.mark.slow
def test_reads_the_same_in_a_worker(engine: OcrBackend) -> None:
    page = draw(LINES)
    [here] = read(engine, page)
    with WorkerPool(tasks.read_page, workers=1, setup=engine) as pool:  # pickled after use
        [(_, there)] = pool.run([page])
    assert there == here


@pytest.mark.slow
def test_reading_is_silent(engine: OcrBackend, capfd: pytest.CaptureFixture[str]) -> None:
    code = (
        "import numpy, sys; from ohr import registry; "
        f"spec = {{'name': {engine.name!r}, 'params': {engine.params.model_dump(mode='json')}}}; "
        "engine = registry.create('engine', spec); "
        "list(engine.transcribe([numpy.full((300, 300), 255, numpy.uint8)], [0]))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert capfd.readouterr() == ("", "")


@needs_tesseract
def test_tesseract_language_that_is_missing() -> None:
    engine = registry.create(
        "engine", {"name": "tesseract", "params": {"languages": "eng+xyz_sim"}}
    )
    with pytest.raises(MissingDependencyError, match="apt-get install tesseract-ocr-xyz-sim"):
        engine.identity()
    with pytest.raises(MissingDependencyError):
        next(engine.transcribe([draw(LINES)], [0]))


def test_tesseract_that_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    engine = registry.create("engine", {"name": "tesseract", "params": {"library": "pytesseract"}})
    with pytest.raises(MissingDependencyError, match="apt-get install tesseract-ocr"):
        engine.engine_version()


@pytest.mark.slow
@needs_tesseract
@pytest.mark.parametrize("library", LIBRARIES)
def test_tesseract_reads_by_each_library(library: str) -> None:
    given = {"library": library, "languages": ["eng"]}
    engine = registry.create("engine", {"name": "tesseract", "params": given})
    [outcome] = read(engine, draw(LINES))
    # Each has a Tesseract of its own: versions may differ, and with them the identity.
    assert (outcome.value or "").split() == TEXT.split()
    assert engine.identity()["engine_version"].startswith("tesseract 5")
    layout = registry.create(
        "engine", {"name": "tesseract", "params": given | {"layout": True, "dpi": 150}}
    )
    [marked] = read(layout, draw_heading())
    assert (marked.value or "").split("\n\n")[0] == "# Annual report"
    assert " ".join((marked.value or "").split()).endswith(" ".join(TEXT.split()))


def draw_heading() -> np.ndarray:
    font = ImageFont.truetype(matplotlib.get_data_path() + "/fonts/ttf/DejaVuSans.ttf", 70)
    heading = Image.new("RGB", (900, 140), "white")
    ImageDraw.Draw(heading).text((60, 40), "Annual report", font=font, fill="black")
    return np.concatenate([np.asarray(heading), draw(LINES)])


def test_an_engine_that_reads_no_chinese_says_so() -> None:
    RapidOcr().check_languages(["en", "zh"])
    tesseract = registry.create("engine", {"name": "tesseract", "params": {"languages": "deu+eng"}})
    tesseract.check_languages(["de"])
    with pytest.raises(ConfigError, match="'tesseract' does not read 'zh'; it reads de, en"):
        tesseract.check_languages(["en", "zh"])


@pytest.mark.slow
@needs_tesseract
@pytest.mark.parametrize("name", ["eng_1.069", "eng-fast", "script/Latin_2.0"])
def test_traineddata_of_ones_own_may_have_any_usual_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    usual = registry.create("engine", "tesseract")
    own = registry.create("engine", {"name": "tesseract", "params": {"languages": name}})
    folder = tessdata("pytesseract")
    path = tmp_path / f"{name}.traineddata"
    path.parent.mkdir(exist_ok=True)
    shutil.copy(folder / "eng.traineddata", path)
    page, expected = draw(LINES), usual.read(draw(LINES))
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))
    assert own.read(page) == expected


def make_tesseract(folder: Path, **params: object) -> Tesseract:
    engine = registry.create(
        "engine", {"name": "tesseract", "params": {"tessdata": str(folder), **params}}
    )
    assert isinstance(engine, Tesseract)
    return engine


@pytest.fixture
def traineddata(tmp_path: Path) -> Path:
    """A folder that has the English traineddata alone, none of Tesseract's other files."""
    folder = tmp_path / "it's mine"
    folder.mkdir()
    shutil.copy(tessdata("pytesseract") / "eng.traineddata", folder)
    return folder


@pytest.mark.slow
@needs_tesseract
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("layout", [False, True])
def test_the_same_model_in_another_folder_is_the_same_engine(
    traineddata: Path, library: str, layout: bool
) -> None:
    given = {"layout": layout, "library": library}
    usual = registry.create("engine", {"name": "tesseract", "params": given})
    own, page = make_tesseract(traineddata, **given), draw_heading()
    assert own.identity() == usual.identity()
    assert own.read(page) == usual.read(page)
    assert own.words(page) == usual.words(page)
    assert own.read_with_words(page) == usual.read_with_words(page)


@needs_tesseract
def test_the_identity_of_tesseract_has_the_digest_of_its_model(traineddata: Path) -> None:
    usual = make_tesseract(traineddata).identity()
    assert "tessdata" not in usual["params"]
    (traineddata / "eng.traineddata").write_bytes(b"another model")
    other = make_tesseract(traineddata).identity()
    assert other["params"] == usual["params"]
    assert other["engine_version"] != usual["engine_version"]
    # The model of the page's orientation is used, and part of the version, with psm 1 alone.
    (traineddata / "osd.traineddata").write_bytes(b"orientation")
    assert make_tesseract(traineddata).identity() == other
    assert " osd " in str(make_tesseract(traineddata, psm=1).identity()["engine_version"])


@needs_tesseract
@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"languages": ["eng", "deu"]}, r"has no deu\.traineddata; it has eng$"),
        ({"psm": 1}, r"has no osd\.traineddata; it has eng$"),
    ],
)
def test_a_language_that_the_folder_lacks_is_one_line_before_any_page(
    traineddata: Path, params: dict[str, object], message: str
) -> None:
    engine = make_tesseract(traineddata, **params)
    with pytest.raises(ConfigError, match=message):
        engine.identity()
    with pytest.raises(ConfigError, match=message):
        next(engine.transcribe([draw(LINES)], [0]))


@needs_tesseract
def test_a_folder_of_traineddata_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"is no folder: give one that holds eng\.traineddata"):
        make_tesseract(tmp_path / "nowhere").identity()
    with pytest.raises(ConfigError, match="it has no traineddata"):
        make_tesseract(tmp_path).identity()


@pytest.mark.parametrize(
    "lang", ["--help", "../eng", "a/../b", ".eng", "-eng", "eng;ls", "a b", ""]
)
def test_tesseract_language_is_no_option_and_no_path(lang: str) -> None:
    with pytest.raises(ConfigError, match="languages"):
        registry.create("engine", {"name": "tesseract", "params": {"languages": lang}})


@pytest.fixture
def failing_tesseract(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> tuple[Path, Path]:
    """A ``tesseract`` that notes its environment and arguments, then dies by a signal."""
    real = shutil.which("tesseract")
    program, notes = tmp_path / "tesseract", tmp_path / "notes"
    program.write_text(
        f'#!/bin/sh\ncase "$1" in --*) exec {real} "$@";; esac\n'
        f'echo "$OMP_THREAD_LIMIT $@" >> {notes}\nkill -SEGV $$\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    return program, notes


@needs_tesseract
def test_tesseract_that_crashes(
    failing_tesseract: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_THREAD_LIMIT", "8")
    engine = registry.create(
        "engine", {"name": "tesseract", "params": {"psm": 6, "dpi": 150, "library": "pytesseract"}}
    )
    assert read(engine, draw(LINES)) == [Outcome.error("tesseract: killed by signal 11")]
    notes = failing_tesseract[1].read_text()
    assert notes.startswith("1 ")
    assert "--psm 6 --oem 3 --dpi 150" in notes
    assert os.environ["OMP_THREAD_LIMIT"] == "8"


def test_rapidocr_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ohr.documents.rapidocr_models.DETECTOR", "no_such_model.onnx")
    from ocr_backends import rapidocr

    rapidocr.load_engine.cache_clear()
    monkeypatch.setattr(rapidocr, "models_version", lambda *_: "")
    with pytest.raises(MissingDependencyError, match=r"no_such_model\.onnx is not installed"):
        next(RapidOcr().transcribe([draw(LINES)], [0]))


@needs_openvino
def test_what_rapidocr_runs_on_is_part_of_its_version() -> None:
    plain, other = RapidOcr().identity(), registry.create("engine", OPENVINO).identity()
    assert "onnxruntime 1." in str(plain["engine_version"])
    assert "onnxruntime" not in str(other["engine_version"])
    assert re.search(r"openvino 20\d\d\.\S+, (bf16|f16|f32), ", str(other["engine_version"]))
    assert plain["params"] == other["params"]


def test_openvino_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(package: str) -> str:
        if package == "openvino":
            raise PackageNotFoundError(package)
        return "1"

    from ocr_backends import rapidocr

    monkeypatch.setattr(rapidocr, "version", version)
    monkeypatch.setattr(rapidocr, "models_version", rapidocr.models_version.__wrapped__)
    engine = registry.create("engine", OPENVINO)
    with pytest.raises(MissingDependencyError, match=r"install 'ohr\[openvino\]'"):
        engine.engine_version()
    rapidocr.load_engine.cache_clear()
    with pytest.raises(MissingDependencyError, match=r"openvino is not installed"):
        next(engine.transcribe([draw(LINES)], [0]))
