"""A study's options as flags: ``--dpi 100`` is ``dpi=100``, ``--engines a,b`` is ``engines=[a,b]``.

The flags come from the fields of :class:`ohr.study.config.StudyConfig`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from ohr.errors import ConfigError


def as_settings(arguments: Sequence[str], own: Collection[str]) -> list[str]:
    """The arguments with each flag of a study rewritten as ``key=value``.

    ``own`` are the names of the command's other options, which stay as they are. Raises ConfigError
    for a flag without its value, and for a switch with a value other than ``true`` and ``false``.
    """
    out: list[str] = []
    rest = list(arguments)
    while rest:
        argument = rest.pop(0)
        name, equals, value = argument.partition("=")
        if argument == "--":
            return [*out, argument, *rest]
        key, annotation = (None, None) if name in own else _field(name)
        if key is None:
            out.append(argument)
            continue
        if _has(annotation, bool):
            off = _key(name).startswith("no_")
            if equals and (off or value not in ("true", "false")):
                raise ConfigError(
                    f"{name} is a switch: write it without a value, or --no{as_flag(key)[1:]}"
                )
            out.append(f"{key}={value or str(not off).lower()}")
            continue
        if not equals:
            if not rest or rest[0].startswith("--"):
                raise ConfigError(f"{name} needs a value, such as {name} VALUE")
            value = rest.pop(0)
        if _has(annotation, tuple) and "," in value and value[0] not in "[{":
            value = f"[{value}]"
        out.append(f"{key}={value}")
    return out


def flags() -> dict[str, str]:
    """Every flag of a study, and its help."""
    from ohr.display.options import option_table

    return {
        as_flag(option.key): option.meaning
        for options in option_table().values()
        for option in options
    }


def _field(name: str) -> tuple[str | None, Any]:
    """The dotted key of a flag and its annotation; (None, None) if it is no option of a study."""
    from ohr.study.config import DatasetConfig, StudyConfig

    if not name.startswith("--"):
        return None, None
    models = {"": StudyConfig.model_fields, "dataset": DatasetConfig.model_fields}
    for key in (_key(name), _key(name).removeprefix("no_")):
        parent, _, last = key.rpartition(".")
        if parent == "dataset.params" and last:
            return key, str  # checked with the dataset, which knows its parameters
        fields = models.get(parent, {})
        if last in fields and (key == _key(name) or _has(fields[last].annotation, bool)):
            return key, fields[last].annotation
    return None, None


def _key(name: str) -> str:
    return name.removeprefix("--").replace("-", "_")


def as_flag(key: str) -> str:
    """``top_k`` -> ``--top-k``."""
    return "--" + key.replace("_", "-")


def _has(annotation: Any, kind: type) -> bool:
    """Whether an annotation is this type, or a union with it."""
    if get_origin(annotation) in (Union, UnionType, Annotated):
        return any(_has(part, kind) for part in get_args(annotation))
    return (get_origin(annotation) or annotation) is kind
