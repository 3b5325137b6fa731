"""Lists what is registered under each hook: ``python -m experiments.plugins [KIND ...]``.

For each plug-in: whether it can be used here as it is, what it is, and its parameters with their
defaults. Your own packages' plug-ins are listed beside the built-in ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from experiments._command import command
from experiments.reports.plugins import examine
from ohr import registry
from ohr.errors import ConfigError
from ohr.printable import plain


@command("List engines, distortions, chunkers, retrievers, readers, metrics and datasets.")
def main(
    kinds: Annotated[
        list[str] | None,
        typer.Argument(metavar="[KIND ...]", help=f"Of {', '.join(registry.KINDS)}; default all."),
    ] = None,
) -> int:
    """List plug-ins."""
    return _run(kinds or list(registry.KINDS))


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


if __name__ == "__main__":
    main()
