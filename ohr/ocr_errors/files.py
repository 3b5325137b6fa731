"""Models as files: those that come with the toolkit, and those that a user names."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ohr.errors import ConfigError, did_you_mean
from ohr.files.bounded import read_bounded
from ohr.ocr_errors.model import FORMAT, ErrorModel
from ohr.plugins.base import first_error

LARGEST_FILE = 4_000_000
"""Most bytes of a model."""


def shipped_models() -> list[str]:
    """Names of the models that come with the toolkit."""
    folder = resources.files("ohr.ocr_errors") / "models"
    return sorted(
        entry.name.removesuffix(".json")
        for entry in folder.iterdir()
        if entry.name.endswith(".json")
    )


def read_model(name: str) -> ErrorModel:
    """A model by its name (one that is shipped) or its path. Raises ConfigError."""
    return parse_model(model_bytes(name), name)


def model_bytes(name: str) -> bytes:
    """The file of a model. Raises ConfigError if there is none."""
    known_values = shipped_models()
    if name in known_values:
        return (resources.files("ohr.ocr_errors") / "models" / f"{name}.json").read_bytes()
    path = Path(name)
    if "/" not in name and path.suffix != ".json":
        raise ConfigError(
            f"unknown model of OCR errors {name!r}; {did_you_mean(name, known_values)}; or give "
            "the path of a file that ohr dev fit-errors wrote"
        )
    try:
        return read_bounded(path, LARGEST_FILE)
    except OSError as error:
        raise ConfigError(f"cannot read the model {path}: {error.strerror or error}") from error


def parse_model(data: bytes, name: str) -> ErrorModel:
    """A model from its file. Raises ConfigError."""
    try:
        content: Any = json.loads(data)
        if isinstance(content, dict) and content.get("format", FORMAT) != FORMAT:
            raise ConfigError(
                f"{name} has format {content['format']!r}, and this version reads format {FORMAT}: "
                "fit the model again (ohr dev fit-errors)"
            )
        return ErrorModel.model_validate(content)
    except ValidationError as error:
        raise ConfigError(f"{name} is not a model of OCR errors: {first_error(error)}") from error
    except ValueError as error:
        raise ConfigError(f"{name} is not a model of OCR errors: not JSON") from error


def write_model(model: ErrorModel) -> str:
    """A model as JSON: one line per part, so that it stays readable."""
    return _lines(model.model_dump(mode="json"), 0) + "\n"


def _lines(value: Any, depth: int) -> str:
    if not isinstance(value, dict) or depth >= 2 or not value:
        if isinstance(value, list) and value and isinstance(value[0], dict):
            inner = ",\n".join("  " + json.dumps(item, ensure_ascii=False) for item in value)
            return f"[\n{inner}\n ]"
        return json.dumps(value, ensure_ascii=False)
    pad = " " * (depth + 1)
    inner = ",\n".join(
        f"{pad}{json.dumps(key, ensure_ascii=False)}: {_lines(item, depth + 1)}"
        for key, item in value.items()
    )
    return "{\n" + inner + "\n" + " " * depth + "}"
