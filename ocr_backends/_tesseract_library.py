"""Tesseract by its own library or tesserocr (in process, model kept loaded) or by pytesseract (one
process per page).
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
from PIL import Image

from ocr_backends import _libtesseract
from ocr_backends._libtesseract import Form
from ohr.errors import ConfigError, EngineError, MissingDependencyError
from ohr.store.identity import file_digest
from ohr.types import Word
from ohr.workers.one_thread import one_thread

Library = Literal["libtesseract", "tesserocr", "pytesseract"]
INSTALL = "apt-get install tesseract-ocr"
PLACES = ("/usr/share/tesseract-ocr/*/tessdata", "/usr/share/tessdata", "/usr/local/share/tessdata",
          "/opt/homebrew/share/tessdata")  # fmt: skip
"""Where packages put the traineddata, for a library without the program."""


@dataclass(frozen=True)
class PageSettings:
    """How a page is read; ``hocr`` gives Tesseract's hOCR instead of plain text."""

    languages: tuple[str, ...]
    psm: int
    oem: int
    dpi: int | None
    hocr: bool = False
    tessdata: Path | None = None
    """The folder of the traineddata; by default Tesseract's own."""

    @property
    def traineddata(self) -> tuple[str, ...]:
        """The names of the traineddata that are loaded."""
        # Page segmentation modes 1 and 12 find the orientation first.
        orientation = ("osd",) if self.tessdata is not None and self.psm in (1, 12) else ()
        return self.languages + tuple(name for name in orientation if name not in self.languages)


def pick_library(name: Library | Literal["auto"]) -> Library:
    """The library to use. Raises MissingDependencyError if it is not installed."""
    if name == "auto":
        if not unusable_library():
            return "libtesseract"
        name = "tesserocr" if importlib.util.find_spec("tesserocr") else "pytesseract"
    if name == "libtesseract":
        _libtesseract.load_library()
        return name
    if importlib.util.find_spec(name) is None:
        raise MissingDependencyError(f"{name} is not installed: pip install {name}")
    if name == "pytesseract":
        _program()
    return name


def unusable_library() -> str:
    """Why ``auto`` does not use libtesseract; empty if it does.

    It must have the version of the program, which reads the same text with it. Without the program
    any version is used.
    """
    try:
        version = _libtesseract.library_version()
    except MissingDependencyError as error:
        return str(error)
    program = shutil.which("tesseract")
    if program is None:
        return ""
    program_version = _version_of(program)
    return (
        ""
        if version == program_version
        else f"libtesseract is {version}, the program {program_version}"
    )


@cache
def _version_of(program: str) -> str:
    return _first_lines(_ask(program, "--version"))


def library_version(library: Library) -> str:
    """Versions of Tesseract and Leptonica. Raises MissingDependencyError."""
    if library == "libtesseract":
        return _libtesseract.library_version()
    if library == "tesserocr":
        return _first_lines(str(_tesserocr().tesseract_version()))
    return _first_lines(_ask(_program(), "--version"))


def _first_lines(report: str) -> str:
    return ", ".join(" ".join(line.split()) for line in report.splitlines()[:2])


def traineddata_digests(
    library: Library, languages: tuple[str, ...], folder: Path | None = None
) -> list[str]:
    """Name and digest of each language, in the ``folder`` or where Tesseract looks for it.

    Raises MissingDependencyError that names the package, and ConfigError for the folder or what is
    missing in it.
    """
    if folder is not None:
        return _digests_in(folder, languages)
    folder = tessdata(library)
    digests = []
    for language in languages:
        path = folder / f"{language}.traineddata"
        if not path.is_file():
            package = language.rpartition("/")[2].lower().replace("_", "-")
            raise MissingDependencyError(
                f"Tesseract has no language {language!r} in {folder}: "
                f"apt-get install tesseract-ocr-{package}"
            )
        digests.append(f"{language} {file_digest(path)}")
    return digests


def _digests_in(folder: Path, languages: tuple[str, ...]) -> list[str]:
    if not folder.is_dir():
        raise ConfigError(
            f"tesseract: tessdata {folder} is no folder: give one that holds "
            f"{languages[0]}.traineddata"
        )
    for language in languages:
        if not (folder / f"{language}.traineddata").is_file():
            known_values = sorted(path.stem for path in folder.glob("*.traineddata"))
            raise ConfigError(
                f"tesseract: tessdata {folder} has no {language}.traineddata; "
                f"it has {', '.join(known_values) or 'no traineddata'}"
            )
    return [f"{name} {file_digest(folder / f'{name}.traineddata')}" for name in languages]


def tessdata(library: Library) -> Path:
    """The folder of the traineddata. Raises MissingDependencyError."""
    program = shutil.which("tesseract")
    prefix = os.environ.get("TESSDATA_PREFIX", "")
    if program is not None:
        return _tessdata_of(program, prefix)
    if library != "pytesseract":
        places = [Path(prefix)] if prefix else []
        places += [path for place in PLACES for path in sorted(Path("/").glob(place[1:]))]
        for place in places:
            if any(place.glob("*.traineddata")):
                return place
    raise MissingDependencyError(f"Tesseract is not installed: {INSTALL}")


@cache
def _tessdata_of(program: str, prefix: str) -> Path:
    """Keyed on all it depends on; ``prefix`` reaches Tesseract by the environment."""
    match = re.match(r'List of available languages in "(.*)" \(', _ask(program, "--list-langs"))
    if match is None:
        first = _ask(program, "--version").partition("\n")[0]
        raise MissingDependencyError(f"Tesseract 5 is needed, found {first!r}: {INSTALL}")
    return Path(match[1])


def _program() -> str:
    program = shutil.which("tesseract")
    if program is None:
        raise MissingDependencyError(f"Tesseract is not installed: {INSTALL}")
    return program


def _ask(program: str, option: str) -> str:
    """Standard output of ``tesseract OPTION`` (before 4.0: on standard error)."""
    done = subprocess.run([program, option], capture_output=True, text=True, errors="replace")
    return done.stdout or done.stderr


def read_page(library: Library, image: np.ndarray, how: PageSettings) -> str:
    """The page's text or hOCR. Raises EngineError, MissingDependencyError."""
    if library == "libtesseract":
        return _read_forms(image, how, "hocr" if how.hocr else "txt")[0]
    if library == "tesserocr":
        return _read_here(image, how)
    return _read_in_child(image, how)


def read_words(library: Library, how: PageSettings, image: np.ndarray) -> tuple[Word, ...]:
    """The page's words with their confidences. Raises EngineError, MissingDependencyError."""
    if library == "libtesseract":
        return parse_tsv(_read_forms(image, how, "tsv")[0])
    if library == "tesserocr":
        with _API_LOCK:
            api = _api(how, str(how.tessdata or tessdata("tesserocr")))
            try:
                api.SetImage(Image.fromarray(image))
                table = api.GetTSVText(0)
            finally:
                api.Clear()
        return parse_tsv(table or "")
    import pytesseract

    with _errors(), one_thread():
        return parse_tsv(str(pytesseract.image_to_data(Image.fromarray(image), **_arguments(how))))


def read_page_and_words(
    library: Library, image: np.ndarray, how: PageSettings
) -> tuple[str, tuple[Word, ...]]:
    """What :func:`read_page` and :func:`read_words` return, from one recognition.

    Raises EngineError, MissingDependencyError.
    """
    form: Form = "hocr" if how.hocr else "txt"
    if library == "libtesseract":
        text, table = _read_forms(image, how, form, "tsv")
        return text, parse_tsv(table)
    if library == "tesserocr":
        with _API_LOCK:
            api = _api(how, str(how.tessdata or tessdata("tesserocr")))
            try:
                api.SetImage(Image.fromarray(image))
                text = api.GetHOCRText(0) if how.hocr else api.GetUTF8Text()
                table = api.GetTSVText(0)
            finally:
                api.Clear()
        if text is None:
            raise EngineError("tesserocr returned nothing")
        return text, parse_tsv(table or "")
    import pytesseract

    arguments = _arguments(how)
    with _errors(), one_thread(), tempfile.TemporaryDirectory() as folder:
        base = Path(folder) / "page"
        Image.fromarray(image).save(base.with_suffix(".png"))
        pytesseract.pytesseract.run_tesseract(
            str(base.with_suffix(".png")),
            str(base),
            form,
            arguments["lang"],
            f"{arguments['config']} -c tessedit_create_{form}=1 -c tessedit_create_tsv=1",
        )
        text, table = (
            base.with_suffix(f".{suffix}").read_bytes().decode() for suffix in (form, "tsv")
        )
    return text, parse_tsv(table)


def _read_forms(image: np.ndarray, how: PageSettings, *forms: Form) -> list[str]:
    folder = how.tessdata or tessdata("libtesseract")
    return _libtesseract.read_forms(image, how, folder, forms)


def parse_tsv(table: str) -> tuple[Word, ...]:
    """The words of Tesseract's table: the rows of its fifth level that have a text."""
    words = []
    for line in table.splitlines():
        fields = line.split("\t")
        if len(fields) == _COLUMNS and fields[0] == _WORD_LEVEL and fields[-1].strip():
            left_edge, top, width, height = map(int, fields[6:10])
            sure = min(1.0, max(0.0, float(fields[10]) / 100))
            words.append(Word(fields[-1], sure, (left_edge, top, left_edge + width, top + height)))
    return tuple(words)


_COLUMNS = 12
_WORD_LEVEL = "5"


def _read_here(image: np.ndarray, how: PageSettings) -> str:
    with _API_LOCK:
        api = _api(how, str(how.tessdata or tessdata("tesserocr")))
        try:
            api.SetImage(Image.fromarray(image))
            text: str = api.GetHOCRText(0) if how.hocr else api.GetUTF8Text()
        finally:
            api.Clear()
    if text is None:
        raise EngineError("tesserocr returned nothing")
    return text


_API_LOCK = threading.Lock()  # one engine cannot read two pages at a time


@cache
def _api(how: PageSettings, folder: str) -> Any:
    """The engine with its model, loaded once in a process."""
    tesserocr = _tesserocr()
    # The library takes the folder as it is, without the separator that it needs.
    api = tesserocr.PyTessBaseAPI(
        path=folder + os.sep, lang="+".join(how.languages), psm=how.psm, oem=how.oem
    )
    api.SetVariable("debug_file", os.devnull)
    if how.dpi is not None:
        api.SetVariable("user_defined_dpi", str(how.dpi))
    return api


def _tesserocr() -> Any:
    try:
        with one_thread():  # OpenMP reads its limit when the library is loaded
            import tesserocr
    except ImportError as error:
        raise MissingDependencyError(
            f"tesserocr cannot be imported ({error}): pip install tesserocr"
        ) from error
    return tesserocr


def _read_in_child(image: np.ndarray, how: PageSettings) -> str:
    import pytesseract

    with _errors(), one_thread():
        if how.hocr:
            page = pytesseract.image_to_pdf_or_hocr(
                Image.fromarray(image), extension="hocr", **_arguments(how)
            )
            return bytes(page).decode("utf-8")
        return str(pytesseract.image_to_string(Image.fromarray(image), **_arguments(how)))


def _arguments(how: PageSettings) -> dict[str, str]:
    options = ["--psm", str(how.psm), "--oem", str(how.oem)]
    if how.tessdata is not None:
        options += ["--tessdata-dir", shlex.quote(str(how.tessdata))]
        if how.hocr:  # the folder need not have Tesseract's file of options for it
            options += ["-c", "tessedit_create_hocr=1", "-c", "hocr_font_info=0"]
    if how.dpi is not None:
        options += ["--dpi", str(how.dpi)]
    # Without a page separator the text does not end in a form feed.
    options += ["-c", "page_separator="]
    return {"lang": "+".join(how.languages), "config": " ".join(options)}


@contextmanager
def _errors() -> Iterator[None]:
    """Tesseract's failures as EngineError."""
    import pytesseract

    try:
        yield
    except pytesseract.TesseractError as error:
        status = error.status
        how_it_ended = f"exit status {status}" if status >= 0 else f"killed by signal {-status}"
        raise EngineError(f"{how_it_ended} {error.message}".rstrip()) from error
