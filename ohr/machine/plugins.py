"""Lists the plug-ins of this machine."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import to_jsonable_python

from ohr import registry
from ohr.display.terminal import print_caption
from ohr.errors import ConfigError, MissingDependencyError, did_you_mean
from ohr.files.safe_text import plain


@dataclass(frozen=True)
class Listed:
    """A plug-in, and whether this machine can run it."""

    name: str
    state: str
    """``yes``, ``no``, or ``needs parameters``."""
    what: str = ""
    """The first line of its docstring."""
    parameters: str = ""
    reason: str = ""
    """Why it cannot be used."""


def list_plugins(kinds: Sequence[str], as_json: bool = False) -> int:
    """Print the plug-ins of some kinds. Raises ConfigError for an unknown kind.

    As JSON: a list of objects with ``kind``, ``name``, ``state`` (yes, no, needs parameters),
    ``what``, ``parameters`` (name -> default, null for a required one) and ``reason``.
    """
    for kind in kinds:
        if kind not in registry.KINDS:
            raise ConfigError(f"unknown kind {kind!r}; {did_you_mean(kind, registry.KINDS)}")
    if as_json:
        print(
            json.dumps(
                [_entry(kind, name) for kind in kinds for name in registry.known(kind)],
                indent=1,
                ensure_ascii=False,
            )
        )
        return 0
    for kind in kinds:
        print(f"{kind} ({registry.KINDS[kind]})")
        for name in registry.known(kind):
            listed = examine(kind, name)
            state = "" if listed.state == "yes" else f" [{listed.state}]"
            print_caption(f"{name}{state}: {listed.what}", "  ")
            for line in (listed.parameters, listed.reason):
                if line:
                    print_caption(line, "      ")
    return 0


def examine(kind: str, name: str) -> Listed:
    """The state of a plug-in."""
    try:
        cls = registry.plugin_class(kind, name)
    except Exception as error:  # a stranger's plug-in must not end the list
        return Listed(name, "no", reason=_one_line(error))
    what = (cls.__doc__ or "").strip().partition("\n")[0]
    parameters = _parameters(cls.Params)
    try:
        registry.create(kind, name).identity()
    except MissingDependencyError as error:
        return Listed(name, "no", what, parameters, _one_line(error))
    except ConfigError as error:
        return Listed(name, "needs parameters", what, parameters, _one_line(error))
    except Exception as error:  # nor one that cannot be made
        return Listed(name, "no", what, parameters, _one_line(error))
    return Listed(name, "yes", what, parameters)


def _entry(kind: str, name: str) -> dict[str, Any]:
    listed = examine(kind, name)
    parameters: dict[str, Any] = {}
    if listed.parameters:
        for field, info in registry.plugin_class(kind, name).Params.model_fields.items():
            default = None if info.is_required() else info.get_default(call_default_factory=True)
            parameters[field] = to_jsonable_python(default, fallback=str)
    return {
        "kind": kind,
        "name": name,
        "state": listed.state,
        "what": plain(listed.what),
        "parameters": parameters,
        "reason": plain(listed.reason),
    }


def _parameters(model: type[BaseModel]) -> str:
    """``psm=3, model (required)``."""
    return ", ".join(_parameter(name, field) for name, field in model.model_fields.items())


def _parameter(name: str, field: FieldInfo) -> str:
    if field.is_required():
        return f"{name} (required)"
    value: Any = field.get_default(call_default_factory=True)
    if isinstance(value, BaseModel):
        return f"{name}={value.model_dump(mode='json')}"
    return f"{name}={value!r}"


def _one_line(error: Exception) -> str:
    text = " ".join(str(error).split())
    return (
        text
        if isinstance(error, ConfigError | MissingDependencyError)
        else (f"{type(error).__name__}: {text}")
    )
