"""The studies that come with the toolkit: for each, the options it sets, in a YAML file."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from ohr.study.yaml_values import parse_yaml

_FOLDER = Path(__file__).parent


def preset(name: str) -> dict[str, Any]:
    """The options that the command of this name sets unless the user does: ``noise-curve``.

    Raises KeyError for a name without a preset.
    """
    return dict(_read(name))


def preset_names() -> list[str]:
    """The names of all presets."""
    return sorted(path.stem for path in _FOLDER.glob("*.yaml"))


@cache
def _read(name: str) -> dict[str, Any]:
    try:
        text = (_FOLDER / f"{name}.yaml").read_text("utf-8")
    except FileNotFoundError:
        raise KeyError(name) from None
    options: dict[str, Any] = parse_yaml(text) or {}
    return options
