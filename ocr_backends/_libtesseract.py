"""Tesseract's own library by its C interface: what the program ``tesseract`` runs on.

The model stays loaded, and a page is neither a process nor a file. It reads what the program
reads: both are given the page's pixels without a resolution, and each page starts from the same
state. ``tests/ocr_backends/test_libtesseract.py`` compares them.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import re
import shutil
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from ohr.errors import EngineError, MissingDependencyError
from ohr.plugins.engine import checked_image

if TYPE_CHECKING:
    from ocr_backends._tesseract_library import PageSettings

Form = Literal["txt", "hocr", "tsv"]
"""What is made of a recognised page, by the names of the program's files."""

INSTALL = "apt-get install libtesseract5"
_FILES = {"darwin": "libtesseract.5.dylib"}
_SILENT = 6  # Leptonica's L_SEVERITY_NONE
_ALL_CATEGORIES = {"linux": 0x1FBF, "darwin": 0x3F}
"""``LC_ALL_MASK`` of the platforms' ``locale.h``."""

_Handle, _Text, _Int = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
_FUNCTIONS: dict[str, tuple[type | None, list[type]]] = {
    "TessVersion": (_Text, []),
    "TessBaseAPICreate": (_Handle, []),
    "TessBaseAPIDelete": (None, [_Handle]),
    "TessBaseAPIInit2": (_Int, [_Handle, _Text, _Text, _Int]),
    "TessBaseAPISetVariable": (_Int, [_Handle, _Text, _Text]),
    "TessBaseAPISetPageSegMode": (None, [_Handle, _Int]),
    "TessBaseAPISetImage": (None, [_Handle, ctypes.c_void_p, _Int, _Int, _Int, _Int]),
    "TessBaseAPIRecognize": (_Int, [_Handle, ctypes.c_void_p]),
    # Addresses, since what they point to must be freed.
    "TessBaseAPIGetUTF8Text": (ctypes.c_void_p, [_Handle]),
    "TessBaseAPIGetHOCRText": (ctypes.c_void_p, [_Handle, _Int]),
    "TessBaseAPIGetTsvText": (ctypes.c_void_p, [_Handle, _Int]),
    "TessDeleteText": (None, [ctypes.c_void_p]),
    "TessBaseAPIClearAdaptiveClassifier": (None, [_Handle]),
    "TessBaseAPIClear": (None, [_Handle]),
    # Leptonica's, which reads the image for Tesseract.
    "getLeptonicaVersion": (ctypes.c_void_p, []),
    "lept_free": (None, [ctypes.c_void_p]),
    "setMsgSeverity": (_Int, [_Int]),
}

_LOCK = threading.Lock()  # one model cannot read two pages at a time


def load_library() -> ctypes.CDLL:
    """The library, loaded once in a process.

    Raises MissingDependencyError if there is none, or one that is too old.
    """
    library = _loaded(shutil.which("tesseract"))
    if isinstance(library, str):
        raise MissingDependencyError(f"libtesseract 5 cannot be used ({library}): {INSTALL}")
    return library


@cache
def _loaded(program: str | None) -> ctypes.CDLL | str:
    """The library, or why there is none."""
    problem = "it is not installed"
    for name in _candidates(program):
        try:
            library = ctypes.CDLL(name)
        except OSError as error:
            if "no such file" not in str(error).lower():
                problem = str(error)
            continue
        try:
            _declare(library)
        except AttributeError as error:
            problem = str(error)
            continue
        version = library.TessVersion().decode()
        if not re.match(r"v?[5-9]\.", version):
            problem = f"it is Tesseract {version}"
            continue
        library.setMsgSeverity(_SILENT)
        return library
    return problem


def _candidates(program: str | None) -> Iterator[str]:
    """Where the library may be: beside the program, where the system looks, and by its name."""
    file = _FILES.get(sys.platform, "libtesseract.so.5")
    if program is not None:
        beside = Path(program).resolve().parent.parent / "lib" / file
        if beside.is_file():
            yield str(beside)
    yield file
    elsewhere = ctypes.util.find_library("tesseract")
    if elsewhere is not None and elsewhere != file:
        yield elsewhere


def _declare(library: ctypes.CDLL) -> None:
    """The types of the functions. Raises AttributeError for one that the library lacks."""
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments


def library_version() -> str:
    """Versions of Tesseract and Leptonica, as the program writes them.

    Raises MissingDependencyError.
    """
    library = load_library()
    address = library.getLeptonicaVersion()
    try:
        leptonica = ctypes.string_at(address).decode()
    finally:
        library.lept_free(address)
    return f"tesseract {library.TessVersion().decode()}, {leptonica}"


def read_forms(
    image: np.ndarray, settings: PageSettings, folder: Path, forms: Sequence[Form]
) -> list[str]:
    """A page in these forms, from one recognition; ``folder`` has the traineddata.

    hOCR is the page's element alone. Raises EngineError, MissingDependencyError.
    """
    pixels = checked_image(image)
    height, width = pixels.shape[:2]
    library = load_library()
    with _LOCK, _plain_locale(), _one_thread(library):
        handle = _model(settings.languages, settings.psm, settings.oem, settings.dpi, str(folder))
        try:
            channels = 1 if pixels.ndim == 2 else 3
            # The array is alive until the page is cleared.
            library.TessBaseAPISetImage(
                handle, pixels.ctypes.data, width, height, channels, width * channels
            )
            if library.TessBaseAPIRecognize(handle, None) != 0:
                raise EngineError("libtesseract cannot recognise the page")
            return [_written(library, handle, form) for form in forms]
        finally:
            library.TessBaseAPIClear(handle)
            # What legacy models learn from a page must not change the next one.
            library.TessBaseAPIClearAdaptiveClassifier(handle)


def _written(library: ctypes.CDLL, handle: int, form: Form) -> str:
    if form == "txt":
        address = library.TessBaseAPIGetUTF8Text(handle)
    elif form == "hocr":
        address = library.TessBaseAPIGetHOCRText(handle, 0)
    else:
        address = library.TessBaseAPIGetTsvText(handle, 0)
    if not address:
        raise EngineError(f"libtesseract wrote no {form}")
    try:
        return ctypes.string_at(address).decode()
    finally:
        library.TessDeleteText(address)


@cache
def _model(languages: tuple[str, ...], psm: int, oem: int, dpi: int | None, folder: str) -> int:
    """The handle of a model, loaded once in a process and freed with it. Raises EngineError."""
    library, names = load_library(), "+".join(languages)
    handle: int = library.TessBaseAPICreate()
    # The folder must end in a separator.
    if library.TessBaseAPIInit2(handle, os.fsencode(folder + os.sep), names.encode(), oem):
        library.TessBaseAPIDelete(handle)
        raise EngineError(f"libtesseract cannot load {names} (oem {oem}) from {folder}")
    library.TessBaseAPISetPageSegMode(handle, psm)
    variables = {"debug_file": os.devnull}
    if dpi is not None:
        variables["user_defined_dpi"] = str(dpi)
    for name, value in variables.items():
        if not library.TessBaseAPISetVariable(handle, name.encode(), value.encode()):
            library.TessBaseAPIDelete(handle)
            raise EngineError(f"libtesseract knows no {name}")
    return handle


@contextmanager
def _one_thread(library: ctypes.CDLL) -> Iterator[None]:
    """Hold OpenMP to the calling thread while a page is read.

    The program is held by OMP_THREAD_LIMIT. OpenMP reads that once per process, and torch may have
    brought the same OpenMP, whose threads must stay.
    """
    try:
        read_levels, set_levels = (
            library.omp_get_max_active_levels,
            library.omp_set_max_active_levels,
        )
    except AttributeError:  # built without OpenMP
        yield
        return
    levels = read_levels()
    set_levels(0)
    try:
        yield
    finally:
        set_levels(levels)


@contextmanager
def _plain_locale() -> Iterator[None]:
    """The C locale in this thread: the program has it, and numbers are written by it."""
    mask = _ALL_CATEGORIES.get(sys.platform)
    if mask is None:
        yield
        return
    use, plain = _c_locale(mask)
    before = use(plain)
    try:
        yield
    finally:
        use(before)


@cache
def _c_locale(mask: int) -> tuple[ctypes._NamedFuncPointer, int]:
    """``uselocale``, and the locale to use."""
    libc = ctypes.CDLL(None)
    libc.newlocale.restype = libc.uselocale.restype = ctypes.c_void_p
    libc.newlocale.argtypes = [_Int, _Text, ctypes.c_void_p]
    libc.uselocale.argtypes = [ctypes.c_void_p]
    plain = libc.newlocale(mask, b"C", None)
    if not plain:
        raise EngineError("libtesseract: the C locale cannot be set")
    return libc.uselocale, plain
