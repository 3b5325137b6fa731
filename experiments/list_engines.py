"""Lists OCR engines: which are installed, what each reads, and how to install the others.

``ohr list engines`` lists all registered engines. ``--check`` reads one generated page with each
installed engine. Engines can be named, with parameters, as in
``ohr list engines --check tesseract "{name: got, params: {model: DIR}}"``.
``--tune`` measures on this machine, on clean and noisy generated pages, which parameters of the
named engines save time without loss of quality. It prints the line to use in a study.
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
        typer.Argument(metavar="ENGINE", help="Engines; default: all that are registered."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Read one generated page with each installed engine.")
    ] = False,
    tune: Annotated[
        bool, typer.Option("--tune", help="Measure the time and quality of an engine's parameters.")
    ] = False,
    pages: Annotated[int, typer.Option(min=1, max=1000, help="Pages to tune on.")] = 8,
) -> int:
    """List OCR engines, check them, or tune them."""
    from ohr import registry
    from ohr.machine.engines import list_engines
    from ohr.machine.tuning import tune as tune_engines
    from ohr.study.config import parse_plugin

    if tune:
        if not engines or check:
            raise ConfigError("--tune: name the engines to measure, such as rapidocr")
        return tune_engines([parse_plugin("engine", name) for name in engines], pages)
    names = engines or registry.known("engine")
    return list_engines([parse_plugin("engine", name) for name in names], check)


if __name__ == "__main__":
    main()
