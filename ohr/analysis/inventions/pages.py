"""Pages whose words and places are known, to be covered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ohr.datasets.line_boxes import BOX_SUFFIXES, lines_of
from ohr.documents.images import load_image
from ohr.documents.pdf import render, words_of_page
from ohr.errors import DatasetError, EngineError
from ohr.files.bounded import read_bounded
from ohr.ocr.sources import PageSource
from ohr.types import PageRef

Box = tuple[float, float, float, float]
"""Left, top, right, bottom in pixels of the page image."""
_SAME_LINE = 0.5
"""Two boxes that share so much of the lower one's height are on one line."""
_COLUMN_GAP = 4.0
"""Words further apart than so many heights are of different columns."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Words in one box: a word, or a whole line where the data have boxes of lines only.

    ``line`` numbers the lines of the page; pieces of one line follow one another.
    """

    text: str
    box: Box
    line: int


@dataclass(frozen=True)
class SourcePage:
    """A page to test engines on; without ``pieces``, nothing of it can be covered."""

    source: PageSource
    ref: PageRef
    pieces: Sequence[Piece] = ()

    @property
    def name(self) -> str:
        """``domain/document, page 3``."""
        return f"{self.ref.doc_id}, page {self.ref.page_no + 1}"

    def image(self) -> np.ndarray:
        """The page image: uint8, grey ``(h, w)`` or RGB ``(h, w, 3)``. Raises EngineError."""
        source = self.source
        if source.is_pdf:
            return render(source.path, source.page_no or 0, source.dpi)
        return load_image(source.path, source.frame)


def layer_pieces(source: PageSource) -> list[Piece]:
    """The words of a PDF page's text layer, by line. Raises EngineError."""
    return number_lines(words_of_page(source.path, source.page_no or 0, source.dpi))


def read_boxes(path: Path) -> list[Piece]:
    """The lines or words of an image, as :func:`ohr.datasets.line_boxes.lines_of` reads them.

    Raises DatasetError.
    """
    try:
        lines = lines_of(read_bounded(path), path.suffix.lower())
    except (OSError, ValueError, RecursionError) as error:
        raise DatasetError(f"{path.name} is no file of lines with their boxes: {error}") from error
    return number_lines([(line.text, line.box) for line in lines])


def number_lines(words: Sequence[tuple[str, Box]]) -> list[Piece]:
    """The words with the number of their line; a wide gap, as between columns, ends a line."""
    pieces: list[Piece] = []
    line = -1
    before: Box | None = None
    for text, box in words:
        if not text.strip():
            continue
        if before is None or not _continues(before, box):
            line += 1
        pieces.append(Piece(text, box, line))
        before = box
    return pieces


def _continues(before: Box, box: Box) -> bool:
    height = min(before[3] - before[1], box[3] - box[1])
    shared = min(before[3], box[3]) - max(before[1], box[1])
    gap = box[0] - before[2]
    return shared >= _SAME_LINE * height and -height <= gap <= _COLUMN_GAP * max(height, 1.0)


def boxes_file(folder: Path, source: PageSource) -> Path:
    """The file of an image's boxes, with the image's name, in the folder or below it.

    Raises EngineError if there is none.
    """
    stem = source.path.stem
    for suffix in BOX_SUFFIXES:
        name = f"{stem}{suffix}"
        if (folder / name).is_file():
            return folder / name
        if below := sorted(folder.rglob(name)):
            return below[0]
    raise EngineError(f"no file {stem}.json, .txt or .csv in {folder}")
