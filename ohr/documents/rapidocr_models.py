"""RapidOCR's models: those of its wheel, PP-OCRv6 tiny, or files of your own.

They are named wherever RapidOCR is made, since it downloads a model that it does not find.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Tag

from ohr.errors import ConfigError, MissingDependencyError

INSTALL = "pip install 'rapidocr>=3.10' onnxruntime"
DETECTOR = "PP-OCRv6_det_small.onnx"
RECOGNISER = "PP-OCRv6_rec_small.onnx"
TINY = "rapidocr-tiny"
"""The folder of PP-OCRv6 tiny, and its name for the command that fetches it."""
FETCH_TINY = f"ohr dev fetch-models {TINY}"
TINY_DETECTOR = "PP-OCRv6_det_tiny.onnx"
TINY_RECOGNISER = "PP-OCRv6_rec_tiny.onnx"
TINY_DIGESTS: Mapping[str, str] = MappingProxyType(
    {
        TINY_DETECTOR: "f42c0fbd294d95eac1a550e131b277dac97462c8025fa4b6c3cec1b7894bd3d5",
        TINY_RECOGNISER: "38cd559cb4b24c5056592d981b13e086f9472db9b3c8968296f0d0c2b4a65531",
    }
)
"""SHA-256 of its files."""
FOLDER_VARIABLE = "OHR_MODELS"
"""The environment variable that names the folder of fetched models."""
CARRIER = "tinyocr"
"""The Python package that has the same files in its folder ``assets``."""
_CACHE = Path(".ohr-cache") / "models"
_CHARACTERS = b"\x0a\x09character\x12"
"""How ONNX writes the key of the metadata: field 1 with nine letters, then field 2."""


class ModelFiles(BaseModel):
    """A detector and a recogniser of PP-OCR, as ONNX files.

    ``keys``: the characters of the recogniser, one per line in UTF-8, for one that does not list
    them in its metadata.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    detector: Path
    recogniser: Path
    keys: Path | None = None

    def paths(self) -> tuple[Path, ...]:
        """Its files, two or three."""
        return tuple(filter(None, (self.detector, self.recogniser, self.keys)))


def _form(value: Any) -> str:
    if isinstance(value, Mapping | ModelFiles):
        return "files"
    return "name" if value in ("small", "tiny") else "folder"


Models = Annotated[
    Annotated[Literal["small", "tiny"], Tag("name")]
    | Annotated[ModelFiles, Tag("files")]
    | Annotated[Path, Tag("folder")],
    Discriminator(_form),
]
"""Models by name, by file, or as a folder with ``*det*.onnx`` and ``*rec*.onnx``."""


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


def find_models(models: Models = "small") -> ModelFiles:
    """The files of these models, which exist.

    Raises MissingDependencyError for ``small`` and ``tiny``. Raises ConfigError for a folder that
    does not have one detector and one recogniser, for a file that is missing, and for a recogniser
    whose characters are listed neither in its metadata nor in ``keys``, or in both.
    """
    if models == "small":
        return ModelFiles(detector=model_path(DETECTOR), recogniser=model_path(RECOGNISER))
    if models == "tiny":
        return _tiny()
    files = models if isinstance(models, ModelFiles) else _files_of(Path(models))
    for path in files.paths():
        if not path.is_file():
            raise ConfigError(f"rapidocr: models names {path}, which is no file")
    _check_characters(files)
    return files


def models_folder() -> Path:
    """Where models are fetched to and first looked for: ``$OHR_MODELS``, or in the usual cache."""
    named = os.environ.get(FOLDER_VARIABLE)
    return Path(named).expanduser() if named else _CACHE


def characters_of(files: ModelFiles) -> frozenset[str]:
    """The characters that the recogniser of these files can write."""
    if files.keys is not None:
        return frozenset(files.keys.read_text("utf-8").split("\n"))
    data = files.recogniser.read_bytes()
    place = data.find(_CHARACTERS) + len(_CHARACTERS)
    length = shift = 0
    while True:  # a variable-length integer: seven bits a byte, the lowest first
        length |= (data[place] & 0x7F) << shift
        shift, place = shift + 7, place + 1
        if not data[place - 1] & 0x80:
            break
    return frozenset(data[place : place + length].decode("utf-8").split("\n"))


def _tiny() -> ModelFiles:
    """PP-OCRv6 tiny, from the first folder that has some of it.

    Raises MissingDependencyError if there is none, or if its files are not those of PP-OCRv6 tiny.
    """
    folders = _tiny_folders()
    for folder in folders:
        if any((folder / name).exists() for name in TINY_DIGESTS):
            break
    else:
        places = " or ".join(map(str, folders))
        raise MissingDependencyError(f"PP-OCRv6 tiny is not in {places}: {FETCH_TINY}")
    for name, digest in TINY_DIGESTS.items():
        path = folder / name
        if not path.is_file():
            raise MissingDependencyError(f"PP-OCRv6 tiny has no file {path}: {FETCH_TINY}")
        actual = hashlib.sha256(path.read_bytes()).hexdigest()
        if actual != digest:
            raise MissingDependencyError(
                f"{path} is not the file of PP-OCRv6 tiny: its SHA-256 is {actual[:12]}…, not "
                f"{digest[:12]}…: {FETCH_TINY}"
            )
    return ModelFiles(detector=folder / TINY_DETECTOR, recogniser=folder / TINY_RECOGNISER)


def _tiny_folders() -> list[Path]:
    """Where PP-OCRv6 tiny is looked for, in order."""
    folders = dict.fromkeys([models_folder() / TINY, _CACHE / TINY])
    package = importlib.util.find_spec(CARRIER)
    inside = (package.submodule_search_locations if package is not None else None) or []
    return [*folders, *(Path(folder) / "assets" for folder in inside)]


def _files_of(folder: Path) -> ModelFiles:
    """The files ``*det*.onnx`` and ``*rec*.onnx`` of a folder. Raises ConfigError."""
    if not folder.is_dir():
        raise ConfigError(f"rapidocr: models {str(folder)!r} is not small, tiny, or a folder")
    names = sorted(path.name for path in folder.glob("*.onnx"))
    detector, recogniser = (
        [name for name in names if part in name.lower()] for part in ("det", "rec")
    )
    if len(detector) != 1 or len(recogniser) != 1 or detector == recogniser:
        raise ConfigError(
            f"rapidocr: models {folder} must have one *det*.onnx and one *rec*.onnx; "
            f"it has {', '.join(names) or 'no .onnx file'}"
        )
    return ModelFiles(detector=folder / detector[0], recogniser=folder / recogniser[0])


def _check_characters(files: ModelFiles) -> None:
    """Raise ConfigError unless the recogniser's characters are listed in exactly one place."""
    listed = _CHARACTERS in files.recogniser.read_bytes()
    if files.keys is None:
        # RapidOCR would download a list of characters.
        if not listed:
            raise ConfigError(
                f"rapidocr: {files.recogniser} does not list its characters: name a file of them, "
                "one per line, as keys, or export it with the metadata key 'character'"
            )
        return
    if listed:  # RapidOCR would not look at the file
        raise ConfigError(
            f"rapidocr: {files.recogniser} lists its characters itself: leave out keys {files.keys}"
        )
    try:
        text = files.keys.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"rapidocr: keys {files.keys} is not UTF-8: {error.reason}") from error
    if not text or text.startswith("\ufeff"):
        what = "is empty" if not text else "begins with a byte-order mark, which is no character"
        raise ConfigError(f"rapidocr: keys {files.keys} {what}")
