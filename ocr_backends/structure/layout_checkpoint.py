"""Regions of a page by an object detector: a checkpoint that transformers can load.

DETR, RT-DETR, YOLOS, Table Transformer and their kin. The DRC paper's detector, DiT with a
Cascade R-CNN head, is none: it is a checkpoint of Detectron2.
"""

from __future__ import annotations

from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ohr.errors import ConfigError
from ohr.models.checkpoints import model_type
from ohr.models.local import LocalModel, LocalModelParams

INSTALL = "pip install torch 'transformers>=5.23'"
CONFIDENCE = 0.5
"""Least confidence of a region: what transformers itself takes."""


class LayoutCheckpoint(LocalModel[LocalModelParams]):
    """A detector of layouts, loaded once."""

    name = "structured"
    install = INSTALL

    def boxes(self, image: np.ndarray) -> list[tuple[str, float, tuple[float, ...]]]:
        """Class, confidence and box (left, top, right, bottom in pixels) of each region.

        ``image``: RGB uint8 ``(h, w, 3)``. Raises MissingDependencyError and ConfigError.
        """
        model, processor = self._loaded
        inputs = processor(images=[image], return_tensors="pt", input_data_format="channels_last")
        pixels = {
            name: value.to(model.device, model.dtype if value.is_floating_point() else None)
            for name, value in inputs.items()
        }
        with self._torch.inference_mode():
            outputs = model(**pixels)
        [detections] = processor.post_process_object_detection(
            outputs, threshold=CONFIDENCE, target_sizes=[image.shape[:2]]
        )
        parts = (detections[name].float().cpu().tolist() for name in ("labels", "scores", "boxes"))
        names = model.config.id2label
        return [
            (str(names.get(int(label), label)), float(score), tuple(box))
            for label, score, box in zip(*parts, strict=True)
        ]

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        auto = self._transformers.models.auto.modeling_auto
        kinds = auto.MODEL_FOR_OBJECT_DETECTION_MAPPING_NAMES
        if (kind := model_type(self._folder)) not in kinds:
            raise ConfigError(
                f"layout: {self._folder} holds a model of type {kind!r}, which detects no objects; "
                f"take one of {', '.join(sorted(kinds))}"
            )
        with self._loading():
            processor = self._transformers.AutoImageProcessor.from_pretrained(
                self._folder, backend="pil", local_files_only=True
            )
            return self._load("AutoModelForObjectDetection"), processor


@cache
def load_checkpoint(folder: Path) -> LayoutCheckpoint:
    """The detector of a folder, loaded once in a process.

    Raises MissingDependencyError and ConfigError.
    """
    checkpoint = LayoutCheckpoint(LocalModelParams.model_validate({"model": str(folder)}))
    checkpoint._loaded  # noqa: B018  # an error of it comes before any page is read
    return checkpoint
