"""Lists what is registered under each hook: ``python -m experiments.plugins [KIND ...]``.

For each plug-in: whether it can be used here as it is, what it is, and its parameters with their
defaults. Your own packages' plug-ins are listed beside the built-in ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from experiments._command import CommandLine, with_errors
from ohr import registry
from ohr.errors import ConfigError, MissingDependencyError
from ohr.printable import plain

main = CommandLine()


@dataclass(frozen=True)
class Listed:
    """A plug-in as it stands on this machine."""

    name: str
    state: str
    """``yes``, ``no``, or ``needs parameters``."""
    what: str = ""
    """The first line of its docstring."""
    parameters: str = ""
    reason: str = ""
    """Why it cannot be used as it is."""


@main.command(
    help="List engines, distortions, chunkers, retrievers, readers, metrics and datasets."
)
def command(
    kinds: Annotated[
        list[str] | None,
        typer.Argument(metavar="[KIND ...]", help=f"Of {', '.join(registry.KINDS)}; default all."),
    ] = None,
    debug: Annotated[
        bool, typer.Option("--debug", help="Print a traceback with an error.")
    ] = False,
) -> None:
    """List plug-ins."""
    with_errors(lambda: _run(kinds or list(registry.KINDS)), debug)


def _run(kinds: Sequence[str]) -> int:
    for kind in kinds:
        if kind not in registry.KINDS:
            raise ConfigError(f"unknown kind {kind!r}; known: {', '.join(registry.KINDS)}")
    for kind in kinds:
        print(f"{kind} ({registry.KINDS[kind]})")
        for name in registry.known(kind):
            listed = examine(kind, name)
            state = "" if listed.state == "yes" else f" [{listed.state}]"
            print(plain(f"  {name}{state}: {listed.what}"))
            for line in (listed.parameters, listed.reason):
                if line:
                    print(plain(f"      {line}"))
    return 0


def examine(kind: str, name: str) -> Listed:
    """How a plug-in stands."""
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
    except Exception as error:
        return Listed(name, "no", what, parameters, _one_line(error))
    return Listed(name, "yes", what, parameters)


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


if __name__ == "__main__":
    main()
