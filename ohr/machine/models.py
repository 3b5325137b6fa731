"""The model folders that are here: what each is, what can use it, its licence and dimensions.

Configuration files are read; no model is loaded and nothing is downloaded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ohr.display.columns import make_table, text_column
from ohr.display.terminal import show, terminal_table
from ohr.display.wording import counted
from ohr.documents.rapidocr_models import models_folder
from ohr.files.bounded import read_bounded
from ohr.files.safe_text import plain
from ohr.models.forms import form_of

_MOST = 4_000_000
_DEPTH = 3
_FILES = {".onnx": "ONNX files", ".gguf": "GGUF file"}
_LICENCE = re.compile(r"^license:\s*([\w.+-]+)", re.MULTILINE)
_LICENCE_FILES = ("LICENSE", "LICENSE.txt", "LICENSE.md", "LICENCE", "NOTICE")
_ANSWERS = ("ForCausalLM", "ForConditionalGeneration", "ForImageTextToText")
_BGE_HEADS = ("colbert_linear.pt", "sparse_linear.pt")
_WIDTHS = ("hidden_size", "d_model", "n_embd", "dim")


@dataclass(frozen=True)
class ModelEntry:
    """A model; a field that nothing states is empty."""

    name: str
    kind: str
    """The ``model_type`` of its configuration, or the kind of its files."""
    use: str
    """A plug-in that takes it."""
    needs: str
    """The extra that this plug-in needs."""
    dimensions: str
    licence: str


def models_in(folder: Path) -> list[ModelEntry]:
    """The models in a folder and up to three levels below, by name."""
    return [_entry(each, folder) for each in sorted(_model_folders(folder, _DEPTH))]


def _model_folders(folder: Path, depth: int) -> Iterator[Path]:
    try:
        content = sorted(folder.iterdir())
    except OSError:
        return
    names = {path.name for path in content}
    exported = folder / "onnx" / "model.onnx"  # beside the tokenizer
    files = any(path.suffix in _FILES for path in content)
    if "config.json" in names or files or exported.is_file():
        yield folder
    elif depth:
        for path in content:
            if path.is_dir() and not path.is_symlink():
                yield from _model_folders(path, depth - 1)


def _entry(folder: Path, root: Path) -> ModelEntry:
    config = _json(folder / "config.json")
    kind, dimensions = str(config.get("model_type", "")), _dimensions(config)
    suffixes = {path.suffix for path in folder.iterdir()}
    if form_of(str(folder)) == "onnx":
        suffixes.add(".onnx")
    files = [kind_of for suffix, kind_of in _FILES.items() if suffix in suffixes]
    use, needs = _use(folder, config, suffixes)
    name = folder.relative_to(root).as_posix() if folder != root else folder.resolve().name
    return ModelEntry(name, kind or ", ".join(files), use, needs, dimensions, _licence(folder))


def _use(folder: Path, config: dict[str, Any], suffixes: set[str]) -> tuple[str, str]:
    architectures = config.get("architectures")
    names = [str(name) for name in architectures] if isinstance(architectures, list) else []
    if form_of(str(folder)) == "onnx" and (folder / "tokenizer.json").is_file():
        return _use_of_onnx(folder, names), "dense"
    if all((folder / head).is_file() for head in _BGE_HEADS):
        return "retriever bge_m3", "dense"
    if (folder / "modules.json").is_file():
        return "retriever sentence_transformers", "dense"
    if "num_mel_bins" in config:  # it listens
        return "", ""
    if any(name.endswith(_ANSWERS) for name in names) or ".gguf" in suffixes:
        return "reader transformers", "llm"
    if any(name.endswith("ForSequenceClassification") for name in names):
        return "retriever rerank", "dense"
    if any(name.endswith("ForMaskedLM") for name in names):
        return "retriever splade", "dense"
    if any(name.endswith("Model") for name in names):
        return "retriever sentence_transformers", "dense"
    if names:
        return "", ""
    return ("engine rapidocr", "") if ".onnx" in suffixes and not config else ("", "")


def _use_of_onnx(folder: Path, architectures: list[str]) -> str:
    """The plug-in for an ONNX file beside a tokenizer, by its configuration: it is not opened."""
    if any(name.endswith("ForSequenceClassification") for name in architectures):
        return "retriever rerank_onnx"
    if (folder / "1_Pooling").is_dir() or any(name.endswith("Model") for name in architectures):
        return "retriever onnx_embeddings"
    return ""


def _dimensions(config: dict[str, Any]) -> str:
    inner = config.get("text_config")
    for part in (config, inner if isinstance(inner, dict) else {}):
        for name in _WIDTHS:
            if isinstance(part.get(name), int):
                return f"{part[name]:,}"
    return ""


def _licence(folder: Path) -> str:
    readme = _text(folder / "README.md")
    if named := _LICENCE.search(readme[:5000]):
        return named[1]
    return next((f"see {name}" for name in _LICENCE_FILES if (folder / name).is_file()), "")


def _json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(_text(path) or "{}")
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _text(path: Path) -> str:
    try:
        return read_bounded(path, _MOST).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""


_COLUMNS = tuple(
    text_column(name, heading)
    for name, heading in (
        *(("name", "model"), ("kind", "kind"), ("use", "for"), ("needs", "extra")),
        *(("dimensions", "dimensions"), ("licence", "licence")),
    )
)


def list_models(folders: list[Path] | None) -> int:
    """Print the models in folders, by default where models are first looked for; returns 0."""
    for folder in folders or [models_folder()]:
        entries = models_in(folder)
        if not entries:
            print(plain(f"{folder}: no model; OHR_MODELS names another folder"))
            continue
        rows = [{name: plain(text) for name, text in vars(entry).items()} for entry in entries]
        show(terminal_table(make_table(_COLUMNS, rows)))
        print(plain(f"{counted(len(entries), 'model')} in {folder}"))
    return 0
