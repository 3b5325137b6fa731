"""Lists OCR engines: what is installed, what each reads, and what installs the rest.

``python -m experiments.engines`` lists every engine that is registered; ``--check`` lets each
that is installed read one generated page. Engines may be named, with parameters, as in
``python -m experiments.engines --check tesseract "{name: got, params: {model: DIR}}"``.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from experiments._command import command
from experiments.interchange.readings import parse_engine
from experiments.reports.engines import (
    check_engines,
    checks_table,
    engines_table,
    examine,
    how_to_mend,
)
from experiments.reports.terminal import show
from ohr import registry
from ohr.errors import OhrError
from ohr.printable import plain


@command("List OCR engines; --check lets the installed ones read a page.")
def main(
    engines: Annotated[
        list[str] | None, typer.Argument(help="Engines; by default all that are registered.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Read one generated page with each that is installed.")
    ] = False,
) -> int:
    """List the engines."""
    return _run(engines or registry.known("engine"), check)


def _run(names: Sequence[str], check: bool) -> int:
    listed = [found for name in names if (found := examine(parse_engine(name))) is not None]
    show(engines_table(listed))
    for engine in listed:
        if engine.reason:
            print(plain(how_to_mend(engine)))
    if not check:
        return 0
    print()
    checked = [engine for engine in listed if engine.installed]
    if not checked:
        raise OhrError("no engine is installed that could be checked")
    with tempfile.TemporaryDirectory() as folder:
        outcomes = check_engines(checked, Path(folder))
    show(checks_table(checked, outcomes))
    return int(any(outcome.value is None for outcome in outcomes))


if __name__ == "__main__":
    main()
