"""A task card: what a study measures, frozen, and which of its parts are open."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from ohr.errors import ConfigError, did_you_mean
from ohr.plugins.base import first_error
from ohr.plugins.trust import check_content
from ohr.store.identity import digest
from ohr.study.config import UNSEEN, StudyConfig, make_config
from ohr.study.yaml_values import parse_yaml

FOLDER = Path(__file__).parent / "cards"
Open = Literal["engines", "chunkers", "retrievers", "readers", "systems", "judge"]
"""What a task may leave open."""
DATA = "{data}"
"""Stands for the folder of the data in a card's paths."""
PATHS = ("path", "questions", "pdfs")
_NAME = re.compile(r"[a-z0-9][a-z0-9._/-]*@\d+")


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Data(_Strict):
    """The data of a task. ``digest`` is that of the documents and questions that the study asks."""

    digest: str
    documents: int
    questions: int
    source: str = ""
    """Where they are from."""


class Card(_Strict):
    """One file of a task."""

    name: str
    about: str = ""
    data: Data
    open: tuple[Open, ...] = Field(min_length=1)
    """The options of the study that are compared; all others are frozen."""
    headline: tuple[str, ...] = Field(min_length=1)
    """``stage:metric`` of the scores that are reported."""
    signatures: dict[str, str]
    """Of the headline metrics and the axis of noise."""
    noises: dict[str, Any]
    """Identities of the noises, with versions and parameters."""
    study: dict[str, Any]

    @field_validator("name")
    @classmethod
    def _named(cls, name: str) -> str:
        if not _NAME.fullmatch(name):
            raise ValueError("a name and a version, such as sample/formatting@1")
        return name

    @model_validator(mode="after")
    def _is_whole(self) -> Card:
        if missing := [metric for metric in self.headline if metric not in self.signatures]:
            raise ValueError(f"no signature of {missing[0]}")
        dataset = self.study.get("dataset")
        if not isinstance(dataset, dict):
            raise ValueError("the study has no dataset")
        if not all(isinstance(dataset.get(name), str | None) for name in PATHS):
            raise ValueError(f"a text for each of {', '.join(PATHS)}")
        return self

    @property
    def digest(self) -> str:
        """Of everything that is frozen."""
        return digest(self.model_dump(mode="json", exclude={"about"}))

    @property
    def needs_data(self) -> bool:
        """Whether its data lie in a folder that a user names."""
        dataset: Mapping[str, Any] = self.study.get("dataset", {})
        return any(str(dataset.get(name, "")).startswith(DATA) for name in PATHS)

    def config(self, settings: Mapping[str, Any], data: Path | None) -> StudyConfig:
        """The study with the open parts as given. Raises ConfigError for what is frozen."""
        free = [name for name in UNSEEN if name not in ("cache", "workers")]  # options of their own
        for name in settings:
            if name not in (*self.open, *free):
                raise ConfigError(
                    f"{self.name} freezes {name!r}; open: {', '.join(self.open)}, and options that "
                    f"change no result: {', '.join(free)}"
                )
        for name in self.open:
            if name not in self.study and name not in settings:
                raise ConfigError(f"{self.name} names no {name} of its own: give {name}=…")
        if self.needs_data and data is None:
            raise ConfigError(f"{self.name} needs --data, the folder of its data")
        dataset = {
            name: value.replace(DATA, str(data)) if name in PATHS and value else value
            for name, value in self.study["dataset"].items()
        }
        return make_config({**self.study, "dataset": dataset, **settings})


def task_names() -> list[str]:
    """The names of all tasks that come with the toolkit."""
    return sorted(_built_in())


def load_card(name: str) -> Card:
    """A task by its name, or the card in a file. Raises ConfigError."""
    path = _built_in().get(name) or Path(name)
    if not path.is_file():
        raise ConfigError(f"unknown task {name!r}; {did_you_mean(name, task_names())}; or a file")
    try:
        content = parse_yaml(path.read_text("utf-8-sig"))
        if not isinstance(content, dict):
            raise ConfigError(f"{path} is no task card")
        check_content(content.get("study"), path)
        return Card.model_validate(content)
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror or error}") from error
    except ValidationError as error:
        raise ConfigError(f"task {name}: {first_error(error)}") from error
    except ValueError as error:
        raise ConfigError(f"task {name}: {error}") from error


def _built_in() -> dict[str, Path]:
    """``formatting@1`` of the folder ``sample`` is ``sample/formatting@1``."""
    paths = FOLDER.glob("*/*.yaml")
    return {path.relative_to(FOLDER).with_suffix("").as_posix(): path for path in paths}
