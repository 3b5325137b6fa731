"""Finds model checkpoints on this machine, without downloads, and identifies them by content."""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache
from pathlib import Path

from ohr.errors import ConfigError, MissingDependencyError
from ohr.models.forms import Form, form_of, has_weights, no_model

WHOLE_BYTES = 8 << 20
"""Files up to this size are hashed completely, larger ones by size and samples."""
SAMPLES, SAMPLE_BYTES = 64, 64 << 10
READ = {".json", ".jinja", ".txt", ".model", ".safetensors", ".bin"}
"""Suffixes of the files that loading a checkpoint may read."""
GGUF_MAGIC = b"GGUF"
HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")


def is_gguf(path: Path) -> bool:
    """Whether a path is a GGUF file, which has weights, configuration and tokenizer."""
    return path.suffix.lower() == ".gguf"


def find_checkpoint(
    user: str,
    model: str,
    revision: str | None,
    install: str,
    forms: tuple[Form, ...] = ("folder", "gguf"),
) -> Path:
    """The folder of a checkpoint, or its GGUF file, from a local path or a hub name.

    A hub name is looked up in the local cache. ``user`` is the plug-in that needs the checkpoint,
    ``install`` the command that installs its packages, ``forms`` what an error says that it takes.
    Raises MissingDependencyError with the
    command that fetches what is missing.
    """
    folder, form = Path(model).expanduser(), form_of(model)
    if form not in forms or form == "onnx":
        raise no_model(user, model, forms)
    if form == "gguf":
        return _gguf(user, folder)
    if not folder.is_dir():
        if not HUB_NAME.fullmatch(model) or folder.is_absolute():
            raise no_model(user, model, forms)
        folder = _cached(user, model, revision, install)
    if not (folder / "config.json").is_file() or not has_weights(folder):
        raise MissingDependencyError(
            f"{user}: {folder} has no "
            + ("weights" if (folder / "config.json").is_file() else "config.json")
            + f": fetch the checkpoint with: {_fetch(model, revision)}"
        )
    return folder


def _gguf(user: str, path: Path) -> Path:
    try:
        with path.open("rb") as stream:
            magic = stream.read(len(GGUF_MAGIC))
    except OSError as error:
        raise MissingDependencyError(
            f"{user}: {path} cannot be read: {error.strerror}: name an existing GGUF file"
        ) from error
    if magic != GGUF_MAGIC:
        raise MissingDependencyError(f"{user}: {path} is no GGUF file: fetch it again")
    return path


def _fetch(model: str, revision: str | None) -> str:
    name = model if HUB_NAME.fullmatch(model) else "OWNER/NAME --local-dir FOLDER"
    return f"hf download {name}" + (f" --revision {revision}" if revision else "")


def _cached(user: str, model: str, revision: str | None, install: str) -> Path:
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import LocalEntryNotFoundError
    except ImportError as error:
        raise MissingDependencyError(
            f"{user}: {error.name or error} cannot be imported: {install}"
        ) from error
    try:
        return Path(snapshot_download(model, revision=revision, local_files_only=True))
    except LocalEntryNotFoundError as error:
        raise MissingDependencyError(
            f"{user}: checkpoint {model!r} is neither a folder nor in the local cache: "
            + _fetch(model, revision)
        ) from error


def model_type(folder: Path) -> str:
    """``model_type`` of the checkpoint's configuration. Raises ConfigError."""
    try:
        name = json.loads((folder / "config.json").read_text(encoding="utf-8")).get("model_type")
    except (OSError, ValueError, AttributeError) as error:
        raise ConfigError(f"{folder / 'config.json'} cannot be read: {error}") from error
    return str(name)


def is_causal(folder: Path) -> bool:
    """Whether a checkpoint is a language model that continues a text, by its configuration."""
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        return any(str(name).endswith("ForCausalLM") for name in config["architectures"])
    except (OSError, ValueError, KeyError, TypeError):
        return False


def checkpoint_digest(folder: Path) -> str:
    """Digest of the content of a checkpoint: configuration, tokenizer and weights, or GGUF file.

    A file larger than 8 MiB counts by its size and 64 evenly spread samples of 64 KiB. This takes a
    fraction of a second for any size, and detects training, which changes every matrix.
    """
    if is_gguf(folder):
        named = [(folder, "gguf")]  # the file's name does not matter
    else:
        files = sorted(path for path in folder.iterdir() if path.suffix in READ)
        named = [(path, path.name) for path in files if path.is_file()]
    states = [(path, name, path.stat()) for path, name in named]
    return _digest(
        tuple(
            (path, name, position.st_size, position.st_mtime_ns) for path, name, position in states
        )
    )


@cache
def _digest(files: tuple[tuple[Path, str, int, int], ...]) -> str:
    """Cached by modification times too, so that a changed checkpoint is read again."""
    state = hashlib.blake2b(digest_size=16)
    for path, name, size, _ in files:
        state.update(f"{name}\0{size}\0".encode("utf-8", "surrogatepass"))
        with path.open("rb") as stream:
            if size <= WHOLE_BYTES:
                state.update(stream.read())
                continue
            for sample in range(SAMPLES):
                stream.seek((size - SAMPLE_BYTES) * sample // (SAMPLES - 1))
                state.update(stream.read(SAMPLE_BYTES))
    return state.hexdigest()
