"""Turns a page upright: quarter turns by Tesseract's orientation detection, then its skew."""

from __future__ import annotations

import math
import re

import cv2
import numpy as np

from ocr_backends._tesseract_library import library_version, pick_library, traineddata_digests
from ohr.documents.orientation import turn_of
from ohr.errors import EngineError, MissingDependencyError
from ohr.plugins import ImageRepair, Params

INSTALL = "apt-get install tesseract-ocr tesseract-ocr-osd; pip install pytesseract"
LARGEST_SKEW = 15.0
"""Degrees."""
STEP, FINE_STEP = 1.0, 0.1
SEARCHED = 1000
"""Longer side in pixels of the picture in which the skew is searched."""
LEAST_SKEW = 0.15
"""Degrees below which nothing is turned: a rotation blurs."""
SURE = 3.0
"""Least confidence of Tesseract's orientation for a quarter turn. On 13 photographs and 5 digital
pages, those turned wrongly had at most 2.6, those turned rightly at least 3.2."""
SURE_UPSIDE_DOWN = 6.0
"""The same for a half turn that the letters do not show (:mod:`ohr.documents.orientation`).
Of 12 strongly blurred upright pages, three had 3.1 to 3.7 for a half turn."""
INSIDE = 0.06
"""Part of each side that the skew does not count: edges of the paper."""
CLEARER = 1.15
"""How much more the rows of ink must differ at the skew than they do level."""


class Upright(ImageRepair[Params]):
    """Turns a page by quarter turns and by its skew, so that its lines are level."""

    name = "upright"
    version = "2"

    def repair(self, image: np.ndarray) -> np.ndarray:
        return upright(image)

    def identity(self) -> dict[str, object]:
        """Also the version of Tesseract and its model, which detect the orientation."""
        return super().identity() | {"tesseract": tesseract_version()}


def upright(image: np.ndarray) -> np.ndarray:
    """The page turned so that its text lines are level and read from the left.

    ``image`` is uint8, ``(h, w)`` grey or ``(h, w, 3)`` RGB; it is returned as it is if its
    orientation is not known. Raises MissingDependencyError without Tesseract, EngineError if
    Tesseract fails.
    """
    turns = quarter_turns(image)
    turned = np.ascontiguousarray(np.rot90(image, -turns)) if turns else image
    angle = skew(turned)
    if abs(angle) < LEAST_SKEW:
        return turned
    height, width = turned.shape[:2]
    matrix = cv2.getRotationMatrix2D(((width - 1) / 2, (height - 1) / 2), angle, 1.0)
    level: np.ndarray = cv2.warpAffine(
        turned, matrix, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    return level


def tesseract_version() -> str:
    """The versions of Tesseract and of its model. Raises MissingDependencyError without them."""
    try:
        library = pick_library("pytesseract")
        return ", ".join([library_version(library), *traineddata_digests(library, ("osd",))])
    except MissingDependencyError as error:
        raise MissingDependencyError(f"upright: {error} ({INSTALL})") from error


def quarter_turns(image: np.ndarray) -> int:
    """The quarter turns clockwise that make a page upright; 0 if Tesseract is not sure."""
    try:
        import pytesseract
    except ImportError as error:
        raise MissingDependencyError(f"upright needs pytesseract: {INSTALL}") from error
    try:
        report = pytesseract.image_to_osd(image, config="--dpi 150")
    except pytesseract.TesseractNotFoundError as error:
        raise MissingDependencyError(f"upright needs Tesseract: {INSTALL}") from error
    except pytesseract.TesseractError as error:
        if "osd.traineddata" in str(error):
            raise MissingDependencyError(f"upright needs osd.traineddata: {INSTALL}") from error
        if "Too few characters" not in str(error):
            raise EngineError(f"orientation detection failed: {error}") from error
        return 0
    turn = re.search(r"Rotate: (\d+)", report)
    confidence = re.search(r"Orientation confidence: ([\d.]+)", report)
    if turn is None or confidence is None or float(confidence[1]) < SURE:
        return 0
    turns = int(turn[1]) // 90 % 4
    if turns == 2 and float(confidence[1]) < SURE_UPSIDE_DOWN and turn_of(image) != 180:
        return 0
    return turns


def skew(image: np.ndarray) -> float:
    """Degrees anticlockwise by which a page must be turned for its lines to be level.

    The angle at which the rows of ink differ most (Postl, Detection of linear oblique structures
    and skew scan in digitized documents, 1986). 0 if they hardly differ more than level, or most
    beyond :data:`LARGEST_SKEW`.
    """
    grey = image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    scale = min(1.0, SEARCHED / max(grey.shape))
    small = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    background = cv2.medianBlur(cv2.dilate(small, np.ones((9, 9), np.uint8)), 21)
    ink = 255 - cv2.divide(small, background, scale=255)
    ink[ink < 40] = 0
    rim_y, rim_x = (round(INSIDE * side) for side in ink.shape)
    ink = ink[rim_y : ink.shape[0] - rim_y, rim_x : ink.shape[1] - rim_x]
    if not ink.any():
        return 0.0
    rough, score = _best(ink, np.arange(-LARGEST_SKEW, LARGEST_SKEW + STEP / 2, STEP))
    _, level = _best(ink, np.zeros(1))
    if abs(rough) >= LARGEST_SKEW or score < level:
        return 0.0
    fine, score = _best(ink, rough + np.arange(-STEP, STEP + FINE_STEP / 2, FINE_STEP))
    return fine if score >= CLEARER * level else 0.0


def _best(ink: np.ndarray, angles: np.ndarray) -> tuple[float, float]:
    """The angle whose rows have the most unequal sums of ink, and how unequal they are."""
    rows, columns = np.nonzero(ink)
    if len(rows) > 40_000:
        chosen = np.linspace(0, len(rows) - 1, 40_000).astype(np.intp)
        rows, columns = rows[chosen], columns[chosen]
    weights = ink[rows, columns].astype(np.float64)
    middle = columns - ink.shape[1] / 2
    scores = []
    for angle in angles:
        radians = math.radians(float(angle))
        level = rows * math.cos(radians) - middle * math.sin(radians)
        places = np.rint(level - level.min()).astype(np.intp)
        sums = np.bincount(places, weights)
        scores.append(float((np.diff(sums) ** 2).sum()))
    place = int(np.argmax(scores))
    return float(angles[place]), scores[place]
