"""RapidOCR's models: those of its wheel, or those of a folder.

They are named wherever RapidOCR is made, since it downloads a model that it does not find.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

from ohr.errors import ConfigError, MissingDependencyError

INSTALL = "pip install 'rapidocr>=3.10' onnxruntime"
DETECTOR = "PP-OCRv6_det_small.onnx"
RECOGNISER = "PP-OCRv6_rec_small.onnx"
_CHARACTERS = b"\x0a\x09character\x12"
"""How ONNX writes the key of the metadata: field 1 with nine letters, then field 2."""


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


def models_of(folder: Path | None) -> tuple[Path, Path]:
    """Detector and recogniser: the files ``*det*.onnx`` and ``*rec*.onnx`` of a folder, or those of
    the wheel.

    Raises MissingDependencyError for the wheel's, and ConfigError for a folder that does not have
    one of each, or whose recogniser does not list its characters.
    """
    if folder is None:
        return model_path(DETECTOR), model_path(RECOGNISER)
    names = sorted(path.name for path in folder.glob("*.onnx"))
    detector, recogniser = (
        [name for name in names if part in name.lower()] for part in ("det", "rec")
    )
    if len(detector) != 1 or len(recogniser) != 1 or detector == recogniser:
        raise ConfigError(
            f"rapidocr: models {folder} must have one *det*.onnx and one *rec*.onnx; "
            f"it has {', '.join(names) or 'no .onnx file'}"
        )
    # RapidOCR would download a list of characters.
    if _CHARACTERS not in (folder / recogniser[0]).read_bytes():
        raise ConfigError(
            f"rapidocr: {folder / recogniser[0]} does not list its characters: "
            "export it with the metadata key 'character', one character a line"
        )
    return folder / detector[0], folder / recogniser[0]
