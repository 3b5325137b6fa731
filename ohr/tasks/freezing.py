"""Makes a task card of a finished run."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from ohr.errors import ConfigError
from ohr.plugins.base import first_error
from ohr.store.atomic import write_text
from ohr.study.config import UNSEEN
from ohr.study.results import StudyRun
from ohr.tasks.card import DATA, PATHS, Card
from ohr.tasks.places import machine_places

_AXES = ("ocr:r_noise_reference", "ocr:r_noise", "ocr:r_noise_content", "ocr:edit_distance")


def freeze(
    run: StudyRun,
    name: str,
    opened: Sequence[str],
    headline: Sequence[str],
    about: str,
    source: str,
) -> Card:
    """The card of a run: its study, data, noises and metrics. Raises ConfigError."""
    manifest = run.manifest
    if run.manifest.get("sources"):
        raise ConfigError(f"{run.path} used code from outside the toolkit: a card cannot freeze it")
    for option in ("rewritten", "verdicts"):
        if getattr(run.config.dataset, option):
            raise ConfigError(f"dataset.{option} is a file of yours: a card cannot hold it")
    if run.config.calibration:
        raise ConfigError("calibration is a file of yours: freeze a study with intensities")
    signatures: Mapping[str, str] = manifest["signatures"]
    for metric in headline:
        if metric not in signatures:
            raise ConfigError(
                f"{run.path} did not measure {metric!r}; it has {', '.join(sorted(signatures))}"
            )
    # With the defaults: those of a later version may differ.
    study = run.config.model_dump(mode="json", exclude=set(UNSEEN))
    study = {key: _short(value) for key, value in study.items()}
    study["dataset"] = _portable(study["dataset"])
    for option in [name for name in study if name != "dataset"]:
        if places := list(machine_places(study[option])):
            if option not in opened:
                raise ConfigError(
                    f"{option} names a place of this machine, {places[0]}: a card can freeze it "
                    f"only elsewhere; or leave it open: --open {','.join([*opened, option])}"
                )
            del study[option]  # whoever runs the task names their own
    study["seeds"] = list(manifest["draws"]) or None
    dataset = manifest["dataset"]
    try:
        return Card.model_validate(
            {
                "name": name,
                "about": about,
                "data": {
                    "digest": dataset["digest"],
                    "documents": dataset["documents"],
                    "questions": dataset["questions"],
                    "source": source,
                },
                "open": list(opened),
                "headline": list(headline),
                "signatures": {
                    metric: signatures[metric]
                    for metric in (*headline, *_AXES)
                    if metric in signatures
                },
                "noises": manifest["parts"].get("noises", {}),
                "study": study,
            }
        )
    except ValidationError as error:
        raise ConfigError(f"the card: {first_error(error)}") from error


def write_card(card: Card, path: Path) -> None:
    """Write a card; one that exists stays as it is. Raises ConfigError."""
    if path.exists():
        raise ConfigError(f"{path} exists: a task does not change; give it another version")
    content = card.model_dump(mode="json")
    text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100)
    write_text(path, f"# A frozen task. A change of anything is another version.\n{text}")


def _portable(dataset: Mapping[str, Any]) -> dict[str, Any]:
    """A dataset's options with the common folder of its paths as ``{data}``."""
    paths = {name: Path(dataset[name]).absolute() for name in PATHS if dataset.get(name)}
    if not paths:
        return dict(dataset)
    parents = [path if path.is_dir() else path.parent for path in paths.values()]
    folder = Path(os.path.commonpath(parents))
    if folder == Path(folder.anchor):
        raise ConfigError("the dataset's files have no common folder, which --data could name")
    portable = {name: f"{DATA}/{path.relative_to(folder)}" for name, path in paths.items()}
    return {**dataset, **portable}


def _short(value: Any) -> Any:
    """Plug-ins without parameters by their names alone."""
    if isinstance(value, list):
        return [_short(each) for each in value]
    if isinstance(value, dict) and value.keys() == {"name", "argument", "params", "label"}:
        given = {key: each for key, each in value.items() if each}
        return value["name"] if given == {"name": value["name"], "label": value["name"]} else given
    return value
