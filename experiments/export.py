"""Knowledge bases, questions and gold pages in the formats of other tools.

``python -m experiments.export RUN --format beir --out DIR`` writes each knowledge base of a
finished run, ``python -m experiments.export dataset.kind=… --format beir --out DIR`` the ground
truth of a dataset: a collection a domain, since a study searches the question's domain alone. A
page is a document, and a question's evidence pages are relevant, even those that lie in another
domain, where neither the study nor the other tool can find them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from experiments._command import command
from experiments.interchange.beir import (
    dataset_collections,
    run_collections,
    write_beir,
    write_datasets,
)
from ohr.errors import OhrError
from ohr.study.config import load_config

FORMATS = ("beir", "datasets")


@command("Write knowledge bases, questions and gold pages for other tools.")
def main(
    source: Annotated[
        list[str],
        typer.Argument(metavar="RUN | [CONFIG.yaml] [key=value ...]", help="A run, or a dataset."),
    ],
    out: Annotated[Path, typer.Option(help="Folder for the files.")],
    format: Annotated[
        str, typer.Option(help="beir, or datasets (Hugging Face; pip install 'ohr[hub]').")
    ] = "beir",
) -> int:
    """Export."""
    return _run(source, out, format)


def _run(source: Sequence[str], out: Path, format_name: str) -> int:
    if format_name not in FORMATS:
        raise OhrError(f"unknown --format {format_name!r}; known: {', '.join(FORMATS)}")
    is_run = len(source) == 1 and (Path(source[0]) / "manifest.json").is_file()
    if is_run:
        collections = run_collections(Path(source[0]))
    else:
        collections = dataset_collections(load_config(source))
    for name, found in collections:
        folder = out / name
        (write_beir if format_name == "beir" else write_datasets)(found, folder)
        print(f"{folder}: {len(found.corpus)} pages, {len(found.queries)} questions")
    return 0


if __name__ == "__main__":
    main()
