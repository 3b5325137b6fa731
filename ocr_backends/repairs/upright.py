"""Turns a page upright: quarter turns by Tesseract's orientation detection, then its skew."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np

from ocr_backends._tesseract_library import (
    PageSettings,
    library_version,
    pick_library,
    read_words,
    tessdata,
    traineddata_digests,
)
from ocr_backends.repairs.lines import Line, letter_lines, whiten
from ocr_backends.repairs.proof import confident_words, is_better
from ohr.documents.osd import INSTALL, Orientation, detect_orientation
from ohr.errors import MissingDependencyError
from ohr.plugins import ImageRepair, Params
from ohr.types import Word

LARGEST_SKEW = 15.0
"""Degrees."""
LEAST_SKEW = 0.15
"""Degrees below which nothing is turned: a rotation blurs."""
FEWEST_LINES, FEWEST_LETTERS = 3, 40
"""Lines and letters from which a skew is known."""
SAME_SLOPE = 2.0
"""Degrees within which lines agree: those of a page in perspective differ by so much."""
AGREEING = 0.6
"""Least share of the lines, by their length, that agree."""
SURE = 3.0
"""Least confidence of Tesseract's orientation at which no other sign is looked for."""
SURE_WORD, LANGUAGE = 0.75, 0.6
"""Confidence of a word, and least share of the letters in words of it, on a page in a language that
Tesseract knows."""
SIDEWAYS = 2.0
"""How many times more letters lie in lines that run down than across on a page that lies on its
side."""
LANGUAGES = {
    "Latin": ("eng", "Latin", "script/Latin", "deu", "fra", "spa", "ita", "por", "nld"),
    "Fraktur": ("deu_frak", "frk", "Fraktur", "script/Fraktur"),
    "Greek": ("ell", "Greek", "script/Greek"),
    "Cyrillic": ("rus", "ukr", "bul", "srp", "bel", "Cyrillic", "script/Cyrillic"),
    "Arabic": ("ara", "fas", "urd", "Arabic", "script/Arabic"),
    "Hebrew": ("heb", "Hebrew", "script/Hebrew"),
    "Devanagari": ("hin", "mar", "nep", "Devanagari", "script/Devanagari"),
    "Bengali": ("ben", "asm", "Bengali", "script/Bengali"),
    "Tamil": ("tam", "Tamil", "script/Tamil"),
    "Telugu": ("tel", "Telugu", "script/Telugu"),
    "Kannada": ("kan", "Kannada", "script/Kannada"),
    "Malayalam": ("mal", "Malayalam", "script/Malayalam"),
    "Thai": ("tha", "Thai", "script/Thai"),
    "Georgian": ("kat", "Georgian", "script/Georgian"),
    "Armenian": ("hye", "Armenian", "script/Armenian"),
    "Han": ("chi_sim", "chi_tra", "jpn", "HanS", "HanT", "script/HanS", "script/HanT"),
    "Japanese": ("jpn", "Japanese", "script/Japanese"),
    "Korean": ("kor", "Hangul", "script/Hangul"),
}
"""Traineddata with which a page in each of OSD's scripts is read, the first that is installed."""


class Upright(ImageRepair[Params]):
    """Turns a page by quarter turns and by its skew, so that its lines are level."""

    name = "upright"
    version = "3"

    def repair(self, image: np.ndarray) -> np.ndarray:
        return upright(image)

    def proposals(self, image: np.ndarray) -> Sequence[np.ndarray]:
        return proposals(image)

    def identity(self) -> dict[str, object]:
        """Also the version of Tesseract and its models, which detect the orientation and read."""
        return super().identity() | {"tesseract": tesseract_version()}


def upright(image: np.ndarray) -> np.ndarray:
    """The page turned so that its text lines are level and read from the left.

    ``image`` is uint8, ``(h, w)`` grey or ``(h, w, 3)`` RGB; it is returned as it is if its
    orientation is not known. A turn has to prove itself: Tesseract reads more words, or, in a
    script that no installed traineddata reads, its orientation detection is sure. Raises
    MissingDependencyError without Tesseract, EngineError if Tesseract fails.
    """
    orientation = detect_orientation(whiten(image))
    pages = _proposals(image, orientation)
    if not pages:
        return image
    settings = _settings(orientation)
    if settings is None:
        # Nothing can be read: the detection alone decides, and its page is proposed first.
        sure = orientation is not None and orientation.is_sure
        if sure and orientation is not None and orientation.turns:
            return pages[0]
        # Marks of a page on its side can look like slanted lines.
        upright_already = orientation is not None and not orientation.turns
        is_known = upright_already and orientation is not None and orientation.confidence >= SURE
        level = _level(image) if is_known else None
        return image if level is None else level
    library = pick_library("pytesseract")
    best, words = image, confident_words(read_words(library, settings, image))
    for page in pages:
        read = read_words(library, settings, page)
        if is_better(words, confident_words(read)) and _is_language(read):
            best, words = page, confident_words(read)
    return best


def _is_language(words: Sequence[Word]) -> bool:
    """Whether most letters are in words that Tesseract is sure of: a script that it does not know,
    such as Armenian upside down, it reads as doubtful Latin.
    """
    sure = sum(len(word.text) for word in words if word.confidence >= SURE_WORD)
    return sure >= LANGUAGE * sum(len(word.text) for word in words)


def proposals(image: np.ndarray) -> list[np.ndarray]:
    """Pages that may be upright, the likeliest first; empty if the page seems to be.

    Raises what :func:`upright` does.
    """
    return _proposals(image, detect_orientation(whiten(image)))


def _proposals(image: np.ndarray, orientation: Orientation | None) -> list[np.ndarray]:
    pages = []
    for turns in _turns(image, orientation):
        turned = np.ascontiguousarray(np.rot90(image, -turns)) if turns else image
        level = _level(turned)
        pages += [] if level is None else [level]
        pages += [turned] if turns else []
    return pages


def _turns(image: np.ndarray, orientation: Orientation | None) -> list[int]:
    """Quarter turns clockwise that may make a page upright, the likeliest first; 0 is none."""
    if orientation is not None and orientation.turns:
        return [orientation.turns, 0]
    if orientation is not None and orientation.confidence >= SURE:
        return [0]
    across, down = (
        sum(len(line.boxes) for line in agreeing(letter_lines(page)))
        for page in (image, np.ascontiguousarray(np.rot90(image)))
    )
    lies = down >= FEWEST_LETTERS and down > SIDEWAYS * across
    return [1, 3, 0] if lies else [0]


def _level(image: np.ndarray) -> np.ndarray | None:
    """The page with level lines; None if they are level."""
    angle = skew(image)
    if abs(angle) < LEAST_SKEW:
        return None
    height, width = image.shape[:2]
    matrix = cv2.getRotationMatrix2D(((width - 1) / 2, (height - 1) / 2), angle, 1.0)
    # The corners must stay on the page: text may reach into them.
    cosine, sine = abs(matrix[0, 0]), abs(matrix[0, 1])
    wide, high = (
        math.ceil(width * cosine + height * sine),
        math.ceil(width * sine + height * cosine),
    )
    matrix[:, 2] += (wide - width) / 2, (high - height) / 2
    level: np.ndarray = cv2.warpAffine(
        image, matrix, (wide, high), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    return level


def _settings(orientation: Orientation | None) -> PageSettings | None:
    """How a page in that script is read; None if no installed traineddata reads it."""
    script = "Latin" if orientation is None else orientation.script
    folder = tessdata("pytesseract")
    for name in LANGUAGES.get(script, ()):
        if (folder / f"{name}.traineddata").is_file():
            return PageSettings(languages=(name,), psm=3, oem=3, dpi=None)
    return None


def tesseract_version() -> str:
    """The versions of Tesseract and of its models. Raises MissingDependencyError without them."""
    try:
        library = pick_library("pytesseract")
        folder = tessdata(library)
        names = dict.fromkeys(name for names in LANGUAGES.values() for name in names)
        readers = [name for name in names if (folder / f"{name}.traineddata").is_file()]
        digests = traineddata_digests(library, ("osd", *readers))
        return ", ".join([library_version(library), *digests])
    except MissingDependencyError as error:
        raise MissingDependencyError(f"upright: {error} ({INSTALL})") from error


def skew(image: np.ndarray) -> float:
    """Degrees anticlockwise by which a page must be turned for its lines to be level.

    The slope of its lines of letters, dark or light: strokes, borders, hatching and charts do not
    count. 0 with too few lines, if they do not agree, or beyond :data:`LARGEST_SKEW`.
    """
    lines = agreeing(letter_lines(image))
    if len(lines) < FEWEST_LINES or sum(len(line.boxes) for line in lines) < FEWEST_LETTERS:
        return 0.0
    angle = _median_angle(lines)
    return angle if abs(angle) < LARGEST_SKEW else 0.0


def agreeing(lines: Sequence[Line]) -> list[Line]:
    """The lines whose slopes are near the middle one; empty if they are too few of all."""
    if not lines:
        return []
    middle = _median_angle(lines)
    near = [line for line in lines if abs(_degrees(line) - middle) <= SAME_SLOPE]
    share = sum(line.length for line in near) / sum(line.length for line in lines)
    return near if share >= AGREEING else []


def _degrees(line: Line) -> float:
    return math.degrees(math.atan(line.slope))


def _median_angle(lines: Sequence[Line]) -> float:
    """The middle of the lines' angles in degrees, each weighted by its length."""
    ordered = sorted((_degrees(line), line.length) for line in lines)
    half = sum(length for _, length in ordered) / 2
    reached = 0.0
    for angle, length in ordered:
        reached += length
        if reached >= half:
            return angle
    return 0.0
