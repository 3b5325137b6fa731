"""Downloads a dataset from the Hugging Face Hub. Only ``ohr dev fetch-models`` also downloads.

``ohr dataset download ohrbench --out DIR`` (or ``owner/name``, any dataset on the Hub) writes its
files and ``source.json``, which names the commit. ``HF_ENDPOINT`` can name a mirror.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import command
from experiments._parameters import Out


@command
def main(
    name: Annotated[str, typer.Argument(help="ohrbench, or owner/name of a dataset on the Hub.")],
    out: Out,
    revision: Annotated[str, typer.Option(help="Branch, tag or commit.")] = "main",
    include: Annotated[
        list[str] | None,
        typer.Option(help="Only files that match, such as 'data/*.json'; repeat for more."),
    ] = None,
) -> int:
    """Download a dataset from the Hugging Face Hub."""
    from experiments.convert.hub import fetch_dataset

    return fetch_dataset(name, out, revision, include)


if __name__ == "__main__":
    main()
