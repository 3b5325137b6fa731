"""The command that makes a run again."""

from __future__ import annotations

import shlex
from typing import Any

import yaml

from ohr.errors import OhrError
from ohr.study.config import StudyConfig
from ohr.study.results import Run

_NOT_SAID = {"cache", "workers", "retry_failed"}
"""Options that change no result."""


def command_of(run: Run) -> str:
    """``ohr run noise-curve … --out RUN``: all options that are not the default.

    Nothing for results that no study here made.
    """
    try:
        config = run.config
    except OhrError:
        return ""
    name = "noise-curve" if config.noise else "ocr-benchmark"
    options = [f"{key}={_value(value)}" for key, value in _changed(config)]
    return shlex.join(["ohr", "run", name, *options, "--out", run.name])


def _changed(config: StudyConfig) -> list[tuple[str, Any]]:
    dumped = config.model_dump(mode="json", exclude_defaults=True)
    changed: list[tuple[str, Any]] = []
    for key, value in dumped.items():
        if key == "dataset":
            changed += [(f"dataset.{inner}", given) for inner, given in value.items()]
        elif key not in _NOT_SAID:
            changed.append((key, value))
    return changed


def _value(value: Any) -> str:
    """As YAML on one line; plug-ins by name alone where they have no parameters."""
    if isinstance(value, list):
        value = [_short(one) for one in value]
    text: str = yaml.safe_dump(_short(value), default_flow_style=True, width=10**9, sort_keys=False)
    return text.removesuffix("\n").removesuffix("\n...")


def _short(value: Any) -> Any:
    if isinstance(value, dict) and "name" in value:
        kept = {k: v for k, v in value.items() if v and not (k == "label" and v == value["name"])}
        kept = dict(sorted(kept.items(), key=lambda item: ("name", "label").index(item[0])
                           if item[0] in ("name", "label") else 2))  # fmt: skip
        return value["name"] if set(kept) == {"name"} else kept
    return value
