"""The command that reproduces a run."""

from __future__ import annotations

import shlex
from typing import Any

import yaml

from ohr.errors import OhrError
from ohr.study.config import StudyConfig
from ohr.study.results import Run

_LEFT_OUT = {"cache", "workers", "retry_failed"}
"""Options that change no result."""


def command_of(run: Run) -> str:
    """``ohr run noise-curve … --out RUN``, with all options that differ from their default.

    Empty for a run without one (see :func:`why_without_command`).
    """
    if why_without_command(run):
        return ""
    config = run.config
    name = "noise-curve" if config.noise else "ocr-benchmark"
    options = [f"{key}={_value(value)}" for key, value in _changed(config)]
    return shlex.join(["ohr", "run", name, *options, "--out", run.name])


def why_without_command(run: Run) -> str:
    """Why no command reproduces a run, such as imported results; empty if one does."""
    try:
        _ = run.config
    except OhrError as error:
        return str(error)
    return ""


def _changed(config: StudyConfig) -> list[tuple[str, Any]]:
    dumped = config.model_dump(mode="json", exclude_defaults=True)
    changed: list[tuple[str, Any]] = []
    for key, value in dumped.items():
        if key == "dataset":
            changed += [(f"dataset.{inner}", setting) for inner, setting in value.items()]
        elif key not in _LEFT_OUT:
            changed.append((key, value))
    return changed


def _value(value: Any) -> str:
    """As YAML on one line; a plug-in without parameters is only its name."""
    if isinstance(value, list):
        value = [_short(item) for item in value]
    text: str = yaml.safe_dump(_short(value), default_flow_style=True, width=10**9, sort_keys=False)
    return text.removesuffix("\n").removesuffix("\n...")


def _short(value: Any) -> Any:
    if isinstance(value, dict) and "name" in value:
        params = {k: v for k, v in value.items() if v and not (k == "label" and v == value["name"])}
        params = dict(sorted(params.items(), key=lambda item: ("name", "label").index(item[0])
                           if item[0] in ("name", "label") else 2))  # fmt: skip
        return value["name"] if set(params) == {"name"} else params
    return value
