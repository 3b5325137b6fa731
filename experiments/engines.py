"""Lists OCR engines: what is installed, what each reads, and what installs the rest.

``ohr list engines`` lists every engine that is registered; ``--check`` lets each
that is installed read one generated page. Engines may be named, with parameters, as in
``ohr list engines --check tesseract "{name: got, params: {model: DIR}}"``.
``--tune`` measures on this machine, on generated pages clean and under noise, which parameters of
the named engines save seconds without loss, and prints the line that a study takes.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import command
from ohr.errors import ConfigError


@command
def main(
    engines: Annotated[
        list[str] | None,
        typer.Argument(metavar="ENGINE", help="Engines; by default all that are registered."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Read one generated page with each that is installed.")
    ] = False,
    tune: Annotated[
        bool, typer.Option("--tune", help="Measure what an engine's parameters cost and save.")
    ] = False,
    pages: Annotated[int, typer.Option(min=1, max=1000, help="Pages to tune on.")] = 8,
) -> int:
    """List OCR engines, let each read a page, or tune them."""
    from ohr import registry
    from ohr.machine.engines import list_engines
    from ohr.machine.tuning import tune as tune_engines
    from ohr.study.config import parse_plugin

    if tune:
        if not engines or check:
            raise ConfigError("--tune: name the engines to be measured, such as rapidocr")
        return tune_engines([parse_plugin("engine", name) for name in engines], pages)
    names = engines or registry.known("engine")
    return list_engines([parse_plugin("engine", name) for name in names], check)


if __name__ == "__main__":
    main()
