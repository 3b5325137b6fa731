"""Lists models that are here: ``ohr list models [FOLDER ...]``.

Folders with a ``config.json``, ONNX files or a GGUF file are listed with what can use them, the
extra that this needs, dimensions and licence, as their files state them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments._command import command


@command
def main(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FOLDER", help="Folders of models; default: $OHR_MODELS."),
    ] = None,
) -> int:
    """List local models: their use, dimensions, licence."""
    from ohr.machine.models import list_models

    return list_models(folders)


if __name__ == "__main__":
    main()
