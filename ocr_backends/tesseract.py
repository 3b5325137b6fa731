"""Tesseract, by pytesseract: one process a page, one thread."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
from PIL import Image
from pydantic import Field

from ocr_backends._images import read_images
from ohr import plugins
from ohr.errors import EngineError, MissingDependencyError
from ohr.identity import file_digest
from ohr.plugins import OcrBackend
from ohr.types import Outcome

INSTALL = "apt-get install tesseract-ocr"


class TesseractParams(plugins.Params):
    """Options of the ``tesseract`` command.

    ``lang``: traineddata names joined with ``+``. ``psm``: page segmentation mode; 3 (fully
    automatic) is Tesseract's own default, 0 and 2 give no text. ``oem``: engine mode; 3 takes
    what the traineddata has. ``dpi``: told to Tesseract only if given, else it estimates.
    """

    lang: str = Field("eng", pattern=r"^\w+(/\w+)?(\+\w+(/\w+)?)*$")
    psm: Literal[1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13] = 3
    oem: Literal[0, 1, 2, 3] = 3
    dpi: int | None = Field(None, ge=70, le=2400)


class Tesseract(OcrBackend):
    """Tesseract 5. It writes plain text: no tables, no formulas."""

    name = "tesseract"
    Params = TesseractParams

    def transcribe(
        self, source: Path | Sequence[np.ndarray], page_nos: Sequence[int]
    ) -> Iterator[tuple[int, Outcome[str]]]:
        """Read page images. Raises MissingDependencyError (program or language)."""
        self.engine_version()
        yield from read_images(self.name, self._read, source, page_nos)

    def engine_version(self) -> str:
        """Versions of Tesseract and Leptonica, and digests of the traineddata.

        Raises MissingDependencyError.
        """
        program = shutil.which("tesseract")
        if program is None:
            raise MissingDependencyError(f"Tesseract is not installed: {INSTALL}")
        return _version(program, os.environ.get("TESSDATA_PREFIX", ""), self.params.lang)

    def _read(self, image: np.ndarray) -> str:
        try:
            import pytesseract
        except ImportError as error:
            raise MissingDependencyError(
                "pytesseract is not installed: pip install pytesseract"
            ) from error

        options = ["--psm", str(self.params.psm), "--oem", str(self.params.oem)]
        if self.params.dpi is not None:
            options += ["--dpi", str(self.params.dpi)]
        # Without a page separator the text does not end in a form feed.
        options += ["-c", "page_separator="]
        try:
            with _one_thread():
                text: str = pytesseract.image_to_string(
                    Image.fromarray(image), lang=self.params.lang, config=" ".join(options)
                )
        except pytesseract.TesseractError as error:
            status = error.status
            how = f"exit status {status}" if status >= 0 else f"killed by signal {-status}"
            raise EngineError(f"{how} {error.message}".rstrip()) from error
        return text


@cache
def _version(program: str, tessdata_prefix: str, lang: str) -> str:
    """Keyed on all it depends on; ``tessdata_prefix`` reaches Tesseract by the environment."""
    lines = _ask(program, "--version").splitlines()
    found = re.match(r'List of available languages in "(.*)" \(', _ask(program, "--list-langs"))
    if found is None:
        raise MissingDependencyError(f"Tesseract 5 is needed, found {lines[0]!r}: {INSTALL}")
    parts = [" ".join(line.split()) for line in lines[:2]]
    for language in dict.fromkeys(lang.split("+")):
        path = Path(found[1]) / f"{language}.traineddata"
        if not path.is_file():
            package = language.rpartition("/")[2].lower().replace("_", "-")
            raise MissingDependencyError(
                f"Tesseract has no language {language!r} in {path.parent}: "
                f"apt-get install tesseract-ocr-{package}"
            )
        parts.append(f"{language} {file_digest(path)}")
    return ", ".join(parts)


def _ask(program: str, option: str) -> str:
    """Standard output of ``tesseract OPTION`` (before 4.0: on standard error)."""
    done = subprocess.run([program, option], capture_output=True, text=True, errors="replace")
    return done.stdout or done.stderr


_lock = threading.Lock()
_users = 0
_before: str | None = None


@contextmanager
def _one_thread() -> Iterator[None]:
    """Hold Tesseract to one thread: four cost it four times the time of one.

    pytesseract hands on our environment, and a limit that stayed there would slow down
    whatever else of this process reads it (torch, say).
    """
    global _users, _before
    with _lock:
        if _users == 0:
            _before = os.environ.get("OMP_THREAD_LIMIT")
            os.environ["OMP_THREAD_LIMIT"] = "1"
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                del os.environ["OMP_THREAD_LIMIT"]
                if _before is not None:
                    os.environ["OMP_THREAD_LIMIT"] = _before
