"""Tesseract's library reads what the program reads, whatever was read before and around it."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from unittest.mock import MagicMock

import numpy as np
import pytest

from ocr_backends import _libtesseract, _tesseract_library
from ocr_backends._tesseract_library import (
    PageSettings,
    pick_library,
    read_page,
    read_page_and_words,
    read_words,
    tessdata,
    unusable_library,
)
from ocr_backends.tesseract import Tesseract
from ohr import registry
from ohr.errors import EngineError, MissingDependencyError
from ohr.machine.engines import examine
from ohr.registry import PluginSpec
from tests.ocr_backends.test_engines import LINES, draw, draw_heading

pytestmark = pytest.mark.skipif(
    shutil.which("tesseract") is None or bool(unusable_library()),
    reason="no program tesseract with its library: apt-get install tesseract-ocr",
)
SETTINGS = PageSettings(("eng",), psm=3, oem=3, dpi=None)


def make_engine(library: str) -> Tesseract:
    engine = registry.create("engine", {"name": "tesseract", "params": {"library": library}})
    assert isinstance(engine, Tesseract)
    return engine


def test_auto_is_the_library_under_the_identity_of_the_program():
    assert pick_library("auto") == "libtesseract"
    auto, program = make_engine("auto"), make_engine("pytesseract")
    assert auto.engine_version() == program.engine_version()
    assert auto.identity()["params"]["library"] == "auto"
    assert make_engine("libtesseract").engine_version() == program.engine_version()
    assert examine(PluginSpec(name="tesseract")).remark == ""


def distorted_page() -> np.ndarray:
    """A page of grey noise and slanted lines in RGB."""
    page = draw([*LINES[::-1], "Total (1) 12,345.60 - 7 %"]).astype(int)
    noise = np.random.default_rng(0).normal(0, 40, page.shape)
    sheared = np.stack([np.roll(row, k // 40, axis=0) for k, row in enumerate(page)])
    return np.clip(sheared + noise, 0, 255).astype(np.uint8)


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [
        SETTINGS,
        replace(SETTINGS, hocr=True),
        replace(SETTINGS, psm=6, dpi=150),
        replace(SETTINGS, psm=11, oem=1),
        replace(SETTINGS, psm=13),
    ],
)
def test_the_library_reads_what_the_program_reads(settings: PageSettings):
    pages = [draw_heading(), draw(LINES)[:, :, 0].copy(), distorted_page()]
    pages.append(np.full((420, 900), 255, np.uint8))
    for page in (*pages, pages[0]):
        text, words = read_page_and_words("libtesseract", page, settings)
        expected, expected_words = read_page_and_words("pytesseract", page, settings)
        if settings.hocr:  # a document, with the name of a file
            text, expected = (
                [line.strip() for line in hocr.splitlines() if " class='ocr" in line]
                for hocr in (
                    text.partition("<div class='ocr_carea'")[2],
                    expected.partition("<div class='ocr_carea'")[2],
                )
            )
        assert text == expected
        assert words == expected_words == read_words("libtesseract", settings, page)


@pytest.mark.slow
def test_layout_is_that_of_the_program():
    own, program = (
        registry.create("engine", PluginSpec(name="tesseract", params=params))
        for params in ({"layout": True}, {"layout": True, "library": "pytesseract"})
    )
    page = draw_heading()
    assert own.read(page).value.startswith("# Annual report")
    assert own.read(page) == program.read(page)


@pytest.mark.parametrize("version", ["tesseract 5.9.9, leptonica-1.0", None])
def test_another_version_or_none_leaves_the_program(
    monkeypatch: pytest.MonkeyPatch, version: str | None
):
    def library_version() -> str:
        if version is None:
            raise MissingDependencyError("libtesseract 5 cannot be used")
        return version

    monkeypatch.setattr(_libtesseract, "library_version", library_version)
    monkeypatch.setattr(
        _tesseract_library.importlib.util, "find_spec", lambda name: name == "pytesseract" or None
    )
    assert pick_library("auto") == "pytesseract"
    remark = examine(PluginSpec(name="tesseract")).remark
    assert remark.startswith("reads by pytesseract, because libtesseract ")
    assert (version or "cannot be used") in remark
    assert make_engine("libtesseract").describe() == ""


@pytest.fixture
def no_library(monkeypatch: pytest.MonkeyPatch):
    """Nothing is loaded yet."""
    _libtesseract._loaded.cache_clear()
    yield monkeypatch
    _libtesseract._loaded.cache_clear()


def test_a_library_that_is_missing(no_library: pytest.MonkeyPatch):
    no_library.setattr(_libtesseract, "_candidates", lambda program: ["libtesseract.so.none"])
    with pytest.raises(MissingDependencyError, match=r"not installed\): apt-get install libtess"):
        make_engine("libtesseract").identity()


def test_a_library_that_lacks_a_function(no_library: pytest.MonkeyPatch):
    no_library.setattr(_libtesseract, "_candidates", lambda program: [None])
    with pytest.raises(MissingDependencyError, match="undefined symbol: TessVersion"):
        pick_library("libtesseract")


def test_a_library_that_is_too_old(no_library: pytest.MonkeyPatch):
    old = MagicMock()
    old.TessVersion.return_value = b"4.1.1"
    no_library.setattr(_libtesseract.ctypes, "CDLL", lambda name: old)
    with pytest.raises(MissingDependencyError, match=r"it is Tesseract 4\.1\.1"):
        pick_library("libtesseract")


def test_a_file_that_is_no_library(no_library: pytest.MonkeyPatch, tmp_path: Path):
    (tmp_path / "libtesseract.so.5").write_bytes(b"no library")
    files = [str(tmp_path / "libtesseract.so.5"), *_libtesseract._candidates(None)]
    no_library.setattr(_libtesseract, "_candidates", lambda program: files[:1])
    assert "file too short" in unusable_library() or "invalid ELF" in unusable_library()
    _libtesseract._loaded.cache_clear()
    no_library.setattr(_libtesseract, "_candidates", lambda program: files)
    assert unusable_library() == ""


def test_the_library_beside_the_program_comes_first(tmp_path: Path):
    program = tmp_path / "bin" / "tesseract"
    library = tmp_path / "lib" / _libtesseract._FILES.get(sys.platform, "libtesseract.so.5")
    for path in (program, library):
        path.parent.mkdir()
        path.touch()
    names = list(_libtesseract._candidates(str(program)))
    assert names[:2] == [str(library), library.name]


def test_a_page_that_is_too_long_is_an_error_and_the_next_page_is_read():
    with pytest.raises(EngineError, match="cannot recognise the page"):
        read_page("libtesseract", np.full((33_000, 8), 255, np.uint8), SETTINGS)
    assert read_page("libtesseract", np.full((40, 40), 255, np.uint8), SETTINGS) == ""


def test_an_array_that_is_no_page_is_refused():
    for array in (np.zeros((4, 4)), np.zeros((4, 4, 4), np.uint8), np.zeros((0, 4), np.uint8)):
        with pytest.raises(EngineError, match="not a page image"):
            read_page("libtesseract", array, SETTINGS)


def test_traineddata_that_cannot_be_loaded(tmp_path: Path):
    (tmp_path / "eng.traineddata").write_bytes(b"no model")
    with pytest.raises(EngineError, match=rf"cannot load eng \(oem 3\) from {tmp_path}"):
        read_page("libtesseract", np.zeros((9, 9), np.uint8), replace(SETTINGS, tessdata=tmp_path))


def run_python(code: str, **environment: str) -> str:
    """What a new process prints that reads a page by the library."""
    imports = (
        "import os; from tests.ocr_backends.test_libtesseract import SETTINGS; "
        "from tests.ocr_backends.test_engines import LINES, draw; "
        "from ocr_backends._tesseract_library import read_page, read_words; page = draw(LINES); "
    )
    given = {name: value for name, value in os.environ.items() if name != "OMP_THREAD_LIMIT"}
    done = subprocess.run(
        [sys.executable, "-c", imports + code],
        env=given | environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="counts threads in /proc")
def test_reading_starts_no_thread_and_leaves_openmp_as_it_was():
    code = (
        "from ocr_backends._libtesseract import load_library; library = load_library(); "
        "levels = getattr(library, 'omp_get_max_active_levels', int); before = levels(); "
        "tasks = len(os.listdir('/proc/self/task')); read_page('libtesseract', page, SETTINGS); "
        "print(len(os.listdir('/proc/self/task')) - tasks, levels() - before)"
    )
    assert run_python(code) == "0 0\n"


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("localedef") is None or not Path("/usr/share/i18n/locales/de_DE").is_file(),
    reason="no locale with decimal commas can be made",
)
def test_a_locale_with_decimal_commas_changes_nothing(tmp_path: Path):
    subprocess.run(
        ["localedef", "-i", "de_DE", "-f", "UTF-8", str(tmp_path / "de_DE.UTF-8")], check=True
    )
    code = (
        "import locale; locale.setlocale(locale.LC_ALL, 'de_DE.UTF-8'); "
        "assert locale.localeconv()['decimal_point'] == ','; "
        "print(read_words('libtesseract', SETTINGS, page)); "
        "assert locale.str(1.5) == '1,5'"
    )
    words = read_words("libtesseract", SETTINGS, draw(LINES))
    assert len(words) > 20
    assert run_python(code, LOCPATH=str(tmp_path)) == f"{words}\n"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_does_not_grow_with_the_pages():
    page = draw(LINES)

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1])

    def growth(pages: int) -> int:
        before = resident()
        for _ in range(pages):
            read_page_and_words("libtesseract", page, SETTINGS)
        return (resident() - before) * os.sysconf("SC_PAGESIZE")

    growth(10)
    # A page's image alone has 1.1 MB, so pages that stayed would be 20 MB each time.
    assert min(growth(20) for _ in range(3)) < 8e6


def test_the_library_needs_no_program_to_find_the_traineddata(monkeypatch: pytest.MonkeyPatch):
    folder = tessdata("libtesseract")
    monkeypatch.setattr(_tesseract_library.shutil, "which", lambda name: None)
    monkeypatch.setattr(_tesseract_library, "PLACES", (str(folder),))
    monkeypatch.delenv("TESSDATA_PREFIX", raising=False)
    assert tessdata("libtesseract") == folder
    assert unusable_library() == ""
    assert make_engine("auto").engine_version().startswith("tesseract 5")


def test_types_are_declared_for_every_function_that_is_called():
    source = Path(_libtesseract.__file__).read_text()
    library = ctypes.CDLL(_libtesseract.load_library()._name)
    for name in _libtesseract._FUNCTIONS:
        assert hasattr(library, name)
        assert f"library.{name}(" in source
