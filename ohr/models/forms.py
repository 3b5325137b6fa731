"""What ``model`` names, in one place for all plug-ins: a folder, an ONNX or GGUF file, a server."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from ohr.errors import MissingDependencyError

Form = Literal["folder", "onnx", "gguf", "server"]
DESCRIPTIONS: dict[Form, str] = {
    "folder": "a folder with a checkpoint (config.json and weights), or its hub name owner/name in "
    "the local cache",
    "onnx": "an ONNX file (.onnx) or its folder",
    "gguf": "a GGUF file (.gguf)",
    "server": "a server, as http://HOST:8000/v1#NAME",
}
_ADDRESSES = ("http://", "https://")
_WEIGHTS = ("*.safetensors", "*.bin")
_ONNX_PLACES = ("model.onnx", "onnx/model.onnx")
"""Where exporters write the model in a checkpoint's folder."""


def form_of(model: str) -> Form:
    """The form of a model by its name, and for a folder by what is in it.

    What is none of the forms counts as a folder: looking for it raises an error.
    """
    if is_address(model):
        return "server"
    try:
        path = Path(model).expanduser()
        match path.suffix.lower():
            case ".onnx":
                return "onnx"
            case ".gguf":
                return "gguf"
        if path.is_dir() and onnx_file(path) and not has_weights(path):
            return "onnx"
    except (OSError, RuntimeError):  # no name of a file, or of a user
        return "folder"
    return "folder"


def is_address(model: str) -> bool:
    """Whether a model is named by the address of its server."""
    return model.lower().startswith(_ADDRESSES)


def split_address(model: str) -> tuple[str, str]:
    """The address and the served name of ``http://HOST:8000/v1#NAME``.

    Raises ValueError without a name; it does not quote the address, which may contain a key.
    """
    address, _, name = model.partition("#")
    if not name:
        raise ValueError(
            "an address without the model's name: write it after '#', as in "
            "http://HOST:8000/v1#NAME (ohr check-server prints it)"
        )
    return address, name


def has_weights(folder: Path) -> bool:
    """Whether a folder has weights that torch loads."""
    return any(next(folder.glob(pattern), None) for pattern in _WEIGHTS)


def onnx_file(path: Path) -> Path | None:
    """The ONNX file that a path names: itself, or the model in a folder; None if there is none."""
    if not path.is_dir():
        return path if path.is_file() else None
    for place in _ONNX_PLACES:
        if (path / place).is_file():
            return path / place
    files = [*path.glob("*.onnx")]
    return files[0] if len(files) == 1 else None


def no_model(user: str, model: str, forms: tuple[Form, ...]) -> MissingDependencyError:
    """The error for a model that is in none of the forms that a plug-in takes."""
    shown = "an address" if is_address(model) else repr(model)
    words = [DESCRIPTIONS[form] for form in forms]
    takes = ", ".join(words[:-1]) + " or " * (len(words) > 1) + words[-1]
    lack = f"{shown} cannot be used" if _exists(model) else f"no checkpoint folder or file {shown}"
    return MissingDependencyError(f"{user}: model: {lack}: name {takes}")


def _exists(model: str) -> bool:
    try:
        return is_address(model) or Path(model).expanduser().exists()
    except (OSError, RuntimeError):
        return False
