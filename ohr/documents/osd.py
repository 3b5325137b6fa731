"""Tesseract's detection of orientation and script (OSD)."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from ohr.errors import EngineError, MissingDependencyError
from ohr.workers.one_thread import one_thread

INSTALL = "apt-get install tesseract-ocr tesseract-ocr-osd; pip install pytesseract"
SURE_ALONE = 12.0
"""Least confidence at which a turn is believed without another sign of it. On pages in 44 writing
systems, in four turns each, no wrong turn had more than 8: scripts that Tesseract's model does not
have, such as Armenian and Tifinagh, which it takes for Latin or Cyrillic upside down."""
DOUBTFUL = ("Latin", "Fraktur", "Katakana", "Hiragana", "Common", "")
"""Scripts that are never believed alone: scripts that the model does not have are taken for Latin,
and Latin has better signs, as its letters stand on a line and any engine reads it."""
SURE_OF_SCRIPT = 5.0
"""Least confidence in the turns at which the script of an upright page is believed, chosen on
photographs of 11 documents. No page in Latin was then taken for another script, nor any of 35
receipts and of pages in 19 scripts, which did not choose it. Some scripts that the model does not
know, such as Georgian, were taken for others that are not Latin either."""
_LIKE_LATIN = frozenset({"Cyrillic", "Greek"})
"""Scripts that need :data:`SURE_ALONE`: photographed German was taken for Cyrillic at 8.5."""
_NEVER = frozenset({*DOUBTFUL, "Armenian", "Cherokee"})
"""Scripts that say nothing: the page may be in Latin."""
_WRITING_SYSTEMS = {
    "Han": "Chinese and Japanese",
    "Japanese": "Chinese and Japanese",
    "Korean": "Hangul",
    "Canadian_Aboriginal": "Canadian",
}


@dataclass(frozen=True)
class Orientation:
    """``turns``: quarter turns clockwise that make the page upright, 0 to 3, by Tesseract.

    ``confidence`` of the turns and ``script_confidence`` are Tesseract's, from 0, without an upper
    bound. ``script`` is its name, such as ``Latin``, ``Han`` or ``Arabic``.
    """

    turns: int
    confidence: float
    script: str
    script_confidence: float

    @property
    def is_sure(self) -> bool:
        """Whether the turns can be believed without another sign."""
        return self.confidence >= SURE_ALONE and self.script not in DOUBTFUL

    @property
    def writing_system(self) -> str:
        """The writing system, named as :func:`ohr.markup.writing_systems.writing_system` does.

        Empty if it is not sure, or may be Latin.
        """
        least = SURE_ALONE if self.script in _LIKE_LATIN else SURE_OF_SCRIPT
        if self.turns or self.confidence < least or self.script in _NEVER:
            return ""
        return _WRITING_SYSTEMS.get(self.script, self.script)


def missing_parts() -> str:
    """What is not installed for :func:`detect_orientation`, with the command that installs it."""
    try:
        detect_orientation(np.full((64, 64), 255, np.uint8))
    except MissingDependencyError as error:
        return str(error)
    return ""


def detect_orientation(image: np.ndarray) -> Orientation | None:
    """Orientation and script of a page image (uint8, grey or RGB); None with too few letters.

    Raises MissingDependencyError without pytesseract, Tesseract or its ``osd.traineddata``, and
    EngineError if Tesseract fails.
    """
    try:
        import pytesseract
    except ImportError as error:
        raise MissingDependencyError(f"orientation needs pytesseract: {INSTALL}") from error
    try:
        with one_thread():
            report = pytesseract.image_to_osd(image, config="--dpi 150")
    except pytesseract.TesseractNotFoundError as error:
        raise MissingDependencyError(f"orientation needs Tesseract: {INSTALL}") from error
    except pytesseract.TesseractError as error:
        if "osd.traineddata" in str(error):
            raise MissingDependencyError(f"orientation needs osd.traineddata: {INSTALL}") from error
        if "Too few characters" not in str(error):
            raise EngineError(f"orientation detection failed: {error}") from error
        return None
    fields = {
        name: re.search(rf"{name}: (\S+)", report)
        for name in ("Rotate", "Orientation confidence", "Script", "Script confidence")
    }
    turn, confidence, script, of_script = (match[1] if match else "" for match in fields.values())
    try:
        return Orientation(int(turn) // 90 % 4, float(confidence), script, float(of_script or "0"))
    except ValueError:  # Tesseract writes no number where it knows nothing
        return None
