"""Lists the plug-ins of each hook: ``ohr list plugins [KIND ...]``.

For each plug-in it prints whether it can be used on this machine, what it is, and its parameters
with their defaults. Plug-ins of your packages are listed beside the built-in ones.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import command
from ohr import registry


@command
def main(
    kinds: Annotated[
        list[str] | None,
        typer.Argument(metavar="KIND", help=f"Of {', '.join(registry.KINDS)}; default: all."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a list of objects for other programs.")
    ] = False,
) -> int:
    """List distortions, retrievers and all other plug-ins."""
    from ohr.machine.plugins import list_plugins

    return list_plugins(kinds or list(registry.KINDS), as_json)


if __name__ == "__main__":
    main()
