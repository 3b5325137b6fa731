"""Compares the configurations of finished runs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from ohr.study.results import StudyRun, run_names


def configuration_changes(runs: Sequence[StudyRun]) -> pd.DataFrame:
    """The differences between the runs' manifests: one row per key, one column per run.

    For imported runs, only keys that all runs have are compared.
    """
    manifests = [_configured(run.manifest) for run in runs]
    shared = set.intersection(*(set(manifest["engines"]) for manifest in manifests))
    for manifest in manifests:  # config.engines has the engines that were run
        manifest["engines"] = {name: manifest["engines"][name] for name in sorted(shared)}
    flat = [dict(_flatten(manifest)) for manifest in manifests]
    keys = dict.fromkeys(key for config in flat for key in config)
    if any("imported" in run.manifest for run in runs):
        keys = dict.fromkeys(key for key in keys if all(key in config for config in flat))
    changed = [key for key in keys if len({json.dumps(config.get(key)) for config in flat}) > 1]
    columns = {
        name: [_shown(config.get(key)) for key in changed]
        for name, config in zip(run_names(runs), flat, strict=True)
    }
    return pd.DataFrame({"key": changed} | columns)


def _configured(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a manifest that can change results, without cache paths and costs."""
    config = {
        name: value
        for name, value in manifest.get("config", {}).items()
        if name not in ("cache", "workers")
    }
    dataset = manifest.get("dataset", {})
    counted = ("digest", "questions", "asked")
    return {
        "config": config,
        "draws": manifest.get("draws", []),
        "imported": manifest.get("imported", {}),
        "dataset": {name: dataset[name] for name in counted if name in dataset},
        "engines": manifest.get("engines", {}),
        "versions": manifest.get("versions", {}),
        "metrics": manifest.get("metrics", {}),
    }


def _flatten(value: object, prefix: str = "") -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _flatten(inner, f"{prefix}.{name}" if prefix else str(name))
    else:
        yield prefix, value


def _shown(value: object) -> str:
    """Plug-ins by their label; everything else as JSON."""
    if isinstance(value, list):
        return ", ".join(_shown(item) for item in value)
    if isinstance(value, Mapping) and "label" in value:
        params = f" {json.dumps(value['params'])}" if value.get("params") else ""
        return f"{value['label']}{params}"
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)
