"""RapidOCR's models, as they come in its wheel.

They are named wherever RapidOCR is made, since it downloads a model that it does not find.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

from ohr.errors import MissingDependencyError

INSTALL = "pip install 'rapidocr>=3.10' onnxruntime"
DETECTOR = "PP-OCRv6_det_small.onnx"
RECOGNISER = "PP-OCRv6_rec_small.onnx"


def model_path(name: str) -> Path:
    """A model of the wheel. Raises MissingDependencyError."""
    package = importlib.util.find_spec("rapidocr")
    if package is None or not package.submodule_search_locations:
        raise MissingDependencyError(f"RapidOCR is not installed: {INSTALL}")
    path = Path(package.submodule_search_locations[0]) / "models" / name
    if not path.is_file():
        raise MissingDependencyError(
            f"RapidOCR's model {name} is not installed: pip install --force-reinstall rapidocr"
        )
    return path
