"""The command that a study was run by, as its manifest keeps it, and as it is typed again.

``manifest["command"]`` has ``name`` (``run noise-curve``), ``options`` (what was given, one text
for each option) and, where a command runs several studies, ``part``: the run's folder inside
``--out``. Options that change no result are left out. A study from Python has the command that
makes the same one; null if there is none.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ohr.errors import ConfigError
from ohr.files.keys import hide_keys
from ohr.files.typed_lists import split_list
from ohr.registry import PluginSpec
from ohr.study.config import UNSEEN, StudyConfig, config_of, given_options, option_type
from ohr.study.option_values import holds_text, is_list, names_plugin
from ohr.study.presets import preset


@dataclass(frozen=True)
class Command:
    """A command of the app ``ohr``."""

    name: str
    """Without ``ohr``: ``run noise-curve``."""
    options: tuple[str, ...]
    """What was given: ``engines=gt``, ``--axis=r_noise``, and files."""
    out: Path | None = None
    """The folder of ``--out``."""

    def entry(self, run: Path) -> dict[str, Any]:
        """What the manifest of a run in this folder keeps, without keys of services."""
        part = ""
        if self.out is not None and run.resolve().is_relative_to(self.out.resolve()):
            part = run.resolve().relative_to(self.out.resolve()).as_posix()
        options = [hide_keys(option) for option in self.options]
        named = {"name": self.name, "options": options}
        return named | ({"part": part} if part not in ("", ".") else {})


_running: ContextVar[Command | None] = ContextVar("running", default=None)


@contextmanager
def running(command: Command) -> Iterator[None]:
    """Inside, studies are those of this command."""
    token = _running.set(command)
    try:
        yield
    finally:
        _running.reset(token)


def command_entry(config: StudyConfig, out: Path) -> dict[str, Any] | None:
    """For the manifest: the command that runs now, or one that makes the same study, if any."""
    command = _running.get() or equal_command(config)
    return None if command is None else command.entry(out)


def typed_command(entry: Mapping[str, Any], run: Path) -> str:
    """The command of a manifest's entry, for a shell: ``ohr run noise-curve … --out RUN``."""
    parts = Path(str(entry.get("part", ""))).parts
    out = run.parents[len(parts) - 1].name if 0 < len(parts) <= len(run.parents) else run.name
    words = ["ohr", *str(entry["name"]).split(), *map(str, entry["options"]), "--out", out]
    return shlex.join(words)


def option_texts(options: Mapping[str, Any], parent: str = "") -> list[str]:
    """Options as they are typed, ``key=value``; :func:`given_options` reads them as they were."""
    texts: list[str] = []
    for name, value in options.items():
        key = f"{parent}{name}"
        if key in UNSEEN:
            continue
        if isinstance(value, Mapping) and value and key in ("dataset", "dataset.params"):
            texts += option_texts(value, f"{key}.")
        else:
            texts.append(f"{key}={_text(option_type(key), value)}")
    return texts


def plugins_text(specs: Sequence[PluginSpec]) -> str:
    """Plug-ins as the text of an option: :func:`~ohr.study.config.parse_plugins` reads it."""
    named = map(_short, specs)
    return ",".join(each if isinstance(each, str) else _yaml(each) for each in named)


def equal_command(config: StudyConfig) -> Command | None:
    """A command whose preset, with the options that differ from it, is this configuration.

    None where no options that can be typed make it.
    """
    names = ["noise-curve", "ocr-benchmark"] if config.noise else ["ocr-benchmark"]
    for name in names:
        texts = option_texts(_differences(config, config_of({}, preset(name))))
        try:
            same = config_of(given_options(texts), preset(name))
        except ConfigError:
            continue  # a study that has run must not end here; the report says what is missing
        if same.identity() == config.identity():
            return Command(f"run {name}", tuple(texts))
    return None


def _differences(config: StudyConfig, base: StudyConfig) -> dict[str, Any]:
    mine, theirs = config.model_dump(mode="json"), base.model_dump(mode="json")
    changed = {key: value for key, value in mine.items() if value != theirs[key]}
    if "dataset" in changed:
        inner = theirs["dataset"]
        changed["dataset"] = {
            key: value for key, value in mine["dataset"].items() if value != inner[key]
        }
    return changed


def _text(annotation: Any, value: Any) -> str:
    if is_list(annotation):
        return _list_text(annotation, value)
    if holds_text(annotation):
        return "" if value is None else str(value)
    short = _short(value)
    is_name = names_plugin(annotation) and isinstance(short, str)
    return str(short) if is_name else _yaml(short)


def _list_text(annotation: Any, value: Any) -> str:
    if value is None:
        return "null"
    several = isinstance(value, Sequence | set) and not isinstance(value, str)
    items = [_short(item) for item in (value if several else [value])]
    joined = ",".join(str(item) if isinstance(item, str) else _yaml(item) for item in items)
    numbers = all(isinstance(item, int | float) for item in items)
    is_readable = joined[:1] not in ("", "[", "{") and joined != "null"
    return joined if is_readable and (numbers or split_list(joined) == items) else _yaml(items)


def _short(value: Any) -> Any:
    """A plug-in without parameters is only its name, with its argument."""
    if isinstance(value, PluginSpec):
        value = value.model_dump(mode="json")
    if not isinstance(value, Mapping) or "name" not in value:
        return value
    named = {key: item for key, item in value.items() if item not in (None, {}, "")}
    plain = str(value["name"])
    if named.get("argument") is not None:
        plain += f":{named['argument']}"
    if named.get("label") == plain:
        del named["label"]
    return plain if set(named) <= {"name", "argument"} else named


def _yaml(value: Any) -> str:
    """As YAML on one line."""
    text: str = yaml.safe_dump(value, default_flow_style=True, width=10**9, sort_keys=False)
    return text.removesuffix("\n").removesuffix("\n...")
