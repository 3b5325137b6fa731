"""OCR engines that read single lines again: RapidOCR's recogniser, and Tesseract where it is there.

They are witnesses about a text layer, not engines under test, so they are called here with settings
of their own, on lines that the layer has placed.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import cv2
import numpy as np

from ohr.documents.grey import grey_of
from ohr.documents.layers.scripts import main_script
from ohr.documents.pdf import render
from ohr.documents.rapidocr_models import DETECTOR, RECOGNISER, model_path
from ohr.errors import MissingDependencyError, OhrError
from ohr.workers.one_thread import one_thread

Box = tuple[float, float, float, float]
"""Left, top, right, bottom as shares of a page, in [0, 1]."""
Witness = Callable[[Sequence[np.ndarray]], list[str]]
"""The text of each picture of a line, in order."""

DPI = 200
HEIGHT = 48
"""Height in pixels to which a line is scaled; less is enlarged, more is reduced to twice it."""
MARGIN = 0.25
"""Margin around a line, as a share of its height."""
_LANGUAGES = {
    "CYRILLIC": ("rus", "ukr", "bul", "srp"),
    "GREEK": ("ell",),
    "ARABIC": ("ara", "fas", "urd"),
    "HEBREW": ("heb",),
    "DEVANAGARI": ("hin", "mar", "san"),
    "TAMIL": ("tam",),
    "THAI": ("tha",),
    "ARMENIAN": ("hye",),
    "GEORGIAN": ("kat",),
    "BENGALI": ("ben",),
    "HANGUL": ("kor",),
    "HIRAGANA": ("jpn",),
    "KATAKANA": ("jpn",),
    "CJK": ("chi_sim", "chi_tra", "jpn"),
}
_FAILURES = (OhrError, OSError, RuntimeError, ValueError)
_SEPARATOR = "\f"
"""Between the texts of two pictures in Tesseract's output."""
_RAPID_SCRIPTS = frozenset({"LATIN", "CJK", "HIRAGANA", "KATAKANA"})


def read_lines(path: Path, lines: Sequence[tuple[int, Box, str]]) -> list[dict[str, str]]:
    """What each witness reads in each line, by its name.

    A line is the 0-based page, its place, and text that is or looks like what is there, whose
    script decides which witnesses can read it. Lines that none can read are empty. Raises
    EngineError.
    """
    pages: dict[int, np.ndarray] = {}
    pictures: dict[str, dict[int, np.ndarray]] = {}
    for place, (page_no, box, text) in enumerate(lines):
        if page_no not in pages:
            pages.clear()
            pages[page_no] = grey_of(render(path, page_no, DPI))
        if (picture := _line(pages[page_no], box)) is not None:
            pictures.setdefault(main_script(text), {})[place] = picture
    return _readings(pictures, len(lines))


def read_boxes(page: np.ndarray, boxes: Sequence[tuple[Box, str]]) -> list[dict[str, str]]:
    """What each witness reads in each box of a page (uint8 grey ``(h, w)``), by its name.

    A box comes with its script, which decides which witnesses can read it. Empty for a box that is
    too small, and without those that fail on it. Raises EngineError.
    """
    pictures: dict[str, dict[int, np.ndarray]] = {}
    for place, (box, script) in enumerate(boxes):
        if (picture := _line(page, box)) is not None:
            pictures.setdefault(script, {})[place] = picture
    return _readings(pictures, len(boxes))


def _readings(pictures: Mapping[str, Mapping[int, np.ndarray]], count: int) -> list[dict[str, str]]:
    """What each witness reads in ``count`` lines, whose pictures are given by script and place."""
    readings: list[dict[str, str]] = [{} for _ in range(count)]
    for script, of_script in pictures.items():
        texts = _read(list(of_script.values()), script)
        for place, reading in zip(of_script, texts, strict=True):
            readings[place] = reading
    return readings


def _read(pictures: Sequence[np.ndarray], script: str) -> list[dict[str, str]]:
    """What each witness reads in each picture: all at once, or one by one if that fails."""
    readings: list[dict[str, str]] = [{} for _ in pictures]
    for name, witness in witnesses(script).items():
        texts: list[str] | None = None
        if len(pictures) > 1:
            with suppress(*_FAILURES):
                texts = witness(pictures)
        for place, picture in enumerate(pictures):
            # A line that a witness fails on has no text of it, and is counted as unread.
            with suppress(*_FAILURES):
                readings[place][name] = witness([picture])[0] if texts is None else texts[place]
    return readings


def _line(page: np.ndarray, box: Box) -> np.ndarray | None:
    height, width = page.shape
    tall = (box[3] - box[1]) * height
    margin = MARGIN * tall
    x0, x1 = max(int(box[0] * width - margin), 0), min(int(box[2] * width + margin) + 1, width)
    y0, y1 = max(int(box[1] * height - margin), 0), min(int(box[3] * height + margin) + 1, height)
    if x1 - x0 < 4 or y1 - y0 < 4:
        return None
    picture = page[y0:y1, x0:x1]
    if picture.mean() < 110:  # light on dark
        picture = 255 - picture
    scale = HEIGHT / (y1 - y0)
    if scale > 1 or scale < 0.5:
        scale = max(scale, 0.5) if scale < 1 else scale
        how = cv2.INTER_CUBIC if scale > 1 else cv2.INTER_AREA
        picture = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=how)
    return cv2.copyMakeBorder(picture, 6, 6, 12, 12, cv2.BORDER_CONSTANT, value=255)


@cache
def witnesses(script: str) -> Mapping[str, Witness]:
    """The witnesses that are there and read a script, by name."""
    readers: dict[str, Witness] = {}
    if script in _RAPID_SCRIPTS and (rapid := _rapidocr()) is not None:
        readers["RapidOCR"] = rapid
    if (tesseract := _tesseract(script)) is not None:
        readers["Tesseract"] = tesseract
    return readers


@cache
def _rapidocr() -> Witness | None:
    try:
        from rapidocr import RapidOCR

        engine: Any = RapidOCR(
            params={
                "Global.log_level": "critical",
                "Global.use_cls": False,
                "Global.text_score": 0.0,
                "EngineConfig.onnxruntime.intra_op_num_threads": 1,
                "EngineConfig.onnxruntime.inter_op_num_threads": 1,
                "Det.model_path": str(model_path(DETECTOR)),
                "Rec.model_path": str(model_path(RECOGNISER)),
            }
        )
    except (ImportError, MissingDependencyError):
        return None

    def read(picture: np.ndarray) -> str:
        colour = cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR)
        result = engine(colour, use_det=False, use_cls=False, use_rec=True)
        return " ".join(getattr(result, "txts", None) or ())

    return lambda pictures: [read(picture) for picture in pictures]


@cache
def _tesseract(script: str) -> Witness | None:
    languages = _tesseract_languages()
    chosen = [name for name in _LANGUAGES.get(script, ()) if name in languages][:1]
    if script == "LATIN":
        chosen = ["eng"] if "eng" in languages else sorted(languages & {"Latin", "script/Latin"})
    if not chosen:
        return None
    return partial(_tesseract_lines, chosen[0])


def language_data(script: str) -> str:
    """The language whose data Tesseract lacks for a script; empty if it has some, or none is known.

    ``script`` is the first word of the Unicode names of its letters.
    """
    names = ("eng",) if script == "LATIN" else _LANGUAGES.get(script, ())
    return names[0] if names and _tesseract(script) is None else ""


def _tesseract_lines(language: str, pictures: Sequence[np.ndarray]) -> list[str]:
    """The text of each picture, by one process: to start it takes longer than to read a line."""
    import pytesseract

    with one_thread(), TemporaryDirectory() as folder:
        names = [str(Path(folder, f"{number}.png")) for number in range(len(pictures))]
        for name, picture in zip(names, pictures, strict=True):
            if not cv2.imwrite(name, picture):
                raise OSError(f"{name} cannot be written")
        listed = Path(folder, "lines.txt")
        listed.write_text("\n".join(names), "utf-8")
        text = str(
            pytesseract.image_to_string(str(listed), lang=language, config="--psm 7", timeout=20)
        )
    # Tesseract 4 also ends the last picture's text with the separator.
    texts = text.split(_SEPARATOR)
    if len(texts) == len(pictures) + 1 and not texts[-1].strip():
        texts.pop()
    if len(texts) != len(pictures):
        raise ValueError(f"Tesseract gave {len(texts)} texts for {len(pictures)} lines")
    return [text.strip() for text in texts]


@cache
def _tesseract_languages() -> frozenset[str]:
    if shutil.which("tesseract") is None:
        return frozenset()
    try:
        import pytesseract

        return frozenset(pytesseract.get_languages())
    except (ImportError, OSError, RuntimeError):  # it is there, but does not start
        return frozenset()
