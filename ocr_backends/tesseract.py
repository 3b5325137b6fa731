"""Tesseract, one thread: its library keeps the model loaded; the program is a process per page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import Field, field_validator

from ocr_backends._tesseract_layout import hocr_to_markdown
from ocr_backends._tesseract_library import (
    INSTALL,
    Library,
    PageSettings,
    library_version,
    pick_library,
    read_page,
    read_page_and_words,
    read_words,
    tessdata,
    traineddata_digests,
    unusable_library,
)
from ocr_backends._traineddata import characters_of
from ocr_backends.normalise import Normalise, finished
from ohr import plugins
from ohr.plugins import OcrBackend
from ohr.types import Outcome, Word

ISO = {"chi": "zh", "deu": "de", "eng": "en", "fra": "fr", "ita": "it", "jpn": "ja", "kor": "ko",
       "nld": "nl", "por": "pt", "rus": "ru", "spa": "es", "ara": "ar"}  # fmt: skip
"""ISO 639-1 codes of the commonest traineddata."""
_NAME = re.compile(r"\w[\w.-]*")


class TesseractParams(plugins.Params):
    """Options of Tesseract.

    ``languages``: traineddata names, ``[eng, chi_sim]`` or ``eng+chi_sim``. ``layout``: Markdown
    with headings and whole paragraphs instead of lines. ``psm``: page segmentation mode; 3 (fully
    automatic) is Tesseract's own default, 0 and 2 give no text. ``oem``: engine mode; 3 takes what
    the traineddata has. ``dpi``: passed to Tesseract only if set; otherwise it estimates the
    resolution. ``library``: ``auto`` is ``libtesseract``, the library that comes with the program
    and reads the same text without a process per page; where it cannot be loaded or has another
    version than the program, ``tesserocr`` where that is installed, else ``pytesseract``, the
    program. tesserocr brings a Tesseract of its own: versions do not read all pages alike, and are
    part of the identity.
    ``tessdata``: a folder of traineddata to use instead of the installed one, such as Tesseract's
    best, fast or legacy models; with ``psm`` 1 or 12 it also needs osd.traineddata.
    """

    languages: tuple[str, ...] = Field(("eng",), min_length=1)
    layout: bool = False
    psm: Literal[1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13] = 3
    oem: Literal[0, 1, 2, 3] = 3
    dpi: int | None = Field(None, ge=70, le=2400)
    library: Literal["auto", "libtesseract", "tesserocr", "pytesseract"] = "auto"
    tessdata: Path | None = None
    normalise: Normalise = Normalise()

    @field_validator("languages", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        return tuple(value.split("+")) if isinstance(value, str) else value

    @field_validator("languages")
    @classmethod
    def _names(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for name in value:
            # An option or a path must not reach the program.
            if not all(_NAME.fullmatch(part) for part in name.split("/")):
                raise ValueError(f"{name!r} is no name of a traineddata file")
        return tuple(dict.fromkeys(value))


class Tesseract(OcrBackend[TesseractParams]):
    """Tesseract 5. It writes plain text, or headings and paragraphs: no tables, no formulas."""

    name = "tesseract"
    version = "4"
    license = "Apache-2.0"
    returns = "text"
    has_confidence = True
    install = INSTALL
    self_contained = True

    def read(self, image: np.ndarray) -> Outcome[str]:
        """Read a page image.

        Raises MissingDependencyError (program or language), ConfigError (``tessdata``).
        """
        params = self.params
        library, how = self._how()
        text = read_page(library, image, how)
        return finished(hocr_to_markdown(text) if params.layout else text, params.normalise)

    def words(self, image: np.ndarray) -> tuple[Word, ...]:
        """The words of a page image. Raises what :meth:`read` does."""
        return read_words(*self._how(), image)

    def read_with_words(self, image: np.ndarray) -> tuple[Outcome[str], tuple[Word, ...]]:
        """The text and the words of a page image. Raises what :meth:`read` does."""
        library, settings = self._how()
        text, words = read_page_and_words(library, image, settings)
        if settings.hocr:
            text = hocr_to_markdown(text)
        return finished(text, self.params.normalise), words

    def _how(self) -> tuple[Library, PageSettings]:
        library, settings = pick_library(self.params.library), self._settings()
        traineddata_digests(library, settings.traineddata, settings.tessdata)
        return library, settings

    def _settings(self) -> PageSettings:
        params = self.params
        return PageSettings(
            languages=params.languages,
            psm=params.psm,
            oem=params.oem,
            dpi=params.dpi,
            hocr=params.layout,
            tessdata=params.tessdata,
        )

    def identity(self) -> dict[str, object]:
        # The digests of the traineddata are in the version, wherever the folder is.
        params = self.params.model_dump(mode="json", exclude={"tessdata"})
        return super().identity() | {"params": params}

    def engine_version(self) -> str:
        """Versions of Tesseract and Leptonica, and digests of the traineddata.

        Raises MissingDependencyError, and ConfigError for ``tessdata``.
        """
        library, settings = pick_library(self.params.library), self._settings()
        digests = traineddata_digests(library, settings.traineddata, settings.tessdata)
        return ", ".join([library_version(library), *digests])

    def describe(self) -> str:
        if self.params.library != "auto" or not (problem := unusable_library()):
            return ""
        return f"reads by {pick_library('auto')}, because {problem}"

    def alphabet(self) -> frozenset[str]:
        """The characters of its models. Raises what :meth:`read` does."""
        library, settings = self._how()
        folder = settings.tessdata or tessdata(library)
        files = [folder / f"{name}.traineddata" for name in self.params.languages]
        return frozenset().union(*map(characters_of, files))

    def reads(self) -> tuple[str, ...]:
        return tuple(ISO.get(name.partition("_")[0], name) for name in self.params.languages)
